"""Measured time in reports: shares of functions and kernels, and how near they come to a limit.

A sample counts for the innermost loop or function that it was taken in; accessors and other code
without a report count for their caller. The time of a function includes that of its loops.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rooflint.ir import Span
from rooflint.machine import Machine
from rooflint.plugin_api.prediction import LimitShare
from rooflint.plugin_api.report import (
    COUNTS,
    PROFILE,
    FileReport,
    FunctionReport,
    KernelReport,
    LoopWeight,
    MachineResult,
)
from rooflint.profiles import SourcePart, TimeProfile, TimeUnit

NOTHING: Final = LoopWeight()


def timed_files(
    files: tuple[FileReport, ...], profile: TimeProfile, machines: Sequence[Machine]
) -> tuple[FileReport, ...]:
    """``files`` with the shares of their functions and kernels."""
    clocks = {each.name: each.clock_ghz for each in machines}
    timed = _TimedParts(files, profile, clocks)
    return tuple([timed.file(each) for each in files])


class _TimedParts:
    """Shares by place: instances of a template share a place and their time."""

    def __init__(
        self, files: Iterable[FileReport], profile: TimeProfile, clocks: Mapping[str, float]
    ) -> None:
        parts = list(dict.fromkeys(_parts(files)))
        shares = profile.shares(parts)
        self._shares = dict(zip(parts, shares.parts, strict=True))
        self._profile = profile
        self._clocks = clocks

    def file(self, file: FileReport) -> FileReport:
        return file._replace(
            functions=tuple([self._function(file.path, each) for each in file.functions])
        )

    def _function(self, path: str, function: FunctionReport) -> FunctionReport:
        own = [_kernel_part(path, each) for each in _kernels(function) if _is_own(each, function)]
        share = sum([self._shares[each] for each in {_function_part(path, function), *own}])
        nests = [
            nest._replace(
                kernels=tuple(
                    [
                        self._kernel(path, each) if _is_own(each, function) else each
                        for each in nest.kernels
                    ]
                )
            )
            for nest in function.nests
        ]
        return function._replace(weight=_with_share(function.weight, share), nests=tuple(nests))

    def _kernel(self, path: str, kernel: KernelReport) -> KernelReport:
        weight = _with_share(kernel.weight, self._shares[_kernel_part(path, kernel)])
        return kernel._replace(
            weight=weight,
            results=tuple(
                [each._replace(limits=self._limits(each, weight)) for each in kernel.results]
            ),
        )

    def _limits(self, result: MachineResult, weight: LoopWeight) -> tuple[LimitShare, ...]:
        """For one core: of several, a profile adds up the time and a model does not."""
        measured = self._cycles(weight, result.machine) if result.cores == 1 else None
        if not measured:
            return ()
        return tuple(
            [
                LimitShare(
                    model=each.model,
                    share=each.cycles_per_iteration / measured,
                    measured_cycles=measured,
                )
                for each in result.predictions
                if each.cycles_per_iteration
            ]
        )

    def _cycles(self, weight: LoopWeight, machine: str) -> float | None:
        """Measured cycles of an iteration; clocks of time count at the machine's own rate."""
        exact = weight.origin == COUNTS
        if not (exact and weight.iterations and weight.share) or self._profile.unit is None:
            return None
        clock = self._clocks[machine] if self._profile.unit is TimeUnit.NANOSECONDS else 1.0
        return weight.share * self._profile.total * clock / weight.iterations


def _is_own(kernel: KernelReport, function: FunctionReport) -> bool:
    """Whether a kernel is the function's own text: the time of an inlined one is the callee's."""
    return function.line <= kernel.line <= function.end_line


def _with_share(weight: LoopWeight | None, share: float) -> LoopWeight:
    return (weight or NOTHING)._replace(share=share, share_origin=PROFILE)


def _parts(files: Iterable[FileReport]) -> Iterator[SourcePart]:
    for file in files:
        for function in file.functions:
            yield _function_part(file.path, function)
            for kernel in _kernels(function):
                yield _kernel_part(file.path, kernel)


def _kernels(function: FunctionReport) -> Iterator[KernelReport]:
    for nest in function.nests:
        yield from nest.kernels


def _function_part(path: str, function: FunctionReport) -> SourcePart:
    return _part(path, function.line, function.end_line)


def _kernel_part(path: str, kernel: KernelReport) -> SourcePart:
    return _part(path, kernel.line, kernel.end_line)


def _part(path: str, line: int, end_line: int) -> SourcePart:
    """Whole lines: profiles of time know no columns."""
    return SourcePart(path, Span(line=line, column=0, end_line=end_line, end_column=0))
