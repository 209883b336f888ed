"""Weights of functions and loops: executions in a run of the program, and shares of its time."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from rooflint.ir.unit import Span
from rooflint.program.call_graph import (
    CallGraph,
    CallPlace,
    FileCode,
    call_graph,
    call_places,
    taken_addresses,
)
from rooflint.program.callees.function_table import FunctionTable, ProgramFunction
from rooflint.program.costs import FunctionCosts
from rooflint.program.executions import Executions, ProgramRuns
from rooflint.program.frequencies import frequencies_of
from rooflint.program.linking import ProgramEquations
from rooflint.program.relations.teams import TeamParts
from rooflint.program.run_counts import NOTHING_COUNTED, RunCounts
from rooflint.program.solver import ProgramSolver
from rooflint.program.table_waits import table_waits
from rooflint.program.trips import TypicalTrips, typical_trips
from rooflint.records import NamedTuple

_ROUNDS: Final = 4
"""Pointers to functions that lead to code that takes further addresses: as deep as dispatch goes
in a table of a table."""


class Weight(NamedTuple):
    """``executions`` in a run of the program, and the ``share`` of its time.

    A library has several entries, and so may a run over several programs: each entry runs once, and
    the share is the largest one of an entry's time.
    """

    executions: float
    share: float


class FunctionWeight(NamedTuple):
    """The weight of a function without its callees; ``operators``: its crude cost in the run.

    ``accessor``: its cost is part of its callers'. ``reached``: an entry leads to it. ``in_team``:
    the part of its calls that a team of OpenMP shares, as calls in a parallel loop. ``waits``:
    cycles that it waits for tables in the run.
    """

    function: ProgramFunction
    weight: Weight
    operators: float
    accessor: bool
    reached: bool
    in_team: float = 0.0
    waits: float = 0.0


class WeighedLoop(NamedTuple):
    """The weight of a loop of a file or header; its share is without the loops in it.

    function    its position in ``ProgramWeights.functions``
    iterations  of its body in the run
    operators   its crude cost in the run
    callees     that of the functions that it calls, with all that they call in turn
    loopless    the part of that in functions without a loop: no other loop's time
    in_team     the part of all this that a team of OpenMP shares
    """

    path: str
    span: Span
    function: int
    weight: Weight
    iterations: float
    operators: float
    callees: float
    loopless: float
    in_team: float = 0.0


class ProgramWeights(NamedTuple):
    """All functions and loops, and the runs that their shares are parts of.

    ``taken``: how likely a run takes the address of a function, by its key.
    """

    functions: tuple[FunctionWeight, ...]
    loops: tuple[WeighedLoop, ...]
    runs: ProgramRuns
    taken: Mapping[str, float] = {}

    @property
    def operators(self) -> float:
        """The crude cost of one run of each entry."""
        return sum([each.operators for each in self.functions if not each.accessor])


def program_weights(
    program: ProgramEquations,
    trips: Sequence[float] | None = None,
    typical: TypicalTrips | None = None,
    *,
    counts: Mapping[str, RunCounts] = NOTHING_COUNTED,
    taken: Mapping[str, float] | None = None,
    shares: bool = True,
) -> ProgramWeights:
    """The weights of all functions and loops.

    ``trips``: those of ``program.loops``, in place of solved ones; ``typical``: the values of the
    program's scenario, without which it is solved with no size given; ``counts``: those of a run,
    by the path of a file; ``taken``: how likely a run takes addresses of functions, where that is
    known from other weights of the program. Without ``shares``, those are 0: of many entries, they
    take most of the time.
    """
    if typical is None:
        typical = typical_trips(program, ProgramSolver(program))
    flow = program_flow(program, typical, trips, counts=counts, taken=taken)
    return weights_of_flow(program, flow, shares=shares)


class ProgramFlow(NamedTuple):
    """How runs go through a program: all that weights rest on beside the amount of work.

    ``taken``: how likely a run takes the address of a function, by its key.
    """

    codes: tuple[FileCode, ...]
    table: FunctionTable
    taken: Mapping[str, float]
    graph: CallGraph
    runs: ProgramRuns
    executions: Executions
    teams: TeamParts

    def with_work_of(self, program: ProgramEquations) -> "ProgramFlow":
        """The flow of a program that differs in the amount of its work alone."""
        codes = zip(self.codes, program.files, strict=True)
        return self._replace(
            codes=tuple([code._replace(equations=file.equations) for code, file in codes])
        )


def program_flow(
    program: ProgramEquations,
    typical: TypicalTrips,
    trips: Sequence[float] | None = None,
    *,
    counts: Mapping[str, RunCounts] = NOTHING_COUNTED,
    taken: Mapping[str, float] | None = None,
) -> ProgramFlow:
    """The flow at typical values; the arguments are those of ``program_weights``."""
    codes = tuple(typical_code(program, typical, trips, counts))
    table = FunctionTable([code.equations for code in codes])
    places = call_places([code.equations for code in codes], table)
    counted = dict(_counted_calls(program, table, counts))
    if taken is None:
        taken = _taken(codes, places, table, counted)
    graph = call_graph(codes, places, table, taken)
    runs = ProgramRuns(graph, counted)
    return ProgramFlow(
        codes=codes,
        table=table,
        taken=taken,
        graph=graph,
        runs=runs,
        executions=runs.executions(runs.entries),
        teams=TeamParts(codes, graph, runs),
    )


def weights_of_flow(
    program: ProgramEquations, flow: ProgramFlow, *, shares: bool = True
) -> ProgramWeights:
    """The weights of all functions and loops by the work that lies on the way."""
    costs = FunctionCosts(flow.codes, flow.table, flow.graph)
    of_calls = costs.of_calls()
    timing = _Timing(
        executions=flow.executions,
        costs=costs,
        of_calls=of_calls,
        shares=flow.runs.shares(of_calls) if shares else {},
        teams=flow.teams,
        waits=_waits(flow),
    )
    functions = tuple([timing.function(*each) for each in enumerate(flow.graph.functions)])
    loops = tuple(_loop_weights(program, flow.codes, flow.table, timing))
    return ProgramWeights(functions=functions, loops=loops, runs=flow.runs, taken=flow.taken)


def _waits(flow: ProgramFlow) -> Mapping[int, float]:
    """Cycles that one call of each function waits for tables."""
    waits: dict[int, float] = {}
    for code, own in zip(flow.codes, flow.table.own, strict=True):
        for function, cycles in code.waits_of_calls():
            number = own.get(code.equations.quantities[function].key)
            if number is not None:
                waits[number] = waits.get(number, 0.0) + cycles
    return waits


def _taken(
    codes: Sequence[FileCode],
    places: Sequence[Sequence[CallPlace]],
    table: FunctionTable,
    counted: Mapping[int, float],
) -> Mapping[str, float]:
    """How likely a run takes the address of each function, by its key; ``places``: calls.

    Functions that nothing leads to take none: at first only what stands outside of functions does,
    then each round follows pointers to what the round before has found taken.
    """
    taken = taken_addresses(codes, table, {})
    if not any(code.equations.addresses for code in codes):
        return taken
    for _ in range(_ROUNDS):
        runs = ProgramRuns(call_graph(codes, places, table, taken), counted)
        before, taken = taken, taken_addresses(codes, table, runs.executions(runs.entries))
        if taken == before:
            break
    return taken


def typical_code(
    program: ProgramEquations,
    typical: TypicalTrips,
    trips: Sequence[float] | None = None,
    counts: Mapping[str, RunCounts] = NOTHING_COUNTED,
) -> list[FileCode]:
    """The files with the frequencies of their places; ``trips`` in place of the typical ones."""
    own = typical.trips() if trips is None else trips
    frequencies = frequencies_of(program, own, typical.paths, counts)
    return [
        FileCode(
            equations=file.equations,
            frequencies=own,
            size=partial(typical.size, file=file),
            waits=tuple(table_waits(file, typical.solver)),
        )
        for file, own in zip(program.files, frequencies, strict=True)
    ]


def _counted_calls(
    program: ProgramEquations, table: FunctionTable, counts: Mapping[str, RunCounts]
) -> Iterator[tuple[int, float]]:
    """Calls of functions that a run counted; instances of a template have equal parts of them."""
    instances = Counter([(each.file, each.span) for each in table.functions])
    for number, each in enumerate(table.functions):
        own = counts.get(program.files[each.file].equations.path)
        if own is not None and each.span is not None:
            calls = own.calls(each.span)
            if calls is not None:
                yield number, calls / instances[each.file, each.span]


class _Timing(NamedTuple):
    """Executions of functions, costs of their loops and of one call, shares, and teams."""

    executions: Executions
    costs: FunctionCosts
    of_calls: Sequence[float]
    shares: Mapping[int, float]
    teams: TeamParts
    waits: Mapping[int, float]

    def function(self, number: int, function: ProgramFunction) -> FunctionWeight:
        """The weight of a function."""
        executions = self.executions.get(number, 0.0)
        return FunctionWeight(
            function=function,
            weight=Weight(executions, self.shares.get(number, 0.0)),
            operators=executions * self.of_calls[number],
            accessor=number in self.costs.accessors,
            reached=number in self.executions,
            in_team=self.teams.of_function(number),
            waits=executions * self.waits.get(number, 0.0),
        )

    def loop_share(self, function: int, operators: float) -> float:
        """The share of so many operators of each call of the function."""
        whole = self.of_calls[function]
        return self.shares.get(function, 0.0) * operators / whole if whole else 0.0


def _loop_weights(
    program: ProgramEquations, codes: Sequence[FileCode], table: FunctionTable, timing: _Timing
) -> Iterator[WeighedLoop]:
    for number, (file, code) in enumerate(zip(program.files, codes, strict=True)):
        for position, (path, loop, *_) in enumerate(file.loops):
            key = code.equations.quantities[loop.function].key if loop.function >= 0 else ""
            function = table.own[number].get(key)
            if function is None:
                continue
            calls = timing.executions.get(function, 0.0)
            operators = timing.costs.by_loop[function].get(position, 0.0)
            executions = calls * code.frequencies.of_loop(loop)
            yield WeighedLoop(
                path=path,
                span=loop.span,
                function=function,
                weight=Weight(executions, timing.loop_share(function, operators)),
                iterations=calls * code.frequencies.of_place(position, loop.arm),
                operators=calls * operators,
                callees=calls * timing.costs.of_callees[function].get(position, 0.0),
                loopless=calls * timing.costs.of_loopless[function].get(position, 0.0),
                in_team=timing.teams.of_place(function, position),
            )
