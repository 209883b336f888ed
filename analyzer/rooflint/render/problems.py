"""Files and loops of a text report that could not be analysed, or only in part.

A message that many files share, such as a header that is missing, is said once with the places.
"""

from collections.abc import Iterator, Sequence

from rooflint.plugin_api.report import FileReport, Report
from rooflint.render.layout import Colour, Style, line_words, plural, ranges, wrap

MESSAGES_SHOWN = 60
"""More are counted; JSON has them all."""


def problem_lines(report: Report, style: Style, indent: int) -> Iterator[str]:
    """Diagnostics, refusals and failed plugins, wrapped and coloured."""
    messages = [*_diagnostics(report), *_refusals(report)]
    for text, colour in messages[:MESSAGES_SHOWN]:
        for line in wrap(text, style.width, indent, 3 * indent):
            yield style.paint(line, colour) if colour else line
    if len(messages) > MESSAGES_SHOWN:
        more = plural(len(messages) - MESSAGES_SHOWN, "more message")
        yield f"{' ' * indent}and {more}; --format json lists all"
    for text in report.plugin_failures:
        for line in wrap(text, style.width, indent, 3 * indent):
            yield style.paint(line, "red")


def _diagnostics(report: Report) -> Iterator[tuple[str, Colour]]:
    """Errors before warnings, what many files share first."""
    places: dict[tuple[str, str], dict[str, list[int]]] = {}
    for file in report.files:
        for diagnostic in file.diagnostics:
            key = (diagnostic.severity, diagnostic.message)
            places.setdefault(key, {}).setdefault(file.path, []).append(diagnostic.line)
    ordered = sorted(places.items(), key=lambda item: (item[0][0] != "error", -len(item[1])))
    for (severity, message), by_file in ordered:
        colour: Colour = "red" if severity == "error" else "yellow"
        (path, lines), *others = by_file.items()
        place = f"{path}:{lines[0]}" if lines[0] else path
        yield f"{place}: {severity}: {message}{_also(lines, len(others))}", colour


def _also(lines: Sequence[int], more_files: int) -> str:
    """`` (also line 9 and 2 more files)``; empty where the first place is the only one."""
    also = [line_words(lines[1:])] if lines[1:] and lines[0] else []
    also += [plural(more_files, "more file")] if more_files else []
    return f" (also {' and '.join(also)})" if also else ""


def _refusals(report: Report) -> Iterator[tuple[str, None]]:
    for file in report.files:
        yield from _refusals_of(file)


def _refusals_of(file: FileReport) -> Iterator[tuple[str, None]]:
    by_reason: dict[str, list[int]] = {}
    for refusal in file.refusals:
        by_reason.setdefault(str(refusal.reason), []).append(refusal.line)
    for reason, lines in by_reason.items():
        others = f" (also {ranges(lines[1:])})" if len(lines) > 1 else ""
        yield f"{file.path}:{lines[0]}: {reason}{others}", None
