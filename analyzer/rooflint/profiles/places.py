"""Loops as profiles are asked for them, and the answers."""

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

from rooflint.ir.unit import Span
from rooflint.records import NamedTuple


class LoopTest(NamedTuple):
    """The condition that a loop tests.

    line         on which the condition begins
    terms        1 for a plain condition, n for n of them joined by ``&&``, 0 for every other form
    closes_line  whether no other loop stands on ``line``, and no branch behind this loop's end
    """

    line: int
    terms: int = 1
    closes_line: bool = True


class LoopPlace(NamedTuple):
    """A loop of a source file.

    function     the definition that holds it, from its type to its closing brace
    loop         from the keyword, or the macro that writes it, to the end
    body         line and column of the first character of the body
    post_test    ``do``: the body runs before the first test
    early_exit   whether ``break``, ``return``, ``goto`` or a throw can leave the loop
    line_before  of a statement that runs exactly as often as the loop begins, or 0: the statement
                 before it in the same block, or the function's first line for the first statement
    """

    path: str
    function: Span
    loop: Span
    body: tuple[int, int]
    test: LoopTest
    post_test: bool = False
    early_exit: bool = False
    line_before: int = 0


class BranchPlace(NamedTuple):
    """An ``if``: its keyword, and the first character of what it guards."""

    path: str
    function: Span
    keyword: tuple[int, int]
    then: tuple[int, int]


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
