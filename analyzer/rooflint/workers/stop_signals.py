"""Ctrl-C and its kin, which wait until a run can stop without losing anything.

Python raises KeyboardInterrupt between any two instructions: also between taking an answer from its
queue and keeping it. Inside ``StopSignals`` a signal only leaves a note, and whoever works on a run
looks for it where everything that is finished has its place.
"""

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Final, Self

INSIST_S: Final = 1.0
"""A second Ctrl-C that comes later than this was typed again, and does not wait. ``timeout`` and
some shells send the same signal twice at once."""
_DRAIN_BYTES: Final = 4096


class StopSignals:
    """Notes signals that ask the run to stop; a context manager for the main thread.

    Without signals it never asks for anything, in any thread. Signals that the caller of the
    program wants ignored stay ignored.

    requested  the exception of the first signal that came
    """

    def __init__(self, exceptions: Mapping[int, type[KeyboardInterrupt]] | None = None) -> None:
        self._exceptions = exceptions or {}
        self._before: dict[int, Any] = {}
        self._wakeup_before = -1
        self._pipe: tuple[int, int] | None = None
        self._noted_at = 0.0
        self.requested: type[KeyboardInterrupt] | None = None

    def __enter__(self) -> Self:
        if self._exceptions and os.name == "posix":
            self._pipe = os.pipe()
            for fd in self._pipe:
                os.set_blocking(fd, False)
            self._wakeup_before = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        for number in self._exceptions:
            before = signal.getsignal(number)
            # None: set by C code, which nobody could put back
            if before not in (signal.SIG_IGN, None):
                self._before[number] = before
                signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()
        if self._pipe is not None:
            signal.set_wakeup_fd(self._wakeup_before)
            for fd in self._pipe:
                os.close(fd)
            self._pipe = None

    @property
    def wakeup_fd(self) -> int | None:
        """Can be read after a signal, until ``check`` was called; None on Windows.

        Whoever polls it does not miss a signal that comes just before the wait.
        """
        return None if self._pipe is None else self._pipe[0]

    def check(self) -> None:
        """Raises the exception of the first signal that came."""
        if self._pipe is not None:
            with suppress(BlockingIOError):
                os.read(self._pipe[0], _DRAIN_BYTES)
        if self.requested is not None:
            raise self.requested

    def _note(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.requested is None:
            self.requested, self._noted_at = self._exceptions[number], now
        elif now - self._noted_at > INSIST_S:
            raise self._exceptions[number]
