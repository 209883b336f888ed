"""Machine descriptions: YAML files under ``machines/``, checked and typed.

``find_machine`` gives the Machine that models ask for peaks, bandwidths, caches and ports.
"""

from rooflint.machine.bandwidth import STREAM_LINES, LineTransfers
from rooflint.machine.catalogue import (
    DEFAULT,
    MachineEntry,
    builtin_dir,
    find_machine,
    list_machines,
)
from rooflint.machine.coprocessors import Channel, Coprocessors, HostSystem, TransferRate
from rooflint.machine.model import Machine
from rooflint.machine.parts import (
    PATTERNS,
    Bandwidth,
    BandwidthEntry,
    Buffers,
    CacheLevel,
    Ceiling,
    ComputePeak,
    CoreModel,
    CoreOperation,
    Dma,
    LocalStore,
    MachineCeilings,
    Memory,
    Overlap,
    Pattern,
    PortUse,
    Simd,
    Tlb,
    Tools,
    least_cycles,
)

__all__ = [
    "DEFAULT",
    "PATTERNS",
    "STREAM_LINES",
    "Bandwidth",
    "BandwidthEntry",
    "Buffers",
    "CacheLevel",
    "Ceiling",
    "Channel",
    "ComputePeak",
    "Coprocessors",
    "CoreModel",
    "CoreOperation",
    "Dma",
    "HostSystem",
    "LineTransfers",
    "LocalStore",
    "Machine",
    "MachineCeilings",
    "MachineEntry",
    "Memory",
    "Overlap",
    "Pattern",
    "PortUse",
    "Simd",
    "Tlb",
    "Tools",
    "TransferRate",
    "builtin_dir",
    "find_machine",
    "least_cycles",
    "list_machines",
]
