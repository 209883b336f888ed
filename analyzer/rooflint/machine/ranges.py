"""Plausible ranges of a machine's figures, wide enough for any past or near-future machine.

A figure outside is a slip of the unit or of the exponent, and would end as an infinite or a zero
time in a model. The unit is the end of the key.
"""

from typing import Final

from rooflint.records import NamedTuple


class UnitRange(NamedTuple):
    """Least and greatest figure of a unit, both allowed."""

    low: float
    high: float
    unit: str


# The slowest machines of the literature run at some MHz, the fastest systems at 1 Eflop/s. Memory
# is addressed with 60 bits at most. Nothing in a core or on its way to memory takes 10,000 cycles.
_RANGES: Final = {
    "gflop_s": UnitRange(1e-6, 1e9, "Gflop/s"),
    "gop_s": UnitRange(1e-6, 1e9, "Gop/s"),
    "gb_s": UnitRange(1e-6, 1e9, "GB/s"),
    "ghz": UnitRange(1e-3, 100, "GHz"),
    "kib": UnitRange(2**-10, 2**50, "KiB"),
    "bytes": UnitRange(1, 2**60, "bytes"),
    "ns": UnitRange(1e-3, 1e9, "ns"),
    "us": UnitRange(1e-3, 1e9, "µs"),
    "cy": UnitRange(1e-3, 1e4, "cycles"),
    "per_line_up": UnitRange(1e-3, 1e4, "cycles per line"),
    "per_line_down": UnitRange(1e-3, 1e4, "cycles per line"),
    "per_nearer_line": UnitRange(1e-3, 1e4, "cycles per line"),
    "cores": UnitRange(1, 2**24, "cores"),
    "cores_per_socket": UnitRange(1, 2**24, "cores"),
}
_OTHER: Final = UnitRange(1e-3, 2**24, "")
"""Counts: of ports, registers, ways, micro-operations."""


def range_of(path: str) -> UnitRange:
    """That of the unit which the keys of a dotted ``path`` name, the last key before the others."""
    for key in reversed(path.split(".")):
        end = key
        while end:  # of ``size_kib``: that, then ``kib``
            if end in _RANGES:
                return _RANGES[end]
            _, _, end = end.partition("_")
    return _OTHER
