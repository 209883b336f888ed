"""The lint of a buffer in parts: each function by itself, then what needs the whole file.

Pricing changes takes a hundred times as long as an analysis, so a function whose text and loops are
those of an earlier question has its findings from there, moved to where it stands now.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.config.comments import CommentSetting, parse_comments
from rooflint.incremental.store import ContentKey, MemoryStore, content_key
from rooflint.ir import Comment, Span, Unit
from rooflint.pipeline.files import FileResult, FileTask
from rooflint.pipeline.live.buffers import KEPT_BUFFERS
from rooflint.pipeline.live.part_keys import PartKeys
from rooflint.pipeline.live.same_objects import AnswersOfText
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.advice import Advice, Edit
from rooflint.plugin_api.report import FileReport
from rooflint.plugin_api.rule import sees_files
from rooflint.records import NamedTuple
from rooflint.registry import working_rule
from rooflint.scenario.call_costs import CallPricing
from rooflint.scenario.values import FileScenario

KEPT: Final = 1000
NOT_IN_PARTS: Final = frozenset(("RL002", "RL004", "RL007", "RL008"))
"""Notes on refused loops and wrong comments are the server's own; which comment is unused only a
whole run knows; doubtful figures of the machine concern the whole file."""


class _PartFindings(NamedTuple):
    line: int
    result: FileResult

    def relocated(self, line: int) -> Iterator[Advice]:
        """The findings where the functions begin on ``line``."""
        return (relocate_finding(finding, line - self.line) for finding in _findings(self.result))


class _FileFindings(NamedTuple):
    unit: Unit
    scenario: FileScenario
    result: FileResult

    def is_of(self, unit: Unit, scenario: FileScenario) -> bool:
        """Whether they are of that very file. Most of its parts are the same objects, so that to
        compare them takes less time than a digest."""
        return self.unit == unit and self.scenario == scenario


class PartLint:
    """Findings of functions, as they were found last."""

    def __init__(self, linter: FileTask | None) -> None:
        self._linter = linter
        self._known = MemoryStore[_PartFindings](KEPT)
        self._files = MemoryStore[_KnownFile](KEPT_BUFFERS)
        self.computed = 0

    def with_costs(self, path: str, unit: Unit, setup: AnalysisSetup, setting: ContentKey) -> Unit:
        """The file with the costs of its calls in the program."""
        return self._file(path, setting).pricing.with_costs(unit, setup.scenario.calls)

    def of_functions(
        self, path: str, unit: Unit, setup: AnalysisSetup, setting: ContentKey
    ) -> FileResult:
        """Findings of the rules that look at one function, for each function of ``unit``."""
        key = self._file(path, setting).keys.key(unit, setup.scenario)
        known = self._known.get(key)
        if known is None:
            rules = tuple([r for r in map(working_rule, setup.rules) if not sees_files(r)])
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
        keys = self._file(path, setting).keys
        keys.begin_text()
        for line in sorted({source.span.line for source in unit.functions}):
            part = part_of(unit, line, line)
            known = self._known.get(keys.key(part, setup.scenario))
            if known is None:
                unknown.append(line)
            else:
                findings += known.relocated(_line(part))
        return FileResult(FileReport(path, "ok", findings=tuple(findings))), tuple(unknown)

    def of_file(
        self, path: str, unit: Unit, setup: AnalysisSetup, setting: ContentKey
    ) -> FileResult:
        """Findings of the other rules, and notes on the file."""
        file = self._file(path, setting)
        for known in file.findings:
            if known.is_of(unit, setup.scenario):
                return known.result
        file.answers.begin_text()
        rules = tuple([rule for rule in map(working_rule, setup.rules) if sees_files(rule)])
        found = self._run(path, unit, setup._replace(rules=rules, known=file.answers))
        result = _only(found, [f for f in _findings(found) if f.code not in NOT_IN_PARTS])
        file.findings.append(_FileFindings(unit=unit, scenario=setup.scenario, result=result))
        return result

    def _file(self, path: str, setting: ContentKey) -> "_KnownFile":
        key = content_key(path, setting)
        file = self._files.get(key)
        if file is None:
            file = _KnownFile(setting)
            self._files.put(key, file)
        return file

    def _run(self, path: str, unit: Unit, setup: AnalysisSetup) -> FileResult:
        assert self._linter is not None, "a door that asks for a lint brings it along"
        self.computed += 1
        return self._linter(path, unit, setup)


class _KnownFile:
    """Everything known of one file with one set of settings; ``findings``: of its last texts."""

    def __init__(self, setting: ContentKey) -> None:
        self.pricing = CallPricing()
        self.keys = PartKeys(setting)
        self.answers = AnswersOfText()
        self.findings: deque[_FileFindings] = deque(maxlen=KEPT_BUFFERS)


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
