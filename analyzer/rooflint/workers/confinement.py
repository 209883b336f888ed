"""Confines a process by the kernel's means, once it has everything that it needs.

libclang is a large program, and a list of its options is no wall: should a source take it over, the
process still cannot write, start a program, open a connection or signal another process. Each
mechanism is used where the system has it; a system without any analyses all the same.
"""

import ctypes
import os
import sys
from enum import Enum
from typing import Final

from rooflint.records import NamedTuple
from rooflint.workers.kernel import landlock, seatbelt, seccomp

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

SWITCH: Final = "ROOFLINT_CONFINEMENT"
"""``off`` in the user's environment leaves the process as it is, for tests of the code alone."""
_NO_NEW_PRIVILEGES: Final = 38
"""``PR_SET_NO_NEW_PRIVS``."""


class Harm(Enum):
    """Harms that a process could do to its user."""

    WRITE = "write, create or delete files"
    START = "start a process"
    CONNECT = "open a connection"
    SIGNAL = "signal other processes"


class Confinement(NamedTuple):
    """The mechanisms in force in a process.

    landlock           the version of its interface; 0 without it
    seccomp            the filter on system calls
    no_new_privileges  no program started could have more rights
    empty_files        a file may be made but nothing written to it
    no_core_file       a crash leaves none
    seatbelt           the sandbox of macOS
    """

    landlock: int = 0
    seccomp: bool = False
    no_new_privileges: bool = False
    empty_files: bool = False
    no_core_file: bool = False
    seatbelt: bool = False

    @property
    def prevents(self) -> frozenset[Harm]:
        """The harms that no code in the process can do."""
        if self.seccomp or self.seatbelt:
            return frozenset(Harm)
        harms = set[Harm]()
        if self.landlock >= 3:  # earlier versions let files be cut
            harms.add(Harm.WRITE)
        if self.landlock >= 6:
            harms.add(Harm.SIGNAL)
        return frozenset(harms)


def confine() -> Confinement:
    """Give up what reading and computing do not need, for good. Never raises."""
    if os.environ.get(SWITCH) == "off":
        return Confinement()
    empty_files = _limit_to_zero("RLIMIT_FSIZE")
    no_core_file = _limit_to_zero("RLIMIT_CORE")
    no_new_privileges, version, filtered, in_seatbelt = False, 0, False, False
    try:
        library = ctypes.CDLL(None)
        if sys.platform.startswith("linux"):
            arguments = map(ctypes.c_ulong, (1, 0, 0, 0))
            no_new_privileges = library.prctl(_NO_NEW_PRIVILEGES, *arguments) == 0
            version = landlock.deny_all_but_reading(library)
            filtered = seccomp.filter_calls(library)
        elif sys.platform == "darwin":
            _limit_to_zero("RLIMIT_NPROC")  # Linux counts threads too, and its filter is exact
            in_seatbelt = seatbelt.enter(library)
    except (OSError, TypeError, AttributeError):
        pass  # a C library without these functions, or a system without a C library to ask for
    return Confinement(
        landlock=version,
        seccomp=filtered,
        no_new_privileges=no_new_privileges,
        empty_files=empty_files,
        no_core_file=no_core_file,
        seatbelt=in_seatbelt,
    )


def _limit_to_zero(name: str) -> bool:
    which = getattr(resource, name, None)
    if which is None:
        return False
    try:
        resource.setrlimit(which, (0, 0))
    except (OSError, ValueError):
        return False
    return True
