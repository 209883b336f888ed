"""A child that sleeps without end: it reads a pipe that nobody writes, or waits for a lock.

Processor time says nothing of it, and the clock alone would take it for one of a busy machine. But
what waits for its turn is ready to run, and a sleeper is not.
"""

import os
from typing import Final

STALL_S: Final = 10.0
"""Seconds of sleep in one piece. libclang itself never sleeps; a file system of another computer
that answers at all has done so by then."""
LOOK_S: Final = 1.0
"""Seconds between two looks. Of a longer time in which nobody looked this much counts: the child
may have waited for its parent."""
_ASLEEP: Final = b"S"
"""As ``man 5 proc_pid_stat`` has it. Others run or are ready to (R), wait for a disk (D), or were
stopped (T, t)."""


def is_asleep(pid: int) -> bool:
    """Whether all threads of a process wait for an event; False where the system does not say."""
    tasks = f"/proc/{pid}/task"
    try:
        states = [_state(f"{tasks}/{name}/stat") for name in os.listdir(tasks)]
    except OSError:
        return False
    return bool(states) and all(state == _ASLEEP for state in states)


def _state(path: str) -> bytes:
    with open(path, "rb") as stream:
        # the name before it, in parentheses, may have any character in it
        return stream.read().rpartition(b")")[2].split()[0]


class SleepWatch:
    """Adds up how long a process has slept, as far as somebody looked; for one question."""

    def __init__(self, pid: int, now: float) -> None:
        self._pid = pid
        self._looked_at = now
        self._cpu_seconds: float | None = None
        self._asleep_s = 0.0

    def look(self, now: float, cpu_seconds: float | None) -> None:
        """Look at it now that it has had so much processor time; None where nobody says."""
        since, self._looked_at = min(now - self._looked_at, LOOK_S), now
        is_still = cpu_seconds is not None and cpu_seconds == self._cpu_seconds
        self._cpu_seconds = cpu_seconds
        self._asleep_s = self._asleep_s + since if is_still and is_asleep(self._pid) else 0.0

    def wake(self) -> None:
        """It has done something: printed, for example."""
        self._asleep_s = 0.0

    @property
    def is_stalled(self) -> bool:
        """Whether it has slept for so long that it will not wake."""
        return self._asleep_s >= STALL_S
