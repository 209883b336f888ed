"""The variables that C code in this process sees: libclang and its driver obey dozens of them.

Some write files (``CC_PRINT_OPTIONS``, ``DEPENDENCIES_OUTPUT``) or add options
(``CCC_OVERRIDE_OPTIONS``), and each release brings others, so a list says which ones stay.
"""

import os
from typing import Final

NEEDED: Final = frozenset(
    (
        # where headers are; documented, and part of what a cached result rests on
        "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SDKROOT",
        # the system's own libraries
        "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "WINDIR", "TEMP", "TMP",
        "USERPROFILE",
    )
)  # fmt: skip


def hide_environment() -> None:
    """Take all but the needed variables from C code; ``os.environ`` keeps them for plugins."""
    for name in os.environ:
        if name.upper() not in NEEDED:
            os.unsetenv(name)
