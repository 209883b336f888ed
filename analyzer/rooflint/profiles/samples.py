"""Time by source line, and the shares that parts of the source have of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import TypeAlias

from rooflint.ir.unit import Span
from rooflint.profiles.source_paths import RecordedPaths
from rooflint.records import NamedTuple


class SourceLine(NamedTuple):
    """A line of a file, as the profile names it; ``line`` is 0 where it is unknown."""

    path: str
    line: int


Weights: TypeAlias = Counter[tuple[SourceLine, ...]]
"""Of chains of lines: the line that ran, then the lines its code was inlined to."""


class TimeUnit(Enum):
    """Units of weights that measure time; those of samples and instructions have none."""

    NANOSECONDS = auto()
    CYCLES = auto()


class TimedLines(NamedTuple):
    """The time of one profile."""

    weights: Weights
    unit: TimeUnit | None = None


class SourcePart(NamedTuple):
    """A function, or another part of a source file that time is credited to."""

    path: str
    span: Span


class TimeShares(NamedTuple):
    """``parts`` in the order of the question; ``outside`` was spent in none of them.

    The kernel, libraries and the program's other code are outside, and never spread over ``parts``.
    """

    parts: tuple[float, ...]
    outside: float


class TimeProfile:
    """The time of a program's runs by line; ``unit`` is None where it can only be compared."""

    def __init__(self, weights: Weights, unit: TimeUnit | None = None) -> None:
        self._weights = weights
        self.unit = unit
        self._paths = RecordedPaths({line.path for chain in weights for line in chain})

    @property
    def total(self) -> int:
        """All time, inside and outside of the source."""
        return self._weights.total()

    def shares(self, parts: Sequence[SourcePart]) -> TimeShares:
        """Time of each part over all time.

        A sample counts for the innermost of ``parts`` that its chain meets: an accessor that is no
        part itself counts for its caller. Parts that hold other parts, as a loop's function does,
        lose what those have.
        """
        total = self._weights.total()
        if not total:
            return TimeShares((0.0,) * len(parts), 0.0)
        parts_of_file = self._by_recorded_path(parts)
        sums = [0.0] * len(parts)
        for chain, weight in self._weights.items():
            part = _first_part(chain, parts_of_file)
            if part is not None:
                sums[part] += weight
        shares = tuple([each / total for each in sums])
        return TimeShares(shares, max(0.0, 1 - sum(shares)))

    def _by_recorded_path(
        self, parts: Sequence[SourcePart]
    ) -> dict[str, list[tuple[tuple[int, int], int]]]:
        """(first and last line, number) of the parts of each file, smallest part first."""
        by_path: dict[str, list[tuple[tuple[int, int], int]]] = {}
        for number, part in enumerate(parts):
            path = self._paths.of(part.path)
            if path is not None:
                lines = (part.span.line, part.span.end_line)
                by_path.setdefault(path, []).append((lines, number))
        for numbered in by_path.values():
            numbered.sort(key=lambda each: (each[0][1] - each[0][0], each[1]))
        return by_path


def _first_part(
    chain: Iterable[SourceLine], parts: dict[str, list[tuple[tuple[int, int], int]]]
) -> int | None:
    for line in chain:
        for (first, last), number in parts.get(line.path, ()):
            if first <= line.line <= last:
                return number
    return None
