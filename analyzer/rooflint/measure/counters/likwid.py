"""Output of ``likwid-perfctr -O``: tables as CSV, one after another.

A table of counts has the columns event, counter and one for each hardware thread; with ``-m`` there
is one a region, behind lines on its calls. Tables of metrics and of sums over threads follow.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from rooflint.errors import AnalysisError
from rooflint.measure.counters.readings import CounterReading, CountState

_TABLE: Final = "TABLE"
_STRUCT: Final = "STRUCT"
_REGION: Final = "Region "
_HEAD: Final = ("Event", "Counter")
_OTHER_TABLES: Final = ("Metric", "STAT")
_UNKNOWN: Final = ("-", "nan", "-nan")
"""Of a counter that this processor lacks."""
MEMORY_GROUP: Final = "MEM"


class LikwidTable(Struct, frozen=True, kw_only=True):
    """Counts of one group, all hardware threads together; ``region`` between marks, or empty."""

    group: str
    region: str
    readings: tuple[CounterReading, ...]


def likwid_command(
    program: str, events: str, processor: int | None, output: str
) -> tuple[str, ...]:
    """The command in front of that of the program to count; ``events`` as a list or a group."""
    pinned = ("-C", "0" if processor is None else str(processor))
    return (program, "-f", *pinned, "-g", events, "-O", "-o", output)


def event_list(names: Sequence[str]) -> str:
    """Events with a counter each: those that do not name theirs get the next free one."""
    taken = {name.partition(":")[2] for name in names}
    free = iter([f"PMC{n}" for n in range(len(names) * 2) if f"PMC{n}" not in taken])
    return ",".join([name if ":" in name else f"{name}:{next(free)}" for name in names])


def read_likwid(text: str, path: str) -> tuple[LikwidTable, ...]:
    """The tables of counts; raises AnalysisError that names the line of ``path``."""
    return tuple(_tables(text.splitlines(), path))


def _tables(lines: Sequence[str], path: str) -> Iterator[LikwidTable]:
    starts = [number for number, line in enumerate(lines) if line.startswith(f"{_TABLE},")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        title = lines[start].split(",")
        region = title[1].removeprefix(_REGION) if title[1].startswith(_REGION) else ""
        names = title[2:] if region else title[1:]
        if len(names) < 2:
            raise AnalysisError(f"{path}:{start + 1}: expected a group of 'likwid-perfctr -O'")
        if names[0].endswith(_OTHER_TABLES):
            continue
        readings = tuple(_readings(lines, range(start + 1, end), path))
        yield LikwidTable(group=names[1], region=region, readings=readings)


def _readings(lines: Sequence[str], rows: range, path: str) -> Iterator[CounterReading]:
    is_inside = False
    threads = 0
    for row in rows:
        fields = lines[row].split(",")
        if tuple(fields[:2]) == _HEAD:
            is_inside, threads = True, len([name for name in fields[2:] if name])
        elif is_inside and len(fields) > 2 and fields[0] != _STRUCT:
            yield _reading(fields[0], fields[2 : 2 + threads], f"{path}:{row + 1}")
        elif is_inside:
            break


def _reading(event: str, values: Sequence[str], place: str) -> CounterReading:
    known = [value for value in values if value not in _UNKNOWN]
    try:
        count = sum(map(float, known))
    except ValueError:
        raise AnalysisError(f"{place}: expected counts of {event}, got {values}") from None
    state = CountState.COUNTED if known else CountState.NOT_COUNTED
    return CounterReading(event=event, state=state, count=count)
