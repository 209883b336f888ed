"""The times of a program's functions and loops, by their weights and by predictions.

A loop takes the time that its verdict says, so that shares and times agree. All other code costs
its operators, at the cycles that an operator of the predicted loops takes; so does a loop that
mostly calls functions, for its prediction has their time. Times are those from begin to end: what a
team of OpenMP shares, be it called from a parallel loop, takes the less the more cores there are.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from math import inf, isfinite
from typing import Final

from rooflint.facts.kernels import MAX_UNROLLED_TRIPS
from rooflint.pipeline.weights.basis import WeighedFile, WeighedKernel
from rooflint.pipeline.weights.placed_times import (
    FileShares,
    PlacedFunction,
    PlacedLoop,
    PlacedLoopShare,
    PlacedTimes,
    ProgramShares,
    holds,
)
from rooflint.plugin_api.report import COUNTS, STATIC, KernelReport
from rooflint.program.weights import ProgramWeights, WeighedLoop
from rooflint.records import NamedTuple

_CYCLES_OF_OPERATOR: Final = 0.5
"""Where no loop tells: two operators a cycle, about what x86 server cores reach in plain code."""


class _CodePlace(NamedTuple):
    path: str
    line: int
    column: int


class _PredictedTime(NamedTuple):
    """Cycles of a loop in the run, from begin to end on its ``cores``.

    ``called``: the part of them in functions of the program; ``library``: that in others.
    """

    cycles: float
    called: float
    library: float
    cores: int

    @property
    def is_of_calls(self) -> bool:
        """Whether most of the time is in functions of the program, as of one that calls itself:
        a loop's callees are without the circles of calls that it is part of."""
        return 2 * self.called > self.cycles


class _CoreNumbers(NamedTuple):
    """The cores that code runs on: what a team of OpenMP shares, and all else."""

    alone: int = 1
    team: int = 1

    def divided(self, in_team: float) -> float:
        """The time of code, as a part of that on one core; ``in_team``: the part that is shared."""
        return (1 - in_team) / self.alone + in_team / self.team


class _LoopTimes:
    """Cycles of loops and functions in the run, by their positions."""

    def __init__(
        self,
        weights: ProgramWeights,
        predicted: Mapping[int, _PredictedTime],
        cores: _CoreNumbers,
        reported: Collection[int] = (),
    ) -> None:
        """``predicted``: loops that a model predicts, of those ``reported``."""
        loops = _with_unrolled(weights.loops, predicted, reported)
        self.price = price = _price(loops, predicted)
        outside = _outside_of_loops(weights)
        functions = [
            (operators * price + each.waits) * cores.divided(each.in_team)
            for operators, each in zip(outside, weights.functions, strict=True)
        ]
        self.loops: list[float] = []
        beyond = 0.0
        for position, loop in enumerate(loops):
            operator = price * cores.divided(loop.in_team)
            own, calls = loop.operators * operator, loop.loopless * operator
            spent = own + calls
            if position in predicted and loop.operators + loop.callees > 0:
                cycles, whole = predicted[position].cycles, loop.operators + loop.callees
                if loop.callees > loop.operators:
                    spent = cycles * (loop.operators + loop.loopless) / whole
                elif not predicted[position].is_of_calls:
                    own = max(0.0, cycles - predicted[position].library) * loop.operators / whole
                    spent = cycles * (loop.operators + loop.loopless) / whole
                beyond += spent - own - calls
            functions[loop.function] += own
            self.loops.append(spent)
        everything = sum(functions)
        self.of_loops = everything / (everything + beyond) if everything + beyond > 0 else 1.0
        self.functions = [max(0.0, each) for each in functions]


def _with_unrolled(
    loops: Sequence[WeighedLoop], predicted: Container[int], reported: Collection[int]
) -> list[WeighedLoop]:
    """The loops, those with the work of the shorter ones in them that a compiler unrolls away:
    the prediction of such a loop has their time, and they have no report of their own."""
    merged = list(loops)
    around: dict[int, list[int]] = {}
    for position in sorted(reported, key=lambda each: loops[each].span):
        around.setdefault(loops[position].function, []).append(position)
    for position, loop in enumerate(loops):
        if position in reported or loop.iterations > MAX_UNROLLED_TRIPS * loop.weight.executions:
            continue
        outer = [p for p in around.get(loop.function, ()) if holds(loops[p].span, loop.span[:2])]
        if outer and outer[-1] in predicted:
            merged[outer[-1]] = _together(merged[outer[-1]], loop)
            merged[position] = loop._replace(operators=0.0, callees=0.0, loopless=0.0)
    return merged


def _together(loop: WeighedLoop, inner: WeighedLoop) -> WeighedLoop:
    return loop._replace(
        operators=loop.operators + inner.operators,
        callees=loop.callees + inner.callees,
        loopless=loop.loopless + inner.loopless,
    )


def _outside_of_loops(weights: ProgramWeights) -> list[float]:
    """The operators of each function that no loop of it has."""
    operators = [each.operators for each in weights.functions]
    for loop in weights.loops:
        operators[loop.function] -= loop.operators
    return operators


def _price(loops: Sequence[WeighedLoop], predicted: Mapping[int, _PredictedTime]) -> float:
    """Cycles of an operator on one core: the median over the loops that a model predicts."""
    prices = [
        each.cycles * each.cores / (loops[position].operators + loops[position].callees)
        for position, each in predicted.items()
        if each.cycles > 0 and not each.is_of_calls
        if loops[position].callees <= loops[position].operators > 0
    ]
    # the library's module of statistics takes 5 ms to import, in every start
    return sorted(prices)[len(prices) // 2] if prices else _CYCLES_OF_OPERATOR


class ProgramTimes(PlacedTimes):
    """The times of a program's functions and loops, by weights and predictions."""

    def __init__(self, files: Iterable[WeighedFile], weights: ProgramWeights) -> None:
        self.weights = weights
        self._loops: dict[_CodePlace, list[int]] = {}
        self._loops_of_path: dict[str, list[int]] = {}
        self._loops_in: dict[int, list[int]] = {}
        self._functions: dict[str, list[int]] = {}
        super().__init__(
            COUNTS if weights.runs.has_counts else STATIC,
            len(weights.runs.entries),
            several=len(weights.runs.entries) > 1 and not weights.runs.has_counts,
            of_file=self._shares_of_file,
        )
        normal = self._normal
        for position, loop in enumerate(weights.loops):
            self._loops_in.setdefault(loop.function, []).append(position)
            path = normal(loop.path)
            self._loops_of_path.setdefault(path, []).append(position)
            place = _CodePlace(path, loop.span.line, loop.span.column)
            self._loops.setdefault(place, []).append(position)
        for position, each in enumerate(weights.functions):
            if each.function.span is not None:
                self._functions.setdefault(normal(each.function.path), []).append(position)
        files = tuple(files)
        self._times = _LoopTimes(
            weights, dict(self._predicted(files)), _core_numbers(files), self._reported(files)
        )
        calls = [
            spent / each.weight.executions if each.weight.executions else 0.0
            for each, spent in zip(weights.functions, self._times.functions, strict=True)
        ]
        self._shares = weights.runs.shares(calls)

    @property
    def shares(self) -> ProgramShares:
        """All that later runs need to know of them."""
        paths = dict.fromkeys((*self._functions, *self._loops_of_path))
        return ProgramShares(
            origin=self.origin,
            entries=self.entries,
            several=self._several,
            files={path: self._of_file(path) for path in paths},
        )

    def _shares_of_file(self, path: str) -> FileShares:
        functions, loops = self.weights.functions, self.weights.loops
        reached = [
            each
            for each in self._loops_of_path.get(path, ())
            if functions[loops[each].function].reached
        ]
        return FileShares(
            functions=tuple(map(self._placed_function, self._functions.get(path, ()))),
            loops=tuple(map(self._placed_loop, reached)),
        )

    def _placed_function(self, position: int) -> PlacedFunction:
        found = self.weights.functions[position]
        loops = self.weights.loops
        assert found.function.span is not None
        places = [(loops[each], each) for each in self._loops_in.get(position, ())]
        return PlacedFunction(
            span=found.function.span,
            reached=found.reached,
            executions=found.weight.executions,
            share=self.function_share(position),
            loops=tuple(
                [
                    PlacedLoopShare(
                        span=loop.span,
                        share=self.loop_share(each),
                        elsewhere=loop.path != found.function.path,
                    )
                    for loop, each in places
                ]
            ),
        )

    def _placed_loop(self, position: int) -> PlacedLoop:
        loop = self.weights.loops[position]
        return PlacedLoop(
            line=loop.span.line,
            column=loop.span.column,
            executions=loop.weight.executions,
            iterations=loop.iterations,
            share=self.loop_share(position),
            cycles=self._times.loops[position],
        )

    def function_share(self, position: int) -> float:
        """Of the program's time, without callees."""
        share = self._shares.get(position, 0.0)
        return share if isfinite(share) else 0.0  # of counts beyond every number

    def loop_share(self, position: int) -> float:
        """Of the program's time, without loops inside, with calls of functions without a loop."""
        loop = self.weights.loops[position]
        share, whole = self.function_share(loop.function), self._times.functions[loop.function]
        if not 0.0 < whole < inf:
            return 0.0
        return min(1.0, share * self._times.loops[position] * self._times.of_loops / whole)

    def _predicted(self, files: Iterable[WeighedFile]) -> Iterator[tuple[int, _PredictedTime]]:
        """The loops that a model predicts."""
        functions = self.weights.functions
        bodies = {each.function.name for each in functions if not each.accessor}
        for file in files:
            for kernel in file.own_kernels:
                if kernel.cycles is None:
                    continue
                called = sum([each for name, each in kernel.calls.items() if name in bodies])
                library = sum(kernel.calls.values()) - called
                for position in self.positions(file.path, kernel):
                    times = self.weights.loops[position].iterations
                    yield (
                        position,
                        _PredictedTime(
                            cycles=kernel.cycles * times,
                            called=called * times / kernel.cores,
                            library=library * times / kernel.cores,
                            cores=kernel.cores,
                        ),
                    )

    def _reported(self, files: Iterable[WeighedFile]) -> set[int]:
        """The loops that are kernels."""
        return {
            position
            for file in files
            for kernel in file.kernels
            for position in self.positions(file.path, kernel)
        }

    def positions(self, path: str, kernel: KernelReport | WeighedKernel) -> Sequence[int]:
        """Of the program's loops that the kernel is, those of template instances side by side."""
        return self._loops.get(_CodePlace(self._normal(path), kernel.line, kernel.column), ())


def _core_numbers(files: Iterable[WeighedFile]) -> _CoreNumbers:
    """Those of the loops on the first machine: serial ones have the fewest."""
    numbers = {kernel.cores for file in files for kernel in file.kernels if kernel.cores}
    return _CoreNumbers(min(numbers), max(numbers)) if numbers else _CoreNumbers()
