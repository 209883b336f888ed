"""Weights in reports: executions of functions and loops in a run, and shares of its time."""

from collections.abc import Sequence

from rooflint.pipeline.weights.findings import with_weighed_findings
from rooflint.pipeline.weights.placed_times import PlacedTimes
from rooflint.plugin_api.report import (
    COUNTS,
    FileReport,
    FunctionReport,
    KernelReport,
    LoopWeight,
)


def weighed_files(
    files: Sequence[FileReport], times: PlacedTimes, *, timed: bool = False
) -> tuple[FileReport, ...]:
    """The reports with the weights of functions and kernels, and findings by what they save.

    ``timed``: a profile tells the shares of the time later.
    """
    counted = timed or times.origin == COUNTS
    files = [each._replace(entries=0 if counted else times.entries) for each in files]
    return tuple(
        [with_weighed_findings(_weighed(each, times), times, timed=timed) for each in files]
    )


def _weighed(file: FileReport, times: PlacedTimes) -> FileReport:
    def weighed(function: FunctionReport) -> FunctionReport:
        def with_weight(kernel: KernelReport) -> KernelReport:
            if not function.has_own(kernel):  # the weight of an inlined one is the callee's
                return kernel
            weight = times.kernel_weight(file.path, kernel)
            return kernel._replace(weight=_merged(kernel.weight, weight))

        weight = times.weight_at(file.path, (function.line, function.column))
        return function.with_kernels(with_weight)._replace(weight=_merged(function.weight, weight))

    return file._replace(functions=tuple(map(weighed, file.functions)))


def _merged(counted: LoopWeight | None, weight: LoopWeight | None) -> LoopWeight | None:
    """``weight``, but with the executions of a run where those are known."""
    if counted is None or weight is None:
        return counted or weight
    return weight._replace(
        executions=counted.executions, iterations=counted.iterations, origin=counted.origin
    )
