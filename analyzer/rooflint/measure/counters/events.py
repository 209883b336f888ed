"""Events that count lines over the links of a core's caches.

Sources: Intel's and AMD's event lists (the perfmon files of each core; Processor Programming
References), chosen as likwid's groups ``L2``, ``L3`` and ``CACHE`` choose them, whose names of the
events stand beside their codes.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from rooflint.records import NamedTuple

LINE_BYTES: Final = 64
"""Of all cores listed here."""


class LineFlow(Enum):
    """Which way lines move: ``LOAD`` towards the core, for loads and write-allocates alike."""

    LOAD = "load"
    EVICT = "evict"


class LineEvent(NamedTuple):
    """An event of which each count is a line over ``link``; several of one flow add up.

    ``select`` and ``umask`` are the fields of the event's control register.
    """

    link: str
    flow: LineFlow
    select: int
    umask: int
    likwid: str

    @property
    def perf(self) -> str:
        """As perf takes it, in user mode: ``r0151:u``."""
        return f"r{self.umask:02x}{self.select:02x}:u"


class CoreEvents(NamedTuple):
    """The events of a core; the names of its cycles and instructions for likwid."""

    lines: tuple[LineEvent, ...]
    cycles: str
    instructions: str


_NEAR: Final = "L1-L2"
_FAR: Final = "L2-L3"
_FILL_L1: Final = LineEvent(_NEAR, LineFlow.LOAD, select=0x51, umask=0x01, likwid="L1D_REPLACEMENT")
_L1_TO_L2: Final = LineEvent(
    _NEAR, LineFlow.EVICT, select=0xF0, umask=0x10, likwid="L2_TRANS_L1D_WB"
)
_L1_MODIFIED: Final = LineEvent(
    _NEAR, LineFlow.EVICT, select=0x51, umask=0x04, likwid="L1D_M_EVICT"
)
_FILL_L2: Final = LineEvent(_FAR, LineFlow.LOAD, select=0xF1, umask=0x1F, likwid="L2_LINES_IN_ALL")


def _intel(*lines: LineEvent) -> CoreEvents:
    return CoreEvents(lines, "CPU_CLK_UNHALTED_CORE:FIXC1", "INSTR_RETIRED_ANY:FIXC0")


def _amd(*lines: LineEvent) -> CoreEvents:
    """No event of these cores counts lines that leave a cache."""
    return CoreEvents(lines, "CPU_CLOCKS_UNHALTED:PMC1", "RETIRED_INSTRUCTIONS:PMC0")


_HASWELL: Final = _intel(
    _FILL_L1,
    _L1_TO_L2,
    LineEvent(_FAR, LineFlow.LOAD, select=0xF1, umask=0x07, likwid="L2_LINES_IN_ALL"),
    LineEvent(_FAR, LineFlow.EVICT, select=0xF0, umask=0x40, likwid="L2_TRANS_L2_WB"),
)
# L3 holds what leaves L2: only lines that are kept there cross the link
_SKYLAKE_SERVER: Final = _intel(
    _FILL_L1,
    _L1_MODIFIED,
    _FILL_L2,
    LineEvent(_FAR, LineFlow.EVICT, select=0xFE, umask=0x02, likwid="IDI_MISC_WB_UPGRADE"),
)
_ICELAKE_SERVER: Final = _intel(
    _FILL_L1,
    _L1_TO_L2,
    _FILL_L2,
    LineEvent(_FAR, LineFlow.EVICT, select=0xF2, umask=0x02, likwid="L2_LINES_OUT_NON_SILENT"),
)
_SAPPHIRE_RAPIDS: Final = _intel(
    _FILL_L1,
    LineEvent(_NEAR, LineFlow.EVICT, select=0x23, umask=0x10, likwid="L2_TRANS_L1D_WB"),
    LineEvent(_FAR, LineFlow.LOAD, select=0x25, umask=0x1F, likwid="L2_LINES_IN_ALL"),
    LineEvent(_FAR, LineFlow.EVICT, select=0x26, umask=0x02, likwid="L2_LINES_OUT_NON_SILENT"),
)
# misses of L1 in L2, and what the prefetchers of L2 take from L3 and from behind it
_ZEN_L2: Final = (
    LineEvent(_FAR, LineFlow.LOAD, select=0x64, umask=0x08, likwid="L2_CACHE_MISS_AFTER_L1D_MISS"),
    LineEvent(_FAR, LineFlow.LOAD, select=0x71, umask=0x1F, likwid="L2_PF_HIT_IN_L3_MISS_L2"),
    LineEvent(_FAR, LineFlow.LOAD, select=0x72, umask=0x1F, likwid="L2_PF_MISS_IN_L3_MISS_L2"),
)
_ZEN3: Final = _amd(
    LineEvent(_NEAR, LineFlow.LOAD, select=0x44, umask=0x5F, likwid="ANY_DATA_CACHE_FILLS_ALL"),
    *_ZEN_L2,
)
_ZEN4: Final = _amd(
    LineEvent(_NEAR, LineFlow.LOAD, select=0x44, umask=0xDF, likwid="ANY_DATA_CACHE_FILLS_ALL"),
    *_ZEN_L2,
)
_CORES: Final = {
    "haswell": _HASWELL,
    "broadwell": _HASWELL,
    "skylake-avx512": _SKYLAKE_SERVER,
    "cascadelake": _SKYLAKE_SERVER,
    "icelake-server": _ICELAKE_SERVER,
    "sapphirerapids": _SAPPHIRE_RAPIDS,
    "znver3": _ZEN3,
    "znver4": _ZEN4,
    "znver5": _ZEN4,
}
MEMORY_EVENTS: Final = {
    "CAS_COUNT_RD": LineFlow.LOAD,
    "CAS_COUNT_WR": LineFlow.EVICT,
    "CAS_CMD_RD": LineFlow.LOAD,
    "CAS_CMD_WR": LineFlow.EVICT,
    "DRAM_READS": LineFlow.LOAD,
    "DRAM_WRITES": LineFlow.EVICT,
}
"""Events of likwid's group ``MEM``: lines between the memory and a whole socket."""


def core_events(core: str | None) -> CoreEvents | None:
    """The events of a core by LLVM's name for it; None of one not listed."""
    return None if core is None else _CORES.get(core)


def lines_by_flow(
    events: Sequence[LineEvent], counts: Sequence[float | None]
) -> dict[tuple[str, LineFlow], float | None]:
    """The sum of each flow over each link; None where one of its events was not counted."""
    sums: dict[tuple[str, LineFlow], float | None] = {}
    for event, count in zip(events, counts, strict=True):
        key = event.link, event.flow
        before = sums.get(key, 0.0)
        sums[key] = None if before is None or count is None else before + count
    return sums
