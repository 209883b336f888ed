"""How busy this computer is."""

import os
from pathlib import Path
from typing import Final

from msgspec import Struct

STEAL_COLUMN: Final = 8
"""Of the line ``cpu`` in /proc/stat: see proc(5)."""


class HostLoad(Struct, frozen=True, kw_only=True):
    """Jobs that run or wait, and processor time that the hypervisor gave to others so far."""

    load: float
    steal_s: float


def host_load(root: Path = Path("/")) -> HostLoad:
    """The load now; 0 where the kernel does not say."""
    try:
        load = float((root / "proc/loadavg").read_text(encoding="ascii").split()[0])
        first = (root / "proc/stat").read_text(encoding="ascii").partition("\n")[0].split()
        ticks = int(first[STEAL_COLUMN]) if len(first) > STEAL_COLUMN else 0
    except (OSError, ValueError, IndexError):
        return HostLoad(load=0.0, steal_s=0.0)
    return HostLoad(load=load, steal_s=ticks / os.sysconf("SC_CLK_TCK"))
