"""Operational intensity by the three Cs: what it is, what it could be, what the difference costs.

Compulsory misses set the least traffic and so the highest intensity; capacity and conflict misses
lower it. Raising it moves a kernel to the right under its roofs, and comes before the ceilings.

S. Williams, A. Waterman, D. Patterson: Roofline. UCB/EECS-2008-134, section 5; M. Hill, A. Smith:
Evaluating Associativity in CPU Caches. IEEE Transactions on Computers 38(12), 1989.
"""

from collections.abc import Sequence

from rooflint.memory import LinkTraffic
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple

from rooflint_plugins.models.ceilings.stack import Climb, Region, Stack, climb, region_of

NOTABLE = 1.05
"""Less than that over the compulsory traffic is the edge of arrays, not a thing to mend."""
REMEDIES = {"capacity": "block or fuse loops", "conflict": "pad rows"}


class Misses(NamedTuple):
    """Bytes per iteration over ``link``: those of compulsory misses, and all.

    ``capacity`` and ``conflict`` are the factors by which each kind lengthens them; they multiply
    to ``excess``.
    """

    link: str
    compulsory_bytes: float
    actual_bytes: float
    capacity: float = 1.0
    conflict: float = 1.0

    @property
    def excess(self) -> float:
        """All bytes over the compulsory ones, at least 1."""
        return self.capacity * self.conflict

    @property
    def worse(self) -> str:
        """The kind that costs more."""
        return "conflict" if self.conflict > self.capacity else "capacity"


class CompulsoryGain(NamedTuple):
    """The kernel with compulsory traffic alone.

    gain    of what it attains as it is, no ceiling broken
    first   whether that is more than the next ceiling gives
    climb   from there
    """

    gain: float
    first: bool
    climb: Climb
    region: Region


def misses_of(context: Context, link: LinkTraffic) -> Misses:
    """Why a kernel moves what it moves over the link to memory.

    Caches that earlier loops have filled make it less than what the kernel touches: that is all
    compulsory then.
    """
    actual = link.total_bytes
    least = _compulsory_bytes(context, link) if context.rates.hierarchy else actual
    if least <= 0 or actual <= least * NOTABLE:
        return Misses(link.link, actual, actual)
    rows = context.misses() if context.misses is not None else ()
    kinds = next((row for row in reversed(rows) if link.link.startswith(f"{row.level}-")), None)
    share = 0.0
    if kinds is not None and kinds.capacity + kinds.conflict > 0:
        share = kinds.conflict / (kinds.capacity + kinds.conflict)
    capacity = least + (actual - least) * (1 - share)
    return Misses(link.link, least, actual, capacity=capacity / least, conflict=actual / capacity)


def _compulsory_bytes(context: Context, link: LinkTraffic) -> float:
    last = context.rates.hierarchy[-1]
    past = context.facts.nontemporal
    lines = 0.0
    for array in context.traffic.arrays:
        if array.array in past:
            lines += array.stored
            continue
        fetched = max(array.touched - array.loaded, 0.0) if last.allocates else 0.0
        lines += array.loaded + fetched + (0.0 if last.through else array.stored)
    line_bytes = context.machine.line_bytes
    moved = lines * line_bytes / max(context.traffic.space.executions, 1.0)
    return moved + (link.evict_bytes if last.through else 0.0)


def raised_of(stacks: Sequence[Stack], now: Climb, misses: Misses) -> CompulsoryGain | None:
    """The kernel with compulsory traffic alone; None where next to nothing else moves."""
    if misses.excess <= NOTABLE:
        return None
    lifted = [
        stack._replace(floor=stack.floor * misses.excess) if stack.side == "memory" else stack
        for stack in stacks
    ]
    found = climb(lifted)
    gain = found.base / now.base
    following = next((rise.factor for rise in now.path if rise.factor >= NOTABLE), NOTABLE)
    return CompulsoryGain(gain=gain, first=gain >= following, climb=found, region=region_of(lifted))
