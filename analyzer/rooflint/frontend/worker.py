"""The front end behind a wall: libclang works in child processes, and a crash costs one file."""

import os
import select
import time
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

from rooflint.frontend.child import Target
from rooflint.frontend.child_process import INCOMPLETE, ChildProcess
from rooflint.frontend.dialogue import Dialogue
from rooflint.frontend.request import Failure, Limits, Request
from rooflint.ir.unit import Unit
from rooflint.workers.wire import WireError

EXTRACT: Final = "rooflint.frontend.extract:extract"
USUAL_LIMITS: Final = Limits()
INTERRUPTED: Final = Failure("interrupted", "interrupted")
TRANSFER_S: Final = 10
"""For an answer that has begun in time: the largest passes through a pipe in a tenth of a second,
but the caller may look elsewhere meanwhile."""

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Answered(Generic[Question, Answer]):
    """A question whose answer is known: it keeps its place among the others."""

    __slots__ = ("answer", "question")

    def __init__(self, question: Question, answer: Answer) -> None:
        self.question = question
        self.answer = answer


class _Job(Generic[Question]):
    """A question that was asked, and the answer once it is there."""

    __slots__ = ("answer", "answered", "question")

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answered = False
        self.answer: Any = None


class _Running(NamedTuple):
    """Who works on a job, and until when."""

    job: _Job[Any]
    worker: ChildProcess
    deadline: float


class Workers(Generic[Question, Answer]):
    """Child processes that each answer one question at a time by calling ``target`` on it.

    ``target`` is a function, or ``package.module:function`` to be imported in the child, so that
    this process never loads what the child needs. A child that crashes, hangs or runs out of memory
    is replaced, and its question gets a Failure. Used from one thread at a time. ``dialogue`` has
    the types of questions and answers: what is of no such type is no answer.

    seconds  that the next questions may take: those of ``limits`` at first
    """

    def __init__(
        self, target: Target, limits: Limits, dialogue: Dialogue[Question, Answer], jobs: int = 1
    ) -> None:
        self._target = target
        self._limits = limits
        self._dialogue = dialogue
        self.seconds = limits.seconds
        self._jobs = max(1, jobs)
        self._idle: list[ChildProcess] = []
        self._running: list[_Running] = []

    def __enter__(self) -> Self:
        """Start the first child, so that it gets ready while this process does other things."""
        self._idle.append(self._child())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all children, whatever they are doing."""
        self._end_running()
        for worker in self._idle:
            worker.end()
        self._idle.clear()

    @property
    def ready(self) -> bool:
        """Whether a child waits for a question."""
        return bool(self._idle)

    def interrupt(self) -> None:
        """From another thread: end what is being worked on; its questions get Failures."""
        for job in list(self._running):
            job.worker.interrupt()

    def analyse(self, question: Question) -> Answer | Failure:
        """The answer to one question; waits for it as long as the limits allow."""
        ((_, answer),) = self.analyse_all([question])
        return answer

    def analyse_all(
        self, questions: Iterable[Question | Answered[Question, Answer]]
    ) -> Iterator[tuple[Question, Answer | Failure]]:
        """Each question with its answer, in the order asked, ``jobs`` of them at work at a time.

        Children work on while the caller looks at an answer. KeyboardInterrupt is raised
        after the answers that are there already; a question that has none gets a Failure.
        """
        waiting = iter(questions)
        asked: deque[_Job[Question]] = deque()
        try:
            while self._hand_out(waiting, asked) or asked:
                if asked[0].answered:
                    job = asked.popleft()
                    yield job.question, job.answer
                else:
                    self._collect()
        except KeyboardInterrupt:
            self._end_running()
            for job in asked:
                yield job.question, job.answer if job.answered else INTERRUPTED
            raise
        finally:
            # Whoever stops listening early must not get a stale answer next time.
            self._end_running()

    def _hand_out(
        self,
        waiting: Iterator[Question | Answered[Question, Answer]],
        asked: deque[_Job[Question]],
    ) -> bool:
        """Keep all children busy; whether anything was handed out.

        An answer that is first in line is not kept waiting for that.
        """
        before = len(asked)
        while len(self._running) < self._jobs:
            try:
                question = next(waiting)
            except StopIteration:
                break
            if isinstance(question, Answered):
                known: _Job[Question] = _Job(question.question)
                known.answered, known.answer = True, question.answer
                asked.append(known)
                if asked[0].answered:
                    break
                continue
            job = _Job(question)
            asked.append(job)
            worker = self._idle.pop() if self._idle else self._child()
            deadline = time.monotonic() + self.seconds
            running = _Running(job, worker, deadline)
            self._running.append(running)
            try:
                worker.ask(question)
            except WireError as error:
                self._finish(running, Failure(str(error), "refused"))
        return len(asked) > before

    def _child(self) -> ChildProcess:
        return ChildProcess(self._target, self._limits, self._dialogue)

    def _collect(self) -> None:
        """Wait until at least one running question is answered, or its time is over."""
        now = time.monotonic()
        first = min(running.deadline for running in self._running)
        if not hasattr(select, "poll"):  # not on Windows, where pipes cannot be waited for
            running = self._running[0]
            self._finish(running, running.worker.answer_before(running.deadline, self.seconds))
            return
        poll = select.poll()
        for running in self._running:
            poll.register(running.worker.answers_fd, select.POLLIN)
            if running.worker.output_fd is not None:
                poll.register(running.worker.output_fd, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(max(0.0, first - now) * 1000)}
        now = time.monotonic()
        for running in list(self._running):
            if running.worker.output_fd in ready:
                running.worker.drain()
            if running.worker.answers_fd in ready:
                self._receive(running, now)
            elif now >= running.deadline:
                self._finish(running, running.worker.late(self.seconds))

    def _receive(self, running: _Running, now: float) -> None:
        """Take what is there of an answer; one that has begun gets time for its rest."""
        begun = running.worker.answering
        answer = running.worker.receive()
        if answer is not INCOMPLETE:
            self._finish(running, answer)
        elif not begun:
            deadline = max(running.deadline, now + TRANSFER_S)
            self._running[self._running.index(running)] = running._replace(deadline=deadline)

    def _finish(self, running: _Running, answer: object) -> None:
        self._running.remove(running)
        running.job.answered, running.job.answer = True, answer
        if running.worker.alive:
            self._idle.append(running.worker)

    def _end_running(self) -> None:
        for running in self._running:
            running.worker.end()
        self._running.clear()


class Frontend(Workers[Request, Unit]):
    """The front end: a Unit for each Request, or the Failure that it cost."""

    def __init__(
        self, limits: Limits = USUAL_LIMITS, jobs: int | None = None, target: Target = EXTRACT
    ) -> None:
        dialogue = Dialogue[Request, Unit](Request, Unit)
        super().__init__(target, limits, dialogue, jobs or os.cpu_count() or 1)
