"""Loops over input up to its end, which nothing counts.

Such a loop calls a function of the library that reads, or one of the program that reads a line or
a word for each of its calls. What goes through blocks does the work of a run in each; lines and
words are items of the input, such as the samples of a data set or the records of a table.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from rooflint.ir.equations import BoundedLoop, Equations
from rooflint.program.loop_patterns.time_steps import functions_with_loops, working_loops
from rooflint.scenario.roles import InputUnit

_CHARACTERS: Final = frozenset(
    "fgetc getc getchar fgetc_unlocked getc_unlocked getchar_unlocked".split()
)
_LINES: Final = frozenset(("fgets", "fgets_unlocked", "getline", "fscanf"))
_ITEMS: Final = _LINES | _CHARACTERS
_UNITS: Final[dict[str, InputUnit]] = {
    **dict.fromkeys(("fread", "read", "pread", "recv", "fread_unlocked", *_CHARACTERS), "block"),
    **dict.fromkeys(_LINES, "line"),
}
"""What functions of C and POSIX, and those of C++ streams of these names, bring on."""
_OPEN: Final = frozenset(("endless", "other"))


def loops_over_input(files: Sequence[Equations]) -> Sequence[Mapping[int, InputUnit]]:
    """Of each file, the positions of the loops over input that lie in no other one, and what each
    iteration reads."""
    units = _readers(files)
    reading = [_reading_loops(file, units) for file in files]
    if not any(reading):
        return reading
    with_loops = functions_with_loops(files)
    return [
        {
            each: unit
            for each, unit in own.items()
            if (unit == "line" or each in working) and own.keys().isdisjoint(_around(file, each))
        }
        for file, own, working in zip(
            files, reading, [working_loops(file, with_loops) for file in files], strict=True
        )
    ]


def _readers(files: Sequence[Equations]) -> Mapping[str, InputUnit]:
    """By the keys of their results: functions of the library that read, and those of the program
    that read a line in each call, outside of loops or through another one of these, or that read
    characters up to the end of a word."""
    read = _library_readers(files)
    units = {key: _UNITS[name] for key, name in read.items()}
    callers = _callers(files, {key for key, name in read.items() if name in _CHARACTERS})
    waiting = [key for key, name in read.items() if name in _ITEMS]
    while waiting:
        fresh = callers[waiting.pop()] - units.keys()
        units |= dict.fromkeys(fresh, "line")
        waiting += fresh
    return units


def _library_readers(files: Sequence[Equations]) -> Mapping[str, str]:
    """Names of the functions of the library that read and that the program calls."""
    defined = {file.quantities[each.result].key for file in files for each in file.functions}
    found: dict[str, str] = {}
    for file in files:
        for call in file.calls:
            callee = file.quantities[call.callee]
            if callee.name in _UNITS and callee.key not in defined:
                found[callee.key] = callee.name
    return found


def _callers(files: Sequence[Equations], characters: Collection[str]) -> defaultdict[str, set[str]]:
    """The functions that call each other one outside of loops, or anywhere for ``characters``."""
    callers: defaultdict[str, set[str]] = defaultdict(set)
    for file in files:
        for call in file.calls:
            callee = file.quantities[call.callee].key
            if call.caller >= 0 and (call.loop < 0 or callee in characters):
                callers[callee].add(file.quantities[call.caller].key)
    return callers


def _reading_loops(file: Equations, units: Mapping[str, InputUnit]) -> dict[int, InputUnit]:
    """Uncounted loops that call a reading function, be it in a loop inside."""
    found: dict[int, InputUnit] = {}
    for call in file.calls:
        unit = units.get(file.quantities[call.callee].key)
        if unit is not None and call.loop >= 0:
            for each in (call.loop, *_around(file, call.loop)):
                if _is_open(file.loops[each]):
                    found.setdefault(each, unit)
    return found


def _is_open(loop: BoundedLoop) -> bool:
    return loop.lower is None and loop.form != "range-for" and loop.pattern in _OPEN


def _around(file: Equations, loop: int) -> Iterator[int]:
    """The loops around a loop."""
    around = file.loops[loop].parent
    while around >= 0:
        yield around
        around = file.loops[around].parent
