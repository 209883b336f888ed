"""Counts of a run, by the places of a file, beside what the source tells."""

from collections.abc import Callable, Mapping
from typing import Final

from rooflint.ir.unit import Span
from rooflint.records import NamedTuple


class LoopKeyword(NamedTuple):
    """Line and column of a keyword."""

    line: int
    column: int


class RunCounts(NamedTuple):
    """The counts of a run in one file.

    loops     iterations of each loop's body in the run
    branches  by line: how often the condition of its only ``if`` held, of those reached
    calls     of the function that spans so much of the file; None where nobody counted them
    """

    loops: Mapping[LoopKeyword, int]
    branches: Mapping[int, float]
    calls: Callable[[Span], int | None]


def _nothing_counted(_: Span) -> None:
    return None


NO_COUNTS: Final = RunCounts({}, {}, _nothing_counted)
NOTHING_COUNTED: Final[Mapping[str, RunCounts]] = {}
"""Counts by the path of a file, where no run was counted."""
