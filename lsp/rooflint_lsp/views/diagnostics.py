"""Diagnostics: what the rules found, and comments and settings that are not understood."""

from pathlib import Path
from typing import Final

import rooflint_plugins
from lsprotocol import types
from rooflint.escaping import visible
from rooflint.plugin_api.advice import Advice

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.documents.open_files import OpenFile
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.tracking import TrackedFinding, TrackedNote, TrackedReport

SOURCE: Final = "rooflint"
REFUSED: Final = "RL002"
NOT_COMPILED: Final = frozenset(("uncompiled", "uncompiled-here"))
"""Refusals that the compiler speaks of itself."""
LEVELS: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def file_diagnostics(file: OpenFile) -> list[types.Diagnostic]:
    """Everything to underline in an open document; nothing before its first answer."""
    if file.shown is None:
        return []
    return diagnostics(file.shown.marks, file.document, file.settings)


def diagnostics(
    marks: TrackedReport, document: Document, settings: Settings
) -> list[types.Diagnostic]:
    """Everything to underline in the document as it is now."""
    if not settings.diagnostics:
        return []
    found = [_finding(placed, document, settings) for placed in marks.findings]
    found += [_note(note, document, settings) for note in marks.notes]
    return [each for each in found if each is not None]


def level(finding: Advice, settings: Settings) -> types.DiagnosticSeverity | None:
    """Information, unless the user says otherwise for the rule; None where it is off."""
    default = "hint" if finding.severity == "hint" else "information"
    return LEVELS.get(settings.severity.get(finding.code, default))


def _finding(
    placed: TrackedFinding, document: Document, settings: Settings
) -> types.Diagnostic | None:
    finding = placed.finding
    severity = level(finding, settings)
    if severity is None:
        return None
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(document.uri, _range(document, *map(placed.mark.current, ends))),
            visible(message),
        )
        for ends, message in placed.related
    ]
    rule_page = page(finding.code, finding.slug)
    return types.Diagnostic(
        range=_range(document, placed.start, placed.stop),
        message=visible(finding.message),
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


def _note(note: TrackedNote, document: Document, settings: Settings) -> types.Diagnostic | None:
    """A ``rooflint:`` comment that is not understood, or a loop without numbers. Errors of the code
    are the compiler's to show, and so is that they stop us."""
    severity: types.DiagnosticSeverity | None = types.DiagnosticSeverity.Information
    if note.refused:
        severity = LEVELS.get(settings.severity.get(REFUSED, "hint"))
    if severity is None or (note.reason is not None and note.reason.kind in NOT_COMPILED):
        return None
    message = f"not analysed: {note.message}" if note.refused else note.message
    return types.Diagnostic(
        range=_range(
            document, note.mark.current(note.mark.start), note.mark.current(note.mark.end)
        ),
        message=visible(message),
        severity=severity,
        code=REFUSED if note.refused else None,
        source=SOURCE,
    )


def _range(document: Document, start: TextPosition, end: TextPosition) -> types.Range:
    return types.Range(document.position(start), document.position(end))
