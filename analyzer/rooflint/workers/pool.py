"""Sends questions to child processes in parallel: a crashing child loses only its own question."""

import select
import time
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar

from rooflint.records import NamedTuple
from rooflint.workers import stall
from rooflint.workers.child import Target
from rooflint.workers.child_process import INCOMPLETE, ChildProcess
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.stall import SleepWatch
from rooflint.workers.stop_signals import StopSignals
from rooflint.workers.wire import WireError

NEVER: Final = StopSignals()
"""Asks for nothing: Ctrl-C is an exception like any other."""
INTERRUPTED: Final = Failure("interrupted", "interrupted")
TRANSFER_S: Final = 10
"""For an answer that has begun in time: the largest passes through a pipe in a tenth of a second,
but the caller may look elsewhere meanwhile."""
WALL_FACTOR: Final = 10
"""A question may last so many times its processor time: a machine with ten things to do for each of
its processors is a busy one, and what is stopped or sleeps now and then has to end."""
REST_S: Final = 1.0
"""For answers that have begun when the run is asked to stop: ten times what the largest takes."""
LEAST_WAIT_S: Final = 0.01
"""Between two looks at a child's clock when little of its time is left."""

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class KnownAnswer(Generic[Question, Answer]):
    """A question with a known answer; it keeps its position among the others."""

    __slots__ = ("answer", "question")

    def __init__(self, question: Question, answer: Answer) -> None:
        self.question = question
        self.answer = answer


class _Job(Generic[Question]):
    """A question that was sent, and its answer once available."""

    __slots__ = ("answer", "answered", "question")

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answered = False
        self.answer: Any = None


class _Running(NamedTuple):
    """The child that works on a job, and its time limits.

    seconds     processor time that it may use
    deadline    the time when it is late in any case
    had_before  processor time of the child before the question; None: only the clock counts
    sleep       how long it has slept, if that counts
    """

    job: _Job[Any]
    worker: ChildProcess
    seconds: float
    deadline: float
    had_before: float | None
    sleep: SleepWatch

    def seconds_left(self, now: float) -> float:
        by_clock = self.deadline - now
        if self.had_before is None:
            return by_clock
        return min(by_clock, self.seconds - self._used())

    def late(self) -> Failure:
        if self.had_before is None or self._used() >= self.seconds:
            return self.worker.late(f"took longer than {self.seconds:g} s")
        if self.sleep.is_stalled:
            never = f"waited {stall.STALL_S:g} s for data that never came, such as from a pipe"
            return self.worker.late(never)
        return self.worker.late(f"gave no answer within {self.seconds * WALL_FACTOR:g} s")

    def is_late(self, now: float) -> bool:
        if self.had_before is not None:
            self.sleep.look(now, self.worker.cpu_seconds())
        return self.seconds_left(now) <= 0 or self.sleep.is_stalled

    def _used(self) -> float:
        has_had = self.worker.cpu_seconds()
        return self.seconds if has_had is None else has_had - (self.had_before or 0.0)


class Workers(Generic[Question, Answer]):
    """Child processes that each answer one question at a time by calling ``target`` on it.

    ``target`` is a function, or a ChildTask that loads in the child what this process does without.
    A child that crashes, hangs or runs out of memory
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
        """Start the first child, so that it gets ready in parallel with this process."""
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
        """End all children, even while they work."""
        self._end_running()
        for worker in self._idle:
            worker.end()
        self._idle.clear()

    @property
    def ready(self) -> bool:
        """Whether a child waits for a question."""
        return bool(self._idle)

    def interrupt(self) -> None:
        """From another thread: end all current work; its questions get Failures."""
        for job in list(self._running):
            job.worker.interrupt()

    def analyse(self, question: Question) -> Answer | Failure:
        """The answer to one question; waits for it as long as the limits allow."""
        ((_, answer),) = self.analyse_all([question])
        return answer

    def analyse_all(
        self,
        questions: Iterable[Question | KnownAnswer[Question, Answer]],
        stop: StopSignals = NEVER,
    ) -> Iterator[tuple[Question, Answer | Failure]]:
        """Each question with its answer, in the order asked, ``jobs`` of them at work at a time.

        Children work on while the caller looks at an answer. KeyboardInterrupt is raised
        after the answers that are there already; a question that has none gets a Failure. With
        ``stop`` no answer is lost to a signal: one is heard only before the next question is
        asked, and while answers are waited for.
        """
        waiting = iter(questions)
        asked: deque[_Job[Question]] = deque()
        try:
            while self._hand_out(waiting, asked, stop) or asked:
                if asked[0].answered:
                    job = asked.popleft()
                    yield job.question, job.answer
                else:
                    self._collect(stop)
                    stop.check()
        except KeyboardInterrupt:
            self._collect_rest()
            self._end_running()
            for job in asked:
                yield job.question, job.answer if job.answered else INTERRUPTED
            raise
        finally:
            # Whoever stops listening early must not get a stale answer next time.
            self._end_running()

    def _hand_out(
        self,
        waiting: Iterator[Question | KnownAnswer[Question, Answer]],
        asked: deque[_Job[Question]],
        stop: StopSignals,
    ) -> bool:
        """Keep all children busy; whether anything was handed out.

        An answer that is first in line is not kept waiting for that.
        """
        before = len(asked)
        while len(self._running) < self._jobs:
            stop.check()
            try:
                question = next(waiting)
            except StopIteration:
                break
            if isinstance(question, KnownAnswer):
                known: _Job[Question] = _Job(question.question)
                known.answered, known.answer = True, question.answer
                asked.append(known)
                if asked[0].answered:
                    break
                continue
            job = _Job(question)
            asked.append(job)
            worker = self._idle.pop() if self._idle else self._child()
            running = _begun(job, worker, self.seconds)
            self._running.append(running)
            try:
                worker.ask(question)
            except WireError as error:
                self._finish(running, Failure(str(error), "refused"))
        return len(asked) > before

    def _child(self) -> ChildProcess:
        return ChildProcess(self._target, self._limits, self._dialogue)

    def _collect(self, stop: StopSignals) -> None:
        if not hasattr(select, "poll"):  # not on Windows, where pipes cannot be waited for
            running = self._running[0]
            self._finish(running, running.worker.answer_before(running.deadline, running.seconds))
            return
        now = time.monotonic()
        wait_s = min(stall.LOOK_S, *(running.seconds_left(now) for running in self._running))
        self._take(max(LEAST_WAIT_S, wait_s), stop.wakeup_fd)

    def _collect_rest(self) -> None:
        end = time.monotonic() + REST_S
        more = hasattr(select, "poll") and bool(self._running)
        while more:
            self._take(LEAST_WAIT_S)
            more = any(running.worker.answering for running in self._running)
            more = more and time.monotonic() < end

    def _take(self, wait_s: float, wakeup_fd: int | None = None) -> None:
        """Wait for at most this long, take the available answers, and end late children."""
        poll = select.poll()
        if wakeup_fd is not None:
            poll.register(wakeup_fd, select.POLLIN)
        for running in self._running:
            poll.register(running.worker.answers_fd, select.POLLIN)
            if running.worker.output_fd is not None:
                poll.register(running.worker.output_fd, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(wait_s * 1000)}
        now = time.monotonic()
        for running in list(self._running):
            if running.worker.output_fd in ready:
                running.worker.drain()
                running.sleep.wake()
            if running.worker.answers_fd in ready:
                self._receive(running, now)
            elif running.is_late(now):
                self._finish(running, running.late())

    def _receive(self, running: _Running, now: float) -> None:
        """Take the available part of an answer; one that has begun gets time for its rest."""
        begun = running.worker.answering
        answer = running.worker.receive()
        if answer is not INCOMPLETE:
            self._finish(running, answer)
        elif not begun:
            transfer = running._replace(deadline=now + TRANSFER_S, had_before=None)
            self._running[self._running.index(running)] = transfer

    def _finish(self, running: _Running, answer: object) -> None:
        self._running.remove(running)
        running.job.answered, running.job.answer = True, answer
        if running.worker.alive:
            self._idle.append(running.worker)

    def _end_running(self) -> None:
        for running in self._running:
            running.worker.end()
        self._running.clear()


def _begun(job: _Job[Any], worker: ChildProcess, seconds: float) -> _Running:
    """A job that starts now; without a processor clock, wall time is used."""
    had_before = worker.cpu_seconds() if hasattr(select, "poll") else None
    patience = seconds if had_before is None else seconds * WALL_FACTOR
    now = time.monotonic()
    return _Running(
        job=job,
        worker=worker,
        seconds=seconds,
        deadline=now + patience,
        had_before=had_before,
        sleep=worker.sleep_watch(now),
    )
