"""The formulas of the ECM model: contributions of one line of work to predictions.

    T_ECM(level) = max(T_OL, T_nOL + page walks + sum of the links up to the level that do not
                       overlap, each link up to the level that does)

H. Stengel, J. Treibig, G. Hager, G. Wellein: Quantifying performance bottlenecks of stencil
computations using the Execution-Cache-Memory model, ICS 2015; J. Hofmann, C. Alappat, G. Hager,
D. Fey, G. Wellein: Bridging the architecture gap, 2020, for hierarchies that overlap.
"""

from collections.abc import Mapping

from rooflint.records import NamedTuple

WALKS = "page walks"


class Contributions(NamedTuple):
    """Cycles of one line of work, as ``{T_OL || T_nOL | L1-L2 | L2-L3 | L3-MEM}``.

    links        by name (``L1-L2``), nearest first, the link to registers left out
    overlapping  links that wait for nothing else
    memory_cy    of the last link, what the memory interface needs; penalties of latency left out
    walks_cy     page walks: they keep loads waiting wherever the data is
    """

    t_ol_cy: float
    t_nol_cy: float
    links: Mapping[str, float]
    overlapping: frozenset[str] = frozenset()
    memory_cy: float = 0.0
    walks_cy: float = 0.0

    @property
    def shorthand(self) -> str:
        """``{6 || 8 | 6 | 6 | 13}``, the notation of the literature."""
        far = "".join([f" | {number(cycles)}" for cycles in self.links.values()])
        walks = f" + {number(self.walks_cy)} of page walks" if self.walks_cy else ""
        return f"{{{number(self.t_ol_cy)} || {number(self.t_nol_cy)}{far}}}{walks}"


def predictions(parts: Contributions, nearest: str) -> dict[str, float]:
    """T_ECM with the data in each level; ``nearest`` is the level next to the registers."""
    serial = parts.t_nol_cy + parts.walks_cy
    slowest = max(parts.t_ol_cy, serial)
    found = {nearest: slowest}
    for link, cycles in parts.links.items():
        if link in parts.overlapping:
            slowest = max(slowest, cycles)
        else:
            serial += cycles
        slowest = max(slowest, serial)
        found[link.rpartition("-")[2]] = slowest
    return found


def largest(parts: Contributions, total_cy: float, nearest: str) -> str:
    """Which contribution a prediction of ``total_cy`` mostly consists of."""
    if parts.t_ol_cy >= total_cy * (1 - 1e-9):
        return "core"
    terms = {f"REG-{nearest}": parts.t_nol_cy, **parts.links, WALKS: parts.walks_cy}
    return max(terms, key=lambda link: terms[link])


def number(value: float) -> str:
    """At most three significant digits, no trailing zeros; whole numbers whole."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
