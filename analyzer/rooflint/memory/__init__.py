"""Facts meet a memory hierarchy: traffic on every link, and how fast links and cores are."""

from rooflint.memory.rates import Rates
from rooflint.memory.traffic import (
    LineTotals,
    LinkTraffic,
    Traffic,
    capacity_bytes,
    function_lines,
    traffic,
)

__all__ = [
    "LineTotals",
    "LinkTraffic",
    "Rates",
    "Traffic",
    "capacity_bytes",
    "function_lines",
    "traffic",
]
