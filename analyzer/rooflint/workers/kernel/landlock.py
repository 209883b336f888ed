"""Landlock, the Linux kernel's sandbox for programs without privileges: nothing is allowed but
reading. ``man 7 landlock`` lists what each version of its interface can refuse.
"""

import ctypes
import os
from typing import Final

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_ASK_VERSION: Final = 1
_ALL_THREADS: Final = 1 << 3
"""Flag of ``landlock_restrict_self``, from version 8 on."""
_FILES: Final = {
    # execute, write, remove a folder, remove a file, make each of seven kinds; not: read, list
    1: 0b1_1111_1111_0011,
    2: 1 << 13,  # refer: move or link into another folder
    3: 1 << 14,  # truncate
    5: 1 << 15,  # commands to devices
}
"""Rights on files by the version that brought them."""
_NETWORK: Final = {4: 0b11}
"""Bind and connect TCP sockets."""
_SCOPES: Final = {6: 0b11}
"""Abstract UNIX sockets and signals that lead out of the sandbox."""


class _Ruleset(ctypes.Structure):
    """``struct landlock_ruleset_attr``; older kernels take the longer one if the rest is 0."""

    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


def _rights(table: dict[int, int], version: int) -> int:
    return sum(rights for since, rights in table.items() if since <= version)


def deny_all_but_reading(library: ctypes.CDLL) -> int:
    """Enter the sandbox for good; its version, or 0 where the kernel has none or refuses it.

    Needs ``PR_SET_NO_NEW_PRIVS``. Before version 8 only this thread enters, and those that it
    starts.
    """
    call = library.syscall
    version: int = call(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), _ASK_VERSION)
    if version < 1:
        return 0
    ruleset = _Ruleset(
        files=_rights(_FILES, version),
        network=_rights(_NETWORK, version),
        scopes=_rights(_SCOPES, version),
    )
    size = ctypes.c_size_t(ctypes.sizeof(ruleset))
    descriptor: int = call(ctypes.c_long(_CREATE_RULESET), ctypes.byref(ruleset), size, 0)
    if descriptor < 0:
        return 0
    flags = _ALL_THREADS if version >= 8 else 0
    entered: int = call(ctypes.c_long(_RESTRICT_SELF), descriptor, flags)
    os.close(descriptor)
    return version if entered == 0 else 0
