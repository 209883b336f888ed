"""Exit codes: what each means, and which one wins where several hold."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended; a shell's convention for signals is 128 + their number."""

    FINE = 0
    FINDINGS = 1
    USAGE = 2
    LOST = 3
    DISTURBED = 4
    INTERNAL = 70
    INTERRUPTED = 130
    TERMINATED = 143


PRECEDENCE = (
    ExitCode.TERMINATED,
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL,
    ExitCode.USAGE,
    ExitCode.FINDINGS,
    ExitCode.LOST,
    ExitCode.DISTURBED,
)
"""A run that was cut short says so before what it found, and what it found before what it lost."""


def strongest(*codes: ExitCode) -> ExitCode:
    """The one that a run ends with when several hold."""
    return min(codes, key=(*PRECEDENCE, ExitCode.FINE).index, default=ExitCode.FINE)
