"""The page loops of a nest: what repeats outside, which share pages, what maps say of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from rooflint.facts import KernelFacts, Space, space_of
from rooflint.facts.affine import number, trip_name
from rooflint.ir import Array, Function
from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.derive.array_transfers import (
    ArrayTransfer,
    BlockedNest,
    LoopTrips,
    largest_trips,
)
from rooflint_plugins.models.hybrid.derive.fusion import fuse_page_loops
from rooflint_plugins.models.hybrid.derive.independence import freedom, unknown_call
from rooflint_plugins.models.hybrid.derive.map_clauses import (
    contradictions,
    is_offloaded,
    mapped_arrays,
)
from rooflint_plugins.models.hybrid.derive.pages import PagedNest, PageLoop, is_shared, pages_of


class _Repeated(NamedTuple):
    """How often, by how many loops (None: ``why`` not), and what the host does in ``between``."""

    repeat: float
    depth: int | None
    why: str
    between: str


def cut(
    facts: Sequence[KernelFacts],
    values: Mapping[str, int],
    arrays: Mapping[str, Array],
    elements: Mapping[str, float],
    align: int = 1,
    averages: Mapping[str, float] | None = None,
    function: Function | None = None,
) -> PagedNest:
    """The page loops of the kernels of one nest, at numeric sizes.

    ``averages``: trip counts that differ from row to row, by the name that sets them.
    ``function``: that of the nest, whose map clauses then count.
    """
    spaces = [space_of(f.kernel.loops, values) for f in facts]
    nest = BlockedNest(
        facts=tuple(facts),
        axes=(),
        trips=_trips(facts, spaces, averages or {}),
        values=values,
        arrays=arrays,
        elements=elements,
        align=align,
    )
    repeat, depth, why, between = _repeated(nest)
    if depth is None:
        return PagedNest(refused=why)
    outermost = max([f.kernel.loops for f in facts], key=len)[:depth]
    nest = nest._replace(trips=nest.trips.without(outermost))
    deeper = [
        (f, space)
        for f, space in zip(facts, spaces, strict=True)
        if len(f.kernel.loops) > depth and does_work(f)
    ]
    loops: list[PageLoop] = []
    left = iter([space for _, space in deeper])
    for members in by_loop([f for f, _ in deeper], depth):
        shared = _with_maps(nest, members, depth, function)
        page = pages_of(shared, list(islice(left, len(members))), depth, repeat)
        if isinstance(page, str):
            return PagedNest(refused=page)
        loops.append(page)
    said = tuple(dict.fromkeys(_contradictions(loops, function)))
    return PagedNest(fuse_page_loops(loops), repeat, contradictions=said, between=between)


def does_work(facts: KernelFacts) -> bool:
    """Whether a kernel computes or moves anything."""
    return bool(facts.work.flops or facts.streams)


def _trips(
    facts: Sequence[KernelFacts], spaces: Sequence[Space], averages: Mapping[str, float]
) -> LoopTrips:
    return largest_trips([
        (loop, averages.get(trip_name(loop)) or float(trip))
        for f, space in zip(facts, spaces, strict=True)
        for loop, trip in zip(f.kernel.loops, space.trips, strict=True)
    ])  # fmt: skip


def by_loop(facts: Sequence[KernelFacts], depth: int) -> list[tuple[KernelFacts, ...]]:
    """Kernels in the order of the source by the loop at ``depth`` that they share."""
    groups: list[list[KernelFacts]] = []
    for f in facts:
        if groups and groups[-1][0].kernel.loops[depth] is f.kernel.loops[depth]:
            groups[-1].append(f)
        else:
            groups.append([f])
    return [tuple(group) for group in groups]


def _with_maps(
    nest: BlockedNest, facts: tuple[KernelFacts, ...], depth: int, function: Function | None
) -> BlockedNest:
    loops = facts[0].kernel.loops
    maps = mapped_arrays(function, loops[0], loops[depth]) if function else {}
    return nest._replace(facts=facts, maps=maps)


def _contradictions(pages: Sequence[PageLoop], function: Function | None) -> Iterator[str]:
    for page in pages:
        if page.nest.maps and function and is_offloaded(function, page.nest.axes[0]):
            yield from _unmapped(page)
    yield from _unused(pages)
    yield from _disagreeing(pages)


def _disagreeing(found: Sequence[PageLoop]) -> Iterator[str]:
    """Clauses against what all page loops together do: the first that touches an array reads it."""
    first: dict[str, ArrayTransfer] = {}
    written: set[str] = set()
    for role in [role for pages in found for role in pages.roles]:
        first.setdefault(role.array, role)
        if role.writes:
            written.add(role.array)
    for name, role in first.items():
        if role.mapped is not None:
            yield from contradictions(role.mapped, reads=role.reads, writes=name in written)


def _unmapped(pages: PageLoop) -> Iterator[str]:
    for role in pages.roles:
        if role.mapped is None and role.kind != "private":
            yield f"{role.array} is used on the device without a map clause: derived"


def _unused(found: Sequence[PageLoop]) -> Iterator[str]:
    used = {role.array for pages in found for role in pages.roles}
    used |= {lack.array for pages in found for lack in pages.missing}
    for pages in found:
        for name, clause in pages.nest.maps.items():
            if clause.span != "kept" and clause.lengths and name not in used:
                yield f"{clause.clause}, but the loops do not use {name}"


def _repeated(nest: BlockedNest) -> _Repeated:
    """Outer loops along which nothing moves repeat everything."""
    repeat, between = 1.0, ""
    working = [f for f in nest.facts if does_work(f)] or nest.facts
    shortest = min([len(f.kernel.loops) for f in working])
    for depth, loop in enumerate(working[0].kernel.loops):
        independence = freedom(loop, nest) if is_shared(loop, depth, working) else None
        if independence is None or independence.free:
            return _Repeated(repeat, depth, "", between=between)
        if depth + 1 >= shortest or loop.exits or _moved(nest, depth):
            return _Repeated(repeat, None, independence.why, between=between)
        called = unknown_call(loop)
        if called:
            between = f"{called}, called in every step, may use the arrays on the host"
        repeat *= nest.trips.of(loop) or 0.0
    return _Repeated(repeat, None, "no loop is left to cut", between=between)


def _moved(nest: BlockedNest, depth: int) -> bool:
    for facts in nest.facts:
        for stream in facts.streams:
            stride = stream.strides[depth]
            if stride is not None and number(stride, nest.values) != 0:
                return True
        for loop in facts.kernel.loops[depth + 1 :]:
            index = facts.kernel.loops[depth].index
            if index in loop.lower.names() | loop.upper.names():
                return True
    return False
