"""The time and memory that a run of guessed sizes may take: guesses that would exceed them shrink.

Open numbers of time steps and blocks of input grow instead where a run would hardly be worth a
look.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import inf, isqrt, log2, prod
from sys import float_info
from typing import Final

from rooflint.ir.equations import OperationTerm, Term
from rooflint.program.linking import LoopSite, ProgramEquations, ProgramLoop
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import in_program, needed_quantities, term_number
from rooflint.program.trips import (
    Guess,
    TypicalTrips,
    lengthened_trips,
    limited_trips,
    typical_trips,
)
from rooflint.program.typical_value import TypicalValue
from rooflint.program.weights import (
    ProgramFlow,
    ProgramWeights,
    WeighedLoop,
    program_flow,
    program_weights,
    weights_of_flow,
)
from rooflint.records import NamedTuple
from rooflint.scenario.values import MAX_SECONDS

MIN_SECONDS: Final = 10.0
"""Of a whole program with open time steps: a shorter run is hardly worth a look (judged)."""
_LEAST_OF_INPUT: Final = 0.1
"""Of the time of a short run, spent in loops over input that grow where it is long (judged)."""
OPERATORS_PER_SECOND: Final = 1e9
"""Of one core, crude: a few instructions and a part of a cache miss for each (judged)."""
MAX_OPERATORS: Final = MAX_SECONDS * OPERATORS_PER_SECOND
MIN_OPERATORS: Final = MIN_SECONDS * OPERATORS_PER_SECOND
MAX_BYTES: Final = 2**33
"""Of one table: half of the memory of an ordinary machine (specification of the scenario)."""
_LEAST_SHRUNK: Final = 0.9
"""Part of a guess that is left where a table is hardly too large."""
_MOST_SHRUNK: Final = 16
"""Sizes that are made smaller one after the other."""
_ALONE: Final = 8
"""Of them, those that shrink one at a time: a run that is still too long rests on many."""
_TOGETHER: Final = 4
_ROUNDS: Final = 32
"""Of guesses that shrink before a run is given up as too long: minimap2, whose counts grow with
each other, takes 14."""
_LONGEST_STRIDE: Final = 8.0
"""The power of the excess that a guess shrinks by, where it has shrunk before and most of the
excess is left: far from a guess, time grows with another power of it."""
_TRIED: Final = 8
"""Sizes whose elasticity is measured: those that the most time rests on, if one of them tells."""
_MOST_TRIED: Final = 4 * _TRIED
_LEAST_ELASTICITY: Final = 0.05
"""Below, a guess that is half as large saves less than 4 %: other loops take the time."""


class UnlimitedRun(NamedTuple):
    """Typical values of a program, and the flow of a run with them, however long it takes."""

    typical: TypicalTrips
    flow: ProgramFlow

    def with_work_of(self, program: ProgramEquations) -> "UnlimitedRun":
        """The run of a program that differs in places and in the amount of its work alone."""
        typical = self.typical.at_places_of(program)
        if typical is not self.typical:
            return UnlimitedRun(typical, program_flow(program, typical))
        return self._replace(flow=self.flow.with_work_of(program))


class _Root(NamedTuple):
    """A guess, and the part of the time in loops whose trips rest on it, callees included."""

    guess: Guess
    part: float


def unlimited_run(program: ProgramEquations, solver: ProgramSolver) -> UnlimitedRun:
    """The run of a program that was solved."""
    typical = typical_trips(program, solver)
    return UnlimitedRun(typical, program_flow(program, typical))


def operator_limit(weights: ProgramWeights) -> float:
    """Operators of all runs of a program in the time that they may take.

    Files with several ``main`` are several programs, and have the time of all of them; so have the
    entries of a library, each of which is a run.
    """
    return MAX_OPERATORS * max(1, len(weights.runs.entries))


def affordable_trips(program: ProgramEquations, solver: ProgramSolver) -> TypicalTrips:
    """As ``limited_run``, of a program that was solved."""
    return limited_run(program, unlimited_run(program, solver))


def limited_run(program: ProgramEquations, run: UnlimitedRun) -> TypicalTrips:
    """Typical values at which each table fits into memory and the program ends in time, as far as
    guesses decide that.

    The guess with the largest elasticity, the power with which time grows with it, shrinks first.
    """
    typical = _within_memory(program, run.typical)
    if typical is run.typical:
        weights = weights_of_flow(program, run.flow, shares=False)
    else:
        weights = program_weights(program, typical=typical, shares=False)
    limit = operator_limit(weights)
    stride = 1.0
    for number in range(_ROUNDS):
        excess = weights.operators / limit
        if excess <= 1:
            break
        together = 1 if number < _ALONE else _TOGETHER
        shrunk = _shrunk(program, typical, weights, excess**stride, together)
        if shrunk is None:
            break
        again = shrunk.limits.keys() == typical.limits.keys()
        typical, weights = shrunk, _weights_within(program, shrunk, weights, limit)
        slow = again and weights.operators / limit > excess**0.5
        stride = min(2 * stride, _LONGEST_STRIDE) if slow else 1.0
    return _long_enough(program, typical, weights)


def _weights_within(
    program: ProgramEquations, typical: TypicalTrips, before: ProgramWeights, limit: float
) -> ProgramWeights:
    """The weights at values that differ from those ``before`` in a guess or a few.

    Which addresses a run takes hardly changes, and is found anew for a run that ends in time.
    """
    weights = program_weights(program, typical=typical, taken=before.taken, shares=False)
    if weights.operators <= limit:
        return program_weights(program, typical=typical, shares=False)
    return weights


def _within_memory(program: ProgramEquations, typical: TypicalTrips) -> TypicalTrips:
    """The values at which no table of the program takes more than ``MAX_BYTES``."""
    for file in program.files:
        quantities = file.equations.quantities
        for equation in file.equations.equations:
            is_size = isinstance(equation.term, OperationTerm)
            if is_size and quantities[equation.target].kind == "extent":
                size = in_program(equation.term, file.positions, {})
                typical = _with_table(program, typical, size)
    return typical


def _with_table(program: ProgramEquations, typical: TypicalTrips, size: Term) -> TypicalTrips:
    """The values with the largest guesses that the size of a table rests on made smaller."""
    for _ in range(_MOST_SHRUNK):
        excess = _bytes(typical, size) / MAX_BYTES
        guesses = {place: typical.quantity(place).value for place in typical.guessed_below(size)}
        if excess <= 1 or max(guesses.values(), default=0) <= 1:
            break
        largest = min(guesses, key=lambda place: (-guesses[place], place))
        # nothing tells the power with which the size grows with it: three in most tables
        part = min(_LEAST_SHRUNK, max(0.5, excess ** (-1 / 3)))
        typical = limited_trips(program, typical, largest, int(guesses[largest] * part))
    return typical


def _bytes(typical: TypicalTrips, size: Term) -> float:
    """The value of the size of a table, beyond sizes that the solver takes for overflows too."""
    if isinstance(size, OperationTerm) and size.operator in ("mul", "add"):
        parts = [_bytes(typical, each) for each in size.operands]
        return prod(parts) if size.operator == "mul" else sum(parts)
    places = needed_quantities((size,))
    return term_number(size, {place: typical.quantity(place).value for place in places})


def _shrunk(
    program: ProgramEquations,
    typical: TypicalTrips,
    weights: ProgramWeights,
    excess: float,
    together: int,
) -> TypicalTrips | None:
    """The values with the steepest guesses made smaller ``together``; None where hardly any time
    rests on them."""
    parts = _parts_of_loops(program, weights)
    roots = _roots(program, typical, parts)
    if excess == inf:  # no ratio tells which guess counts most
        for guess, _ in roots:
            typical = limited_trips(program, typical, guess, isqrt(typical.value_of_guess(guess)))
        return typical
    powers = dict(_powers(program, typical, roots, parts)[:together])
    if sum(powers.values()) < _LEAST_ELASTICITY:
        loops = _open_trips(program, typical, parts)
        powers = dict(_powers(program, typical, loops, parts)[:together])
    whole = sum(powers.values())
    if whole < _LEAST_ELASTICITY:
        return None
    for guess in powers:
        value = typical.value_of_guess(guess)
        # a power of two that is too small is 0, where one that is too large is an error
        smaller = max(1, int(value * 2.0 ** -(log2(excess) / whole)))
        typical = limited_trips(program, typical, guess, smaller)
    return typical


def _open_trips(
    program: ProgramEquations, typical: TypicalTrips, parts: Mapping[LoopSite, float]
) -> list[_Root]:
    """Sizes that are computed from guesses which tell nothing, such as a byte of a file, and the
    loops themselves whose trips the source does not decide: those that are cut off at the largest
    guess, and ranges within a size that it decides."""
    sizes: dict[Guess, float] = {}
    loops: dict[Guess, float] = {}
    for loop in program.loops:
        value, part = typical.of(loop), parts.get(loop.place, 0.0)
        if value.decided or value.value <= 1 or loop.place in loops:
            continue
        loops[loop.place] = part
        for place in typical.open_below(loop.trips) if loop.trips is not None else ():
            if typical.quantity(place).value > 1:
                sizes[place] = sizes.get(place, 0.0) + part
    return [
        _Root(guess, found[guess])
        for found in (sizes, loops)
        for guess in sorted(found, key=lambda each: -found[each])[:_TRIED]
    ]


def _powers(
    program: ProgramEquations,
    typical: TypicalTrips,
    roots: Iterable[_Root],
    parts: Mapping[LoopSite, float],
) -> list[tuple[Guess, float]]:
    """The power with which the time grows with each guess, the steepest first.

    Those that hardly any time rests on are left out once others tell.
    """
    found: list[tuple[Guess, float]] = []
    largest = 0.0
    for number, (guess, part) in enumerate(roots):
        if number >= _TRIED and largest >= _LEAST_ELASTICITY:
            break
        if part <= largest:  # only trips that are powers of it are as steep
            continue
        found.append((guess, _elasticity(program, typical, guess, parts)))
        largest = max(largest, found[-1][1])
    return sorted(found, key=lambda each: -each[1])


def _long_enough(
    program: ProgramEquations, typical: TypicalTrips, weights: ProgramWeights
) -> TypicalTrips:
    """The values with more time steps and more input, where a run of the typical number is short.

    Those of the main loops grow alike, up to the high end of their range. Loops over input in which
    hardly any time is spent read settings, whose number does not grow with the run. ``weights``:
    those at the typical values.
    """
    if not any(loop.steps or loop.reads for loop in program.loops):
        return typical
    if not 0 < weights.operators < MIN_OPERATORS:
        return typical
    longer = MIN_OPERATORS / weights.operators
    grown = {loop.place: _grown(typical.of(loop), longer) for loop in _open_loops(program, weights)}
    return lengthened_trips(program, typical, grown) if grown else typical


def _open_loops(program: ProgramEquations, weights: ProgramWeights) -> list[ProgramLoop]:
    """The loops whose trips the user of a program chooses."""
    main, heavy = _main_loops(weights.loops), _heavy_loops(weights)
    steps = [loop for loop in program.loops if loop.steps and loop.place in main]
    return steps + [loop for loop in program.loops if loop.reads and loop.place in heavy]


def _main_loops(loops: Iterable[WeighedLoop]) -> set[LoopSite]:
    """Those that a run executes once."""
    return {LoopSite(loop.path, loop.span) for loop in loops if 0 < loop.weight.executions <= 1}


def _heavy_loops(weights: ProgramWeights) -> set[LoopSite]:
    """Those that take a good part of the run with all that they call."""
    least = _LEAST_OF_INPUT * weights.operators
    return {
        LoopSite(loop.path, loop.span)
        for loop in weights.loops
        if loop.operators + loop.callees >= least
    }


def _grown(steps: TypicalValue, times: float) -> int:
    return min(steps.points[-1], round(steps.value * times))


def _parts_of_loops(program: ProgramEquations, weights: ProgramWeights) -> dict[LoopSite, float]:
    """The part of the program's operators in each loop, with the loops inside and all calls: the
    power with which the time grows with its trips."""
    parts: dict[LoopSite, float] = {}
    whole = min(weights.operators, float_info.max)
    for weighed in weights.loops:
        site = LoopSite(weighed.path, weighed.span)
        parts[site] = parts.get(site, 0.0) + (weighed.operators + weighed.callees) / whole
    done: set[LoopSite] = set()
    for file in program.files:
        # inner loops come behind outer ones, and those of headers in several files
        for loop in reversed(file.loops):
            if loop.loop.parent >= 0 and loop.place not in done:
                done.add(loop.place)
                around = file.loops[loop.loop.parent].place
                parts[around] = parts.get(around, 0.0) + parts.get(loop.place, 0.0)
    # executions have an upper end, and calls in a loop that is beyond it cost more than the run
    largest = max(parts.values(), default=0.0)
    return {place: part / largest for place, part in parts.items()} if largest > 1 else parts


def _elasticity(
    program: ProgramEquations, typical: TypicalTrips, guess: Guess, parts: Mapping[LoopSite, float]
) -> float:
    """The power with which the time grows with a guess, from the trips with half of it."""
    less = limited_trips(program, typical, guess, max(1, typical.value_of_guess(guess) // 2))
    powers: dict[LoopSite, float] = {}
    for loop, whole, half in zip(program.loops, typical.trips(), less.trips(), strict=True):
        if whole > half > 0:
            powers[loop.place] = parts.get(loop.place, 0.0) * log2(whole / half)
    return sum(powers.values())


def _roots(
    program: ProgramEquations, typical: TypicalTrips, parts: Mapping[LoopSite, float]
) -> list[_Root]:
    """The guesses that trips of loops rest on most directly: behind counters, nearly all rest on
    nearly all, and hardly any decides another."""
    spent: dict[Guess, float] = {}
    nearness: dict[Guess, float] = {}
    seen: set[LoopSite] = set()
    for loop in program.loops:
        part = parts.get(loop.place, 0.0)
        if part < _LEAST_ELASTICITY or loop.place in seen:
            continue
        seen.add(loop.place)
        for guess, depth in _guesses_of(typical, loop):
            spent[guess] = spent.get(guess, 0.0) + part
            nearness[guess] = nearness.get(guess, 0.0) + part / 2**depth
    first = sorted(spent, key=lambda guess: -nearness[guess])[:_MOST_TRIED]
    return [_Root(guess, spent[guess]) for guess in first]


def _guesses_of(typical: TypicalTrips, loop: ProgramLoop) -> Iterator[tuple[Guess, int]]:
    """The guesses that may shrink and that a loop's trips rest on, and how many definitions lie
    between."""
    if loop.trips is None:
        if typical.of(loop).value > 1:
            yield loop.place, 0
        return
    for place, depth in typical.guessed_below(loop.trips).items():
        if typical.quantity(place).value > 1:
            yield place, depth
