"""Diagnostics: what the rules found, and comments and settings that are not understood."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import rooflint_plugins
from lsprotocol import types
from rooflint.advice import Advice
from rooflint.report import FileReport

from rooflint_lsp.documents import Document, Place
from rooflint_lsp.marks import Marks, Placed
from rooflint_lsp.settings import Settings

SOURCE: Final = "rooflint"
LEVELS: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def diagnostics(
    report: FileReport, marks: Marks, document: Document, settings: Settings
) -> list[types.Diagnostic]:
    """Everything to underline in the document as it is now."""
    if not settings.diagnostics:
        return []
    found = [_finding(placed, document, settings) for placed in marks.findings]
    return [*[each for each in found if each is not None], *_comments(report, document)]


def level(finding: Advice, settings: Settings) -> types.DiagnosticSeverity | None:
    """Information, unless the user says otherwise for the rule; None where it is off."""
    default = "hint" if finding.severity == "hint" else "information"
    return LEVELS.get(settings.severity.get(finding.code, default))


def _finding(placed: Placed, document: Document, settings: Settings) -> types.Diagnostic | None:
    finding = placed.finding
    severity = level(finding, settings)
    if severity is None:
        return None
    start, end = (placed.mark.now(place) for place in placed.range)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(document.uri, _range(document, *map(placed.mark.now, ends))), message
        )
        for ends, message in placed.related
    ]
    rule_page = page(finding.code, finding.slug)
    return types.Diagnostic(
        range=_range(document, start, end),
        message=finding.message,
        severity=severity,
        code=finding.code,
        code_description=types.CodeDescription(rule_page.as_uri()) if rule_page else None,
        source=SOURCE,
        related_information=related or None,
        data={"fingerprint": finding.fingerprint},
    )


def page(code: str, slug: str) -> Path | None:
    """The rule's page, which is installed beside the rule."""
    name = f"{code.lower()}_{slug.replace('-', '_')}.md"
    path = Path(rooflint_plugins.__file__ or "").resolve().with_name("rules") / name
    return path if path.is_file() else None


def _comments(report: FileReport, document: Document) -> Iterator[types.Diagnostic]:
    """``rooflint:`` comments that are not understood; errors of the code are the compiler's."""
    for diagnostic in report.diagnostics:
        if diagnostic.severity == "warning" and 0 < diagnostic.line <= len(document.lines):
            line = document.lines[diagnostic.line - 1]
            start = Place(diagnostic.line - 1, len(line) - len(line.lstrip()))
            yield types.Diagnostic(
                range=_range(document, start, Place(start.line, len(line.rstrip()))),
                message=diagnostic.message,
                severity=types.DiagnosticSeverity.Information,
                source=SOURCE,
            )


def _range(document: Document, start: Place, end: Place) -> types.Range:
    return types.Range(document.position(start), document.position(end))
