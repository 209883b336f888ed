"""The scenario of a program: for each of its files, the values that sizes and loops have in it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeAlias

from rooflint.ir import CallCost, Span
from rooflint.ir.equations import DefinedFunction, Equations, Quantity, Term, UnknownTerm
from rooflint.program.budget import affordable_trips
from rooflint.program.call_costs import call_costs
from rooflint.program.call_graph import ProgramFunction
from rooflint.program.chains import ChainReader
from rooflint.program.linking import LinkedFile, ProgramEquations, ProgramLoop, link_files
from rooflint.program.relations.given_sizes import (
    NOTHING_COMMENTED,
    CommentedSizes,
    GivenSizes,
    given_sizes,
    used_names,
)
from rooflint.program.run_counts import NOTHING_COUNTED, RunCounts
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import is_copy, quantities_of
from rooflint.program.trips import TypicalTrips
from rooflint.program.typical_value import TypicalValue
from rooflint.program.value import PossibleValues
from rooflint.program.weights import ProgramWeights, program_weights, typical_code
from rooflint.scenario.sizes import SizeLayer
from rooflint.scenario.values import (
    FileScenario,
    LoopValue,
    NamesOfFunction,
    ScenarioValue,
    ValueOrigin,
)

SizeKey: TypeAlias = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
NOTHING_REPORTED: Final[Mapping[int, float]] = {}
_COUNTED: Final = UnknownTerm("counter")
_MOSTLY: Final = 0.5
"""Part of a function's calls from which all of its code is priced as that of a team."""
_SHARED_KINDS: Final = frozenset(("variable", "element", "length", "member", "result"))


class ProgramScenario:
    """The values of a program whose files were read."""

    def __init__(
        self,
        files: Iterable[Equations],
        commented: Mapping[str, CommentedSizes] = NOTHING_COMMENTED,
    ) -> None:
        """``commented``: sizes that comments set, by the paths of the files."""
        self._program = link_files(files)
        self._commented = commented
        self._files = {file.equations.path: file for file in self._program.files}
        self._solutions: dict[SizeKey, _Solution] = {}

    def of_file(self, path: str, given: Sequence[SizeLayer] = ()) -> FileScenario:
        """The part of a file; sizes ``given``, in falling priority, hold wherever they are named.

        A file that was not read has no values.
        """
        file = self._files.get(path)
        if file is None:
            return FileScenario()
        solution = self._solution(given)
        values = _FileValues(solution, file).scenario()
        return values._replace(calls=solution.calls(path), in_teams=tuple(solution.in_teams(path)))

    def weights(
        self,
        given: Sequence[SizeLayer] = (),
        counts: Mapping[str, RunCounts] = NOTHING_COUNTED,
        reported: Mapping[int, float] = NOTHING_REPORTED,
    ) -> ProgramWeights:
        """The weights of all functions and loops, with these sizes and the counts of a run.

        ``reported``: trips of loops as reports show them, by their positions in the program.
        """
        typical = self._solution(given).typical
        trips = [reported.get(each, solved) for each, solved in enumerate(typical.trips())]
        return program_weights(self._program, trips, typical, counts=counts)

    def _solution(self, given: Sequence[SizeLayer]) -> "_Solution":
        key = tuple([(layer.origin, tuple(sorted(layer.sizes.items()))) for layer in given])
        if key not in self._solutions:
            self._solutions[key] = _Solution(self._program, self.given_sizes(given))
        return self._solutions[key]

    @property
    def equations(self) -> ProgramEquations:
        """All files."""
        return self._program

    def solved(self, given: Sequence[SizeLayer]) -> tuple[ProgramSolver, TypicalTrips]:
        """The values of the program with these sizes, as the source and as roles tell them."""
        solution = self._solution(given)
        return solution.solver, solution.typical

    def given_sizes(self, given: Sequence[SizeLayer]) -> GivenSizes:
        """The quantities and trips that these sizes and the comments of the files set."""
        return given_sizes(self._program, given, self._commented)

    def matched(self, given: Sequence[SizeLayer]) -> frozenset[str]:
        """Names among those ``given`` that a trip count rests on."""
        return self.given_sizes(given).matched

    def names(self) -> frozenset[str]:
        """All names that trip counts rest on."""
        return used_names(self._program)


class _Solution:
    """The program solved with one set of sizes."""

    def __init__(self, program: ProgramEquations, given: GivenSizes) -> None:
        self.program = program
        self.given = given
        self.solver = ProgramSolver(program, self.given.values, self.given.trips)
        self.typical = affordable_trips(program, self.solver)
        self._chains = ChainReader(program, self.solver, self.given.origins)
        self._calls: Mapping[str, Mapping[str, CallCost]] | None = None
        self._in_teams: list[ProgramFunction] | None = None
        self._values: dict[int, ScenarioValue | None] = {}
        self._bounding = _bounding(program)

    def calls(self, path: str) -> Mapping[str, CallCost]:
        """The costs of the functions that a file calls, at the typical sizes."""
        if self._calls is None:
            self._calls = call_costs(typical_code(self.program, self.typical))
        return self._calls.get(path, {})

    def in_teams(self, path: str) -> Iterator[Span]:
        """The functions of a file most of whose calls a team of OpenMP shares."""
        if self._in_teams is None:
            shared = any(loop.loop.shared for loop in self.program.loops)
            weights = None
            if shared:
                weights = program_weights(self.program, typical=self.typical, shares=False)
            functions = () if weights is None else weights.functions
            self._in_teams = [each.function for each in functions if each.in_team > _MOSTLY]
        for function in self._in_teams:
            if function.path == path and function.span is not None:
                yield function.span

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
            if "counter" in possible.unknown and position not in self._bounding:
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


class _FileValues:
    """Collects the values of one file."""

    def __init__(self, solution: _Solution, file: LinkedFile) -> None:
        self._solution = solution
        self._file = file
        self._values: list[ScenarioValue] = []
        self._known: dict[int, int | None] = {}

    def scenario(self) -> FileScenario:
        """The values of all names and loops."""
        equations = self._file.equations
        functions: list[NamesOfFunction] = []
        inner: dict[str, int | None] = {}
        for function in equations.functions:
            names = dict(self._names(function))
            if function.span is not None:
                functions.append(NamesOfFunction(function.span, names))
            for name, value in names.items():
                inner[name] = value if inner.setdefault(name, value) == value else None
        loops, shared = tuple(self._loops()), self._shared()
        return FileScenario(
            values=tuple(self._values),
            functions=tuple(functions),
            inner={name: value for name, value in inner.items() if value is not None},
            shared=shared,
            loops=loops,
            matched=self._solution.given.matched,
        )

    def _names(self, function: DefinedFunction) -> Iterator[tuple[str, int]]:
        """Names of a function; of two variables of one name neither, unless they are equal."""
        found: dict[str, int | None] = {}
        for number in (*function.parameters, *function.variables):
            name = self._file.equations.quantities[number].name
            value = self._value(number)
            if name in found and not self._same(found[name], value):
                found[name] = None
            else:
                found[name] = value
        for name, value in found.items():
            if value is not None:
                yield name, value

    def _same(self, one: int | None, other: int | None) -> bool:
        if one is None or other is None:
            return one is other
        return self._values[one][2:5] == self._values[other][2:5]

    def _shared(self) -> dict[str, int]:
        """Names of the program: of members of several types neither, unless they are equal."""
        found: dict[str, int | None] = {}
        own = {n for f in self._file.equations.functions for n in (*f.parameters, *f.variables)}
        for number, quantity in enumerate(self._file.equations.quantities):
            if number in own or quantity.kind not in _SHARED_KINDS:
                continue
            key = shared_name(quantity)
            value = self._value(number)
            if key in found and not self._same(found[key], value):
                found[key] = None
            else:
                found[key] = value
        return {key: value for key, value in found.items() if value is not None}

    def _value(self, number: int) -> int | None:
        position = self._file.positions[number]
        if position not in self._known:
            value = self._solution.value(position)
            self._known[position] = None if value is None else self._enter(value)
        return self._known[position]

    def _enter(self, value: ScenarioValue) -> int:
        self._values.append(value)
        return len(self._values) - 1

    def _loops(self) -> Iterator[LoopValue]:
        for loop in self._file.loops:
            if loop.loop.header:
                continue
            function = loop.loop.function
            scope = self._file.equations.quantities[function].name if function >= 0 else ""
            name = f"trips of line {loop.loop.span.line}"
            value = self._solution.trips(loop, scope, name)
            yield LoopValue(loop.loop.span, self._enter(value), loop.resumes)


def shared_name(quantity: Quantity) -> str:
    """``n`` of a variable, ``.n`` of a member, ``n()`` of a result."""
    if quantity.kind == "member":
        return f".{quantity.name}"
    return f"{quantity.name}()" if quantity.kind == "result" else quantity.name
