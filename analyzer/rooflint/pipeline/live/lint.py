"""The lint of a buffer in parts: each function by itself, then what needs the whole file.

Pricing changes takes a hundred times as long as an analysis, so a function whose text and loops are
those of an earlier question has its findings from there, moved to where it stands now.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.config.comments import CommentSetting, parse_comments
from rooflint.incremental.function_outcomes import FunctionInputs, FunctionQuestion
from rooflint.incremental.store import ContentKey, MemoryStore, content_key
from rooflint.ir import Comment, Span, Unit
from rooflint.pipeline.files import NO_SCOPE, FileResult, FileTask, file_task
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.advice import Advice, Edit
from rooflint.plugin_api.report import FileReport
from rooflint.plugin_api.rule import sees_files
from rooflint.records import NamedTuple
from rooflint.scenario.values import FileScenario
from rooflint.workers.wire import Codec

KEPT: Final = 1000
KEPT_FILES: Final = 20
ABOVE: Final = 8
"""So many lines above a function may have comments that concern it."""
NOT_IN_PARTS: Final = frozenset(("RL002", "RL004", "RL007", "RL008"))
"""Notes on refused loops and wrong comments are the server's own; which comment is unused only a
whole run knows; doubtful figures of the machine concern the whole file."""


class _PartInputs(NamedTuple):
    """All that the findings of functions rest on, but for where they stand.

    ``weighed``: of each function, whether its share of the time is known, and its cold nodes.
    """

    functions: tuple[FunctionInputs, ...]
    text: tuple[str, ...]
    comments: tuple[str, ...]
    weighed: tuple[tuple[bool, tuple[int, ...]], ...] = ()


class _FileInputs(NamedTuple):
    """All that the findings of a file rest on."""

    unit: Unit
    scenario: FileScenario


PART_INPUTS: Final = Codec[_PartInputs](_PartInputs)
FILE_INPUTS: Final = Codec[_FileInputs](_FileInputs)


class _PartFindings(NamedTuple):
    line: int
    result: FileResult

    def relocated(self, line: int) -> Iterator[Advice]:
        """The findings where the functions begin on ``line``."""
        return (relocate_finding(finding, line - self.line) for finding in _findings(self.result))


class PartLint:
    """Findings of functions, as they were found last."""

    def __init__(self, linter: FileTask | None) -> None:
        self._linter = linter
        self._known = MemoryStore[_PartFindings](KEPT)
        self._files = MemoryStore[FileResult](KEPT_FILES)
        self.computed = 0

    def of_functions(
        self, path: str, unit: Unit, setup: AnalysisSetup, setting: ContentKey
    ) -> FileResult:
        """Findings of the rules that look at one function, for each function of ``unit``."""
        key = _key(unit, setting, setup.scenario)
        known = self._known.get(key)
        if known is None:
            self.computed += 1
            rules = tuple([rule for rule in setup.rules if not sees_files(rule)])
            result = self._run(path, unit, setup._replace(rules=rules))
            codes = {rule.code for rule in rules}
            found = (f for f in _findings(result) if f.code in codes)
            known = _PartFindings(_line(unit), _only(result, found))
            self._known.put(key, known)
        return _only(known.result, known.relocated(_line(unit)))

    def of_known(
        self, path: str, unit: Unit, setup: AnalysisSetup, setting: ContentKey
    ) -> tuple[FileResult, tuple[int, ...]]:
        """The same of all that is known, and the first lines of the functions that are not."""
        findings: list[Advice] = []
        unknown: list[int] = []
        for line in sorted({source.span.line for source in unit.functions}):
            part = part_of(unit, line, line)
            known = self._known.get(_key(part, setting, setup.scenario))
            if known is None:
                unknown.append(line)
            else:
                findings += known.relocated(_line(part))
        return FileResult(FileReport(path, "ok", findings=tuple(findings))), tuple(unknown)

    def of_file(
        self, path: str, unit: Unit, setup: AnalysisSetup, setting: ContentKey
    ) -> FileResult:
        """Findings of the other rules, and notes on the file."""
        inputs = _FileInputs(unit, setup.scenario)
        key = content_key(setting, path, FILE_INPUTS.canonical(inputs))
        known = self._files.get(key)
        if known is None:
            self.computed += 1
            rules = tuple([rule for rule in setup.rules if sees_files(rule)])
            result = self._run(path, unit, setup._replace(rules=rules))
            findings = [f for f in _findings(result) if f.code not in NOT_IN_PARTS]
            known = _only(result, findings)
            self._files.put(key, known)
        return known

    def _run(self, path: str, unit: Unit, setup: AnalysisSetup) -> FileResult:
        return file_task(setup, self._linter)(path, unit, setup)


def part_of(unit: Unit, first: int, last: int) -> Unit:
    """Only the functions that have one of the lines, without comments that set sizes of others."""
    functions = [f for f in unit.functions if f.span.line <= last and first <= f.span.end_line]
    return unit._replace(
        functions=tuple(functions),
        comments=_comments_without_others(unit, [each.span for each in functions]),
    )


def _comments_without_others(unit: Unit, kept: Sequence[Span]) -> tuple[Comment, ...]:
    """The comments, but those whose settings are of functions that are not kept.

    Without its function such a comment would be one of the file.
    """
    if not unit.comments:
        return ()
    directives = parse_comments(unit.comments)
    above = len(unit.comments)

    def is_of(setting: CommentSetting, spans: Iterable[Span]) -> bool:
        near = (each for each in spans if each.line - above <= setting.line <= each.end_line)
        return any(directives.concerns(setting, span) for span in near)

    others = [each.span for each in unit.functions if each.span not in kept]
    settings = [each for each in directives.settings if is_of(each, others)]
    foreign = {each.line for each in settings if not is_of(each, kept)}
    return tuple([each for each in unit.comments if each.line not in foreign])


def _line(unit: Unit) -> int:
    return min((source.span.line for source in unit.functions), default=0)


def _key(unit: Unit, setting: ContentKey, scenario: FileScenario) -> ContentKey:
    """A digest, because loops take more memory than what is found in them."""
    lines = unit.text.split("\n")
    text: list[str] = []
    for source in unit.functions:
        text += lines[max(0, source.span.line - 1 - ABOVE) : source.span.end_line]
    values = [scenario.of(source) for source in unit.functions]
    inputs = _PartInputs(
        functions=tuple(
            [
                FunctionQuestion(source=source, scope=NO_SCOPE, values=own).inputs
                for source, own in zip(unit.functions, values, strict=True)
            ]
        ),
        text=tuple(text),
        comments=tuple([comment.text for comment in unit.comments]),
        weighed=tuple([(own.is_weighed, own.cold) for own in values]),
    )
    return content_key(setting, PART_INPUTS.canonical(inputs))


def _findings(result: FileResult) -> tuple[Advice, ...]:
    return result.report.findings


def _only(result: FileResult, findings: Iterable[Advice]) -> FileResult:
    report = result.report._replace(findings=tuple(findings), silent=(), source=(), functions=())
    return result._replace(report=report)


def relocate_finding(finding: Advice, by: int) -> Advice:
    """A finding in a text that has ``by`` more lines above it."""
    if not by:
        return finding
    fix, about = finding.fix, finding.about
    if about is not None and about.span is not None:
        about = about._replace(span=_moved(about.span, by))
    return finding._replace(
        span=_moved(finding.span, by),
        about=about,
        related=tuple([each._replace(span=_moved(each.span, by)) for each in finding.related]),
        fix=fix and fix._replace(edits=tuple(_moved_edits(fix.edits, by))),
    )


def _moved(span: Span, by: int) -> Span:
    return span._replace(line=span.line + by, end_line=span.end_line + by)


def _moved_edits(edits: Iterable[Edit], by: int) -> Iterator[Edit]:
    return (edit._replace(line=edit.line + by, end_line=edit.end_line + by) for edit in edits)
