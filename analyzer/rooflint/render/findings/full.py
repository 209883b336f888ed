"""Findings for people: each with its code, the numbers behind it, and what to type next."""

from collections.abc import Iterator

from rooflint.escaping import visible
from rooflint.ir import Span
from rooflint.machine.quantities import format_duration
from rooflint.plugin_api.action import Severity
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, Report, share_words
from rooflint.render.findings import file_findings
from rooflint.render.layout import Colour, Style, with_label, wrap

COLOURS: dict[Severity, Colour] = {
    "error": "red",
    "warning": "yellow",
    "note": "cyan",
    "hint": "cyan",
}
LABELS = 12
MOST_LINES = 3
"""Of a region that is shown; a loop's header is one."""


def render_full(report: Report, style: Style) -> str:
    """Findings file by file, in the order of their places."""
    lines = [
        f"{visible(file.path)}:{line}: not analysed: {visible(message)}"
        for file, line, message in file_findings.errors_of_failed_files(report)
    ]
    for found in file_findings.findings_of(report):
        lines += [*_finding(found, style), ""]
    return "".join(f"{line}\n" for line in lines)


def _finding(found: file_findings.FileFinding, style: Style) -> Iterator[str]:
    file, advice = found
    place = f"{file.path}:{advice.span.line}:{advice.span.column}"
    kind = f"{advice.severity}[{visible(advice.code)}]"
    head = style.paint(kind, "bold", COLOURS[advice.severity])
    claim = wrap(advice.message, style.width, 0, 2)
    claim[0] = style.paint(claim[0], "bold")
    yield f"{head} {style.paint(visible(place), 'dim')} {visible(advice.slug)}"
    yield from claim
    yield from _frame(file, advice, style)
    for label, text in _facts(advice):
        yield from with_label(label, text, style, 2, LABELS)
        for line in code_of(advice) if label == "fix" else ():
            yield "    " + style.paint(visible(line), "dim")


def _facts(advice: Advice) -> Iterator[tuple[str, str]]:
    if advice.numbers is not None:
        saved = format_duration(advice.numbers.saved_seconds)
        share = f"{100 * advice.numbers.share:.0f} %"
        run = advice.numbers.run_share
        whole = f"{share} of {advice.function}()"
        if run:
            whole = f"{share_words(run, advice.numbers.run_origin)} of the time"
        yield "saves", f"{whole}, at least {saved} of a call"
    where = f"on {advice.machine}, " if advice.machine else ""
    doubts = "; ".join(advice.doubts)
    if advice.gain is not None:
        yield "confidence", f"{where}{advice.confidence}" + (f": {doubts}" if doubts else "")
    if advice.assumptions:
        yield "assumed", "; ".join(advice.assumptions)
    if advice.fix is not None:
        yield "fix", f"{advice.fix.title} ({advice.fix.safety})"
    for related in advice.related:
        yield "also", f"line {related.span.line}: {related.message}"


def code_of(advice: Advice) -> list[str]:
    """The lines that a fix without edits gives to read; nothing for a few words on one."""
    lines = advice.fix.sketch.splitlines() if advice.fix and not advice.fix.edits else []
    return lines if len(lines) > 1 else []


def _frame(file: FileReport, advice: Advice, style: Style) -> Iterator[str]:
    """The lines of the region with marks under it, and of related places inside the report."""
    shown = _shown(advice.span)
    margin = len(str(shown[-1][0]))
    for line, first, last in shown:
        text = _text(file, line)
        if text is None:
            continue
        code = text.expandtabs(1).rstrip()
        cells = [file_findings.characters_in(text, size_bytes) for size_bytes in (first, last)]
        end = len(code) if last == 0 else cells[1]
        marks = " " * cells[0] + "^" * max(end - cells[0], 1)
        yield style.paint(f"{line:>{margin}} | ", "dim") + visible(code)
        colour = COLOURS[advice.severity]
        yield style.paint(f"{'':>{margin}} | ", "dim") + style.paint(marks, colour)


def _shown(span: Span) -> list[tuple[int, int, int]]:
    """Each line with the bytes before the marks and before their end; 0: the line's end."""
    lines = []
    for line in range(span.line, min(span.end_line, span.line + MOST_LINES - 1) + 1):
        first = span.column - 1 if line == span.line else 0
        last = span.end_column - 1 if line == span.end_line else 0
        lines.append((line, first, last))
    return lines


def _text(file: FileReport, line: int) -> str | None:
    for excerpt in file.source:
        if excerpt.line <= line < excerpt.line + len(excerpt.lines):
            return excerpt.lines[line - excerpt.line]
    return None
