"""Typical trips of a program's loops: solved where the source tells, else by role."""

from collections.abc import Iterator, Mapping
from typing import Final

from rooflint.ir.equations import ChoiceTerm, Quantity, QuantityTerm, Term
from rooflint.program.linking import LinkedFile, ProgramEquations, ProgramLoop
from rooflint.program.roles import (
    UNSPECIFIC,
    LoopKind,
    NamedKind,
    SizeRole,
    role_of_loop,
    role_of_name,
)
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import in_program, is_copy, quantities_of, term_values
from rooflint.program.value import PossibleValues
from rooflint.records import NamedTuple

_LARGEST_GUESS: Final = 1e7
"""Trips of one loop of guessed sizes."""
_DEEPEST: Final = 24
"""Definitions that are followed to the sizes that a guess rests on."""


class _Guess(NamedTuple):
    """A value to reckon with; ``decided``: by the source, and by no role."""

    value: int
    decided: bool


class TypicalTrips:
    """Trip counts to reckon with, one for each loop; sizes to reckon with, where trips need them.

    ``counted``: values of quantities that loops count up, by position.
    """

    def __init__(
        self, program: ProgramEquations, solver: ProgramSolver, counted: Mapping[int, float]
    ) -> None:
        self._program = program
        self._solver = solver
        self._counted = counted
        self._guesses: dict[int, _Guess] = {}

    def trips(self) -> list[float]:
        """Those of all loops of the program, in its order."""
        return [self.of(loop) for loop in self._program.loops]

    def of(self, loop: ProgramLoop) -> float:
        """Iterations in one execution of the loop."""
        solved = self._solver.trips(loop)
        if solved.exact or (solved.typical and "counter" not in solved.unknown):
            return float(solved.typical or 0)
        if loop.trips is None:
            return float(role_of_loop(_kind(loop)).range.typical)
        if _is_row(loop):
            return float(SizeRole.ROW.range.typical)
        guess = self._typical(loop.trips)
        return min(max(guess, float(solved.typical or 0)), _LARGEST_GUESS)

    def size(self, term: Term, file: LinkedFile) -> float:
        """The value of a term of a file that is a size."""
        return self._typical(in_program(term, file.positions, {}))

    def _typical(self, term: Term) -> float:
        guess = self._term_guess(term, 0).value
        return float(guess) if guess and guess > 0 else float(SizeRole.LOCAL.range.typical)

    def _term_guess(self, term: Term, depth: int) -> _Guess:
        guesses = {place: self._guess(place, depth) for place in set(quantities_of(term))}
        value = term_values(term, lambda place: _exactly(guesses[place].value)).typical
        return _Guess(value or 0, all(each.decided for each in guesses.values()))

    def _guess(self, place: int, depth: int) -> _Guess:
        """A quantity's solved value, else one that loops count up or that sizes by role give."""
        guess = self._guesses.get(place)
        if guess is None:
            solved = self._solver.value(place)
            guess = _Guess(solved.typical or 0, decided=True)
            if not guess.value or "counter" in solved.unknown:
                role = self._by_role(place)
                by_role = _Guess(role.range.typical, decided=False)
                self._guesses[place] = by_role  # for a quantity that is computed from itself
                found = None if depth > _DEEPEST else self._computed(place, role, depth)
                if found is not None and found.value > guess.value:
                    guess = found
                elif not guess.value:
                    guess = by_role
            self._guesses[place] = guess
        return guess

    def _computed(self, place: int, role: SizeRole, depth: int) -> _Guess | None:
        """The value of a counter, or that of the terms that a quantity is set to."""
        counted = round(self._counted.get(place, 0.0))
        if counted > 0:
            return _Guess(counted, decided=True)
        guesses = list(self._definition_guesses(place, role, depth))
        decided = [each for each in guesses if each.decided] or guesses
        return sorted(decided)[len(decided) // 2] if decided else None

    def _definition_guesses(self, place: int, role: SizeRole, depth: int) -> Iterator[_Guess]:
        for term in self._program.definitions[place]:
            if _is_computed(term, place):
                guess = self._term_guess(term, depth + 1)
                # a name of its own tells more than the role of the thing that is copied
                tells = guess.decided or not is_copy(term) or role in UNSPECIFIC
                if guess.value > 0 and tells:
                    yield guess

    def _by_role(self, place: int) -> SizeRole:
        quantity = self._program.quantities[place]
        return role_of_name(quantity.name, _named_kind(quantity))


def _is_computed(term: Term, place: int) -> bool:
    """Whether a term rests on quantities, and on others than the one at ``place``."""
    needed = set(quantities_of(term))
    return bool(needed) and place not in needed


def _exactly(value: int) -> PossibleValues:
    return PossibleValues(frozenset((value,)), typical=value)


def _kind(loop: ProgramLoop) -> LoopKind:
    return "container" if loop.loop.form == "range-for" else loop.loop.pattern


def _is_row(loop: ProgramLoop) -> bool:
    """Whether it runs from one element of an array to another: ``p[i]`` to ``p[i+1]``."""
    lower, upper = loop.loop.lower, loop.loop.upper
    return (
        isinstance(lower, ChoiceTerm)
        and isinstance(upper, ChoiceTerm)
        and isinstance(lower.alternatives[0], QuantityTerm)
        and lower == upper
    )


def _named_kind(quantity: Quantity) -> NamedKind:
    if quantity.kind in ("parameter", "target", "written-target"):
        return "parameter"
    if quantity.kind in ("member", "element", "result"):
        return quantity.kind
    return "local" if quantity.scope else "global"
