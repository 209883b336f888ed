"""A child of a large program has its own limit, and what it inherits does not count."""

import mmap
import os
import subprocess
import sys

import pytest
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.usefixtures("forked"),
]


def eat(mib: int) -> int:
    return len([bytearray(1 << 20) for _ in range(mib)])


@pytest.mark.parametrize("inherited_mib", [1, 400, 900, 1600])
def test_the_limit_is_that_of_the_child_whatever_its_program_holds(inherited_mib: int) -> None:
    with (
        mmap.mmap(-1, inherited_mib << 20),
        Workers[int, int](eat, Limits(30, 512), Dialogue(int, int)) as workers,
    ):
        assert workers.analyse(300) == 300
        failure = workers.analyse(2048)
        assert isinstance(failure, Failure)
        assert failure.reason == "ran out of memory (512 MiB)"
        assert workers.analyse(7) == 7


LARGE_PROGRAM = """
import ctypes, sys, threading
from rooflint.workers.limits import Limits
from rooflint.workers.pool import Workers
used = bytearray(b"x") * (450 << 20)
del used
done = threading.Event()
if sys.argv[1] == "threads":
    threading.Thread(target=done.wait).start()
from rooflint.workers.dialogue import Dialogue
from typing import Any
with Workers(ctypes.string_at, Limits(10, 512), Dialogue(Any, Any)) as workers:
    print(workers.analyse(0).reason)
done.set()
"""


@pytest.mark.parametrize("started", ["threads", "forked"])
def test_a_crash_in_a_child_of_a_large_program_is_not_lack_of_memory(started: str) -> None:
    command = [sys.executable, "-c", LARGE_PROGRAM, started]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert said == "crashed with SIGSEGV\n"
