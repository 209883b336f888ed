"""A child that sleeps for good ends long before the clock's limit; one that waits its turn not."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rooflint.workers import stall
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers
from rooflint.workers.stall import STALL_S, SleepWatch, is_asleep

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="the system says nothing of others"),
    pytest.mark.usefixtures("forked"),
]
ANYTHING = Dialogue[Any, Any](Any, Any)
SHORT_S = 1.0
LIMITS = Limits(seconds=30)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stall, "STALL_S", SHORT_S)
    monkeypatch.setattr(stall, "LOOK_S", SHORT_S / 2)


def read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def nap(count: int) -> int:
    """Sleeps longer than the limit, but not in one piece."""
    for _ in range(count):
        time.sleep(SHORT_S / 2)
    return count


def stop(_: int) -> int:
    os.kill(os.getpid(), signal.SIGSTOP)
    while time.process_time() < 60:  # the stop may reach this thread a moment later
        pass
    return 1


def spin(seconds: float) -> float:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return seconds


@pytest.mark.usefixtures("short")
def test_who_waits_for_a_pipe_ends_early(tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe.h")
    os.mkfifo(pipe)
    with Workers[str, str](read, LIMITS, ANYTHING) as workers:
        begin = time.monotonic()
        failure = workers.analyse(pipe)
        assert SHORT_S <= time.monotonic() - begin < LIMITS.seconds
    assert isinstance(failure, Failure)
    assert failure.kind == "timeout"
    assert failure.reason.startswith("waited 1 s for data that never came, such as from a pipe")


@pytest.mark.usefixtures("short")
def test_who_wakes_now_and_then_does_not() -> None:
    with Workers[int, int](nap, LIMITS, ANYTHING) as workers:
        assert workers.analyse(4) == 4


@pytest.mark.usefixtures("short")
def test_who_is_stopped_does_not() -> None:
    with Workers[int, int](stop, Limits(seconds=0.2), ANYTHING) as workers:
        failure = workers.analyse(1)
    assert isinstance(failure, Failure)
    assert failure.reason == "gave no answer within 2 s"


@pytest.mark.usefixtures("short")
def test_a_caller_that_looks_away_makes_no_sleeper() -> None:
    def slow() -> Iterator[int]:
        yield 1
        time.sleep(2 * SHORT_S)  # meanwhile the child sleeps: it waits for its answer to be read

    def long(_: int) -> bytes:
        return b"x" * 1_000_000

    with Workers[int, bytes](long, LIMITS, ANYTHING, jobs=2) as workers:
        ((_, answer),) = workers.analyse_all(slow())
    assert answer == b"x" * 1_000_000


def test_only_seen_sleep_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    asleep = True
    monkeypatch.setattr(stall, "is_asleep", lambda _: asleep)
    watch = SleepWatch(1, 0.0)
    watch.look(0.0, 5.0)
    watch.look(1000.0, 5.0)
    assert not watch.is_stalled
    for second in range(int(STALL_S)):
        watch.look(1001.0 + second, 5.0)
    assert watch.is_stalled
    watch.wake()
    assert not watch.is_stalled
    for second in range(int(2 * STALL_S)):
        watch.look(2000.0 + second, 6.0 + second)  # works a little each time
        assert not watch.is_stalled
    for second in range(int(2 * STALL_S)):
        watch.look(3000.0 + second, None)  # nobody says
        assert not watch.is_stalled
    asleep = False
    for second in range(int(2 * STALL_S)):
        watch.look(4000.0 + second, 7.0)  # waits for its turn
        assert not watch.is_stalled


def test_who_works_is_not_asleep() -> None:
    with Workers[float, float](spin, LIMITS, ANYTHING) as workers:
        pid = workers._idle[0]._pid
        assert workers.analyse(0.1) == 0.1
        until = time.monotonic() + 10
        while not is_asleep(pid) and time.monotonic() < until:
            time.sleep(0.01)
        assert is_asleep(pid)
        answers = workers.analyse_all([2.0])
        seen: list[bool] = []

        def watched() -> Iterator[float]:
            yield 2.0
            time.sleep(0.5)
            seen.append(is_asleep(pid))

        workers._jobs = 2
        answers = workers.analyse_all(watched())
        assert [answer for _, answer in answers] == [2.0]
        assert seen == [False]


def test_nobody_is_asleep_who_is_not_there() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    assert not is_asleep(pid)
