"""One child process as its parent sees it: start it, ask it, hear its answer or its end.

It is forked where that is safe, which takes a millisecond; a program that already has threads (an
editor's server) gets a fresh interpreter instead, because a fork copies locks in any state.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

from rooflint.frontend.child import (
    EXIT_BROKEN,
    EXIT_NO_MEMORY,
    Target,
    redirect_standard_streams,
    serve,
)
from rooflint.frontend.cpu_clock import cpu_seconds
from rooflint.frontend.packing import pack, read_message, unpack, write_message
from rooflint.frontend.request import Failure, Limits

LOG_TAIL_BYTES: Final = 4096
TRACE_BYTES: Final = 16384
TRACE_TRIES: Final = 100
TRACE_PAUSE_S: Final = 0.01
TRACE_STILL: Final = 8
_FRAME: Final = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')
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

    def __init__(self, target: Target, limits: Limits) -> None:
        self._limits = limits
        self._log_fd = os.memfd_create("rooflint") if hasattr(os, "memfd_create") else None
        self._process: Any = None
        self._peak_before_bytes = _peak_bytes()
        start = self._fork if _can_fork() else self._spawn
        self._pid, self._questions_fd, self.answers_fd = start(target)
        self.alive = True

    def ask(self, question: object) -> None:
        """Send a question; one that meets a dead child is answered by the child's end."""
        with suppress(OSError):
            write_message(self._questions_fd, pack(question))

    def answer(self) -> object:
        """Read the answer, waiting for it; a Failure if the child died instead."""
        try:
            message = read_message(self.answers_fd)
        except OSError:
            message = None
        if message is None:
            return self._died()
        self._forget_log()
        return unpack(message)

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
        return _too_late(seconds) if expired.is_set() else answer

    def cpu_seconds(self) -> float | None:
        """Processor time that the child has had since it started; None where nobody says."""
        return cpu_seconds(self._pid)

    def late(self, seconds: float, waiting: bool = False) -> Failure:
        """End the child that has not answered in time; its detail says what it was doing.

        ``waiting``: the time is the clock's, and it has not used the processor for so long.
        """
        trace = self._trace()
        self.end()
        return _too_late(seconds, trace, waiting)

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
        if self._log_fd is None or not hasattr(signal, "SIGUSR1"):
            return ""
        self._forget_log()
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGUSR1)
        size = same = 0
        for _ in range(TRACE_TRIES):
            time.sleep(TRACE_PAUSE_S)
            before, size = size, os.fstat(self._log_fd).st_size
            # it comes piece by piece, and a process that fills the memory writes slowly
            same = same + 1 if 0 < size == before else 0
            if same == TRACE_STILL:
                break
        return os.pread(self._log_fd, TRACE_BYTES, 0).decode("utf-8", "replace")

    def _fork(self, target: Target) -> tuple[int, int, int]:
        child_reads, parent_writes = os.pipe()
        parent_reads, child_writes = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                redirect_standard_streams(2 if self._log_fd is None else self._log_fd)
                _close_all_but(child_reads, child_writes)
                serve(target, child_reads, child_writes, self._limits)
            finally:
                os._exit(EXIT_BROKEN)
        os.close(child_reads)
        os.close(child_writes)
        return pid, parent_writes, parent_reads

    def _spawn(self, target: Target) -> tuple[int, int, int]:
        import subprocess  # noqa: PLC0415 - costs 5 ms, and only programs with threads come here

        name = _importable(target)
        seconds, memory_mib = self._limits
        # -P: the current folder may be the analysed tree, and its modules must not be imported.
        program = "from rooflint.frontend.child import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, name, str(seconds), str(memory_mib)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log_fd,
            bufsize=0,
        )
        return (
            self._process.pid,
            os.dup(self._process.stdin.fileno()),
            os.dup(self._process.stdout.fileno()),
        )

    def _died(self) -> Failure:
        """Why the child died."""
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
        for fd in (self._questions_fd, self.answers_fd, self._log_fd):
            if fd is not None:
                os.close(fd)
        return code, rss_bytes

    def _log_tail(self) -> str:
        if self._log_fd is None:
            return ""
        size = os.fstat(self._log_fd).st_size
        tail = os.pread(self._log_fd, LOG_TAIL_BYTES, max(0, size - LOG_TAIL_BYTES))
        return tail.decode("utf-8", "replace")

    def _forget_log(self) -> None:
        if self._log_fd is not None and os.fstat(self._log_fd).st_size:
            os.ftruncate(self._log_fd, 0)
            os.lseek(self._log_fd, 0, os.SEEK_SET)  # the child's position too: they share it


def _too_late(seconds: float, trace: str = "", waiting: bool = False) -> Failure:
    what = "gave no answer within" if waiting else "took longer than"
    return Failure(f"{what} {seconds:g} s{_stuck_at(trace)}", "timeout", trace)


def _can_fork() -> bool:
    threading = sys.modules.get("threading")
    active: Callable[[], int] = getattr(threading, "active_count", lambda: 1)
    return hasattr(os, "fork") and active() == 1


def _stuck_at(trace: str) -> str:
    """`` in predict, model.py:12``, for the thread that works; empty inside libclang."""
    for thread in trace.split("\n\n"):
        frames = _FRAME.findall(thread)
        if frames and not any(name == "read_message" for *_, name in frames):
            path, line, name = frames[0]
            inside = path.endswith(f"{os.sep}clang_c.py")
            return "" if inside else f" in {name}, {os.path.basename(path)}:{line}"
    return ""


def _importable(target: Target) -> str:
    """Where a fresh interpreter finds ``target``, or what takes its place there."""
    if isinstance(target, str):
        return target
    elsewhere: str | None = getattr(target, "elsewhere", None)
    return elsewhere or f"{target.__module__}:{getattr(target, '__qualname__', '')}"


def _close_all_but(*kept: int) -> None:
    """Close what else this process inherited: another child's pipe must end with its parent."""
    for name in os.listdir("/dev/fd"):
        if int(name) > 2 and int(name) not in kept:
            with suppress(OSError):
                os.close(int(name))
