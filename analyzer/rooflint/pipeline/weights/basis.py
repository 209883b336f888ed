"""The parts of reports that the weights of a program rest on: small beside the reports."""

from collections.abc import Iterator, Mapping
from typing import Final

from rooflint.plugin_api.report import FileCountsReport, FileReport, KernelReport
from rooflint.records import NamedTuple
from rooflint.verdict.price import combined_time
from rooflint.workers.wire import Codec


class WeighedKernel(NamedTuple):
    """A kernel on the first machine of its report.

    headers  the lines of its loops, the outermost first
    is_own   whether it belongs to the function that reports it, and not to an inlined one
    cores    0 where it has no result
    calls    cycles of an iteration in functions that it calls, by their names
    cycles   of an iteration; None where no model predicts it
    """

    line: int
    column: int
    headers: tuple[int, ...]
    is_own: bool
    trips: tuple[float | None, ...] = ()
    cores: int = 0
    calls: Mapping[str, float] = {}
    cycles: float | None = None


class WeighedFile(NamedTuple):
    """The kernels of a file, and what counts of a run say of it."""

    path: str
    counts: FileCountsReport | None
    kernels: tuple[WeighedKernel, ...]

    @property
    def own_kernels(self) -> Iterator[WeighedKernel]:
        """Those of the functions that report them."""
        return (kernel for kernel in self.kernels if kernel.is_own)


BASES: Final = Codec[tuple[WeighedFile, ...]](tuple[WeighedFile, ...])


def weighed_basis(file: FileReport) -> WeighedFile:
    """The basis of the weights in one report."""
    kernels = [
        _basis_of_kernel(kernel, is_own=function.has_own(kernel))
        for function in file.functions
        for kernel in function.kernels()
    ]
    return WeighedFile(file.path, file.counts, tuple(kernels))


def _basis_of_kernel(kernel: KernelReport, *, is_own: bool) -> WeighedKernel:
    basis = WeighedKernel(
        line=kernel.line,
        column=kernel.column,
        headers=tuple([loop.line for loop in kernel.loops]),
        is_own=is_own,
    )
    if not kernel.results:
        return basis
    first = kernel.results[0]
    return basis._replace(
        trips=first.trips, cores=first.cores, calls=first.calls, cycles=_cycles_of(kernel)
    )


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
