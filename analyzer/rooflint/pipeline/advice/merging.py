"""Reports of files with the advice for their loops."""

from collections import deque

from rooflint.ir import Diagnostic
from rooflint.pipeline.advice.loop_advice import FileAdvice
from rooflint.pipeline.files import FileResult
from rooflint.plugin_api.report import FileReport, FunctionReport, KernelReport, LimiterReport


def with_advice(result: FileResult, advice: FileAdvice) -> FileResult:
    """The result with findings, and with the limiters of its kernels."""
    report = result.report
    diagnostics = report.diagnostics
    if advice.problem:
        text = f"no advice: {advice.problem}"
        problem = Diagnostic(line=1, column=1, severity="warning", message=text)
        diagnostics = tuple(sorted((*diagnostics, problem)))
    report = report._replace(
        findings=advice.findings,
        silent=advice.silent,
        diagnostics=diagnostics,
        functions=_Limited(advice).functions(report),
    )
    return result._replace(report=report, internal=(*result.internal, *advice.internal))


class _Limited:
    """Gives kernels their limiters; those of instances of a template in order."""

    def __init__(self, advice: FileAdvice) -> None:
        self._waiting: dict[
            tuple[tuple[int, int], tuple[int, int]], deque[tuple[LimiterReport | None, ...]]
        ] = {}
        for each in advice.limiters:
            self._waiting.setdefault((each.function, each.loop), deque()).append(each.limiters)

    def functions(self, report: FileReport) -> tuple[FunctionReport, ...]:
        if not self._waiting:
            return report.functions
        return tuple([self._function(each) for each in report.functions])

    def _function(self, function: FunctionReport) -> FunctionReport:
        def limited(kernel: KernelReport) -> KernelReport:
            waiting = self._waiting.get(
                ((function.line, function.column), (kernel.line, kernel.column))
            )
            if not waiting:
                return kernel
            pairs = zip(kernel.results, waiting.popleft(), strict=True)
            results = [result._replace(limiter=limiter) for result, limiter in pairs]
            return kernel._replace(results=tuple(results))

        return function.with_kernels(limited)
