"""The queue of the analysing child: interactive requests go first, and nothing blocks.

One thread talks to the child. A question that nobody waits for any more is dropped; if the child
works on such a question for long while another one waits, the child is ended and replaced.
"""

import asyncio
import heapq
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from rooflint.lint import lint_file
from rooflint.pipeline.live.service import (
    BufferRequest,
    BufferResult,
    Failure,
    LiveAnalysis,
    live_workers,
)
from rooflint.records import NamedTuple

PATIENCE_S: Final = 2.0
"""An abandoned question may run this long: its functions stay in the store."""
SECONDS: Final = 20.0
START_S: Final = 60.0
"""A machine under load may take long to start a child."""
STOPPED: Final = Failure("the analysis was stopped", "internal")
HOVER, TYPING, BACKGROUND = 0, 1, 2
"""Priorities; the lowest is asked first."""

Answer = BufferResult | Failure


class QueuedQuestion(NamedTuple):
    """A waiting question; within a priority, the one with the lowest number is sent first."""

    priority: int
    number: int
    look: BufferRequest | None
    future: "asyncio.Future[Answer | None]"


class Analyser:
    """Sends questions to one child; used from one event loop."""

    def __init__(
        self, seconds: float = SECONDS, behind: bool = False, check_edits: bool = False
    ) -> None:
        """Starts the child at once, because that is cheapest before there are threads.

        behind       a low-priority child that starts with its first question and may take long
                     for background work
        check_edits  as for ``LiveAnalysis``
        """
        self.check_edits = check_edits
        self._seconds = seconds
        self._behind = behind
        task = LiveAnalysis(lint_file, low_priority=behind, check_edits=check_edits)
        self._workers = live_workers(START_S, task)
        if not behind:
            self._workers.__enter__()
        self._threads = ThreadPoolExecutor(1, "rooflint-analyser")
        self._queue: list[QueuedQuestion] = []
        self._numbers = itertools.count()
        self._task: asyncio.Task[None] | None = None
        self._running: QueuedQuestion | None = None
        self._interrupted = False
        self._closed = False

    async def ask(self, look: BufferRequest | None, priority: int = TYPING) -> Answer | None:
        """The child's answer, or the Failure that the question cost."""
        loop = asyncio.get_running_loop()
        waiting = QueuedQuestion(
            priority=priority, number=next(self._numbers), look=look, future=loop.create_future()
        )
        heapq.heappush(self._queue, waiting)
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._work())
        try:
            return await waiting.future
        except asyncio.CancelledError:
            if self._running is waiting:
                patience_s = self._seconds if self._behind else PATIENCE_S
                loop.call_later(patience_s, self._lose_patience, waiting)
            raise

    def limit(self, seconds: float) -> None:
        """Set the time limit of a file from now on."""
        self._seconds = seconds

    def restart(self) -> None:
        """End the child; its current work gets a Failure, and the next question a new child."""
        self._interrupt()
        if self._running is None and not self._closed:
            self._threads.submit(self._workers.close)

    def close(self) -> None:
        """End the child for good; may be called again."""
        if not self._closed:
            self._closed = True
            self._interrupt()
            self._threads.submit(self._workers.close)
            self._threads.shutdown(wait=True)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._queue:
            waiting = heapq.heappop(self._queue)
            if waiting.future.done():
                continue
            if self._closed:
                waiting.future.set_result(STOPPED)
                continue
            self._running = waiting
            try:
                answer = await loop.run_in_executor(self._threads, self._answer, waiting.look)
            except Exception as error:  # an answer that cannot be read costs itself only
                answer = Failure(f"internal error: {type(error).__name__}: {error}", "internal")
            finally:
                self._running = None
            if self._interrupted:
                self._interrupted = False
                answer = answer if isinstance(answer, BufferResult) else STOPPED
            if not waiting.future.done():
                waiting.future.set_result(answer)
            if self._may_prepare():
                await loop.run_in_executor(self._threads, self._workers.analyse, None)

    def _may_prepare(self) -> bool:
        """Whether the child has time to get ready for the next edit."""
        idle = not (self._queue or self._closed or self._behind)
        return idle and self._workers.ready

    def _answer(self, look: BufferRequest | None) -> Answer:
        """Runs in the thread that talks to the child; the child's start counts for no question."""
        if not self._workers.ready:
            self._workers.seconds = START_S
            self._workers.analyse(None)
        self._workers.seconds = self._seconds
        return self._workers.analyse(look)

    def _lose_patience(self, waiting: QueuedQuestion) -> None:
        if self._running is waiting and any(not w.future.done() for w in self._queue):
            self._interrupt()

    def _interrupt(self) -> None:
        self._interrupted = self._running is not None
        self._workers.interrupt()
