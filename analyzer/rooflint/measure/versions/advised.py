"""The change that a finding of the lint advises, as the text of the file with its own edits."""

from collections.abc import Mapping, Sequence
from typing import Final

from rooflint.config.lint_settings import LintOverrides
from rooflint.ir.unit import Span
from rooflint.lint import lint_file
from rooflint.lint.fixing import with_edits
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.versions.equality import Agreement
from rooflint.measure.versions.gain import PredictedGain, gain_of_function
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport
from rooflint.records import NamedTuple
from rooflint.registry import Registry

_SIMD_PRAGMA: Final = "#pragma omp"
_SIMD_FLAG: Final = "-fopenmp-simd"


class AdvisedChange(NamedTuple):
    """A finding, and the file with its edits; both versions are built with ``flags`` added."""

    advice: Advice
    text: bytes
    required: Agreement
    flags: tuple[str, ...]


class AdviceSource:
    """The findings of one rule in a file, whatever they gain."""

    def __init__(
        self, path: str, content: bytes, code: str, options: Options, registry: Registry
    ) -> None:
        """``registry`` with rules; an unknown code raises UsageError when findings are asked."""
        self.path = path
        self.content = content
        self.code = code
        self._options = options
        self._registry = registry

    def change(self, line: int | None, nests: Sequence[Span]) -> AdvisedChange | MeasureRefusal:
        """The change at a line, or in the outermost loop around it; the only one without a line."""
        report = self._report({}, "")
        if report.status == "failed":
            return _refusal(RefusalCode.NOT_PARSED, self.path, "; ".join(_errors(report)))
        advice = self._chosen(report, line, nests)
        if isinstance(advice, MeasureRefusal):
            return advice
        fix, place = advice.fix, str(advice.span.line)
        if fix is None or not fix.edits:
            is_sketch = fix is not None and bool(fix.sketch)
            code = RefusalCode.SKETCH if is_sketch else RefusalCode.NO_EDIT
            return _refusal(code, advice.code, place)
        simd = any(_SIMD_PRAGMA in edit.text for edit in fix.edits)
        return AdvisedChange(
            advice=advice,
            text=with_edits(self.content, fix.edits),
            required=Agreement.BITS if fix.safety == "safe" else Agreement.RELATIVE,
            flags=(_SIMD_FLAG,) if simd else (),
        )

    def gain(
        self, advice: Advice, sizes: Mapping[str, int], residency: str
    ) -> PredictedGain | None:
        """The gain of the function at a point; None where the lint is silent there."""
        findings = self._report(sizes, residency).findings
        same = [each for each in findings if each.fingerprint == advice.fingerprint]
        if not same or same[0].gain is None:
            return None
        return gain_of_function(same[0].gain, same[0].numbers)

    def _report(self, sizes: Mapping[str, int], residency: str) -> FileReport:
        wishes = LintOverrides(select=(self.code,), min_gain=0.0, min_time_s=0.0)
        options = self._options._replace(
            lint=wishes, sizes={**self._options.sizes, **sizes}, residency=residency
        )
        source = Source(self.path, self.content)
        return analyse([source], options, self._registry, lint_file).files[0]

    def _chosen(
        self, report: FileReport, line: int | None, nests: Sequence[Span]
    ) -> Advice | MeasureRefusal:
        found = [advice for advice in report.findings if advice.code == self.code]
        if line is not None:
            found = _at(found, line, nests)
        if len(found) == 1:
            return found[0]
        place = self.path if line is None else f"{self.path}:{line}"
        if found:
            lines = ", ".join(dict.fromkeys([str(advice.span.line) for advice in found]))
            return _refusal(RefusalCode.SEVERAL_FINDINGS, place, self.code, lines)
        return _refusal(RefusalCode.NO_FINDING, place, self.code, _reasons(report), self.code)


def _reasons(report: FileReport) -> str:
    """Why matches are no findings."""
    return "".join([f" (line {each.span.line}: {each.reason})" for each in report.silent])


def _at(found: Sequence[Advice], line: int, nests: Sequence[Span]) -> list[Advice]:
    """Findings at a line; else those in the outermost loop around it."""
    exact = [advice for advice in found if advice.span.line == line]
    around = [nest for nest in nests if nest.line <= line <= nest.end_line]
    return exact or [each for each in found if any(_contains(nest, each.span) for nest in around)]


def _errors(report: FileReport) -> list[str]:
    return [each.message for each in report.diagnostics]


def _contains(nest: Span, span: Span) -> bool:
    return nest.line <= span.line <= nest.end_line


def _refusal(code: RefusalCode, *arguments: str) -> MeasureRefusal:
    return MeasureRefusal(code=code, arguments=arguments)
