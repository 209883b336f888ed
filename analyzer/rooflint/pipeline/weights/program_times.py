"""The times of a program's functions and loops, by their weights and by predictions.

A loop takes the time that its verdict says, so that shares and times agree. All other code costs
its operators, at the cycles that an operator of the predicted loops takes; so does a loop that
mostly calls functions, for its prediction has their time. Times are those from begin to end: what a
team of OpenMP shares, be it called from a parallel loop, takes the less the more cores there are.
"""

from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from math import inf, isfinite
from typing import Final

from rooflint.facts.kernels import MAX_UNROLLED_TRIPS
from rooflint.ir.unit import Span
from rooflint.pipeline.weights.reported_trips import normal_path
from rooflint.plugin_api.report import (
    COUNTS,
    STATIC,
    FileReport,
    KernelReport,
    LoopWeight,
    ShareOrigin,
)
from rooflint.program.weights import ProgramWeights, WeighedLoop
from rooflint.records import NamedTuple
from rooflint.verdict.price import combined_time

_CYCLES_OF_OPERATOR: Final = 0.5
"""Where no loop tells: two operators a cycle, about what x86 server cores reach in plain code."""


class _CodePlace(NamedTuple):
    path: str
    line: int
    column: int


class PlaceShare(NamedTuple):
    """Shares of the program's time: of a function without callees, and of a loop in it."""

    function: float
    loop: float


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
        outer = [p for p in around.get(loop.function, ()) if _holds(loops[p].span, loop.span[:2])]
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


class _FunctionSpans:
    """Where the functions of a file begin and end."""

    def __init__(self, spans: Iterable[tuple[Span | None, int]]) -> None:
        """Spans with the positions of their functions."""
        self._found = sorted([(span, each) for span, each in spans if span is not None])
        self._begins = [span[:2] for span, _ in self._found]
        self._ends = list(accumulate([span[2:] for span, _ in self._found], max))
        """By number: the last end of the spans up to this one."""

    def around(self, place: tuple[int, int]) -> list[int]:
        """The functions around a line and column, by their positions."""
        found: list[int] = []
        number = bisect_right(self._begins, place) - 1
        while number >= 0 and place < self._ends[number]:
            span, position = self._found[number]
            if _holds(span, place):
                found.append(position)
            number -= 1
        return sorted(found)


class ProgramTimes:
    """The times of a program's functions and loops, by weights and predictions."""

    def __init__(self, files: Iterable[FileReport], weights: ProgramWeights) -> None:
        self._weights = weights
        self._several = len(weights.runs.entries) > 1 and not weights.runs.has_counts
        self._loops: dict[_CodePlace, list[int]] = {}
        self._loops_in: dict[int, list[tuple[int, Span]]] = {}
        self._functions: dict[str, list[int]] = {}
        self._spans: dict[str, _FunctionSpans] = {}
        self._normal = normal = cache(normal_path)
        for position, loop in enumerate(weights.loops):
            self._loops_in.setdefault(loop.function, []).append((position, loop.span))
            place = _CodePlace(normal(loop.path), loop.span.line, loop.span.column)
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
    def origin(self) -> ShareOrigin:
        """Of executions and shares."""
        return COUNTS if self._weights.runs.has_counts else STATIC

    @property
    def entries(self) -> int:
        """How many functions the program may begin with."""
        return len(self._weights.runs.entries)

    def functions_at(self, path: str, place: tuple[int, int]) -> list[int]:
        """Those that the program reaches and that lie around a line and column of a file."""
        around = self._spans_of(self._normal(path)).around(place)
        return [each for each in around if self._weights.functions[each].reached]

    def _spans_of(self, path: str) -> "_FunctionSpans":
        found = self._spans.get(path)
        if found is None:
            functions = self._weights.functions
            spans = [
                (functions[each].function.span, each) for each in self._functions.get(path, ())
            ]
            found = self._spans[path] = _FunctionSpans(spans)
        return found

    def weight_at(self, path: str, place: tuple[int, int]) -> LoopWeight | None:
        """The weight of the function around a place; instances of a template add up."""
        functions = self.functions_at(path, place)
        if not functions:
            return None
        weights = [self._weights.functions[each].weight for each in functions]
        return LoopWeight(
            executions=sum([each.executions for each in weights]),
            origin=self.origin,
            share=max(map(self.function_share, functions)),
            share_origin=self.origin,
            of_entry=self._several,
        )

    def kernel_weight(self, path: str, kernel: KernelReport) -> LoopWeight | None:
        """The weight of a kernel; None for one that the program does not reach."""
        loops = self._weights.loops
        positions = [
            each
            for each in self.positions(path, kernel)
            if self._weights.functions[loops[each].function].reached
        ]
        if not positions:
            return None
        return LoopWeight(
            executions=sum([loops[each].weight.executions for each in positions]),
            iterations=sum([loops[each].iterations for each in positions]),
            origin=self.origin,
            share=max(map(self.loop_share, positions)),
            share_origin=self.origin,
            of_entry=self._several,
            cycles=sum([self._times.loops[each] for each in positions]),
        )

    def share_at(self, path: str, span: Span) -> PlaceShare | None:
        """The shares of a place of a file; None for code that the program does not reach."""
        shares = [
            PlaceShare(self.function_share(each), self._loop_share_at(each, span[:2]))
            for each in self.functions_at(path, span[:2])
        ]
        return max(shares, default=None)

    def functions_of(self, path: str) -> Iterator[tuple[Span, float]]:
        """The functions of a file that the program reaches, each with its share."""
        shares: dict[Span, float] = {}
        for each in self._functions.get(self._normal(path), ()):
            found = self._weights.functions[each]
            if found.reached and found.function.span is not None:
                span = found.function.span
                shares[span] = max(shares.get(span, 0.0), self.function_share(each))
        yield from shares.items()

    def unreached_in(self, path: str) -> set[Span]:
        """The functions of a file that the program does not reach, in none of their instances."""
        reached: dict[Span, bool] = {}
        for each in self._functions.get(self._normal(path), ()):
            found = self._weights.functions[each]
            if found.function.span is not None:
                span = found.function.span
                reached[span] = reached.get(span, False) or found.reached
        return {span for span, there in reached.items() if not there}

    def loops_of(self, path: str) -> Iterator[tuple[Span, float]]:
        """The loops of these functions, each with its share, that of the loops inside included."""
        shares: dict[Span, float] = {}
        for function in self._functions.get(self._normal(path), ()):
            if self._weights.functions[function].reached:
                for _, span in self._loops_in.get(function, ()):
                    share = self._loop_share_at(function, span[:2])
                    shares[span] = max(shares.get(span, 0.0), share)
        yield from shares.items()

    def _loop_share_at(self, function: int, place: tuple[int, int]) -> float:
        """Of the innermost loop around a place, with the loops inside; else of the function."""
        own = self._loops_in.get(function, ())
        around = [span for _, span in own if _holds(span, place)]
        if not around:
            return self.function_share(function)
        innermost = max(around)
        inside = [each for each, span in own if _holds(innermost, span[:2])]
        return sum(map(self.loop_share, inside))

    def function_share(self, position: int) -> float:
        """Of the program's time, without callees."""
        share = self._shares.get(position, 0.0)
        return share if isfinite(share) else 0.0  # of counts beyond every number

    def loop_share(self, position: int) -> float:
        """Of the program's time, without loops inside, with calls of functions without a loop."""
        loop = self._weights.loops[position]
        share, whole = self.function_share(loop.function), self._times.functions[loop.function]
        if not 0.0 < whole < inf:
            return 0.0
        return min(1.0, share * self._times.loops[position] * self._times.of_loops / whole)

    def _predicted(self, files: Iterable[FileReport]) -> Iterator[tuple[int, _PredictedTime]]:
        """The loops that a model predicts."""
        functions = self._weights.functions
        bodies = {each.function.name for each in functions if not each.accessor}
        for file in files:
            for function in file.functions:
                for kernel in filter(function.has_own, function.kernels()):
                    cycles = _cycles_of(kernel)
                    if cycles is None:
                        continue
                    result = kernel.results[0]
                    called = sum([each for name, each in result.calls.items() if name in bodies])
                    library = sum(result.calls.values()) - called
                    for position in self.positions(file.path, kernel):
                        times = self._weights.loops[position].iterations
                        yield (
                            position,
                            _PredictedTime(
                                cycles=cycles * times,
                                called=called * times / result.cores,
                                library=library * times / result.cores,
                                cores=result.cores,
                            ),
                        )

    def _reported(self, files: Iterable[FileReport]) -> set[int]:
        """The loops that are kernels."""
        return {
            position
            for file in files
            for kernel in file.kernels()
            for position in self.positions(file.path, kernel)
        }

    def positions(self, path: str, kernel: KernelReport) -> Sequence[int]:
        """Of the program's loops that the kernel is, those of template instances side by side."""
        return self._loops.get(_CodePlace(self._normal(path), kernel.line, kernel.column), ())


def _core_numbers(files: Iterable[FileReport]) -> _CoreNumbers:
    """Those of the loops on the first machine: serial ones have the fewest."""
    numbers = {
        kernel.results[0].cores for file in files for kernel in file.kernels() if kernel.results
    }
    return _CoreNumbers(min(numbers), max(numbers)) if numbers else _CoreNumbers()


def _cycles_of(kernel: KernelReport) -> float | None:
    """Of one iteration, on the first machine: as the verdict says, or the largest prediction.

    Each model leaves out limits that another one has.
    """
    for result in kernel.results:
        combined = combined_time((*result.predictions, *result.estimates))
        if combined is not None:
            return combined.now_cy
        cycles = [
            each.cycles_per_iteration
            for each in result.predictions
            if each.cycles_per_iteration is not None
        ]
        if cycles:
            return max(cycles)
    return None


def _holds(outer: Span | None, place: tuple[int, int]) -> bool:
    return outer is not None and outer[:2] <= place < outer[2:]
