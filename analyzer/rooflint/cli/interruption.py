"""Signals that end a run, as exceptions within it and as exit codes."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Final

from rooflint.cli.exit_codes import ExitCode


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
