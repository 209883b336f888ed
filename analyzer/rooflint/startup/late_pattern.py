"""Regular expressions that are compiled where they are first used.

To compile one takes 0.1 to 0.5 ms, modules define more than a hundred, and a run uses a quarter of
them. A bundle has what Python's compiler makes of those that a rehearsal used. Such programs hold
for one build of Python, as the code of modules does.
"""

import _sre  # type: ignore[import-not-found]
from re import Pattern, purge
from re import compile as compiled_pattern
from typing import TYPE_CHECKING, Any

from rooflint.startup.own_modules import own_finder

if TYPE_CHECKING:
    from re import compile as late_pattern
else:

    def late_pattern(text: str | bytes, flags: int = 0) -> "LatePattern":
        """The pattern, to be used as ``re.compile`` would give it, but not as an argument of it."""
        return LatePattern(text, flags)


__all__ = ["late_pattern"]
ARGUMENTS = 6
PatternProgram = tuple[Any, ...]
"""The arguments of ``_sre.compile``: text, flags, code, number of groups, and their names."""
METHODS = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn")


class LatePattern:
    """Stands for a pattern; its first use fetches the methods of the pattern itself.

    ``source``: its text and flags.
    """

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.source = (text, int(flags))

    @property
    def is_used(self) -> bool:
        """Whether it was compiled."""
        return METHODS[0] in vars(self)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        pattern = _bundled(self.source) or compiled_pattern(*self.source)
        for method in METHODS:
            setattr(self, method, getattr(pattern, method))
        return getattr(pattern, name)


def _bundled(source: tuple[str | bytes, int]) -> Pattern[Any] | None:
    finder = own_finder()
    if finder is None or finder.bundle is None:
        return None
    program = finder.bundle.program(source)
    return None if program is None else pattern_of(program)


def pattern_program(text: str | bytes, flags: int) -> PatternProgram | None:
    """The program of a pattern; None where this Python makes patterns in another way.

    Not for programs with threads: for a moment it takes the place of what makes all patterns.
    """
    programs: list[PatternProgram] = []
    make = _sre.compile

    def noted(*arguments: Any) -> Any:  # noqa: ANN401 - whatever the compiler hands over
        programs.append(arguments)
        return make(*arguments)

    vars(_sre)["compile"] = noted
    try:
        purge()
        compiled_pattern(text, flags)
    finally:
        vars(_sre)["compile"] = make
    if len(programs) != 1 or len(programs[0]) != ARGUMENTS:
        return None
    text, flags, code, groups, numbers, names = programs[0]
    # its instructions are integers with names
    return text, int(flags), [int(each) for each in code], groups, dict(numbers), tuple(names)


def pattern_of(program: PatternProgram) -> Pattern[Any]:
    """The pattern, as Python's own compiler has it."""
    pattern: Pattern[Any] = _sre.compile(*program)
    return pattern
