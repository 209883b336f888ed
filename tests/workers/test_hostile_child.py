"""A child that hostile source has taken over: its answers cost one file each, and little time."""

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import pytest
from rooflint.plugin_api.report import FileReport
from rooflint.workers.dialogue import FAILED, FAILURE, Dialogue
from rooflint.workers.frames import LENGTH_AT, Frame
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers
from rooflint.workers.wire import MAX_BODY_BYTES, PLAIN, WIDE, Codec

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.usefixtures("forked"),
]

REPORTS: Final = Codec[FileReport](FileReport)
REPORT: Final = FileReport("a.c", "ok")
GOOD: Final = Frame(1, REPORTS.schema, REPORTS.encode(REPORT)).packed()
HEADER: Final = GOOD[:LENGTH_AT]
pack = msgspec.msgpack.encode


def answer(body: bytes, kind: int = 1, schema: bytes = REPORTS.schema) -> bytes:
    return Frame(kind, schema, body).packed()


def long(length: int) -> bytes:
    """A header that announces so many bytes."""
    return HEADER + length.to_bytes(4, "little") + bytes(4)


def deep(levels: int) -> bytes:
    return PLAIN + b"\x99" + b"\x91" * levels


def code() -> bytes:
    """What an unpickler would run."""
    return b"cos\nsystem\n(S'touch RAN'\ntR."


ANSWERS: dict[str, Callable[[], bytes]] = {
    "garbage": lambda: b"\xff" * 4096,
    "zeroes": lambda: bytes(1 << 20),
    "code": lambda: code() * 10,
    "code in a frame": lambda: answer(code()),
    "too long": lambda: long(MAX_BODY_BYTES + 1),
    "as long as can be said": lambda: long(0xFFFFFFFF),
    "another schema": lambda: answer(REPORTS.encode(REPORT), schema=b"x" * 8),
    "another kind": lambda: answer(REPORTS.encode(REPORT), kind=7),
    "a question": lambda: answer(REPORTS.encode(REPORT), kind=0),
    "a wrong checksum": lambda: GOOD[:-1] + bytes((GOOD[-1] ^ 1,)),
    "no report": lambda: answer(PLAIN + pack(["a.c", 5])),
    "too deep": lambda: answer(deep(1_000_000)),
    "a count beyond the message": lambda: answer(PLAIN + b"\xdd\xff\xff\xff\xff"),
    "no failure": lambda: answer(
        PLAIN + pack(["reason", "no such kind", ""]), FAILED, FAILURE.schema
    ),
    "wide, no report": lambda: answer(WIDE + pack([3])),
}


def answers_fd() -> int:
    """Where this child's answers go: the one pipe that it can write to."""
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):
            pipe = stat.S_ISFIFO(os.fstat(int(name)).st_mode)
            mode = fcntl.fcntl(int(name), fcntl.F_GETFL) & os.O_ACCMODE
            if int(name) > 2 and pipe and mode == os.O_WRONLY:
                return int(name)
    raise AssertionError("no pipe")


def obey(name: str) -> FileReport:
    """In the child: write what the question names past all that would check it, then wait."""
    fd = answers_fd()
    if name == "good":
        return REPORT
    if name == "never ends":
        os.write(fd, long(MAX_BODY_BYTES - 1))
        while True:
            os.write(fd, bytes(1))
            time.sleep(0.01)
    message = memoryview(GOOD[:-3] if name == "half" else ANSWERS[name]())
    while message:
        message = message[os.write(fd, message) :]
    time.sleep(60)
    raise AssertionError


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers[str, FileReport]]:
    monkeypatch.setattr("rooflint.workers.pool.TRANSFER_S", 0.5)
    dialogue = Dialogue[str, FileReport](str, FileReport)
    with Workers(obey, Limits(seconds=5), dialogue) as started:
        yield started


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_no_answer_costs_one_question(
    name: str, workers: Workers[str, FileReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert workers.analyse("good") == REPORT
    before_s = time.process_time()
    failure = workers.analyse(name)
    assert isinstance(failure, Failure)
    assert failure.reason.startswith("its process answered with ")
    assert failure.kind == "crash"
    assert time.process_time() - before_s < 1
    assert workers.analyse("good") == REPORT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["never ends", "half"])
def test_an_answer_that_does_not_end_is_late(name: str, workers: Workers[str, FileReport]) -> None:
    workers.seconds = 0.3
    begin_s = time.monotonic()
    failure = workers.analyse(name)
    assert isinstance(failure, Failure)
    assert failure.kind == "timeout"
    assert time.monotonic() - begin_s < 5
    assert workers.analyse("good") == REPORT
