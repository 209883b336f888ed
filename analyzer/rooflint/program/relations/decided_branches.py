"""Branches that the defaults of a program decide: options that its user has to set.

An option has a value that no branch decides on, ``level = 6``, and others that a branch may set
later, ``if (argc > 1) level = ...``. Whatever a run without options does is taken for ordinary.
A flag that holds the outcome of a comparison is decided as the comparison is, and what counts up
to a capacity reaches it once in so many times. Iterative methods mostly end before their largest
number of steps.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

from rooflint.facts.guards import relation_holds, then_probability
from rooflint.ir.equations import (
    BranchSite,
    BranchTest,
    ComparisonTerm,
    IntegerTerm,
    Quantity,
    QuantityTerm,
    Term,
    UnknownTerm,
)
from rooflint.ir.values import RelationalOperator
from rooflint.program.linking import LinkedFile, ProgramEquations
from rooflint.program.relations.arguments import argument_counts
from rooflint.program.relations.categories import categories
from rooflint.program.relations.final_calls import ended_branches
from rooflint.program.relations.main_settings import main_settings
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import in_program, needed_quantities, quantities_of
from rooflint.program.value import PossibleValues
from rooflint.scenario.roles import SizeRole, role_of_name

DEFAULT_HOLDS: Final = 0.95
"""Of the runs of a place, those with the default of an option that decides on it (judged)."""
_EVEN: Final = 0.5
_ZERO: Final = IntegerTerm(0)
_INPUT: Final = UnknownTerm("input")
_COUNTED: Final = UnknownTerm("counter")
_EMPTY: Final[frozenset[RelationalOperator]] = frozenset(("<", "<=", "=="))
"""Comparisons of what there is left with a number that hold where there is too little."""
_REFILLED: Final = 1 / 64
"""Part of the uses of a store that find it nearly empty: blocks of input and of work have at least
so many items (judged; zlib's window has 32 thousand)."""
_LEAST_CAPACITY: Final = 4
"""Numbers below are kinds and states as often as capacities; the pattern of a comparison has one
in four anyway (judged)."""
_LARGE_CAPACITY: Final = 1 << 16
"""Counts seldom exceed numbers as large as this, and less often the larger they are: loads of
tables, limits of pools (judged)."""
_HUGE: Final = 1 << 28
"""Sizes and positions in arrays that ordinary runs do not come to (judged)."""
_REACHES_HUGE: Final = 1 / 749
"""Sizes that are as large as that: none of the 747 measured loops ran so often."""
_BELOW: Final[dict[RelationalOperator, bool]] = {
    "<": True, "<=": True, ">": False, ">=": False, "==": False, "!=": True,
}  # fmt: skip
"""Whether a comparison with something far larger holds."""
_AT_END: Final[dict[RelationalOperator, bool]] = {
    "==": True, ">=": True, ">": True, "!=": False, "<": False, "<=": False,
}  # fmt: skip
"""Whether a comparison with the largest number of steps holds when all were taken."""
_UNFINISHED: Final = 0.05
"""Of the runs of an iterative method, those that stop at its largest number of steps (judged)."""
_OPTIONS: Final = frozenset(("variable", "member", "element"))
"""Kinds of quantities that a branch may set anew: an argument or a result has no default."""


class DecidedBranches:
    """How often the first path of each branch is taken."""

    def __init__(self, program: ProgramEquations, solver: ProgramSolver) -> None:
        self._whole = solver
        self._files = program.files
        self._definitions = program.definitions
        self._quantities = program.quantities
        self._stores = _stores(program)
        self._branches = ended_branches(program)
        defaults = _defaults(program, solver)
        needed = tuple(map(needed_quantities, defaults))
        own = program._replace(definitions=defaults, needed=needed)
        self._solver = ProgramSolver(own, solver.given)

    def probabilities(self) -> list[list[float]]:
        """Those of all branches of each file."""
        return [
            [self._probability(file, branch) for branch in branches]
            for file, branches in zip(self._files, self._branches, strict=True)
        ]

    def _probability(self, file: LinkedFile, branch: BranchSite) -> float:
        usual = then_probability(branch)
        if not branch.tests or not 0 < usual < 1:
            return usual
        outcomes = [self._outcome(file, test) for test in branch.tests]
        known = [each for each in outcomes if each is not None]
        least = min(known, default=1.0)
        if least < _EVEN:
            return min(usual, least)
        return max(usual, least) if len(known) == len(outcomes) else usual

    def _outcome(self, file: LinkedFile, test: BranchTest) -> float | None:
        """How often the comparison holds; None where no default decides it."""
        left, right = [in_program(term, file.positions, {}) for term in (test.left, test.right)]
        flag = self._flag_outcome(left) if right == _ZERO else None
        if flag is not None:
            return {"==": 1 - flag, "!=": flag}.get(test.relation)
        return self._compared(left, test.relation, right)

    def _flag_outcome(self, flag: Term) -> float | None:
        """How often a quantity is 1 that is set to outcomes of comparisons, and to nothing else."""
        terms = self._definitions[flag.position] if isinstance(flag, QuantityTerm) else ()
        outcomes = [
            self._compared(term.left, term.relation, term.right)
            for term in terms
            if isinstance(term, ComparisonTerm)
        ]
        known = [each for each in outcomes if each is not None]
        return sum(known) / len(known) if known and len(known) == len(terms) else None

    def _compared(self, one: Term, relation: RelationalOperator, other: Term) -> float | None:
        if self._are_steps(one, other):
            return _UNFINISHED if _AT_END[relation] else 1 - _UNFINISHED
        terms = (one, other)
        left, right = map(self._solver.term_value, terms)
        if not right.constants or _counts(right):
            return None
        whole = [self._whole.term_value(term) for term in terms]
        if not _is_decided(left):
            counts = _counts(whole[0])
            return self._rate(one, relation, right) if counts else _guard(relation, right)
        certain = 1.0 if all(map(_is_exact, whole)) else DEFAULT_HOLDS
        return certain if _holds(relation, left, right) else 1 - certain

    def _counts_steps(self, term: Term) -> bool:
        return role_of_name(self._name(term), "local") is SizeRole.TIME_STEPS

    def _are_steps(self, one: Term, most: Term) -> bool:
        """Whether a number of steps is compared with the largest one."""
        counted = self._counts_steps(one) and self._counts_steps(most)
        return counted and "max" in self._name(most).lower()

    def _name(self, term: Term) -> str:
        return self._quantities[term.position].name if isinstance(term, QuantityTerm) else ""

    def _rate(
        self, counter: Term, relation: RelationalOperator, end: PossibleValues
    ) -> float | None:
        """How often something that counts has come to its ``end``; None where nothing tells."""
        place = counter.position if isinstance(counter, QuantityTerm) else -1
        if place in self._stores and end.exact:
            return _REFILLED if relation in _EMPTY else 1 - _REFILLED
        rate = _guard(relation, end)
        return _reached(relation, end) if rate is None else rate


def _holds(relation: RelationalOperator, left: PossibleValues, right: PossibleValues) -> bool:
    """Whether a comparison holds for all values; of several labels one is enough."""
    outcomes = {
        relation_holds(relation, one, other)
        for one, other in product(left.constants, right.constants)
    }
    return any(outcomes) if relation == "==" else all(outcomes)


def _counts(value: PossibleValues) -> bool:
    return "counter" in value.unknown


def _stores(program: ProgramEquations) -> frozenset[int]:
    """Quantities that are filled up in amounts, and emptied one by one."""
    filled, emptied, single = set[int](), set[int](), set[int]()
    for file in program.files:
        for each in file.equations.counters:
            place = file.positions[each.target]
            if each.falls:
                emptied.add(place)
            elif isinstance(each.step, IntegerTerm):
                single.add(place)
            elif each.step is not None:
                filled.add(place)
    return frozenset((filled & emptied) - single)


def _is_exact(value: PossibleValues) -> bool:
    return value.exact


def _is_decided(default: PossibleValues) -> bool:
    """Whether a default is the value of most runs: what a branch counts up is a state."""
    return len(default.constants) == 1 and not _counts(default)


def _reached(relation: RelationalOperator, end: PossibleValues) -> float | None:
    """How often something that counts is equal to the ``end`` that it counts to, or beyond."""
    equality = relation in ("==", "!=")
    capacity = end.typical or 0
    if capacity < (_LEAST_CAPACITY if equality else _LARGE_CAPACITY):
        return None
    return 1 - 1 / capacity if _BELOW[relation] else 1 / capacity


def _guard(relation: RelationalOperator, bound: PossibleValues) -> float | None:
    """Of a comparison with a number that no size reaches: a guard against overflow."""
    if min(bound.constants) < _HUGE or relation not in _BELOW:
        return None
    return 1 - _REACHES_HUGE if _BELOW[relation] else _REACHES_HUGE


def _defaults(program: ProgramEquations, solver: ProgramSolver) -> tuple[tuple[Term, ...], ...]:
    """The terms of each quantity that no branch decides on, or all of them.

    A default that a branch counts up is marked as counted. ``argc`` is that of an ordinary run.
    """
    kinds, settings = categories(program), main_settings(program)
    terms: list[tuple[Term, ...]] = []
    for place, quantity in enumerate(program.quantities):
        own = settings.get(place, program.defaults[place])
        every = program.definitions[place]
        if not _is_option(quantity) or not any(map(_tells, own)):
            terms.append(every)
        elif _is_state(place, every, kinds, solver):
            terms.append((*own, _COUNTED))
        else:
            terms.append(own)
    for place, count in argument_counts(program).items():
        terms[place] = tuple([IntegerTerm(count) if t == _INPUT else t for t in terms[place]])
    return tuple(terms)


def _is_state(
    place: int, terms: Sequence[Term], kinds: frozenset[int], solver: ProgramSolver
) -> bool:
    """Whether the quantity counts; a category that a counter is copied to is none."""
    if place in kinds:
        return _COUNTED in terms or any(place in quantities_of(term) for term in terms)
    return _counts(solver.value(place))


def _is_option(quantity: Quantity) -> bool:
    """Whether it is set for a whole run: variables of functions are states, but for main's."""
    local = quantity.kind == "variable" and quantity.scope not in ("", "main")
    return quantity.kind in _OPTIONS and not local


def _tells(term: Term) -> bool:
    return not isinstance(term, UnknownTerm)


def branch_probabilities(
    program: ProgramEquations, solver: ProgramSolver
) -> Sequence[Sequence[float]]:
    """Of each file, how often the first path of each of its branches is taken; ``solver``: that of
    the program."""
    return DecidedBranches(program, solver).probabilities()
