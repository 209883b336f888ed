"""Open documents with their state: the last good result, and the work in progress."""

import asyncio
import os
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

from lsprotocol import types
from pygls.uris import to_fs_path
from rooflint.pipeline.live.service import BufferResult
from rooflint.plugin_api.report import FileReport
from rooflint.records import NamedTuple

from rooflint_lsp.documents.document import Document
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.tracking import TrackedReport
from rooflint_lsp.documents.verdicts import LoopVerdicts, loop_verdicts

ENDINGS: Final = {"c": ".c", "cpp": ".cpp", "cuda-cpp": ".cu", "cuda": ".cu", "opencl": ".cl"}
"""Languages that are analysed, by the names that editors have for them."""
SUFFIXES: Final = frozenset((".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".cl"))
HEADERS: Final = frozenset((".h", ".hh", ".hpp", ".hxx", ".inl", ".cuh"))
UNSAVED: Final = "untitled"


def path_of(uri: str, language: str, folder: str | None) -> str | None:
    """The path under which a document is analysed; None if it is neither C nor C++.

    A document that was never saved gets a name in the workspace folder, so that its configuration
    applies.
    """
    path = to_fs_path(uri)
    if path is not None and (
        language in ENDINGS or os.path.splitext(path)[1] in SUFFIXES | HEADERS
    ):
        return path
    scheme, _, name = uri.partition(":")
    if scheme == UNSAVED and language in ENDINGS:
        beside = to_fs_path(folder) if folder else None
        name = os.path.basename(unquote(name)) or UNSAVED
        return os.path.join(beside or os.getcwd(), os.path.splitext(name)[0] + ENDINGS[language])
    return None


class ShownReport(NamedTuple):
    """The last good result: the present position of its parts in the text, and the verdicts.

    report    of the file, beside what was measured before
    verdicts  with those of an earlier report on loops that the present text does not compile
    """

    seen: BufferResult
    report: FileReport
    marks: TrackedReport
    verdicts: LoopVerdicts

    def judged(self, older: LoopVerdicts) -> "ShownReport":
        """The same with verdicts by the findings of now."""
        findings = self.marks.findings_in_report
        own = loop_verdicts(self.report, self.seen.machines, findings)
        adopted = {
            loop.kernel.id: older[loop.kernel.id]
            for loop in self.marks.loops
            if loop.kernel.id not in own and loop.kernel.id in older
        }
        return self._replace(verdicts={**own, **adopted})


class ClosedFile(NamedTuple):
    """A file that was analysed and is not open."""

    uri: str
    name: str
    diagnostics: list[types.Diagnostic]


class OpenFile:
    """An open document.

    folder     URI of its workspace folder
    shown      the last good result; ``of_change`` is the change of the text it is based on
    failure    why the last analysis gave none
    work       in progress: the pause after typing, the analysis
    lint       the search for findings, at low priority
    linted     whether a search was started before
    looked_at  a line (from 0) that the client has shown last
    number     grows with every change of the shown state; pulled diagnostics use it as their name
    """

    def __init__(self, document: Document, path: str, folder: str | None) -> None:
        self.document = document
        self.path = path
        self.folder = folder
        self.settings = Settings(enable=False)
        self.shown: ShownReport | None = None
        self.of_change = -1
        self.failure = ""
        self.work: asyncio.Task[None] | None = None
        self.lint: asyncio.Task[None] | None = None
        self.linted = False
        self.looked_at = 0
        self.number = 0
        self._followed = 0

    @property
    def uri(self) -> str:
        """As the client writes it."""
        return str(self.document.uri)

    @property
    def root(self) -> str | None:
        """The path of its workspace folder."""
        return to_fs_path(self.folder) if self.folder else None

    @property
    def text(self) -> bytes:
        """The buffer as the parser gets it."""
        return self.document.source.encode("utf-8", "replace")

    @property
    def is_header(self) -> bool:
        """Whether its name is that of a header."""
        return os.path.splitext(self.path)[1] in HEADERS

    def includes(self, path: str) -> bool:
        """Whether the last answer included the file at ``path``."""
        if self.shown is None or path == self.path:
            return False
        real = os.path.realpath(path)
        return any(os.path.realpath(name) == real for name in self.shown.seen.included)

    @property
    def fresh(self) -> bool:
        """Whether the shown result is based on the current text."""
        return self.shown is not None and self.of_change == self.document.changes

    @property
    def busy(self) -> bool:
        """Whether a result is pending."""
        return self.work is not None and not self.work.done()

    @property
    def is_searched(self) -> bool:
        """Whether no hint and no finding on the current text is still to come."""
        is_current = self.shown is None or self.fresh
        return is_current and not self.busy and (self.lint is None or self.lint.done())

    def stop(self) -> None:
        """Cancel all work in progress."""
        for task in (self.work, self.lint):
            if task is not None:
                task.cancel()

    async def until_idle(self) -> None:
        """Waits until no result is pending."""
        while self.work is not None and not self.work.done():
            await asyncio.wait([self.work])

    def follow(self) -> bool:
        """Move the shown result along with the edits; returns whether an edit hid a part."""
        edits = self.document.edits_since(self._followed)
        self._followed = self.document.changes
        hidden = self.shown is not None and self.shown.marks.follow(edits)
        if not self.busy:
            self.document.forget_edits()
        if hidden:
            self.number += 1
        return hidden

    def show(
        self, seen: BufferResult, report: FileReport, lines: Sequence[str], change: int
    ) -> None:
        """Show the result for the text of a ``change``, whose lines are given; ``report``: that of
        the result, beside measurements.
        """
        marks = TrackedReport(seen.result.report, lines)
        marks.follow(self.document.edits_since(change))
        older: LoopVerdicts = {}
        if self.shown is not None:
            marks.adopt(self.shown.marks)
            older = self.shown.verdicts
        self.number += 1
        self.shown = ShownReport(seen=seen, report=report, marks=marks, verdicts={}).judged(older)
        self.of_change = change
        self.failure = ""

    def judge(self, report: FileReport | None = None) -> None:
        """Make the verdicts again: findings have changed, or measurements are in ``report``."""
        if self.shown is not None:
            shown = self.shown if report is None else self.shown._replace(report=report)
            self.shown = shown.judged(shown.verdicts)
            self.number += 1

    def hide(self) -> None:
        """Show nothing."""
        self.shown = None
        self.of_change = -1
        self.number += 1
