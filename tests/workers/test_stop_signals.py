"""A run stops where everything that is finished has its place, whenever the signal comes."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from rooflint.cli import progress as cli_progress
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.interruption import STOP_SIGNALS, TerminationRequest, termination_as_interrupt
from rooflint.cli.progress import collect
from rooflint.pipeline import Analysis, Options, Source, run
from rooflint.pipeline.files import FileResult, failed_file
from rooflint.pipeline.in_child import Answer
from rooflint.registry import load_registry
from rooflint.workers import pool as worker
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import INTERRUPTED, KnownAnswer, Workers
from rooflint.workers.stop_signals import INSIST_S, StopSignals

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs signals"),
    pytest.mark.usefixtures("forked"),
]
ANYTHING = Dialogue[Any, Any](Any, Any)
FILES = 3


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """SIGINT is heard, as in a terminal: what a shell starts in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def echo(question: int) -> int:
    return question


class SignalAtLine:
    """Sends a signal to this process before the n-th line that the given modules execute."""

    def __init__(self, number: int, signal_number: int, *modules: object) -> None:
        self._files = {str(module.__file__) for module in modules}  # type: ignore[attr-defined]
        self._left = number
        self._signal = signal_number

    @property
    def sent(self) -> bool:
        return self._left <= 0

    def trace(self, frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401 - sys.settrace
        if frame.f_code.co_filename not in self._files:
            return None
        if event == "line" and not self.sent:
            self._left -= 1
            if self.sent:
                signal.raise_signal(self._signal)
        return self.trace


@contextmanager
def traced(sender: SignalAtLine) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(sender.trace)
    try:
        yield
    finally:
        sys.settrace(before)


def until_unsent(attempt: Callable[[int], bool]) -> int:
    """Tries the signal at line 1, 2, …, until a whole run has fewer lines."""
    for number in range(1, 5000):
        if not attempt(number):
            return number - 1
    raise AssertionError("the run does not end")


def test_no_answer_is_lost_wherever_the_signal_lands() -> None:
    with Workers[int, int](echo, Limits(), ANYTHING) as workers:

        def attempt(number: int) -> bool:
            sender = SignalAtLine(number, signal.SIGINT, worker)
            answers: dict[int, object] = {}
            asked: list[int] = []

            def questions() -> Iterator[int]:
                for question in range(FILES):
                    asked.append(question)
                    yield question

            stopped = False
            with StopSignals(STOP_SIGNALS) as stop, traced(sender):
                try:
                    for question, answer in workers.analyse_all(questions(), stop):
                        answers[question] = answer
                except KeyboardInterrupt:
                    stopped = True
            # one child: a question is asked when those before it are answered
            assert list(answers) == asked
            finished = [answers[question] for question in asked[:-1]]
            assert finished == asked[:-1], number
            assert answers == {} or answers[asked[-1]] in (asked[-1], INTERRUPTED)
            assert sender.sent or not stopped
            return sender.sent

        assert until_unsent(attempt) > 50


class KnownAnswers:
    """In place of workers: all answers are there."""

    def analyse_all(self, questions: Any, stop: object = None) -> Any:  # noqa: ANN401
        for number, question in enumerate(questions):
            assert isinstance(question, KnownAnswer)
            yield None, Answer(FileResult(failed_file(f"{number}.c", "not there")))

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_file_is_lost_between_two_of_them(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "workers_of", lambda *_: KnownAnswers())
    known = FileResult(failed_file("x.c", "not there"))
    monkeypatch.setattr(Analysis, "_prepared", lambda *_: known)
    registry = load_registry()
    sources = [Source(f"{each}.c") for each in range(FILES)]

    def attempt(line: int) -> bool:
        analysis = Analysis(Options(cache_dir=""), registry)
        sender = SignalAtLine(line, number, run, cli_progress)
        with termination_as_interrupt(), traced(sender):
            try:
                code: ExitCode | None = collect(analysis, sources)
            except KeyboardInterrupt:
                code = None
        if code is None:  # before the first file, or after the last
            assert len(analysis.report().files) in (0, FILES), line
            return True
        expected = ExitCode.INTERRUPTED if number == signal.SIGINT else ExitCode.TERMINATED
        assert code == (expected if sender.sent else ExitCode.FINE)
        assert len(analysis.report().files) == FILES, line
        return sender.sent

    assert until_unsent(attempt) > 20


def test_an_answer_on_its_way_arrives() -> None:
    """It has begun, and is longer than what a pipe holds."""

    def long(length: int) -> bytes:
        return b"x" * length

    found = []
    with (
        StopSignals(STOP_SIGNALS) as stop,
        Workers[int, bytes](long, Limits(), ANYTHING, jobs=2) as workers,
        pytest.raises(KeyboardInterrupt),
    ):
        for _, answer in workers.analyse_all(_asked_slowly(), stop):
            found.append(answer)
    assert found == [b"x" * 5_000_000]


def _asked_slowly() -> Iterator[int]:
    yield 5_000_000
    time.sleep(0.2)  # it has begun to arrive
    signal.raise_signal(signal.SIGINT)


def test_a_signal_wakes_who_waits() -> None:
    def sleep(seconds: float) -> None:
        time.sleep(seconds)

    with (
        StopSignals(STOP_SIGNALS) as stop,
        Workers[float, None](sleep, Limits(), ANYTHING) as workers,
    ):
        signal.setitimer(signal.ITIMER_REAL, 0)  # none is left over
        before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGTERM))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        begin = time.monotonic()
        try:
            with pytest.raises(TerminationRequest):
                list(workers.analyse_all([60.0], stop))
        finally:
            signal.signal(signal.SIGALRM, before)
        assert time.monotonic() - begin < 10


def test_a_signal_just_before_the_wait_is_seen() -> None:
    with StopSignals(STOP_SIGNALS) as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.wakeup_fd is not None
        assert os.read(stop.wakeup_fd, 10) == bytes([signal.SIGINT])
        with pytest.raises(KeyboardInterrupt):
            stop.check()


def test_who_insists_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with StopSignals(STOP_SIGNALS) as stop:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # as timeout(1) does
        assert stop.requested is TerminationRequest
        now[0] += INSIST_S + 0.1
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_everything_is_as_it_was() -> None:
    handlers = [signal.getsignal(number) for number in STOP_SIGNALS]
    descriptors = len(os.listdir("/dev/fd"))
    with StopSignals(STOP_SIGNALS):
        assert [signal.getsignal(number) for number in STOP_SIGNALS] != handlers
    assert [signal.getsignal(number) for number in STOP_SIGNALS] == handlers
    assert len(os.listdir("/dev/fd")) == descriptors
    assert signal.set_wakeup_fd(-1) == -1


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with StopSignals(STOP_SIGNALS) as stop:
            signal.raise_signal(signal.SIGINT)
            stop.check()
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_signals_nothing_is_asked() -> None:
    with StopSignals() as stop:
        assert stop.wakeup_fd is None
        stop.check()
    assert Failure("interrupted", "interrupted") == INTERRUPTED
