"""One child process as its parent sees it: start it, ask it, hear its answer or its end.

It is forked where that is safe, which takes a millisecond; a program that already has threads (an
editor's server) gets a fresh interpreter instead, because a fork copies locks in any state.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

from rooflint.workers.child import (
    EXIT_BROKEN,
    EXIT_NO_MEMORY,
    Target,
    redirect_standard_streams,
    serve,
)
from rooflint.workers.child_output import ChildOutput
from rooflint.workers.cpu_clock import cpu_seconds
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.frames import FrameReader, read_piece, write_message
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.stall import SleepWatch
from rooflint.workers.wire import WireError

INCOMPLETE: Final = object()
"""In place of an answer of which a part is still on its way."""
LOG_TAIL_CHARACTERS: Final = 4096
TRACE_CHARACTERS: Final = 16384
TRACE_TRIES: Final = 100
TRACE_PAUSE_S: Final = 0.01
TRACE_STILL: Final = 8
OUT_OF_MEMORY: Final = ("out of memory", "bad_alloc", "Cannot allocate memory")
# A crash with this share of the memory limit in use is an allocation that failed.
NEAR_LIMIT: Final = 0.75
RSS_UNIT_BYTES: Final = 1 if sys.platform == "darwin" else 1024


def _peak_bytes() -> int:
    """Peak resident bytes of this process; 0 where the system does not say."""
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT_BYTES


class ChildProcess:
    """A running child; ``alive`` until it has died or was ended."""

    def __init__(self, target: Target, limits: Limits, dialogue: Dialogue[Any, Any]) -> None:
        self._limits = limits
        forks = _can_fork()
        self._dialogue = dialogue.with_fork() if forks else dialogue
        self._incoming = FrameReader()
        self._output = ChildOutput() if hasattr(select, "poll") else None
        self._process: Any = None
        self._peak_before_bytes = _peak_bytes()
        start = self._fork if forks else self._spawn
        self._pid, self._questions_fd, self.answers_fd = start(target)
        if self._output is not None:
            self._output.started()
        self.alive = True

    @property
    def output_fd(self) -> int | None:
        """Can be read when the child has printed, which ``drain`` does; None where it cannot be."""
        return self._output.fd if self._output is not None else None

    def drain(self) -> None:
        """Take what the child has printed, so that it goes on."""
        if self._output is not None:
            self._output.drain()

    def ask(self, question: object) -> None:
        """Send a question; one that meets a dead child is answered by the child's end.

        WireError where the question is too large.
        """
        message = self._dialogue.question(question)
        with suppress(OSError):
            write_message(self._questions_fd, message)

    @property
    def answering(self) -> bool:
        """Whether a part of the answer is there."""
        return self._incoming.started

    def receive(self) -> object:
        """Read what is there of the answer; INCOMPLETE until that is all of it.

        A Failure if the child died, or answered what is no answer.
        """
        try:
            frame = read_piece(self.answers_fd, self._incoming)
            if frame is None:
                return INCOMPLETE
            answer = self._dialogue.answered(frame)
        except (EOFError, OSError):
            return self._died()
        except WireError as error:
            self.end()
            return Failure(f"its process answered with {error}", "crash")
        self._forget_log()
        return answer

    def answer(self) -> object:
        """Read the answer, waiting for it; a Failure if the child died instead."""
        self._await()
        while (answer := self.receive()) is INCOMPLETE:
            self._await()
        return answer

    def _await(self) -> None:
        while self.output_fd is not None:
            poll = select.poll()
            poll.register(self.answers_fd, select.POLLIN)
            poll.register(self.output_fd, select.POLLIN)
            if any(fd == self.answers_fd for fd, _ in poll.poll()):
                return
            self.drain()

    def answer_before(self, deadline: float, seconds: float) -> object:
        """The same where pipes cannot be polled: a watchdog ends the child at ``deadline``."""
        import threading  # noqa: PLC0415 - only Windows comes here

        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self._kill()

        watchdog = threading.Timer(max(0.0, deadline - time.monotonic()), expire)
        watchdog.start()
        answer = self.answer()
        watchdog.cancel()
        return _too_late(f"took longer than {seconds:g} s") if expired.is_set() else answer

    def cpu_seconds(self) -> float | None:
        """Processor time that the child has had since it started; None where nobody says."""
        return cpu_seconds(self._pid)

    def sleep_watch(self, now: float) -> SleepWatch:
        """To tell from now on whether it has fallen asleep."""
        return SleepWatch(self._pid, now)

    def late(self, reason: str) -> Failure:
        """End the child that has not answered in time; its detail says what it was doing."""
        trace = self._trace()
        self.end()
        return _too_late(reason, trace)

    def end(self) -> None:
        """End the child at once and take its leave."""
        if self.alive:
            self._kill()
            self._reap()

    def interrupt(self) -> None:
        """Kill the child from another thread; the one that waits for its answer takes its leave."""
        if self.alive:
            self._kill()

    def _trace(self) -> str:
        """Where the child's threads are, as ``faulthandler`` has it; empty where nothing says."""
        if self._output is None or not hasattr(signal, "SIGUSR1"):
            return ""
        self._output.forget()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGUSR1)
        text, same = "", 0
        for _ in range(TRACE_TRIES):
            time.sleep(TRACE_PAUSE_S)
            before, text = text, self._output.text()
            # it comes piece by piece, and a process that fills the memory writes slowly
            same = same + 1 if text and text == before else 0
            if same == TRACE_STILL:
                break
        return text[:TRACE_CHARACTERS]

    def _fork(self, target: Target) -> tuple[int, int, int]:
        child_reads, parent_writes = os.pipe()
        parent_reads, child_writes = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                redirect_standard_streams(2 if self._output is None else self._output.child_fd)
                _close_all_but(child_reads, child_writes)
                serve(lambda: target, self._dialogue, child_reads, child_writes, self._limits)
            finally:
                os._exit(EXIT_BROKEN)
        os.close(child_reads)
        os.close(child_writes)
        return pid, parent_writes, parent_reads

    def _spawn(self, target: Target) -> tuple[int, int, int]:
        import subprocess  # noqa: PLC0415 - costs 5 ms, and only programs with threads come here

        seconds, memory_mib = self._limits
        # -P: the current folder may be the analysed tree, and its modules must not be imported.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program_of(target), str(seconds), str(memory_mib)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output.child_fd if self._output is not None else None,
            bufsize=0,
        )
        return (
            self._process.pid,
            os.dup(self._process.stdin.fileno()),
            os.dup(self._process.stdout.fileno()),
        )

    def _died(self) -> Failure:
        log = self._log_tail()
        self._kill()  # a child that only closed its pipe still runs
        code, rss_bytes = self._reap()
        limit = f"{self._limits.memory_mib} MiB"
        used = NEAR_LIMIT * self._limits.memory_mib * 2**20
        # a child's peak begins with that of the program that started it
        near_limit = rss_bytes > max(used, self._peak_before_bytes)
        if code == EXIT_NO_MEMORY or any(words in log for words in OUT_OF_MEMORY):
            return Failure(f"ran out of memory ({limit})", "memory", log)
        if code >= 0:
            return Failure(f"ended with exit code {code}", "internal", log)
        if code == -signal.SIGKILL:
            return Failure("was killed, probably by a system short of memory", "memory", log)
        if near_limit:
            return Failure(f"ran out of memory ({limit})", "memory", log)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return Failure(f"crashed with {name}", "crash", log)

    def _kill(self) -> None:
        if hasattr(os, "wait4"):  # Popen.kill would reap a dead child, and lose why it died
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _reap(self) -> tuple[int, int]:
        """(exit code or minus the signal, peak resident bytes) of the dead child."""
        self.alive = False
        code, rss_bytes = 0, 0
        if hasattr(os, "wait4"):
            with suppress(ChildProcessError):  # somebody else waited for it
                _, status, usage = os.wait4(self._pid, 0)
                code = os.waitstatus_to_exitcode(status)
                rss_bytes = usage.ru_maxrss * RSS_UNIT_BYTES
            if self._process is not None:
                self._process.returncode = code
        else:
            code = self._process.wait()
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
        for fd in (self._questions_fd, self.answers_fd):
            os.close(fd)
        if self._output is not None:
            self._output.close()
        return code, rss_bytes

    def _log_tail(self) -> str:
        return self._output.text()[-LOG_TAIL_CHARACTERS:] if self._output is not None else ""

    def _forget_log(self) -> None:
        if self._output is not None:
            self._output.forget()


def _too_late(reason: str, trace: str = "") -> Failure:
    return Failure(f"{reason}{_stuck_at(trace)}", "timeout", trace)


def _can_fork() -> bool:
    threading = sys.modules.get("threading")
    active: Callable[[], int] = getattr(threading, "active_count", lambda: 1)
    return hasattr(os, "fork") and active() == 1


def _frames(thread: str) -> Iterator[tuple[str, str, str]]:
    """File, line and function of each ``File "model.py", line 12 in predict``, innermost first."""
    for text in thread.splitlines():
        place, _, rest = text.partition('", line ')
        _, is_frame, path = place.partition('File "')
        line, _, name = rest.partition(" in ")
        if is_frame and line.isdecimal():
            yield path, line, name.split(" ")[0]


def _stuck_at(trace: str) -> str:
    """`` in predict, model.py:12``, for the thread that works; empty inside libclang."""
    for thread in trace.split("\n\n"):
        frames = list(_frames(thread))
        if frames and not any(name == "read_frame" for *_, name in frames):
            path, line, name = frames[0]
            inside = path.endswith(f"{os.sep}clang_c.py")
            return "" if inside else f" in {name}, {os.path.basename(path)}:{line}"
    return ""


def program_of(target: Target) -> str:
    """The Python of a fresh interpreter that serves ``target``, or what takes its place there."""
    imports: list[str] = []

    def expression(value: object) -> str:
        if value is None or isinstance(value, bool | int | float | str):
            return repr(value)
        if isinstance(value, tuple):
            return f"{imported(type(value))}({', '.join(map(expression, value))})"
        return imported(value)

    def imported(named: Any) -> str:  # noqa: ANN401 - a function or a type, which both have names
        alias = f"part_{len(imports)}"
        imports.append(f"    from {named.__module__} import {named.__qualname__} as {alias}\n")
        return alias

    task = expression(getattr(target, "elsewhere", target))
    load = f"def load():\n{''.join(imports)}    return {task}\n"
    return f"{load}from rooflint.workers.child import main\nmain(load)\n"


def _close_all_but(*kept: int) -> None:
    for name in os.listdir("/dev/fd"):
        if int(name) > 2 and int(name) not in kept:
            with suppress(OSError):
                os.close(int(name))
