"""Facts meet a memory hierarchy: traffic on every link, and how fast links and cores are."""

from rooflint.memory.rates import Rates
from rooflint.memory.totals import LineTotals, function_lines
from rooflint.memory.traffic import LinkTraffic, Traffic, capacity_bytes, traffic

__all__ = [
    "LineTotals",
    "LinkTraffic",
    "Rates",
    "Traffic",
    "capacity_bytes",
    "function_lines",
    "traffic",
]
