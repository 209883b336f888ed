"""Inlay hints: a few loops of a file, each at the end of its header's line."""

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.verdict.sentences import file_sentence, header_hint

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.verdicts import first_verdicts
from rooflint_lsp.views.answer import answer_lines
from rooflint_lsp.views.chosen import HintedLoop, hinted_loops
from rooflint_lsp.views.markup import HoverFormat


def inlay_hints(
    shown: ShownReport,
    document: Document,
    settings: Settings,
    first: int,
    last: int,
    markdown: bool,
) -> list[types.InlayHint]:
    """The hints on the lines ``first`` to ``last``."""
    hints = []
    for each in hinted_loops(shown, settings.hints):
        line = each.loop.stop.line
        if first <= line <= last and line < len(document.lines):
            hints.append(_hint(document, line, each.text, _tooltip(shown, each, markdown)))
    if settings.hints != "off":
        for header in shown.marks.missing_headers:
            line = header.mark.line
            if first <= line <= last and line < len(document.lines):
                hints.append(_hint(document, line, header_hint(header.name), MISSING))
    return hints


MISSING = (
    "Loops that use what this header declares are not read. Tell Rooflint the build: a"
    " compile_commands.json (setting compileCommands), or -I options (setting flags)."
)


def _hint(
    document: Document, line: int, label: str, tooltip: str | types.MarkupContent
) -> types.InlayHint:
    end = TextPosition(line, len(document.lines[line].rstrip()))
    return types.InlayHint(
        position=document.position(end), label=visible(label), tooltip=tooltip, padding_left=True
    )


def _tooltip(shown: ShownReport, each: HintedLoop, markdown: bool) -> str | types.MarkupContent:
    """The first lines of the loop's hover."""
    style = HoverFormat(markdown)
    lines = answer_lines(shown, each, style)
    if not markdown:
        return "\n".join(lines)
    return types.MarkupContent(types.MarkupKind.Markdown, "  \n".join(lines))


def file_words(shown: ShownReport) -> str:
    """``51 loops, 3 worth a change (≈ 2.1 of 9.4 s)``."""
    refused = sum(note.refused for note in shown.marks.notes)
    return file_sentence(first_verdicts(shown.verdicts), refused)
