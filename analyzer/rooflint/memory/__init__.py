"""Facts meet a memory hierarchy: traffic on every link, and how fast links and cores are."""

from rooflint.memory.layers import Rule
from rooflint.memory.movement import Movement, Reuses, capacity_bytes
from rooflint.memory.rates import Rates
from rooflint.memory.traffic import LineTotals, LinkTraffic, Moved, Traffic

__all__ = [
    "LineTotals",
    "LinkTraffic",
    "Moved",
    "Movement",
    "Rates",
    "Reuses",
    "Rule",
    "Traffic",
    "capacity_bytes",
]
