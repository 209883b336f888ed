"""Parts of a report on the program around its loops: ranges of sizes, and counts of a run."""

from typing import Final

from rooflint.records import NamedTuple
from rooflint.scenario.values import ChainStep

COUNTS: Final = "counts"
PROFILE: Final = "profile"
"""Origins: what a run of the program counted, and where a profile saw its time go."""


class LoopWeight(NamedTuple):
    """How often a loop or a function runs in one run of the program, and its share of the time.

    iterations  of the loop over all executions; None of a function
    origin      ``counts``; ``counts and sizes``: by the counts of what it stands in, times trips
    share       of the time, of a kernel without that of kernels inside; from a ``share_origin``
    """

    executions: float | None = None
    iterations: float | None = None
    origin: str = ""
    share: float | None = None
    share_origin: str = ""


class LoopCountsReport(NamedTuple):
    """How often a loop began, None where that is not told, and its body ran in a run."""

    line: int
    column: int
    executions: int | None
    iterations: int


class BranchCountsReport(NamedTuple):
    """How often an ``if`` was reached, and the part of that in which it held; None: never."""

    line: int
    column: int
    evaluations: int
    probability: float | None


class CountGapReport(NamedTuple):
    """A loop without counts, and why."""

    line: int
    column: int
    reason: str


class FileCountsReport(NamedTuple):
    """All that a run counted in a file, of loops without a kernel too."""

    loops: tuple[LoopCountsReport, ...] = ()
    gaps: tuple[CountGapReport, ...] = ()
    branches: tuple[BranchCountsReport, ...] = ()


class SizeRange(NamedTuple):
    """A size in its scope: the range that it may have, and the steps that lead to ``typical``.

    scope  the function or the type that the name belongs to; empty for one of the whole program
    size   the name as the sizes of kernels have it: ``p.n`` of the member ``n``
    """

    scope: str
    name: str
    size: str
    low: int
    typical: int
    high: int
    origin: str
    chain: tuple[ChainStep, ...] = ()
