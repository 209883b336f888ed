"""A child that crashes, hangs, prints or eats memory costs one question and nothing else."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rooflint.errors import AnalysisError
from rooflint.workers.child import Target
from rooflint.workers.child_process import ChildProcess
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import INTERRUPTED, Workers

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.usefixtures("forked"),
]


ANYTHING = Dialogue[Any, Any](Any, Any)


def depth(levels: int) -> int:
    return 0 if levels == 0 else 1 + depth(levels - 1)


def nest(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


def spin(_: None) -> None:
    while True:
        pass


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def refuse(text: str) -> None:
    raise AnalysisError(text)


def fail(text: str) -> None:
    raise ZeroDivisionError(text)


def shout(noise: bytes) -> str:
    os.write(1, noise)
    sys.stdout.write("noise")
    sys.stdout.flush()
    return "printed"


DEEDS: dict[str, Callable[[Any], Any]] = {
    "return": lambda value: value,
    "pid": lambda _: os.getpid(),
    "signal": signal.raise_signal,
    "null pointer": lambda _: ctypes.string_at(0),
    "exit": os._exit,
    "leave": sys.exit,
    "sleep": sleep,
    "spin": spin,
    "eat": lambda mib: len([bytearray(1 << 20) for _ in range(mib)]),
    "map": lambda mib: len(bytearray(mib << 20)),
    "refuse": refuse,
    "fail": fail,
    "print": shout,
    "read": lambda _: sys.stdin.read(),
    "recurse": depth,
    "deep": nest,
    "function": lambda _: os.getpid,
    "setup": lambda _: (os.environ["LIBCLANG_NOTHREADS"], signal.getsignal(signal.SIGINT) == 1),
}


def obey(command: tuple[str, Any]) -> object:
    """Do what the test asks for, in the child."""
    deed, value = command
    return DEEDS[deed](value)


@pytest.fixture
def limits() -> Limits:
    return Limits(seconds=30, memory_mib=512)


@pytest.fixture
def workers(limits: Limits) -> Iterator[Workers[tuple[str, Any], Any]]:
    with Workers[tuple[str, Any], Any](obey, limits, ANYTHING) as started:
        yield started


def test_answers_come_from_one_lasting_child(workers: Workers[Any, Any]) -> None:
    first, second = workers.analyse(("pid", None)), workers.analyse(("pid", None))
    assert first == second != os.getpid()


def test_values_of_every_size_come_through(workers: Workers[Any, Any]) -> None:
    # 64 KiB is what a pipe holds at once.
    for size in (0, 1, 65_535, 65_536, 65_537, 5_000_000):
        assert workers.analyse(("return", b"x" * size)) == b"x" * size


def test_what_is_no_value_is_a_failure(workers: Workers[Any, Any]) -> None:
    failure = workers.analyse(("function", None))
    text = "internal error: TypeError: builtin_function_or_method is no part of a message"
    assert (failure.reason, failure.kind) == (text, "internal")
    assert workers.analyse(("return", 7)) == 7


@pytest.mark.parametrize(
    ("command", "reason", "kind"),
    [
        (("signal", signal.SIGSEGV), "crashed with SIGSEGV", "crash"),
        (("signal", signal.SIGILL), "crashed with SIGILL", "crash"),
        (("signal", signal.SIGABRT), "crashed with SIGABRT", "crash"),
        (("signal", signal.SIGHUP), "crashed with SIGHUP", "crash"),
        (("null pointer", None), "crashed with SIGSEGV", "crash"),
        (("signal", signal.SIGKILL), "was killed, probably by a system short of memory", "memory"),
        (("exit", 3), "ended with exit code 3", "internal"),
        (("eat", 2048), "ran out of memory (512 MiB)", "memory"),
        (("map", 4096), "ran out of memory (512 MiB)", "memory"),
        (("refuse", "a.c:3: cannot be read"), "a.c:3: cannot be read", "refused"),
        (("fail", "x / 0"), "internal error: ZeroDivisionError: x / 0", "internal"),
        (("leave", 1), "internal error: SystemExit: 1", "internal"),
    ],
)
def test_a_failure_costs_one_question(
    workers: Workers[Any, Any], command: tuple[str, Any], reason: str, kind: str
) -> None:
    failure = workers.analyse(command)
    assert (failure.reason, failure.kind) == (reason, kind)
    assert workers.analyse(("return", 7)) == 7


def test_a_bug_shows_its_traceback(workers: Workers[Any, Any]) -> None:
    failure = workers.analyse(("fail", "x / 0"))
    assert "raise ZeroDivisionError(text)" in failure.detail


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        # what uses the processor has 0.3 s of it, what waits ten times that
        (("spin", None), "took longer than 0.3 s"),
        (("sleep", 60), "gave no answer within 3 s"),
    ],
)
def test_a_hang_ends_in_time(command: tuple[str, Any], reason: str) -> None:
    with Workers[Any, Any](obey, Limits(seconds=0.3), ANYTHING) as workers:
        start = time.monotonic()
        failure = workers.analyse(command)
        assert failure.kind == "timeout"
        where = rf"in {command[0]}, test_worker\.py:\d+"
        assert re.fullmatch(rf"{re.escape(reason)} {where}", failure.reason), failure
        assert time.monotonic() - start >= 0.3
        assert workers.analyse(("return", 7)) == 7


def test_time_counts_per_question() -> None:
    # Three times 0.4 s is more than a second, each is not.
    with Workers[Any, Any](obey, Limits(seconds=1), ANYTHING) as workers:
        assert [workers.analyse(("sleep", 0.4)) for _ in range(3)] == [0.4] * 3


def test_a_slow_caller_does_not_make_a_late_child() -> None:
    with Workers[Any, Any](obey, Limits(seconds=0.4), ANYTHING) as workers:
        answers = []
        for _, answer in workers.analyse_all([("return", 1), ("return", b"x" * 200_000)]):
            time.sleep(0.6)
            answers.append(answer)
        assert answers == [1, b"x" * 200_000]


def test_prints_reach_neither_the_answer_nor_the_terminal(
    workers: Workers[Any, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    assert workers.analyse(("print", b"\x08\0\0\0\0\0\0\0noise")) == "printed"
    assert workers.analyse(("return", 7)) == 7
    assert capfd.readouterr() == ("", "")


def test_nothing_can_be_read_from_the_terminal(workers: Workers[Any, Any]) -> None:
    assert workers.analyse(("read", None)) == ""


def test_deep_recursion_has_the_stack_it_needs(workers: Workers[Any, Any]) -> None:
    assert workers.analyse(("recurse", 50_000)) == 50_000


def test_an_answer_that_is_nested_too_deeply_costs_one_question(
    workers: Workers[Any, Any],
) -> None:
    assert workers.analyse(("deep", 50)) == nest(50)
    failure = workers.analyse(("deep", 50_000))
    text = "its process answered with a message that is nested too deeply"
    assert failure == Failure(text, "crash")
    assert workers.analyse(("return", 7)) == 7


def test_the_child_is_set_up_for_libclang(workers: Workers[Any, Any]) -> None:
    assert workers.analyse(("setup", None)) == ["1", True]


def test_several_children_answer_in_the_order_asked() -> None:
    naps = [0.3, 0.0, 0.2, 0.0, 0.1]
    with Workers[Any, Any](obey, Limits(), ANYTHING, jobs=3) as workers:
        start = time.monotonic()
        found = [(q[1], a) for q, a in workers.analyse_all([("sleep", nap) for nap in naps])]
        assert found == [(nap, nap) for nap in naps]
        assert time.monotonic() - start < sum(naps)


@pytest.mark.long
def test_several_children_survive_each_other() -> None:
    commands = [
        ("return", 1),
        ("signal", signal.SIGSEGV),
        ("sleep", 60),
        ("return", 2),
        ("fail", ""),
    ]
    with Workers[Any, Any](obey, Limits(seconds=0.5), ANYTHING, jobs=2) as workers:
        answers = [answer for _, answer in workers.analyse_all(commands)]
    kinds = [answer.kind if isinstance(answer, Failure) else answer for answer in answers]
    assert kinds == [1, "crash", "timeout", 2, "internal"]


def test_an_abandoned_round_leaves_no_stale_answer() -> None:
    with Workers[Any, Any](obey, Limits(), ANYTHING, jobs=2) as workers:
        for _, answer in workers.analyse_all([("return", n) for n in range(9)]):
            assert answer == 0
            break
        assert workers.analyse(("return", "new")) == "new"


def test_an_interrupt_keeps_what_is_answered() -> None:
    def questions() -> Iterator[tuple[str, Any]]:
        yield ("sleep", 60)
        yield ("return", 1)
        yield ("return", 2)
        raise KeyboardInterrupt

    found = []
    with (
        Workers[Any, Any](obey, Limits(), ANYTHING, jobs=2) as workers,
        pytest.raises(KeyboardInterrupt),
    ):
        for question, answer in workers.analyse_all(questions()):
            found.append((question[1], answer))
    # the second child answered twice while the first slept
    assert found == [(60, INTERRUPTED), (1, 1), (2, 2)]


def test_no_questions_no_answers(workers: Workers[Any, Any]) -> None:
    assert list(workers.analyse_all([])) == []


def test_children_end_with_their_parent(limits: Limits) -> None:
    workers = Workers[Any, Any](obey, limits, ANYTHING, jobs=2)
    pids = [int(str(answer)) for _, answer in workers.analyse_all([("pid", None)] * 6)]
    workers.close()
    for pid in set(pids):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # Dead, and only waiting for init to notice.
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] == "Z"


def test_a_killed_parent_takes_even_a_busy_child_along() -> None:
    program = """
import time
from rooflint.workers.pool import Workers
from rooflint.workers.limits import Limits
from rooflint.workers.dialogue import Dialogue
from typing import Any
with Workers(time.sleep, Limits(), Dialogue(Any, Any)) as workers:
    print(workers._idle[0]._pid, flush=True)
    workers.analyse(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.3)
        assert not gone(pid)
        parent.kill()
    deadline = time.monotonic() + 10
    while not gone(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert gone(pid)


def unimportable(request: object) -> None:
    """No fresh interpreter can import it."""


unimportable.__module__ = "no_such_module"


@pytest.mark.parametrize(
    ("target", "question", "expected"),
    [
        (os.getcwd, None, "internal error: TypeError"),
        (len, "four", 4),
        (print, "noise", None),
        (ctypes.string_at, 0, "crashed with SIGSEGV"),
        (os._exit, 5, "ended with exit code 5"),
        (bytearray, 4 << 30, "ran out of memory (512 MiB)"),
        (time.sleep, 60, "gave no answer within 3 s"),
        (unimportable, 1, "ended with exit code 70"),
    ],
)
def test_a_program_with_threads_gets_a_fresh_interpreter(
    other_thread: None, target: Target, question: object, expected: object
) -> None:
    seconds = 0.3 if target is time.sleep else 1  # what waits has ten times that
    with Workers[Any, Any](target, Limits(seconds, 512), ANYTHING) as workers:
        assert workers._idle[0]._process is not None
        answer = workers.analyse(question)
        if isinstance(answer, Failure):
            assert answer.reason.startswith(str(expected))
        else:
            assert answer == expected


def test_the_watchdog_stands_in_where_pipes_cannot_be_polled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("select.poll")
    with Workers[Any, Any](obey, Limits(seconds=2), ANYTHING) as workers:
        assert workers.analyse(("return", 7)) == 7
        assert workers.analyse(("spin", None)) == Failure("took longer than 2 s", "timeout")
        assert workers.analyse(("return", 8)) == 8


def test_no_descriptor_is_left_open(limits: Limits) -> None:
    def open_descriptors() -> int:
        return len(os.listdir("/dev/fd"))

    before = open_descriptors()
    for _ in range(3):
        with Workers[Any, Any](obey, limits, ANYTHING, jobs=2) as workers:
            list(workers.analyse_all([("return", 1), ("exit", 3), ("return", 2)]))
    assert open_descriptors() == before


def test_a_question_to_a_dead_child_is_a_failure(limits: Limits) -> None:
    child = ChildProcess(obey, limits, ANYTHING)
    child.ask(("return", 1))
    assert child.answer() == 1
    os.kill(child._pid, signal.SIGHUP)
    time.sleep(0.1)
    child.ask(("return", b"x" * 1_000_000))
    assert child.answer() == Failure("crashed with SIGHUP", "crash")
