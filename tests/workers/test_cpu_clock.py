"""Limits on time count the processor's: a child that does not get its turn is not late."""

import os
import signal
import sys
import time
from threading import Thread
from typing import Any

import pytest
from rooflint.workers.cpu_clock import cpu_seconds
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Limits
from rooflint.workers.pool import Workers

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform not in ("linux", "darwin"), reason="the system says nothing of others' time"
    ),
    pytest.mark.usefixtures("forked"),
]
ANYTHING = Dialogue[Any, Any](Any, Any)
LIMIT_S = 0.6
WORK_S = 0.2
STARVED_S = 2.5
"""More than the limit by the clock, less than what ten times the limit allows."""


def compute(seconds: float) -> float:
    """Stops itself first, and then uses the processor for so long."""
    os.kill(os.getpid(), signal.SIGSTOP)
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        pass
    return seconds


def test_a_starved_child_is_not_late() -> None:
    with Workers[Any, Any](compute, Limits(seconds=LIMIT_S), ANYTHING) as workers:
        pid = workers._idle[0]._pid
        begin = time.monotonic()
        thread = Thread(target=_revive, args=(pid,))
        thread.start()
        answer = workers.analyse(WORK_S)
        thread.join()
        assert time.monotonic() - begin > LIMIT_S  # by the clock it was late
        assert answer == WORK_S


def _revive(pid: int) -> None:
    time.sleep(STARVED_S)
    os.kill(pid, signal.SIGCONT)


def test_a_child_that_is_never_let_go_on_ends_by_the_clock() -> None:
    with Workers[Any, Any](compute, Limits(seconds=0.1), ANYTHING) as workers:
        failure = workers.analyse(WORK_S)
        assert failure.kind == "timeout"
        assert failure.reason == "gave no answer within 1 s"


def test_the_clock_of_another_process_goes_with_its_work() -> None:
    with Workers[Any, Any](busy, Limits(seconds=30), ANYTHING) as workers:
        pid = workers._idle[0]._pid
        before = cpu_seconds(pid)
        assert before is not None
        assert workers.analyse(WORK_S) == WORK_S
        after = cpu_seconds(pid)
        assert after is not None
        assert WORK_S <= after - before < 10 * WORK_S


def busy(seconds: float) -> float:
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        pass
    return seconds


def test_a_process_that_is_not_there_has_no_clock() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    assert cpu_seconds(pid) is None
