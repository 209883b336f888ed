"""Sizes that only make loops shorter as they grow: lower ends of ranges."""

from typing import Final

from rooflint.ir.equations import ChoiceTerm, OperationTerm, QuantityTerm, Term
from rooflint.program.linking import ProgramEquations

_TURNING: Final = frozenset((("neg", 0), ("sub", 1)))
"""Operands with which a term falls."""


def shortening_sizes(program: ProgramEquations) -> frozenset[int]:
    """Quantities that make some loop shorter as they grow, and none longer."""
    shorter: set[int] = set()
    longer: set[int] = set()
    for loop in program.loops:
        if loop.trips is not None:
            _add_directions(loop.trips, longer, shorter)
    return frozenset(shorter - longer)


def _add_directions(term: Term, growing: set[int], falling: set[int]) -> None:
    """Adds quantities to those that a term grows with and those that it falls with."""
    if isinstance(term, QuantityTerm):
        growing.add(term.position)
    elif isinstance(term, ChoiceTerm):
        for alternative in term.alternatives:
            _add_directions(alternative, growing, falling)
    elif isinstance(term, OperationTerm):
        operands = term.operands[:1] if term.operator == "div" else term.operands
        for number, operand in enumerate(operands):
            if (term.operator, number) in _TURNING:
                _add_directions(operand, falling, growing)
            else:
                _add_directions(operand, growing, falling)
