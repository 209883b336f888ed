"""Facts meet a memory hierarchy: traffic on every link, and how fast links and cores are."""

from rooflint.memory.closed_form import ReuseCache
from rooflint.memory.function_traffic import FunctionTraffic
from rooflint.memory.layers import Rule
from rooflint.memory.rates import LinkStream, Rates, link_stream
from rooflint.memory.traffic import KernelTransfers, LineTotals, LinkTraffic, Traffic

__all__ = [
    "FunctionTraffic",
    "KernelTransfers",
    "LineTotals",
    "LinkStream",
    "LinkTraffic",
    "Rates",
    "ReuseCache",
    "Rule",
    "Traffic",
    "link_stream",
]
