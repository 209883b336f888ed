"""Weights of functions and loops: executions in a run of the program, and shares of its time."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Literal, TypeAlias

from rooflint.ir.unit import Span
from rooflint.program.call_graph import (
    FileCode,
    FunctionTable,
    ProgramFunction,
    call_graph,
)
from rooflint.program.costs import FunctionCosts
from rooflint.program.counters import counter_values
from rooflint.program.executions import entries_of, executions_of
from rooflint.program.frequencies import PlaceFrequencies
from rooflint.program.linking import ProgramEquations
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import TypicalTrips
from rooflint.records import NamedTuple

WeightOrigin: TypeAlias = Literal["static", "counts"]


class Weight(NamedTuple):
    """``executions`` in a run of the program, and the ``share`` of its time."""

    executions: float
    share: float
    origin: WeightOrigin = "static"


class FunctionWeight(NamedTuple):
    """The weight of a function without its callees; ``operators``: its crude cost in the run.

    ``accessor``: its cost is part of its callers'.
    """

    function: ProgramFunction
    weight: Weight
    operators: float
    accessor: bool


class WeighedLoop(NamedTuple):
    """The weight of a loop of a file or header; its share is without the loops in it.

    ``iterations`` of its body in the run; ``operators``: its crude cost in the run.
    """

    path: str
    span: Span
    weight: Weight
    iterations: float
    operators: float


class ProgramWeights(NamedTuple):
    """All functions and loops; ``operators`` of the whole program."""

    functions: tuple[FunctionWeight, ...]
    loops: tuple[WeighedLoop, ...]
    operators: float


def program_weights(
    program: ProgramEquations, trips: Sequence[float] | None = None
) -> ProgramWeights:
    """Weights without a profile; ``trips``: those of ``program.loops``, in place of solved ones."""
    solver = ProgramSolver(program)
    first = TypicalTrips(program, solver, {})
    counted: dict[int, float] = {}
    for file, frequencies in zip(program.files, _frequencies(program, first.trips()), strict=True):
        for quantity, value in counter_values(file, frequencies, first.size):
            counted[quantity] = max(counted.get(quantity, 0.0), value)
    typical = TypicalTrips(program, solver, counted)
    counts = typical.trips() if trips is None else trips
    codes = [
        FileCode(file.equations, frequencies, partial(typical.size, file=file))
        for file, frequencies in zip(program.files, _frequencies(program, counts), strict=True)
    ]
    table = FunctionTable([code.equations for code in codes])
    graph = call_graph(codes, table)
    executions = executions_of(graph, entries_of(graph))
    costs = FunctionCosts(codes, table, graph)
    spent = [
        0.0 if number in costs.accessors else executions[number] * costs.of_call(number)
        for number in range(len(graph.functions))
    ]
    timing = _Timing(executions, costs, sum(spent))
    return ProgramWeights(
        functions=tuple(
            [
                FunctionWeight(
                    function=function,
                    weight=Weight(executions[number], timing.share(spent[number])),
                    operators=spent[number],
                    accessor=number in costs.accessors,
                )
                for number, function in enumerate(graph.functions)
            ]
        ),
        loops=tuple(_loop_weights(program, codes, table, timing)),
        operators=timing.total,
    )


def _frequencies(program: ProgramEquations, trips: Sequence[float]) -> list[PlaceFrequencies]:
    """Those of each file, from the trips of all loops of the program."""
    counts = iter(trips)
    return [
        PlaceFrequencies(file.equations, list(islice(counts, len(file.loops))))
        for file in program.files
    ]


class _Timing(NamedTuple):
    """Executions and costs of functions, and the operators of the whole program."""

    executions: Sequence[float]
    costs: FunctionCosts
    total: float

    def share(self, operators: float) -> float:
        """The part of all operators."""
        return operators / self.total if self.total else 0.0


def _loop_weights(
    program: ProgramEquations, codes: Sequence[FileCode], table: FunctionTable, timing: _Timing
) -> Iterator[WeighedLoop]:
    for number, (file, code) in enumerate(zip(program.files, codes, strict=True)):
        for position, (path, loop, _) in enumerate(file.loops):
            key = code.equations.quantities[loop.function].key if loop.function >= 0 else ""
            function = table.own[number].get(key)
            if function is None:
                continue
            count = timing.executions[function]
            operators = count * timing.costs.by_loop[function].get(position, 0.0)
            executions = count * code.frequencies.of_loop(loop)
            yield WeighedLoop(
                path=path,
                span=loop.span,
                weight=Weight(executions, timing.share(operators)),
                iterations=count * code.frequencies.of_place(position, loop.arm),
                operators=operators,
            )
