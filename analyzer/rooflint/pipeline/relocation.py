"""Reports of functions, made for any place and moved to where the function stands.

A report is made with the number of each node in place of its line (``anonymise_lines``), so that
it is the same for the same function on any line; ``relocate`` puts in the lines of the source.
"""

from collections.abc import Callable, Sequence

from rooflint.ir import SourceFunction, Span
from rooflint.plugin_api.report import CoverageGap, FunctionReport, KernelReport, NestReport
from rooflint.records import NamedTuple


def anonymise_lines(count: int) -> tuple[Span, ...]:
    """Places that are the numbers of their nodes, from 1; a line of 0 is that of no node."""
    return tuple([Span(line=n, column=n, end_line=n, end_column=n) for n in range(1, count + 1)])


def relocate(
    report: FunctionReport, source: SourceFunction, kernel_id: Callable[[str], str]
) -> FunctionReport:
    """``report`` with the lines of ``source``; ``kernel_id`` makes each kernel's id unique."""
    location = _Location(source.span, source.spans)
    return report._replace(
        line=source.span.line,
        column=source.span.column,
        end_line=source.span.end_line,
        nests=tuple([location.nest(nest, kernel_id) for nest in report.nests]),
    )


class _Location(NamedTuple):
    """Where a function and its nodes are."""

    whole: Span
    spans: Sequence[Span]

    def nest(self, nest: NestReport, kernel_id: Callable[[str], str]) -> NestReport:
        span = self.span(nest.line)
        kernels = tuple([self.kernel(kernel, kernel_id) for kernel in nest.kernels])
        return NestReport(span.line, span.end_line, kernels)

    def kernel(self, kernel: KernelReport, kernel_id: Callable[[str], str]) -> KernelReport:
        span = self.span(kernel.line)
        gaps = [CoverageGap(self.line(gap.line), gap.reason) for gap in kernel.not_covered]
        return kernel._replace(
            id=kernel_id(kernel.id),
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            loops=tuple([loop._replace(line=self.line(loop.line)) for loop in kernel.loops]),
            not_covered=tuple(dict.fromkeys(gaps)),
        )

    def span(self, number: int) -> Span:
        return self.spans[number - 1] if number else self.whole

    def line(self, number: int) -> int:
        return self.spans[number - 1].line if number else 0
