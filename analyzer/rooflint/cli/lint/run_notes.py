"""Notes of a run on what the front end could not see, and on flags that it had to borrow: many
files have one cause, and one cure."""

from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.lint.messages import shorten
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, Report
from rooflint.records import NamedTuple

INCOMPLETE: Final = "RL001"
BORROWED: Final = "RL006"
_NAMED: Final = 3
"""Headers that are named; the first missing one often hides the others."""
_CURE: Final = "name their folders with -I, or the folder of compile_commands.json with -p"


class _Noted(NamedTuple):
    """A file with a note."""

    file: FileReport
    note: Advice

    @property
    def headers(self) -> Iterator[str]:
        """The headers that it misses."""
        for each in self.file.diagnostics:
            if each.kind == "missing-header":
                yield each.subject


def with_notes_once(report: Report) -> Report:
    """The report with one RL001 and one RL006, each of which speaks of all files that have one.

    RL001 stands where the first of them did; missing headers come before other errors, as they
    often are the cause of these.
    """
    return _said_once(_said_once(report, INCOMPLETE), BORROWED)


def _said_once(report: Report, code: str) -> Report:
    noted = [
        _Noted(file, each) for file in report.files for each in file.findings if each.code == code
    ]
    if len(noted) < 2:
        return report
    if code == INCOMPLETE:
        first = next((each for each in noted if any(each.headers)), noted[0])
        message = _incomplete(first, noted)
    else:
        first = noted[0]
        message = _borrowed(first, noted)
    said = first.note._replace(message=shorten(message))
    return report._replace(files=tuple([_with(file, first.note, said) for file in report.files]))


def _with(file: FileReport, first: Advice, said: Advice) -> FileReport:
    if all(each.code != first.code for each in file.findings):
        return file
    kept = [each for each in file.findings if each.code != first.code or each is first]
    return file._replace(findings=tuple([said if each is first else each for each in kept]))


def _incomplete(first: _Noted, noted: Sequence[_Noted]) -> str:
    lacking = [each for each in noted if any(each.headers)]
    others = len(noted) - len(lacking)
    if not lacking:
        return f"{first.note.message}; {_files(others - 1)} more with errors in loops"
    names = list(dict.fromkeys(name for each in lacking for name in each.headers))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    also = f"; {_files(others)} more with errors in loops" if others else ""
    return f"{', '.join(names[:_NAMED])}{more} not found, in {_files(len(lacking))}: {_CURE}{also}"


def _borrowed(first: _Noted, noted: Sequence[_Noted]) -> str:
    others = len({each.file.path for each in noted} - {first.file.path})
    return f"as in {_files(others)} more: {first.note.message}" if others else first.note.message


def _files(count: int) -> str:
    return f"{count} file{'s' * (count != 1)}"
