"""Quantities that say which of several ways to go: numbers of methods, modes and formats."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from rooflint.ir.equations import BranchTest, ChoiceTerm, IntegerTerm, QuantityTerm, Term
from rooflint.program.linking import ProgramEquations
from rooflint.program.terms import in_program

_FEWEST: Final = 2
"""Numbers that a category is compared with: one may as well be an end (judged)."""
_EQUALITIES: Final = frozenset(("==", "!="))


def categories(program: ProgramEquations) -> frozenset[int]:
    """Positions of quantities that are compared with several numbers, and only for equality.

    What is compared through a copy counts for the copied quantity too. A category that is taken
    from a loop over a table of names is none of the positions that the loop counts.
    """
    labels: defaultdict[int, set[int]] = defaultdict(set)
    ordered = set[int]()
    for place, test in _comparisons(program):
        for each in _origins(place, program):
            if test.relation in _EQUALITIES:
                labels[each] |= _numbers(test)
            else:
                ordered.add(each)
    return frozenset(place for place, own in labels.items() if len(own) >= _FEWEST) - ordered


def _comparisons(program: ProgramEquations) -> Iterator[tuple[int, BranchTest]]:
    """Tests of branches, with the position of the quantity on their left."""
    for file in program.files:
        for branch in file.equations.branches:
            for test in branch.tests:
                place = _compared(in_program(test.left, file.positions, {}))
                if place is not None:
                    yield place, test


def _compared(term: Term) -> int | None:
    return term.position if isinstance(term, QuantityTerm) else None


def _numbers(test: BranchTest) -> set[int]:
    right = test.right
    alternatives = right.alternatives if isinstance(right, ChoiceTerm) else (right,)
    return {each.value for each in alternatives if isinstance(each, IntegerTerm)}


def _origins(place: int, program: ProgramEquations) -> list[int]:
    """The quantity, and the one that it is always a copy of."""
    found = [place]
    while len(terms := program.definitions[found[-1]]) == 1:
        source = _compared(terms[0])
        if source is None or source in found:
            break
        found.append(source)
    return found
