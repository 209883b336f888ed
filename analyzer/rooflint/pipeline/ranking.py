"""The loops that matter most: those with the largest share of time, measured or predicted.

In a file by itself, a kernel's time is that of one call of its function; in a program, that of all.
"""

import math
from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING, Final

from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import FileReport, KernelReport, MachineResult, Report
from rooflint.records import NamedTuple

if TYPE_CHECKING:
    from rooflint.program.weights import ProgramWeights, WeighedLoop, Weight


_CYCLES_OF_OPERATOR: Final = 0.5
"""Where no loop tells: two operators a cycle, about what x86 server cores reach in plain code."""


def top_kernels(report: Report, count: int) -> Report:
    """``report`` with only the ``count`` kernels of most time, in the order of files.

    Cycles are those per iteration times all iterations, on the first machine that has a prediction
    of them; a kernel without one comes after those with one. Where a profile tells the time, that
    decides first. The summary still counts everything.
    """
    kernels = list(_kernels(report))
    ranked = sorted(range(len(kernels)), key=lambda place: (*_rank(kernels[place]), place))
    kept = {kernels[place].id for place in ranked[:count]}
    return with_kernels(report, kept)


def with_kernels(report: Report, kept: Set[str]) -> Report:
    """``report`` with only the kernels of these identifiers, in the order of files."""
    return report._replace(files=tuple(_only(file, kept) for file in report.files))


def _rank(kernel: KernelReport) -> tuple[float, float]:
    return -(measured_share(kernel) or 0.0), -total_cycles(kernel)


def measured_share(kernel: KernelReport) -> float | None:
    """Its share of the time by a profile; None where there is none."""
    return kernel.weight.share if kernel.weight is not None else None


def count_kernels(report: Report) -> int:
    """How many kernels the report shows."""
    return sum(1 for _ in _kernels(report))


def total_cycles(kernel: KernelReport) -> float:
    """Predicted core cycles over all iterations, by the counts of a run where they are known; -1
    when no model says.
    """
    for result in kernel.results:
        for prediction in result.predictions:
            cycles = prediction.cycles_per_iteration
            if cycles is not None:
                return cycles * _iterations_in_run(kernel, result)
    return -1.0


def predicted_cycles(result: MachineResult, prediction: Prediction) -> float | None:
    """Core cycles over all iterations as one model predicts them; None when it does not say."""
    if prediction.cycles_per_iteration is None:
        return None
    return prediction.cycles_per_iteration * iterations_of(result)


def iterations_of(result: MachineResult) -> float:
    """Of the kernel's own loop over all executions; a loop of unknown trips counts once."""
    return math.prod([trip if trip is not None else 1 for trip in result.trips])


def _iterations_in_run(kernel: KernelReport, result: MachineResult) -> float:
    counted = kernel.weight.iterations if kernel.weight is not None else None
    return iterations_of(result) if counted is None else counted


def _kernels(report: Report) -> Iterator[KernelReport]:
    for file in report.files:
        for function in file.functions:
            for nest in function.nests:
                yield from nest.kernels


def _only(file: FileReport, kept: Set[str]) -> FileReport:
    functions = []
    for function in file.functions:
        nests = []
        for nest in function.nests:
            kernels = tuple(kernel for kernel in nest.kernels if kernel.id in kept)
            if kernels:
                nests.append(nest._replace(kernels=kernels))
        if nests:
            functions.append(function._replace(nests=tuple(nests)))
    return file._replace(functions=tuple(functions))


class WeighedKernel(NamedTuple):
    """A kernel with its place and weight; ``iterations`` and ``cycles`` in a run of the program.

    ``cycles`` is None where no model predicts any, or the program does not have its loop; then the
    share is that of its operators, or none.
    """

    path: str
    function: str
    kernel: KernelReport
    weight: "Weight"
    iterations: float
    cycles: float | None


class _LoopPlace(NamedTuple):
    path: str
    line: int
    column: int


def ranked_kernels(report: Report, weights: "ProgramWeights") -> list[WeighedKernel]:
    """All kernels, those of the largest share of the program's time first.

    Code outside of predicted kernels is priced by its operators, at the cycles that an operator of
    the predicted ones takes.
    """
    loops = {
        _LoopPlace(loop.path, loop.span.line, loop.span.column): loop for loop in weights.loops
    }
    kernels = list(_placed_kernels(report, loops))
    price = _cycles_of_operator(kernels)
    predicted = sum(each.predicted for each in kernels if each.predicted is not None)
    rest = weights.operators - sum(
        each.loop.operators for each in kernels if each.predicted is not None
    )
    total = predicted + max(0.0, rest) * price
    weighed = [each.weighed(total, price) for each in kernels]
    return sorted(weighed, key=lambda each: -each.weight.share)


def top_kernels_of_program(report: Report, weights: "ProgramWeights", count: int) -> Report:
    """``report`` with only the ``count`` kernels of most time in a run of the program."""
    ranked = ranked_kernels(report, weights)[:count]
    return with_kernels(report, {each.kernel.id for each in ranked})


class _PlacedKernel(NamedTuple):
    """A kernel and its loop of the program; ``predicted``: cycles of all its iterations."""

    path: str
    function: str
    kernel: KernelReport
    loop: "WeighedLoop"
    predicted: float | None

    def weighed(self, total: float, price: float) -> WeighedKernel:
        """With its share of ``total`` cycles, at ``price`` cycles an operator without others."""
        spent = self.loop.operators * price if self.predicted is None else self.predicted
        return WeighedKernel(
            path=self.path,
            function=self.function,
            kernel=self.kernel,
            weight=self.loop.weight._replace(share=spent / total if total else 0.0),
            iterations=self.loop.iterations,
            cycles=self.predicted,
        )


def _placed_kernels(
    report: Report, loops: Mapping[_LoopPlace, "WeighedLoop"]
) -> Iterator[_PlacedKernel]:
    """Kernels that the program has a loop for, each once: callers inline some of them again."""
    left = dict(loops)
    for file in report.files:
        for function in file.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    loop = left.pop(_LoopPlace(file.path, kernel.line, kernel.column), None)
                    if loop is not None:
                        yield _PlacedKernel(
                            path=file.path,
                            function=function.name,
                            kernel=kernel,
                            loop=loop,
                            predicted=_cycles_of(kernel, loop.iterations),
                        )


def _cycles_of_operator(kernels: list[_PlacedKernel]) -> float:
    prices = [
        each.predicted / each.loop.operators
        for each in kernels
        if each.predicted is not None and each.predicted > 0 and each.loop.operators > 0
    ]
    # the median; the library's module takes 5 ms to import, in every start
    return sorted(prices)[len(prices) // 2] if prices else _CYCLES_OF_OPERATOR


def _cycles_of(kernel: KernelReport, iterations: float) -> float | None:
    """Cycles of that many iterations, on the first machine that has a prediction."""
    for result in kernel.results:
        for prediction in result.predictions:
            if prediction.cycles_per_iteration is not None:
                return prediction.cycles_per_iteration * iterations
    return None
