"""Branches that the defaults of a program decide: options that its user has to set.

An option has a value that no branch decides on, ``level = 6``, and others that a branch may set
later, ``if (argc > 1) level = ...``. Whatever a run without options does is taken for ordinary.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from rooflint.facts.guards import then_probability
from rooflint.ir.equations import BranchSite, BranchTest, Quantity, Term, UnknownTerm
from rooflint.ir.values import RelationalOperator
from rooflint.program.linking import LinkedFile, ProgramEquations
from rooflint.program.solver import NOTHING_GIVEN, ProgramSolver
from rooflint.program.terms import in_program
from rooflint.program.value import PossibleValues

DEFAULT_HOLDS: Final = 0.95
"""Of the runs of a place, those with the default of an option that decides on it (judged)."""
_EVEN: Final = 0.5
_HUGE: Final = 1 << 28
"""Sizes and positions in arrays that ordinary runs do not come to (judged)."""
_BELOW: Final[dict[RelationalOperator, bool]] = {
    "<": True, "<=": True, ">": False, ">=": False, "==": False, "!=": True,
}  # fmt: skip
"""Whether a comparison with something far larger holds."""
_OPTIONS: Final = frozenset(("variable", "member", "element"))
"""Kinds of quantities that a branch may set anew: an argument or a result has no default."""


class DecidedBranches:
    """How often the first path of each branch is taken.

    ``given``: values of quantities, by position, in place of those of the source.
    """

    def __init__(self, program: ProgramEquations, given: Mapping[int, int] = NOTHING_GIVEN) -> None:
        self._whole = ProgramSolver(program, given)
        self._solver = ProgramSolver(program._replace(definitions=_defaults(program)), given)

    def probabilities(self, file: LinkedFile) -> list[float]:
        """Those of all branches of a file."""
        return [self._probability(file, branch) for branch in file.equations.branches]

    def _probability(self, file: LinkedFile, branch: BranchSite) -> float:
        usual = then_probability(branch)
        outcomes = [self._outcome(file, test) for test in branch.tests]
        if not outcomes or not 0 < usual < 1:
            return usual
        known = [each for each in outcomes if each is not None]
        least = min(known, default=1.0)
        if least < _EVEN:
            return min(usual, least)
        return max(usual, least) if len(known) == len(outcomes) else usual

    def _outcome(self, file: LinkedFile, test: BranchTest) -> float | None:
        """How often the comparison holds; None where no default decides it."""
        terms = [in_program(term, file.positions, {}) for term in (test.left, test.right)]
        left, right = map(self._solver.term_value, terms)
        if not right.constants or "counter" in right.unknown:
            return None
        whole = [self._whole.term_value(term) for term in terms]
        if not _is_decided(left, whole[0]):
            return _guard(test.relation, right)
        holds = {
            _holds(test.relation, one, other)
            for one, other in product(left.constants, right.constants)
        }
        # one of several labels is enough
        result = any(holds) if test.relation == "==" else all(holds)
        certain = 1.0 if all(map(_is_exact, whole)) else DEFAULT_HOLDS
        return certain if result else 1 - certain


def _is_exact(value: PossibleValues) -> bool:
    return value.exact


def _is_decided(default: PossibleValues, whole: PossibleValues) -> bool:
    """Whether a default is the value of most runs: what a branch counts up is a state."""
    return len(default.constants) == 1 and "counter" not in default.unknown | whole.unknown


def _guard(relation: RelationalOperator, bound: PossibleValues) -> float | None:
    """Of a comparison with a number that no size reaches: a guard against overflow."""
    if min(bound.constants) < _HUGE or relation not in _BELOW:
        return None
    return DEFAULT_HOLDS if _BELOW[relation] else 1 - DEFAULT_HOLDS


def _defaults(program: ProgramEquations) -> tuple[tuple[Term, ...], ...]:
    """The terms of each quantity that no branch decides on, or all of them."""
    return tuple(
        [
            own if _is_option(quantity) and any(map(_tells, own)) else every
            for quantity, own, every in zip(
                program.quantities, program.defaults, program.definitions, strict=True
            )
        ]
    )


def _is_option(quantity: Quantity) -> bool:
    """Whether it is set for a whole run: variables of functions are states, but for main's."""
    local = quantity.kind == "variable" and quantity.scope not in ("", "main")
    return quantity.kind in _OPTIONS and not local


def _tells(term: Term) -> bool:
    return not isinstance(term, UnknownTerm)


def _holds(relation: RelationalOperator, left: int, right: int) -> bool:
    return {
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
        "==": left == right,
        "!=": left != right,
    }[relation]


def branch_probabilities(
    program: ProgramEquations, given: Mapping[int, int] = NOTHING_GIVEN
) -> Sequence[Sequence[float]]:
    """Of each file, how often the first path of each of its branches is taken."""
    decided = DecidedBranches(program, given)
    return [decided.probabilities(file) for file in program.files]
