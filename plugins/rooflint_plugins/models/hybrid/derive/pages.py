"""A page loop: which of its loops are cut into blocks, what is computed and what moves."""

from collections.abc import Sequence
from math import prod

from rooflint.facts import KernelFacts, Space
from rooflint.facts.affine import trip_name
from rooflint.ir import Loop
from rooflint.records import NamedTuple

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
        return prod(self.trips, start=1.0)


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

    @property
    def roles(self) -> tuple[ArrayTransfer, ...]:
        """The transfers of all page loops in order."""
        return tuple([role for page in self.pages for role in page.roles])

    @property
    def missing(self) -> list[str]:
        """Sentences on what the source does not tell."""
        return [str(lack) for page in self.pages for lack in page.missing]

    @property
    def computes(self) -> bool:
        """Whether any page loop has floating-point operations."""
        return any(page.flops for page in self.pages)


def pages_of(
    nest: BlockedNest, spaces: Sequence[Space], depth: int, repeat: float
) -> PageLoop | str:
    """The page loop of kernels that share the loop at ``depth``; else why there is none."""
    axes, sums, why = _axes(nest, depth)
    if not axes:
        return why
    cut_nest = nest._replace(axes=axes)
    trips = tuple([max(1, round(nest.trips.of(axis) or 0.0)) for axis in axes])
    executed = [
        f.work.flops * _executions(f, space, nest)
        for f, space in zip(nest.facts, spaces, strict=True)
    ]
    transfers = roles_of(cut_nest)
    return PageLoop(
        nest=cut_nest,
        trips=trips,
        flops=sum(executed) / max(1.0, repeat) / prod(trips, start=1.0),
        roles=transfers.roles,
        missing=transfers.missing,
        sums=sums,
    )


def _axes(nest: BlockedNest, depth: int) -> tuple[tuple[Loop, ...], tuple[str, ...], str]:
    """Loops from ``depth`` inward that can be cut, what they sum, and why no loop more."""
    axes: list[Loop] = []
    sums: dict[str, None] = {}
    for level, loop in enumerate(nest.facts[0].kernel.loops[depth:], start=depth):
        if not is_shared(loop, level, nest.facts):
            break
        independence = freedom(loop, nest)
        if not independence.free or (axes and independence.sums):
            return tuple(axes), tuple(sums), independence.why
        axes.append(loop)
        sums.update(dict.fromkeys(independence.sums))
    return tuple(axes), tuple(sums), "no loop is left to cut"


def is_shared(loop: Loop, level: int, facts: Sequence[KernelFacts]) -> bool:
    """Whether ``loop`` is the one at ``level`` of all kernels."""
    return all(len(f.kernel.loops) > level and f.kernel.loops[level] is loop for f in facts)


def _executions(facts: KernelFacts, space: Space, nest: BlockedNest) -> float:
    times = float(space.executions)
    for loop, trip in zip(facts.kernel.loops, space.trips, strict=True):
        known = nest.trips.of(loop)
        if known and trip and trip_name(loop):
            times *= known / trip
    return times
