"""Typical values of a program's sizes and trips: solved where the source tells, else by role.

All that needs a value for what the source leaves open gets it here, so that one name has one value:
the sizes that models predict for, and the trips that weights of functions rest on.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain
from math import isqrt
from typing import Final, TypeAlias, TypeVar

from rooflint.ir.equations import IntegerTerm, QuantityTerm, Term
from rooflint.program.counters import counted_values
from rooflint.program.frequencies import BranchPaths, branch_paths
from rooflint.program.linking import LinkedFile, LoopSite, ProgramEquations, ProgramLoop
from rooflint.program.relations.decided_branches import branch_probabilities
from rooflint.program.relations.dependents import Dependents
from rooflint.program.relations.loop_kinds import is_row_loop, kind_of_loop
from rooflint.program.relations.quantity_roles import MarkedSizes, marked_sizes
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import (
    end_of_steps,
    in_program,
    is_assembled,
    is_computed_from_others,
    is_copy,
    needed_quantities,
    quantities_of,
    term_number,
)
from rooflint.program.typical_value import (
    TYPICAL,
    TypicalValue,
    copied_value,
    counted_arguments,
    decided_value,
    lengthened_value,
    limited_value,
    ordered_points,
    range_width,
    role_value,
    shrunk_value,
)
from rooflint.records import NamedTuple
from rooflint.scenario.roles import SizeRole, role_of_loop

LARGEST_GUESS: Final = 10_000_000
"""Trips of one loop of guessed sizes."""
Guess: TypeAlias = int | LoopSite
"""A quantity by its position, or a loop that nothing counts."""
NO_LIMITS: Final[Mapping[Guess, int]] = {}
NO_STEPS: Final[Mapping[LoopSite, int]] = {}
_K = TypeVar("_K")
_DEEPEST: Final = 24
"""Definitions that are followed to the sizes that a guess rests on."""


class _KnownSize(NamedTuple):
    """The typical value of a term of the program, and the quantities that it rests on."""

    value: float
    needed: tuple[int, ...]


def typical_trips(
    program: ProgramEquations, solver: ProgramSolver, limits: Mapping[Guess, int] = NO_LIMITS
) -> "TypicalTrips":
    """Typical values of a program, with the sizes that its loops count up.

    ``limits``: the largest values that guesses may have.
    """
    return _with_counted(program, TypicalTrips(program, solver, {}, limits))


def limited_trips(
    program: ProgramEquations, typical: "TypicalTrips", guess: Guess, largest: int
) -> "TypicalTrips":
    """The values with the ``guess`` no larger than ``largest``; others stay."""
    limits = {**typical.limits, guess: largest}
    first = typical.uncounted.changed({}, limits, [guess])
    return _with_counted(program, first, typical)


def lengthened_trips(
    program: ProgramEquations, typical: "TypicalTrips", steps: Mapping[LoopSite, int]
) -> "TypicalTrips":
    """The values with these numbers of time steps, by the places of their loops."""
    before = typical.uncounted
    return _with_counted(program, before.changed({}, before.limits, steps=steps))


def _with_counted(
    program: ProgramEquations, first: "TypicalTrips", before: "TypicalTrips | None" = None
) -> "TypicalTrips":
    """The values with what loops count up at those of ``first``; ``before``: near ones."""
    counting = {
        file.positions[step.target] for file in program.files for step in file.equations.counters
    }
    if all(first.is_known(place) for place in counting):
        return first
    counted = counted_values(program, first.trips(), first.paths, first.size)
    if not counted:
        return first
    if before is None:
        return first.changed(counted, first.limits)
    differing = [*_changes(first.limits, before.limits), *_changes(counted, before.counted)]
    return before.changed(counted, first.limits, differing, first)


def _changes(after: Mapping[_K, float], before: Mapping[_K, float]) -> list[_K]:
    """The keys whose values differ."""
    return [each for each in after.keys() | before.keys() if after.get(each) != before.get(each)]


class TypicalTrips:
    """Trip counts to reckon with, one for each loop; sizes to reckon with, where trips need them.

    ``counted``: values of quantities that loops count up, by position.
    """

    def __init__(
        self,
        program: ProgramEquations,
        solver: ProgramSolver,
        counted: Mapping[int, float],
        limits: Mapping[Guess, int],
        steps: Mapping[LoopSite, int] = NO_STEPS,
        marked: "MarkedSizes | None" = None,
    ) -> None:
        """``steps``: numbers of time steps in place of the typical one; ``marked``: the sizes of
        the program that have no role by their name, where they are known."""
        self._program = program
        self._steps = steps
        self.solver = solver
        self.counted = counted
        self.limits = limits
        self.uncounted = self
        self._guesses: dict[int, TypicalValue] = {}
        self._trips: list[float] = []
        self._loops: dict[ProgramLoop, TypicalValue] = {}
        self._sizes: dict[tuple[str, Term], _KnownSize] = {}
        self._marked = marked_sizes(program) if marked is None else marked
        self._dependents: Dependents | None = None
        self._paths: Sequence[BranchPaths] = ()

    @property
    def decisions(self) -> tuple[object, ...]:
        """All that tells these values from others of the same program."""
        return self.counted, self.limits, self._steps

    def at_places_of(self, program: ProgramEquations) -> "TypicalTrips":
        """The same values of the same program, whose code stands on other lines."""
        if program.loops is self._program.loops:
            return self
        after = copy(self)
        after._program, after._loops = program, {}
        after.uncounted = after if self.uncounted is self else self.uncounted.at_places_of(program)
        return after

    @property
    def paths(self) -> Sequence[BranchPaths]:
        """The branches of each file."""
        if not self._paths:
            likely = branch_probabilities(self._program, self.solver)
            self._paths = [
                branch_paths(file.equations.branches, own)
                for file, own in zip(self._program.files, likely, strict=True)
            ]
        return self._paths

    def is_known(self, place: int) -> bool:
        """Whether the source gives a quantity a value."""
        return self.solver.value(place).tells_value

    def changed(
        self,
        counted: Mapping[int, float],
        limits: Mapping[Guess, int],
        differing: Sequence[Guess] | None = None,
        uncounted: "TypicalTrips | None" = None,
        steps: Mapping[LoopSite, int] | None = None,
    ) -> "TypicalTrips":
        """Values with other limits or counters, and what rests on these ``differing`` guesses.

        ``uncounted``: the values that the counters were found at; None for these here.
        """
        own_steps = self._steps if steps is None else steps
        after = TypicalTrips(self._program, self.solver, counted, limits, own_steps, self._marked)
        after._paths = self.paths
        if counted:
            after.uncounted = uncounted or self
        if differing is not None:
            after._take_over(self, differing)
        return after

    def _take_over(self, before: "TypicalTrips", differing: Sequence[Guess]) -> None:
        """Keeps the values ``before`` that do not rest on the ``differing`` ones."""
        places = [each for each in differing if isinstance(each, int)]
        if before._dependents is None:
            before._dependents = Dependents(self._program)
        self._dependents = before._dependents
        affected = self._dependents.of(places)
        self._guesses = {
            place: guess for place, guess in before._guesses.items() if place not in affected
        }
        self._sizes = {
            key: size for key, size in before._sizes.items() if affected.isdisjoint(size.needed)
        }
        self._trips, self._loops = [*before.trips()], {**before._loops}
        for position in {*self._dependents.loops_of(affected), *self._loops_at(differing)}:
            self._loops.pop(self._program.loops[position], None)
            self._trips[position] = float(self.of(self._program.loops[position]).value)

    def _loops_at(self, guesses: Collection[Guess]) -> list[int]:
        """The positions of the loops among the guesses."""
        if all(isinstance(each, int) for each in guesses):
            return []
        return [n for n, loop in enumerate(self._program.loops) if loop.place in guesses]

    def trips(self) -> list[float]:
        """Those of all loops of the program, in its order."""
        if not self._trips:
            self._trips = [float(self.of(loop).value) for loop in self._program.loops]
        return self._trips

    def of(self, loop: ProgramLoop) -> TypicalValue:
        """Iterations in one execution of the loop."""
        found = self._loops.get(loop)
        if found is None:
            found = self._loops[loop] = self._new_value(loop)
        return found

    def _new_value(self, loop: ProgramLoop) -> TypicalValue:
        solved = self.solver.trips(loop)
        if solved.tells_trips:
            return decided_value(solved.least_size)
        if loop.trips is None or loop.resumes:
            return self._uncounted(loop)
        if solved.has_no_limit and not needed_quantities((loop.trips,)):
            return self._uncounted(loop)
        if is_row_loop(loop):
            return role_value(SizeRole.ROW)
        guess = self._typical(loop.trips)
        least = solved.least_size
        points = [min(max(point, least), LARGEST_GUESS) for point in guess.points]
        return self._within(loop.place, guess._replace(points=ordered_points(points)))

    def _uncounted(self, loop: ProgramLoop) -> TypicalValue:
        """By the form of its header, and no more than the source says there are at most."""
        ends = self._largest(loop)
        most = min(ends, default=LARGEST_GUESS)
        guess = role_value(role_of_loop(kind_of_loop(loop)))
        if loop.steps and ends:
            # nothing but the largest number is known: its order of magnitude, halved
            guess = lengthened_value(guess, max(guess.value, isqrt(most)))._replace(shrunk_from=0)
        if loop.place in self._steps and (loop.steps or loop.reads):
            guess = lengthened_value(guess, self._steps[loop.place])
        return self._within(loop.place, limited_value(guess, most))

    def _within(self, guess: Guess, value: TypicalValue) -> TypicalValue:
        limit = self.limits.get(guess, value.value)
        return shrunk_value(value, limit) if limit < value.value else value

    def _largest(self, loop: ProgramLoop) -> list[int]:
        """The largest numbers of steps that the source gives."""
        ends = [max(self.solver.term_value(term).constants, default=0) for term in loop.most]
        return [end for end in ends if end > 0]

    def size(self, term: Term, file: LinkedFile) -> float:
        """The value of a term of a file that is a size."""
        if isinstance(term, IntegerTerm) and term.value > 0:
            return float(term.value)
        key = file.equations.path, term
        if key not in self._sizes:
            own = in_program(term, file.positions, {})
            value = float(self._typical(own).value)
            self._sizes[key] = _KnownSize(value, needed_quantities((own,)))
        return self._sizes[key].value

    def quantity(self, place: int) -> TypicalValue:
        """The value of a quantity of the program."""
        return self._guess(place, 0)

    def value_of_guess(self, guess: Guess) -> int:
        """The value of a guess."""
        if isinstance(guess, int):
            return self.quantity(guess).value
        return next((self.of(each).value for each in self._program.loops if each.place == guess), 0)

    def _typical(self, term: Term) -> TypicalValue:
        guess = self._term_guess(term, 0)
        return guess if guess.value > 0 else role_value(SizeRole.LOCAL)

    def _term_guess(self, term: Term, depth: int) -> TypicalValue:
        if isinstance(term, QuantityTerm):
            return copied_value(self._guess(term.position, depth))
        guesses = {place: self._guess(place, depth) for place in needed_quantities((term,))}
        guessed = [each for each in guesses.values() if each.role is not None]
        if not guessed:
            return decided_value(term_number(term, _each_at(guesses, TYPICAL)))
        points = [term_number(term, _each_at(guesses, number)) for number in range(5)]
        return TypicalValue(
            points=ordered_points(points),
            decided=all(each.decided for each in guesses.values()),
            role=max(guessed, key=range_width).role,
            computed=not is_copy(term) or any(each.computed for each in guessed),
        )

    def _guess(self, place: int, depth: int) -> TypicalValue:
        """A quantity's solved value, else one that loops count up or that sizes by role give."""
        guess = self._guesses.get(place)
        if guess is None:
            solved = self.solver.value(place)
            guess = decided_value(solved.least_size)
            if not solved.tells_value or "counter" in solved.unknown:
                guess = self._open_guess(place, depth, guess)
            self._guesses[place] = guess
        return guess

    def _open_guess(self, place: int, depth: int, least: TypicalValue) -> TypicalValue:
        """The value of a quantity of which the source tells the ``least`` at most."""
        role = self._marked.role(self._program, place)
        arguments = self._marked.arguments.get(place, 0)
        by_role = counted_arguments(arguments) if arguments else role_value(role)
        self._guesses[place] = by_role  # for a quantity that is computed from itself
        guess = least
        found = self._computed(place, role, depth)
        if found is not None and found.value > guess.value:
            guess = found
        elif guess.value <= 0:
            guess = by_role
        return self._within(place, limited_value(guess, self._upper_end(place)))

    def _upper_end(self, place: int) -> int:
        """The largest value that assertions leave, as far as the source decides it."""
        terms = self._program.upper_ends[place] if self._program.upper_ends else ()
        ends = [self.solver.term_value(term).typical for term in terms]
        return max(1, min([end for end in ends if end is not None], default=LARGEST_GUESS))

    def _computed(self, place: int, role: SizeRole, depth: int) -> TypicalValue | None:
        """The value of a counter, or of what a quantity is set to; none where loops begin."""
        if role is SizeRole.LOWER_BOUND or depth > _DEEPEST:
            return None
        counted = round(self.counted.get(place, 0.0))
        if counted > 0:
            points = (*role.range.points[:TYPICAL], counted, *role.range.points[TYPICAL + 1 :])
            return TypicalValue(points=ordered_points([*points]), decided=True, role=role)
        telling = _telling_guesses(list(self._definition_guesses(place, role, depth)))
        return telling[len(telling) // 2] if telling else None

    def _definition_guesses(self, place: int, role: SizeRole, depth: int) -> Iterator[TypicalValue]:
        for definition in self._program.definitions[place]:
            term = end_of_steps(definition, place)
            if is_assembled(term):
                continue
            if term != definition or is_computed_from_others(term, place):
                guess = self._term_guess(term, depth + 1)
                # a name of its own tells more than the role of the thing that is copied
                tells = guess.decided or guess.computed or role.told_by(guess.role)
                if guess.value > 0 and tells:
                    yield guess

    def guessed_below(self, term: Term) -> Mapping[int, int]:
        """Quantities whose role tells their value and that of the term, and what loops count up for
        it; of each how many definitions lie between."""
        below = self.open_below(term)
        return {place: depth for place, depth in below.items() if self._is_guess(place)}

    def open_below(self, term: Term) -> Mapping[int, int]:
        """Quantities that the term rests on and the source does not decide, with what they are
        computed from; of each how many definitions lie between."""
        found: dict[int, int] = {}
        nearest, seen = {*quantities_of(term)}, set[int]()
        depth = 0
        while nearest:
            seen |= nearest
            open_ones = [each for each in nearest if self.quantity(each).role is not None]
            found |= dict.fromkeys(open_ones, depth)
            terms = chain.from_iterable([self._program.definitions[each] for each in open_ones])
            nearest = {*chain.from_iterable(map(quantities_of, terms))} - seen
            depth += 1
        return found

    def _is_guess(self, place: int) -> bool:
        """Whether the role of an open quantity tells its value, or loops count it up."""
        usual = self._marked.role(self._program, place).range.typical
        return self.quantity(place).value <= usual or place in self.counted


def _telling_guesses(guesses: Sequence[TypicalValue]) -> list[TypicalValue]:
    """Those that the source decides, else those that names tell, else all, in rising order."""
    decided = [each for each in guesses if each.decided]
    named = [each for each in guesses if each.role is not None and each.role.is_named]
    return sorted(decided or named or guesses, key=lambda each: each.points)


def _each_at(guesses: Mapping[int, TypicalValue], number: int) -> Mapping[int, int]:
    """Values of quantities at one point of their ranges."""
    return {place: guess.points[number] for place, guess in guesses.items()}
