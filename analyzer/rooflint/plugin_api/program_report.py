"""Parts of a report on the program around its loops: ranges of sizes, and counts of a run."""

from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple
from rooflint.scenario.sensitivity import Sensitivity, Stability
from rooflint.scenario.values import ChainStep

ShareOrigin: TypeAlias = Literal["static", "counts", "counts and sizes", "profile", ""]
STATIC: Final = "static"
COUNTS: Final = "counts"
COUNTS_AND_SIZES: Final = "counts and sizes"
PROFILE: Final = "profile"
"""Origins: calls and trips that the source tells; what a run of the program counted, and that times
trips; where a profile saw its time go."""
_SMALLEST_PERCENT: Final = 0.1


class LoopWeight(NamedTuple):
    """How often a loop or a function runs in one run of the program, and its share of the time.

    A library has no run: each function without a caller is an entry that runs once, and shares are
    those of an entry's time, the largest of several.

    iterations  of the loop over all executions; None of a function
    origin      ``static``; ``counts``; ``counts and sizes``: by the counts of what it stands in,
                times trips
    share       of the time, from a ``share_origin``; of a kernel without that of kernels inside,
                and where the source tells, with calls of functions that have no loop
    of_entry    whether the share is that of one entry's time, for there are several
    cycles      what the share is of, in core cycles; these compare between entries too
    """

    executions: float | None = None
    iterations: float | None = None
    origin: ShareOrigin = ""
    share: float | None = None
    share_origin: ShareOrigin = ""
    of_entry: bool = False
    cycles: float | None = None


def share_words(share: float, origin: ShareOrigin) -> str:
    """A share of the program's time: ``≈14 %`` from the source, ``14 %`` from a run."""
    percent = 100 * share
    smallest = 0 < percent < _SMALLEST_PERCENT
    figure = f"<{_SMALLEST_PERCENT:g}" if smallest else f"{percent:.2g}"
    return f"{'≈' if origin == STATIC else ''}{'100' if percent >= 99.5 else figure} %"


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


class SizeDoubt(NamedTuple):
    """Guessed sizes of one scale, as ``-D`` names them, that much time rests on.

    share     of the time, in loops whose trip counts rest on them
    of_entry  the time is that of the entry of a library that most of it rests on
    """

    names: tuple[str, ...]
    typical: int
    share: float
    of_entry: bool = False


class GuessBasis(NamedTuple):
    """The ends of a guessed size, and what its range rests on.

    role      in words: ``length parameter``; of the size that decides the range
    programs  whose loops of that role were measured; 0: the range is judged
    """

    low: int
    high: int
    role: str
    programs: int


class SizeValue(NamedTuple):
    """The value used for a size parameter and where it came from.

    origin: ``command line``, ``comment``, ``configuration``, ``counts``, ``source``, ``source
    default`` (one that input may replace), ``callers`` (one of several) or ``role``, which alone
    has a ``guess``.
    """

    value: int
    origin: str
    guess: GuessBasis | None = None


class SizeRange(NamedTuple):
    """A size in its scope: the range that it may have, and the steps that lead to ``typical``.

    scope  the function or the type that the name belongs to; empty for one of the whole program
    size   the name as the sizes of kernels have it: ``p.n`` of the member ``n``
    role   of a guess, in words; empty of all others
    programs  whose loops of that role were measured; 0: the range is judged
    """

    scope: str
    name: str
    size: str
    low: int
    typical: int
    high: int
    origin: str
    chain: tuple[ChainStep, ...] = ()
    role: str = ""
    programs: int = 0


class BreakPoint(NamedTuple):
    """A guessed size at which a verdict changes, the other sizes as assumed.

    breaks_at      the last size, going away from the guess, with the verdict that holds at it
    verdict_below  what limits a kernel below it, or the code of a finding; None: no finding
    """

    name: str
    breaks_at: int
    verdict_below: str | None
    verdict_above: str | None


class LimiterReport(NamedTuple):
    """How the limiter depends on guessed sizes; ``breaks``: the sizes at which it changes."""

    sensitivity: Sensitivity
    breaks: tuple[BreakPoint, ...] = ()

    @property
    def stability(self) -> Stability:
        """Where in their ranges it is the same."""
        return self.sensitivity.stability

    @property
    def is_a_guess(self) -> bool:
        """Whether it changes between sizes that enclose half of the programs measured."""
        return self.stability in (Stability.PARTLY, Stability.NOWHERE_ELSE)
