"""Findings of a report in one list, and their places in the words of other tools."""

import os
from collections.abc import Iterator
from pathlib import Path

from rooflint.current_folder import current_folder
from rooflint.escaping import is_text
from rooflint.plugin_api.advice import Advice, Edit, threads_last, value_order
from rooflint.plugin_api.report import FileReport, Report
from rooflint.records import NamedTuple


class FileFinding(NamedTuple):
    """A finding with the file it is in."""

    file: FileReport
    advice: Advice

    @property
    def path(self) -> str:
        """As other tools want it: relative to the working directory, without symbolic links."""
        return relative(self.file.path)


def findings_of(report: Report) -> list[FileFinding]:
    """All findings, file by file, in the order of their places."""
    return [
        FileFinding(file, advice)
        for file in report.files
        for advice in sorted(file.findings, key=lambda each: (each.span[:2], each.code))
    ]


def by_time_saved(findings: list[FileFinding]) -> list[FileFinding]:
    """The same, those of the most time saved first; notes without a gain last. In each function,
    threads stand behind the changes that one core can have."""
    ordered = sorted(findings, key=lambda each: value_order(each.advice))
    return threads_last(
        ordered, lambda each: each.advice, lambda each: (each.file.path, each.advice.function)
    )


def saved_seconds(advice: Advice) -> float:
    """Of one call of the function."""
    return advice.numbers.saved_seconds if advice.numbers else 0.0


def share_percent(advice: Advice) -> float:
    """Of the function's predicted time."""
    return 100 * advice.numbers.share if advice.numbers else 0.0


def analysis_errors(report: Report) -> Iterator[tuple[FileReport, int, str]]:
    """File, line and words of what kept files from being analysed."""
    for file in report.files:
        for diagnostic in file.diagnostics:
            if diagnostic.severity == "error":
                yield file, diagnostic.line, diagnostic.message


def errors_of_failed_files(report: Report) -> Iterator[tuple[FileReport, int, str]]:
    """The same of files of which nothing is known; for others a note tells what is missing."""
    return (each for each in analysis_errors(report) if each[0].status == "failed")


def relative(path: str) -> str:
    """``path`` from the working directory with ``/`` between; absolute where it lies elsewhere."""
    here, there = Path(os.path.realpath(current_folder())), Path(os.path.realpath(path))
    return (there.relative_to(here) if there.is_relative_to(here) else there).as_posix()


def character(file: FileReport, line: int, column: int) -> int:
    """A column in UTF-8 bytes as one in characters, where the report holds the line's text."""
    for excerpt in file.source:
        if excerpt.line <= line < excerpt.line + len(excerpt.lines):
            return characters_in(excerpt.lines[line - excerpt.line], column - 1) + 1
    return column


def characters_in(text: str, size_bytes: int) -> int:
    """How many characters the first ``size_bytes`` of a line have."""
    beginning = text.encode("utf-8", "surrogateescape")[:size_bytes]
    return len(beginning.decode("utf-8", "ignore"))


def portable_edits(advice: Advice) -> tuple[Edit, ...]:
    """The edits of a fix for tools that take text; none where the file is in another encoding."""
    edits = advice.fix.edits if advice.fix is not None else ()
    return edits if all(is_text(edit.text) for edit in edits) else ()
