"""Measured time in reports: shares of functions and kernels, and how near they come to a limit.

A sample counts for the innermost loop or function that it was taken in; accessors and other code
without a report count for their caller. The time of a function includes that of its loops.

A lint has nests in place of kernels: its findings take what their nest takes, and save the part of
that which the models predict.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rooflint.ir import Span
from rooflint.machine import Machine
from rooflint.pipeline.profiled.finding_shares import LEAST_SHARE, findings_by_share
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.prediction import LimitShare
from rooflint.plugin_api.report import (
    COUNTS,
    PROFILE,
    FileReport,
    FunctionReport,
    KernelReport,
    LoopWeight,
    MachineResult,
    NestReport,
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
        timed = file._replace(
            functions=tuple([self._function(file.path, each) for each in file.functions])
        )
        if not file.findings:
            return timed

        def share_of(advice: Advice) -> float:
            return self._share_of(file, advice)

        return findings_by_share(timed, share_of, PROFILE, LEAST_SHARE[PROFILE])

    def _share_of(self, file: FileReport, advice: Advice) -> float:
        """Of the nest around a finding; of the whole file for one without a loop."""
        parts = [
            _nest_part(file.path, nest)
            for function in file.functions
            for nest in function.nests
            if not advice.loop or nest.line <= advice.span.line <= nest.end_line
        ]
        return sum([self._shares[each] for each in dict.fromkeys(parts)])

    def _function(self, path: str, function: FunctionReport) -> FunctionReport:
        own = list(_inner_parts(path, function))
        share = sum([self._shares[each] for each in {_function_part(path, function), *own}])

        def timed(kernel: KernelReport) -> KernelReport:
            return self._kernel(path, kernel) if function.has_own(kernel) else kernel

        return function.with_kernels(timed)._replace(weight=_with_share(function.weight, share))

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


def _with_share(weight: LoopWeight | None, share: float) -> LoopWeight:
    return (weight or NOTHING)._replace(share=share, share_origin=PROFILE, of_entry=False)


def _parts(files: Iterable[FileReport]) -> Iterator[SourcePart]:
    for file in files:
        for function in file.functions:
            yield _function_part(file.path, function)
            yield from _inner_parts(file.path, function)
            for kernel in function.kernels():
                yield _kernel_part(file.path, kernel)


def _inner_parts(path: str, function: FunctionReport) -> Iterator[SourcePart]:
    """Its own kernels, and nests that no kernel is reported of."""
    for kernel in filter(function.has_own, function.kernels()):
        yield _kernel_part(path, kernel)
    for nest in function.nests:
        if not nest.kernels:
            yield _nest_part(path, nest)


def _function_part(path: str, function: FunctionReport) -> SourcePart:
    return _part(path, function.line, function.end_line)


def _nest_part(path: str, nest: NestReport) -> SourcePart:
    return _part(path, nest.line, nest.end_line)


def _kernel_part(path: str, kernel: KernelReport) -> SourcePart:
    return _part(path, kernel.line, kernel.end_line)


def _part(path: str, line: int, end_line: int) -> SourcePart:
    """Whole lines: profiles of time know no columns."""
    return SourcePart(path, Span(line=line, column=0, end_line=end_line, end_column=0))
