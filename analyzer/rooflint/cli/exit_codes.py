"""Exit codes: what each means, which one wins where several hold, and signals that end a run."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import Final


class ExitCode(IntEnum):
    """How a command ended; a shell's convention for signals is 128 + their number."""

    FINE = 0
    FINDINGS = 1
    USAGE = 2
    LOST = 3
    INTERNAL = 70
    INTERRUPTED = 130
    TERMINATED = 143


PRECEDENCE: Final = (
    ExitCode.TERMINATED,
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL,
    ExitCode.USAGE,
    ExitCode.FINDINGS,
    ExitCode.LOST,
)
"""A run that was cut short says so before what it found, and what it found before what it lost."""


def strongest(*codes: ExitCode) -> ExitCode:
    """The one that a run ends with when several hold."""
    return min(codes, key=(*PRECEDENCE, ExitCode.FINE).index, default=ExitCode.FINE)


class TerminationRequest(KeyboardInterrupt):
    """SIGTERM: handled wherever Ctrl-C is, with an exit code of its own."""


STOP_SIGNALS: Final[Mapping[int, type[KeyboardInterrupt]]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: TerminationRequest,
}
"""What each signal that asks a run to stop is within the program."""


def interruption_code(request: KeyboardInterrupt) -> ExitCode:
    """The exit code of a run that Ctrl-C or SIGTERM cut short."""
    if isinstance(request, TerminationRequest):
        return ExitCode.TERMINATED
    return ExitCode.INTERRUPTED


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Inside, SIGTERM raises TerminationRequest; for the main thread."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        if before is not None:  # else set by C code, which nobody could put back
            signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise TerminationRequest
