"""How much processor time another process has had, where the system says so to those who ask.

Time limits count it: on a machine with many other things to do, a child that waits for its turn
loses nothing.
"""

import sys
import time
from collections.abc import Callable
from typing import Final

_SCHEDULER_CLOCK: Final = 2
"""CPUCLOCK_SCHED of Linux's <linux/posix-timers_types.h>: user and system time, to the ns."""


def cpu_seconds(pid: int) -> float | None:
    """Processor time of all threads of a running process; None where nobody says."""
    if sys.platform == "linux":
        return _of_clock(pid)
    if sys.platform == "darwin":
        return _of_resource_usage(pid)
    return None


def _of_clock(pid: int) -> float | None:
    # what clock_getcpuclockid() of the C library makes of a process's number
    clock = (~pid << 3) | _SCHEDULER_CLOCK
    try:
        return time.clock_gettime(clock)
    except OSError:
        return None


def _of_resource_usage(pid: int) -> float | None:
    """From ``proc_pid_rusage``, which counts in ticks of the machine's own clock."""
    import ctypes  # noqa: PLC0415 - only macOS comes here, when a child is late

    library = ctypes.CDLL(None)
    usage: Callable[..., int] | None = getattr(library, "proc_pid_rusage", None)
    timebase: Callable[..., int] | None = getattr(library, "mach_timebase_info", None)
    if usage is None or timebase is None:
        return None
    # rusage_info_v0: 16 bytes of UUID, then user and system time and eight other counters
    counters, ratio = (ctypes.c_uint64 * 12)(), (ctypes.c_uint32 * 2)()
    if usage(pid, 0, ctypes.byref(counters)) != 0 or timebase(ctypes.byref(ratio)) != 0:
        return None
    return (counters[2] + counters[3]) * ratio[0] / ratio[1] / 1e9
