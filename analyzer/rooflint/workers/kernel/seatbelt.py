"""The sandbox of macOS. Apple calls the function deprecated, and its own programs rest on it."""

import ctypes
from typing import Final

PROFILE: Final = b"""(version 1)
(allow default)
(deny file-write*)
(deny process-exec*)
(deny process-fork)
(deny network*)
(deny signal)
(allow signal (target self))
"""


def enter(library: ctypes.CDLL) -> bool:
    """Enter the sandbox for good; whether the system has it and took the profile."""
    function = getattr(library, "sandbox_init", None)
    if function is None:
        return False
    message = ctypes.c_char_p()
    taken: int = function(PROFILE, ctypes.c_uint64(0), ctypes.byref(message))
    return taken == 0
