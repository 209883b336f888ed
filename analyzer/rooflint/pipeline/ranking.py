"""The loops that matter most: those with the largest share of the program's time."""

import math
from collections.abc import Iterator, Set

from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import FileReport, KernelReport, MachineResult, Report


def top_kernels(report: Report, count: int) -> Report:
    """``report`` with only the ``count`` kernels of most time, in the order of files.

    Those that the program does not reach come last, by predicted cycles. The summary still counts
    everything.
    """
    kernels = list(_kernels(report))
    ranked = sorted(range(len(kernels)), key=lambda place: (*_rank(kernels[place]), place))
    kept = {kernels[place].id for place in ranked[:count]}
    return with_kernels(report, kept)


def with_kernels(report: Report, kept: Set[str]) -> Report:
    """``report`` with only the kernels of these identifiers, in the order of files."""
    verdicts = tuple([each for each in report.verdicts if each.id in kept])
    files = tuple([_only(file, kept) for file in report.files])
    return report._replace(files=files, verdicts=verdicts)


def _rank(kernel: KernelReport) -> tuple[float, float]:
    share = time_share(kernel)
    return 1.0 if share is None else -share, -total_cycles(kernel)


def time_share(kernel: KernelReport) -> float | None:
    """Its share of the program's time; None where nothing tells."""
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
