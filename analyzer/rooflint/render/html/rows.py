"""The loops of the page: copies of a loop in the source are one row, refused loops rows as well."""

from collections.abc import Iterator

from rooflint.ir import Reason
from rooflint.plugin_api.report import FileReport, FunctionReport, KernelReport, NestReport, Report
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.choose import instances, total_share

LoopKey = tuple[str, int, int]
"""Path, line and column."""


class LoopCopy(NamedTuple):
    """A kernel of the loop: one, or one for each instance of a template and each inlined copy."""

    function: FunctionReport
    nest: NestReport
    kernel: KernelReport


class LoopRow(NamedTuple):
    """A loop; ``verdicts`` by machine: those of its copies, the hottest first.

    refusal  why it was not analysed
    """

    file: FileReport
    line: int
    copies: tuple[LoopCopy, ...] = ()
    verdicts: tuple[tuple[Verdict, ...], ...] = ()
    refusal: Reason | None = None

    @property
    def share(self) -> float:
        """Of the run's time on the first machine, all copies together; unknown is 0."""
        return total_share(self.verdicts[0]) if self.verdicts else 0.0


def loop_rows(report: Report) -> list[LoopRow]:
    """All loops, what takes most time on the first machine first, refused ones last."""
    found: dict[tuple[str, LoopKey], tuple[Verdict, ...]] = {}
    for group in instances(report.verdicts):
        place = group[0].place
        found[group[0].machine, (place.path, place.line, place.column)] = group
    rows = []
    for file in report.files:
        copies: dict[LoopKey, list[LoopCopy]] = {}
        for copy in _copies(file):
            key = (file.path, copy.kernel.line, copy.kernel.column)
            copies.setdefault(key, []).append(copy)
        for key, own in copies.items():
            verdicts = tuple([found.get((each.name, key), ()) for each in report.machines])
            rows.append(LoopRow(file=file, line=key[1], copies=tuple(own), verdicts=verdicts))
    rows.sort(key=lambda row: -row.share)
    refused = [
        LoopRow(file=file, line=each.line, refusal=each.reason)
        for file in report.files
        for each in file.refusals
    ]
    return rows + refused


def _copies(file: FileReport) -> Iterator[LoopCopy]:
    for function in file.functions:
        for nest in function.nests:
            for kernel in nest.kernels:
                yield LoopCopy(function=function, nest=nest, kernel=kernel)
