"""Spellings of clang's that do not change with the lines above."""

from typing import Final

from rooflint.startup.late_pattern import late_pattern

_PLACE: Final = late_pattern(r" at [^()]*:\d+:\d+(?=\))")


def without_place(spelling: str) -> str:
    """A type or name without the place that stands for the name of a type that has none:
    ``struct (unnamed at a.c:3:1)`` is ``struct (unnamed)``."""
    return _PLACE.sub("", spelling)
