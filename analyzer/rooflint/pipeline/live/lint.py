"""The lint of a buffer in parts: each function by itself, then what needs the whole file.

Pricing changes takes a hundred times as long as an analysis, so a function whose text and loops are
those of an earlier question has its findings from there, moved to where it stands now.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from rooflint.core import Compiler
from rooflint.incremental.function_cache import Key, key_of
from rooflint.incremental.lru_cache import Recent
from rooflint.ir import Span, Unit
from rooflint.pipeline.files import NO_SCOPE, FileResult, FileTask, file_task
from rooflint.pipeline.setup.bench import Bench
from rooflint.plugin_api.advice import Advice, Edit
from rooflint.plugin_api.report import FileReport
from rooflint.plugin_api.rule import sees_files
from rooflint.workers.wire import Codec

KEPT: Final = 1000
ABOVE: Final = 8
"""So many lines above a function may have comments that concern it."""
NOT_IN_PARTS: Final = frozenset(("RL002", "RL004", "RL007"))
"""Notes on refused loops and wrong comments are the server's own; which comment is unused only a
whole run knows."""


class _Asked(NamedTuple):
    """All that the findings of functions rest on, but for where they stand."""

    functions: tuple[Key, ...]
    text: tuple[str, ...]
    comments: tuple[str, ...]
    setting: int
    compiler: Compiler


ASKED: Final = Codec[_Asked](_Asked)


class _Found(NamedTuple):
    line: int
    result: FileResult

    def moved(self, line: int) -> Iterator[Advice]:
        """The findings where the functions begin on ``line``."""
        return (moved(finding, line - self.line) for finding in _findings(self.result))


class PartLint:
    """Findings of functions, as they were found last."""

    def __init__(self, linter: FileTask | None) -> None:
        self._linter = linter
        self._known: Recent[bytes, _Found] = Recent(KEPT)
        self.computed = 0

    def of_functions(self, path: str, unit: Unit, bench: Bench, setting: int) -> FileResult:
        """What the rules that look at one function find in each of those of ``unit``."""
        name = _name(unit, bench, setting)
        known = self._known.recall(name)
        if known is None:
            self.computed += 1
            rules = tuple([rule for rule in bench.rules if not sees_files(rule)])
            result = self._run(path, unit, bench._replace(rules=rules))
            codes = {rule.code for rule in rules}
            found = (f for f in _findings(result) if f.code in codes)
            known = self._known.keep(name, _Found(_line(unit), _only(result, found)))
        return _only(known.result, known.moved(_line(unit)))

    def of_known(
        self, path: str, unit: Unit, bench: Bench, setting: int
    ) -> tuple[FileResult, tuple[int, ...]]:
        """The same of all that is known, and the first lines of the functions that are not."""
        findings: list[Advice] = []
        unknown: list[int] = []
        for line in sorted({source.span.line for source in unit.functions}):
            part = part_of(unit, line, line)
            known = self._known.recall(_name(part, bench, setting))
            if known is None:
                unknown.append(line)
            else:
                findings += known.moved(_line(part))
        return FileResult(FileReport(path, "ok", findings=tuple(findings))), tuple(unknown)

    def of_file(self, path: str, unit: Unit, bench: Bench) -> FileResult:
        """What the others find, and notes on the file."""
        rules = tuple([rule for rule in bench.rules if sees_files(rule)])
        result = self._run(path, unit, bench._replace(rules=rules))
        return _only(result, (f for f in _findings(result) if f.code not in NOT_IN_PARTS))

    def _run(self, path: str, unit: Unit, bench: Bench) -> FileResult:
        return file_task(bench, self._linter)(path, unit, bench)


def part_of(unit: Unit, first: int, last: int) -> Unit:
    """Only the functions that have one of the lines."""
    functions = [f for f in unit.functions if f.span.line <= last and first <= f.span.end_line]
    return unit._replace(functions=tuple(functions))


def _line(unit: Unit) -> int:
    return min((source.span.line for source in unit.functions), default=0)


def _name(unit: Unit, bench: Bench, setting: int) -> bytes:
    """A digest, because loops take more memory than what is found in them."""
    return hashlib.blake2b(ASKED.canonical(_asked(unit, bench, setting)), digest_size=16).digest()


def _asked(unit: Unit, bench: Bench, setting: int) -> _Asked:
    lines = unit.text.split("\n")
    text: list[str] = []
    for source in unit.functions:
        text += lines[max(0, source.span.line - 1 - ABOVE) : source.span.end_line]
    return _Asked(
        tuple([key_of(source, NO_SCOPE, frozenset()) for source in unit.functions]),
        tuple(text),
        tuple([comment.text for comment in unit.comments]),
        setting,
        bench.compiler,
    )


def _findings(result: FileResult) -> tuple[Advice, ...]:
    return result.report.findings


def _only(result: FileResult, findings: Iterable[Advice]) -> FileResult:
    """The result with these findings and nothing else that takes long to travel."""
    report = result.report._replace(findings=tuple(findings), silent=(), source=(), functions=())
    return result._replace(report=report)


def moved(finding: Advice, by: int) -> Advice:
    """A finding in a text that has ``by`` more lines above it."""
    if not by:
        return finding
    fix = finding.fix
    return finding._replace(
        span=_moved(finding.span, by),
        related=tuple([each._replace(span=_moved(each.span, by)) for each in finding.related]),
        fix=fix and fix._replace(edits=tuple(_moved_edits(fix.edits, by))),
    )


def _moved(span: Span, by: int) -> Span:
    return span._replace(line=span.line + by, end_line=span.end_line + by)


def _moved_edits(edits: Iterable[Edit], by: int) -> Iterator[Edit]:
    return (edit._replace(line=edit.line + by, end_line=edit.end_line + by) for edit in edits)
