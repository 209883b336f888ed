"""Which machine file describes a processor, by the numbers that the processor gives itself.

``identify`` is a pure function of those numbers and the ``identify`` entries of machine files;
``read_processor`` reads the numbers of this computer.
"""

from rooflint.machine.identity.match import Identification, identify
from rooflint.machine.identity.patterns import (
    MachinePatterns,
    MatchKind,
    ProcessorArchitecture,
    ProcessorPattern,
    machine_patterns,
    pattern_errors,
)
from rooflint.machine.identity.processor import ProcessorNumbers, read_processor

__all__ = [
    "Identification",
    "MachinePatterns",
    "MatchKind",
    "ProcessorArchitecture",
    "ProcessorNumbers",
    "ProcessorPattern",
    "identify",
    "machine_patterns",
    "pattern_errors",
    "read_processor",
]
