"""How much a replay may do, in touches of lines and steps of loops: never in time.

Where all sets of the caches would take more, classes of sets are replayed, eight of 64 at least;
where those would take too much as well, windows of long loops, which are less certain.
"""

from enum import Enum
from typing import Final

from rooflint.records import NamedTuple

CLASS_MODULUS: Final = 64
FEWEST_CLASSES: Final = 8
"""Eight classes hold each residue modulo 8 once; fewer miss what strides of a power of two do."""

NO_BUDGET: Final = 0
"""Every line is counted in closed form."""
HINT_BUDGET: Final = 20_000
"""Of a hint while somebody types, for each loop of a function: 1 to 3 ms with all that it takes."""
TRIAL_BUDGET: Final = 150_000
"""Of a nest at another size, or in blocks: 1 to 8 ms, and a kernel has some twenty."""
REPORT_BUDGET: Final = 2_000_000
"""Of a report: 20 to 50 ms a function of long loops, a third of the rest of its analysis."""
ALL_SETS_SHARE: Final = 8
"""Touches in all sets may take such a part of a report's budget: lines that miss in every level,
a last one of 100 000 lines and more among them, cost five times as much as with eight classes."""
LEAST_WINDOW_BUDGET: Final = 40_000
"""Below, windows are not planned: to plan them takes as long as to replay so much."""
CLASSES_SPARE: Final = 5.5
"""Eight classes may take so many times the budget, since windows are the only other way: 0.25 s.

Of PolyBench at MEDIUM, eight classes err by 0.04 % in the median and 1 % at the ninetieth
percentile, windows within the budget by 0.2 and 7 %.
"""
BRIEF_CLASSES_SPARE: Final = 2
"""The same of hints, for somebody waits, and of trials, of which there are many: 4 ms for two
runs of a hint."""
EXACT_BUDGET: Final = 1 << 50
"""Whatever it takes."""


class WorkLimits(NamedTuple):
    """Of all runs: ``total``, of which ``touches`` through all sets, or through as many classes of
    them as that allows. ``classes``: of one run through the fewest of them."""

    total: int
    touches: int
    classes: int


def work_limits(budget: int, kernels: int = 1) -> WorkLimits:
    """The work in a budget: of a report for a function, of a hint for each of its ``kernels``."""
    if is_brief(budget):
        all_ = kernels * budget
        return WorkLimits(total=all_, touches=all_, classes=BRIEF_CLASSES_SPARE * all_)
    touches = budget if budget >= EXACT_BUDGET else budget // ALL_SETS_SHARE
    spare = BRIEF_CLASSES_SPARE if budget <= TRIAL_BUDGET else CLASSES_SPARE
    return WorkLimits(total=budget, touches=touches, classes=int(spare * budget))


def is_brief(budget: int) -> bool:
    """Whether somebody waits: what no replay counts is estimated with little work, too."""
    return NO_BUDGET < budget <= HINT_BUDGET


class ReplayRefusal(Enum):
    """Why nothing was replayed."""

    BUDGET = "a replay of its accesses is beyond the budget"
    NO_KERNEL = "this installation has no compiled replay"
    UNDEFINED = "a bound or an address has no value"
    NO_CACHES = "the machine has no caches"


class ClosedFormReason(NamedTuple):
    """Why no replay tells the lines of a function, in words; empty: none was asked for."""

    reason: str


BEYOND_BUDGET: Final = ClosedFormReason(ReplayRefusal.BUDGET.value)
