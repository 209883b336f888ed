"""Findings of open files: function by function, behind everything else, in a child of its own.

Pricing changes takes seconds where hints take milliseconds, so hints never wait for it; what is
found shows up as it comes. A function that did not change has its findings at once.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol

from rooflint.pipeline.live.service import BufferRequest, BufferResult

from rooflint_lsp.documents.analyser import BACKGROUND, Analyser
from rooflint_lsp.documents.open_files import OpenFile
from rooflint_lsp.documents.tracking import TrackedReport

SHOW_AFTER_S: Final = 0.5
"""News are shown at most so often while more is on its way."""
END: Final = 1 << 30


class LintHost(Protocol):
    """The part of the server that the lint uses."""

    def lint_request(self, file: OpenFile) -> BufferRequest:
        """The question for those that only the whole file shows."""

    def findings_changed(self, file: OpenFile) -> None:
        """A file has other findings."""


class Linting:
    """The lint of open files; ``start`` makes its child."""

    def __init__(self, host: LintHost, start: Callable[[], Analyser]) -> None:
        self._host = host
        self._start = start
        self._analyser: Analyser | None = None

    async def lint(self, file: OpenFile) -> None:
        """Everything that is found in a file as it is now; ends early when that changes."""
        if file.linted:
            await asyncio.sleep(file.settings.debounce_ms / 1000)  # who types on shall not wait
        file.linted = True
        shown, change = file.shown, file.document.changes
        if shown is None or not file.fresh:
            return
        look = self._host.lint_request(file)
        unknown, news = await self._known(shown.marks, change, look)
        if news:
            self._host.findings_changed(file)
        unknown.sort(key=lambda lines: abs(lines[0] - file.looked_at))
        news = await self._lint_functions(file, shown.marks, unknown, look)
        answer = await self._ask(look)
        dropped = shown.marks.drop_outdated_findings(change)
        findings = answer.result.report.findings if answer is not None else ()
        if shown.marks.replace_findings(findings, change) or dropped or news:
            self._host.findings_changed(file)

    async def _lint_functions(
        self,
        file: OpenFile,
        marks: TrackedReport,
        functions: list[tuple[int, int]],
        look: BufferRequest,
    ) -> bool:
        """Function by function; whether there is news that the client was not told of."""
        change = file.document.changes
        told = time.monotonic()
        news = False
        for lines in functions:
            answer = await self._ask(look._replace(lines=_of(lines)))
            if answer is not None:
                news = marks.replace_findings(answer.result.report.findings, change, lines) or news
            if news and time.monotonic() - told > SHOW_AFTER_S:
                self._host.findings_changed(file)
                told, news = time.monotonic(), False
        return news

    async def lint_all(self, marks: TrackedReport, look: BufferRequest) -> None:
        """Everything that is found in a file that does not change; ``look`` asks for all of it."""
        questions = [(lines, look._replace(lines=_of(lines))) for lines in _parts(marks)]
        for lines, question in (*questions, (None, look)):
            answer = await self._ask(question)
            if answer is not None:
                marks.replace_findings(answer.result.report.findings, 0, lines)

    async def _known(
        self, marks: TrackedReport, change: int, look: BufferRequest
    ) -> tuple[list[tuple[int, int]], bool]:
        """Show what is known; the lines of the other functions, and whether there is news."""
        answer = await self._ask(look._replace(known=True))
        unknown: list[tuple[int, int]] = []
        news = False
        for lines in _parts(marks):
            if answer is None or lines[0] + 1 in answer.unknown:
                unknown.append(lines)
            else:
                news = marks.replace_findings(answer.result.report.findings, change, lines) or news
        return unknown, news

    async def _ask(self, look: BufferRequest) -> BufferResult | None:
        """The findings; None where the question failed."""
        if self._analyser is None:
            self._analyser = self._start()
        answer = await self._analyser.ask(look, BACKGROUND)
        return answer if isinstance(answer, BufferResult) else None

    def restart(self) -> None:
        """End the child, if there is one."""
        if self._analyser is not None:
            self._analyser.restart()

    def close(self) -> None:
        """End the child for good."""
        if self._analyser is not None:
            self._analyser.close()


def _parts(marks: TrackedReport) -> list[tuple[int, int]]:
    """First and last lines (from 0) of the functions."""
    starts = sorted({function.start.line for function in marks.functions})
    ends = [*(line - 1 for line in starts[1:]), END]
    return list(zip(starts, ends, strict=False))  # without functions there is no first one either


def _of(lines: tuple[int, int]) -> tuple[int, int]:
    """The line that tells the function, from 1."""
    return lines[0] + 1, lines[0] + 1
