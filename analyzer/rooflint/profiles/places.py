"""Loops as profiles are asked for them, and the answers."""

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


class LoopCounts(NamedTuple):
    """How often a loop was begun, and how often its body ran; ``executions`` may be unknown."""

    executions: int | None
    iterations: int

    @property
    def trips(self) -> float | None:
        """Mean iterations of one execution; None for a loop that never ran."""
        return self.iterations / self.executions if self.executions else None


class CountGap(Enum):
    """Why a profile has no counts for a loop."""

    UNKNOWN_FILE = "no profile covers the file"
    NO_RECORD = "the profile has no record of the function"
    CHANGED_SOURCE = "the function lies elsewhere than when the program ran"
    INSIDE_MACRO = "the loop and its body are text of one macro"
    SHARED_LINE = "other branches share the line, and gcov counts lines"


LoopAnswer: TypeAlias = LoopCounts | CountGap


def sum_of(first: LoopAnswer, second: LoopAnswer) -> LoopAnswer:
    """Counts of two instances or runs together; a gap in one is a gap in both."""
    if isinstance(first, CountGap):
        return first
    if isinstance(second, CountGap):
        return second
    known = first.executions is not None and second.executions is not None
    return LoopCounts(
        (first.executions or 0) + (second.executions or 0) if known else None,
        first.iterations + second.iterations,
    )
