"""Diagnostics: what the rules found, and comments and settings that are not understood."""

from pathlib import Path
from typing import Final

import rooflint_plugins
from lsprotocol import types
from rooflint.escaping import visible
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.verdict import Verdict
from rooflint.verdict.finding_words import finding_sentence

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.documents.open_files import OpenFile, ShownReport
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.tracking import TrackedFinding, TrackedNote
from rooflint_lsp.documents.verdicts import of_whole_loop

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
    return diagnostics(file.shown, file.document, file.settings)


def diagnostics(
    shown: ShownReport, document: Document, settings: Settings
) -> list[types.Diagnostic]:
    """Everything to underline in the document as it is now."""
    if not settings.diagnostics:
        return []
    marks = shown.marks
    found = [
        _finding(placed, verdict_of(shown, placed), document, settings) for placed in marks.findings
    ]
    found += [_note(note, document, settings) for note in marks.notes]
    return [each for each in found if each is not None]


def level(finding: Advice, settings: Settings) -> types.DiagnosticSeverity | None:
    """Information, unless the user says otherwise for the rule; None where it is off."""
    default = "hint" if finding.severity == "hint" else "information"
    return LEVELS.get(settings.severity.get(finding.code, default))


def verdict_of(shown: ShownReport, placed: TrackedFinding) -> Verdict | None:
    """The verdict on the loop of a finding: of several on its line the one that advises it."""
    loops = [loop for loop in shown.marks.loops if loop.start.line == placed.line]
    verdicts = [each for loop in loops for each in shown.verdicts.get(loop.kernel.id, ())[:1]]
    advised = [
        each
        for each in verdicts
        if each.advice is not None and each.advice.rule == placed.finding.code
    ]
    chosen = next(iter((*advised, *verdicts)), None)
    return None if chosen is None else of_whole_loop(chosen, shown.verdicts)


def finding_message(finding: Advice, verdict: Verdict | None) -> str:
    """The sentence of reports, whose code the editor shows by itself."""
    if verdict is None or finding.gain is None:
        return finding.message
    return finding_sentence(verdict, finding).removeprefix(finding.code).lstrip()


def _finding(
    placed: TrackedFinding, verdict: Verdict | None, document: Document, settings: Settings
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
        message=visible(finding_message(finding, verdict)),
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
