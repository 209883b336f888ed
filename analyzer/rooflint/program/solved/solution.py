"""A program solved with one set of sizes, and weights of its functions and loops."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from rooflint.ir import CallCost, Span
from rooflint.ir.equations import Equations, Quantity, Term, UnknownTerm
from rooflint.program.budget import limited_run, operator_limit, unlimited_run
from rooflint.program.call_costs import call_costs
from rooflint.program.callees.function_table import ProgramFunction
from rooflint.program.linking import LinkedFile, ProgramEquations, ProgramLoop
from rooflint.program.relations.given_sizes import GivenSizes
from rooflint.program.run_counts import RunCounts
from rooflint.program.solved.chains import ChainReader
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import is_copy, quantities_of
from rooflint.program.typical_value import TypicalValue
from rooflint.program.value import PossibleValues
from rooflint.program.weights import (
    ProgramFlow,
    ProgramWeights,
    program_flow,
    typical_code,
    weights_of_flow,
)
from rooflint.records import NamedTuple
from rooflint.scenario.values import FileScenario, ScenarioValue, ValueOrigin

_COUNTED: Final = UnknownTerm("counter")
_MOSTLY: Final = 0.5
"""Part of a function's calls from which all of its code is priced as that of a team."""


class _KnownFlow(NamedTuple):
    """The flow of runs with these trips and counts."""

    trips: tuple[float, ...]
    counts: Mapping[str, RunCounts]
    flow: ProgramFlow

    def with_work_of(self, program: ProgramEquations) -> "_KnownFlow":
        return self._replace(flow=self.flow.with_work_of(program))


class ProgramSolution:
    """The program solved with one set of sizes."""

    def __init__(
        self, program: ProgramEquations, given: GivenSizes, before: "ProgramSolution | None" = None
    ) -> None:
        """``before``: the solution before an edit that leaves the values of the program alone."""
        self.program = program
        self.given = given
        self._calls: Mapping[str, Mapping[str, CallCost]] | None = None
        self._in_teams: list[ProgramFunction] | None = None
        if before is None or before.given != given:
            self.solver = ProgramSolver(program, given.values, given.trips)
            self._unlimited = unlimited_run(program, self.solver)
            self._bounding = _bounding(program)
        else:
            self.solver, self._bounding = before.solver, before._bounding
            self._unlimited = before._unlimited.with_work_of(program)
        self.typical = limited_run(program, self._unlimited)
        self._flow: _KnownFlow | None = None
        self._chains = ChainReader(program, self.solver, given.origins)
        self._values: dict[int, ScenarioValue | None] = {}
        self.of_files: dict[str, FileScenario] = {}
        self._earlier: Mapping[str, FileScenario] = before.of_files if before is not None else {}
        if before is not None and before._has_values_of(self):
            self.typical, self._chains = before.typical, before._chains
            self._values, self.of_files = before._values, before.of_files
            self._flow = before._flow and before._flow.with_work_of(program)

    def _has_values_of(self, after: "ProgramSolution") -> bool:
        """Whether all values are those ``after`` an edit, with the lines that they come from."""
        is_there = self.program.loops is after.program.loops and self.solver is after.solver
        return is_there and self.typical.decisions == after.typical.decisions

    def with_earlier_parts(self, path: str, scenario: FileScenario) -> FileScenario:
        """The scenario of a file, its parts the objects of the one before where they are equal: by
        these, functions that did not change are known."""
        earlier = self._earlier.get(path)
        if earlier is None:
            return scenario
        parts = zip(earlier, scenario, strict=True)
        return FileScenario._make([old if old == new else new for old, new in parts])

    def weights(
        self, counts: Mapping[str, RunCounts], reported: Mapping[int, float]
    ) -> ProgramWeights:
        """As those of the scenario."""
        solved = self.typical.trips()
        trips = tuple([reported.get(each, typical) for each, typical in enumerate(solved)])
        weights = self._weights(trips, counts)
        if weights.operators > operator_limit(weights):
            # a report knows nothing of the time that all loops take together
            weights = self._weights(tuple(map(min, trips, solved)), counts)
        return weights

    def _weights(self, trips: tuple[float, ...], counts: Mapping[str, RunCounts]) -> ProgramWeights:
        known = self._flow
        if known is None or known.trips != trips or known.counts != counts:
            flow = program_flow(self.program, self.typical, trips, counts=counts)
            known = self._flow = _KnownFlow(trips=trips, counts=counts, flow=flow)
        return weights_of_flow(self.program, known.flow)

    def calls(self, path: str) -> Mapping[str, CallCost]:
        """The costs of the functions that a file calls, at the typical sizes."""
        if self._calls is None:
            self._calls = call_costs(typical_code(self.program, self.typical))
        return self._calls.get(path, {})

    def in_teams(self, path: str) -> Iterator[Span]:
        """The functions of a file most of whose calls a team of OpenMP shares."""
        if self._in_teams is None:
            shared = any(loop.loop.shared for loop in self.program.loops)
            self._in_teams = list(self._mostly_in_teams()) if shared else []
        for function in self._in_teams:
            if function.path == path and function.span is not None:
                yield function.span

    def _mostly_in_teams(self) -> Iterator[ProgramFunction]:
        unlimited = self._unlimited
        is_limited = self.typical is not unlimited.typical
        flow = program_flow(self.program, self.typical) if is_limited else unlimited.flow
        for number, function in enumerate(flow.graph.functions):
            if flow.teams.of_function(number) > _MOSTLY:
                yield function

    def value(self, position: int) -> ScenarioValue | None:
        """The value of a quantity; None for a counter that no trip count rests on."""
        if position not in self._values:
            self._values[position] = self._new_value(position)
        return self._values[position]

    def _new_value(self, position: int) -> ScenarioValue | None:
        possible = self.solver.value(position)
        typical = self.typical.quantity(position)
        quantity = self.program.quantities[position]
        if typical.value != possible.typical or not typical.decided:
            if position not in self._bounding and _is_counter(quantity, possible):
                return None
            return guessed_value(quantity.scope, quantity.name, typical)
        chain = self._chains.chain(position)
        return ScenarioValue(
            scope=quantity.scope,
            name=quantity.name,
            low=min(possible.constants),
            typical=typical.value,
            high=max(possible.constants),
            origin=chain.given or origin_of(possible),
            chain=chain.steps,
        )

    def trips(self, loop: ProgramLoop, scope: str, name: str) -> ScenarioValue:
        """The trip count of a loop."""
        possible = self.solver.trips(loop)
        typical = self.typical.of(loop)
        if not typical.decided or not possible.constants:
            return guessed_value(scope, name, typical)
        return ScenarioValue(
            scope=scope,
            name=name,
            low=min(possible.constants),
            typical=typical.value,
            high=max(possible.constants),
            origin="comment" if loop.place in self.given.trips else origin_of(possible),
        )


def _bounding(program: ProgramEquations) -> frozenset[int]:
    """The quantities that trip counts are computed from, and those that are copied to them."""
    trips = [loop.trips for loop in program.loops if loop.trips is not None]
    waiting = [position for term in trips for position in quantities_of(term)]
    waiting += chain.from_iterable(map(_ends, program.files))
    found: set[int] = set()
    while waiting:
        position = waiting.pop()
        if position not in found:
            found.add(position)
            for term in filter(is_copy, program.definitions[position]):
                waiting += quantities_of(term)
    return frozenset(found)


def _ends(file: LinkedFile) -> Iterator[int]:
    """Ends of loops that nothing counts here, but the IR may: quantities in their conditions that
    no statement counts, and those that such variables of the function are computed from."""
    equations = file.equations
    terms: dict[int, list[Term]] = {}
    for equation in equations.equations:
        terms.setdefault(equation.target, []).append(equation.term)
    for place in _compared(equations):
        own = terms.get(place, ())
        if _COUNTED not in own:
            yield file.positions[place]
            for term in own if _is_local(equations, place) else ():
                yield from [file.positions[each] for each in quantities_of(term)]


def _compared(equations: Equations) -> Iterator[int]:
    """The quantities in conditions of loops that nothing counts."""
    for loop in equations.loops:
        for test in loop.tests if loop.lower is None else ():
            yield from quantities_of(test.left)
            yield from quantities_of(test.right)


def _is_local(equations: Equations, place: int) -> bool:
    quantity = equations.quantities[place]
    return quantity.kind == "variable" and bool(quantity.scope)


def _is_counter(quantity: Quantity, possible: PossibleValues) -> bool:
    """Whether the quantity counts, from a value that nobody tells: a parameter begins with that of
    the callers."""
    told = quantity.kind == "parameter" and possible.unknown == {"counter"}
    return "counter" in possible.unknown and not told


def guessed_value(scope: str, name: str, typical: TypicalValue) -> ScenarioValue:
    """A value with the range of its role."""
    low, lower, value, upper, high = typical.points
    return ScenarioValue(
        scope=scope,
        name=name,
        low=low,
        typical=value,
        high=high,
        origin="callers" if typical.role is None else "role",
        quartiles=(lower, upper),
        role=typical.role,
        shrunk_from=typical.shrunk_from,
    )


def origin_of(possible: PossibleValues) -> ValueOrigin:
    """How the source gives these values."""
    if len(possible.constants) > 1:
        return "callers"
    return "source default" if possible.unknown else "source"
