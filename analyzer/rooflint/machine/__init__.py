"""Machine descriptions: what a YAML file under ``machines/`` says, checked and typed.

``find_machine`` gives the Machine that models ask for peaks, bandwidths, caches and ports.
"""

from rooflint.machine.catalogue import (
    DEFAULT,
    MachineEntry,
    builtin_dir,
    find_machine,
    list_machines,
)
from rooflint.machine.coprocessors import Channel, Coprocessors, Host, TransferRate
from rooflint.machine.describe import check, describe
from rooflint.machine.load import load_machine
from rooflint.machine.model import Machine
from rooflint.machine.parts import (
    PATTERNS,
    Bandwidth,
    BandwidthEntry,
    Buffers,
    Cache,
    Ceiling,
    Ceilings,
    Core,
    Dma,
    LocalStore,
    Memory,
    Operation,
    Overlap,
    Pattern,
    Peak,
    PortUse,
    Simd,
    Tlb,
    Tools,
    least_cycles,
)

__all__ = [
    "DEFAULT",
    "PATTERNS",
    "Bandwidth",
    "BandwidthEntry",
    "Buffers",
    "Cache",
    "Ceiling",
    "Ceilings",
    "Channel",
    "Coprocessors",
    "Core",
    "Dma",
    "Host",
    "LocalStore",
    "Machine",
    "MachineEntry",
    "Memory",
    "Operation",
    "Overlap",
    "Pattern",
    "Peak",
    "PortUse",
    "Simd",
    "Tlb",
    "Tools",
    "TransferRate",
    "builtin_dir",
    "check",
    "describe",
    "find_machine",
    "least_cycles",
    "list_machines",
    "load_machine",
]
