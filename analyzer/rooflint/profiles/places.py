"""Answers of profiles for loops and branches."""

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

from rooflint.records import NamedTuple


class LoopCounts(NamedTuple):
    """How often a loop was begun, and how often its body ran; ``executions`` may be unknown."""

    executions: int | None
    iterations: int

    @property
    def trips(self) -> float | None:
        """Mean iterations of one execution; None for a loop that never ran."""
        return self.iterations / self.executions if self.executions else None


class BranchCounts(NamedTuple):
    """How often a branch was reached, and how often its condition was true."""

    evaluations: int
    taken: int

    @property
    def probability(self) -> float | None:
        """Of the guarded part; None for a branch that was never reached."""
        return self.taken / self.evaluations if self.evaluations else None


class CountGap(Enum):
    """Why a profile has no counts for a loop."""

    UNKNOWN_FILE = "no profile covers the file"
    NO_RECORD = "the profile has no record of the function"
    CHANGED_SOURCE = "the function lies elsewhere than when the program ran"
    INSIDE_MACRO = "the loop and its body are text of one macro"
    INSIDE_BRANCH_MACRO = "the branch and what it guards are text of one macro"
    LINES_ONLY = "gcov counts lines, and does not say which way a branch goes"
    UNREADABLE_TEST = "gcov does not show which jumps test the loop's condition"
    SHARED_LINE = "other branches share the line, and gcov counts lines"


LoopAnswer: TypeAlias = LoopCounts | CountGap
BranchAnswer: TypeAlias = BranchCounts | CountGap


def sum_of_loops(answers: Sequence[LoopAnswer]) -> LoopAnswer:
    """Counts of instances and runs together; a gap in one of them is a gap in the sum."""
    counts = []
    for answer in answers:
        if isinstance(answer, CountGap):
            return answer
        counts.append(answer)
    executions = [each.executions for each in counts if each.executions is not None]
    return LoopCounts(
        sum(executions) if len(executions) == len(counts) else None,
        sum([each.iterations for each in counts]),
    )


def sum_of_branches(answers: Sequence[BranchAnswer]) -> BranchAnswer:
    """The same for branches."""
    counts = []
    for answer in answers:
        if isinstance(answer, CountGap):
            return answer
        counts.append(answer)
    return BranchCounts(
        sum([each.evaluations for each in counts]), sum([each.taken for each in counts])
    )
