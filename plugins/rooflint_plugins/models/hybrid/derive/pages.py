"""A page loop: which of its loops are cut into blocks, what is computed and what moves."""

from collections.abc import Sequence
from typing import NamedTuple

from rooflint.facts import KernelFacts, Space
from rooflint.facts.affine import trip_name
from rooflint.ir import Loop

from rooflint_plugins.models.hybrid.derive.array_transfers import (
    ArrayTransfer,
    BlockedNest,
    MissingExtent,
    roles_of,
)
from rooflint_plugins.models.hybrid.derive.independence import freedom


class PageLoop(NamedTuple):
    """One page loop with numbers.

    trips    of each axis; ``inner`` names the axes' indices
    flops    of one point of the axes, inner loops included
    sums     scalars summed over all points
    parts    page loops that share these pages, each with its own kernel; empty for one alone
    """

    nest: BlockedNest
    trips: tuple[int, ...]
    flops: float
    roles: tuple[ArrayTransfer, ...]
    missing: tuple[MissingExtent, ...]
    sums: tuple[str, ...]
    parts: "tuple[PageLoop, ...]" = ()

    @property
    def kernels(self) -> "tuple[PageLoop, ...]":
        """The page loops, one for each kernel of a page."""
        return self.parts or (self,)

    @property
    def points(self) -> float:
        """Points of all axes."""
        total = 1.0
        for trip in self.trips:
            total *= trip
        return total


class PagedNest(NamedTuple):
    """A whole nest: ``repeat`` executions of its page loops in order; ``refused`` says why none.

    ``contradictions``: where map clauses and accesses do not agree, each a sentence. ``between``:
    why nothing can stay on the coprocessors from one execution to the next.
    """

    pages: tuple[PageLoop, ...] = ()
    repeat: float = 1.0
    refused: str = ""
    contradictions: tuple[str, ...] = ()
    between: str = ""


def pages_of(
    nest: BlockedNest, spaces: Sequence[Space], depth: int, repeat: float
) -> PageLoop | str:
    """The page loop of kernels that share the loop at ``depth``; else why there is none."""
    axes: list[Loop] = []
    sums: dict[str, None] = {}
    why = ""
    for level, loop in enumerate(nest.facts[0].kernel.loops[depth:], start=depth):
        shared = all(
            len(f.kernel.loops) > level and f.kernel.loops[level] is loop for f in nest.facts
        )
        found = freedom(loop, nest) if shared else None
        if found is None or not found.free or (axes and found.sums):
            why = found.why if found else why
            break
        axes.append(loop)
        sums.update(dict.fromkeys(found.sums))
    if not axes:
        return why or "no loop is left to cut"
    cut_nest = nest._replace(axes=tuple(axes))
    trips = tuple([max(1, round(nest.trips[id(axis)])) for axis in axes])
    points = 1.0
    for trip in trips:
        points *= trip
    executed = [
        f.work.flops * _executions(f, space, nest)
        for f, space in zip(nest.facts, spaces, strict=True)
    ]
    found_roles = roles_of(cut_nest)
    return PageLoop(
        cut_nest,
        trips,
        sum(executed) / max(1.0, repeat) / points,
        found_roles.roles,
        found_roles.missing,
        tuple(sums),
    )


def _executions(facts: KernelFacts, space: Space, nest: BlockedNest) -> float:
    """How often a kernel's body runs, with the averages that were given for its loops."""
    times = float(space.executions)
    for loop, trip in zip(facts.kernel.loops, space.trips, strict=True):
        known = nest.trips.get(id(loop))
        if known and trip and trip_name(loop):
            times *= known / trip
    return times
