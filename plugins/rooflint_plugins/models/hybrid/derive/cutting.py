"""The page loops of a nest: what repeats outside, which share pages, what maps say of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rooflint.facts import KernelFacts, space_of
from rooflint.facts.affine import number, trip_name
from rooflint.ir import Array, Function

from rooflint_plugins.models.hybrid.derive.array_transfers import ArrayTransfer, BlockedNest
from rooflint_plugins.models.hybrid.derive.fusion import fused
from rooflint_plugins.models.hybrid.derive.independence import freedom, unknown_call
from rooflint_plugins.models.hybrid.derive.map_clauses import (
    contradictions,
    is_offloaded,
    mapped_arrays,
)
from rooflint_plugins.models.hybrid.derive.pages import PagedNest, PageLoop, pages_of


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
    trips: dict[int, float] = {}
    for f, space in zip(facts, spaces, strict=True):
        for loop, trip in zip(f.kernel.loops, space.trips, strict=True):
            average = averages.get(trip_name(loop)) if averages else None
            trips[id(loop)] = max(trips.get(id(loop), 0.0), average or float(trip))
    base = BlockedNest(tuple(facts), (), trips, values, arrays, elements, align)
    repeat, depth, why, between = _repeated(base)
    if depth is None:
        return PagedNest(refused=why)
    outermost = max([f.kernel.loops for f in facts], key=len)[:depth]
    for outer in outermost:
        del trips[id(outer)]
    groups: dict[int, list[int]] = {}
    for position, f in enumerate(facts):
        if len(f.kernel.loops) > depth and (f.work.flops or f.streams):
            groups.setdefault(id(f.kernel.loops[depth]), []).append(position)
    found = []
    said: dict[str, None] = {}
    for members in groups.values():
        inside = tuple([facts[m] for m in members])
        loops = facts[members[0]].kernel.loops
        maps = mapped_arrays(function, loops[0], loops[depth]) if function else {}
        group = base._replace(facts=inside, maps=maps)
        pages = pages_of(group, [spaces[m] for m in members], depth, repeat)
        if isinstance(pages, str):
            return PagedNest(refused=pages)
        found.append(pages)
        if maps and function and is_offloaded(function, loops[depth]):
            said.update(dict.fromkeys(_unmapped(pages)))
    said.update(dict.fromkeys([*_unused(found), *_disagreeing(found)]))
    return PagedNest(fused(found), repeat, contradictions=tuple(said), between=between)


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
    """Arrays that a target construct uses and no clause maps."""
    for role in pages.roles:
        if role.mapped is None and role.kind != "private":
            yield f"{role.array} is used on the device and no map clause names it: taken as derived"


def _unused(found: Sequence[PageLoop]) -> Iterator[str]:
    """Array sections that a clause maps and none of its loops uses."""
    used = {role.array for pages in found for role in pages.roles}
    used |= {lack.array for pages in found for lack in pages.missing}
    for pages in found:
        for name, clause in pages.nest.maps.items():
            if clause.span != "kept" and clause.lengths and name not in used:
                yield f"{clause.clause}, but the loops do not use {name}"


def _repeated(nest: BlockedNest) -> _Repeated:
    """Outer loops along which nothing moves repeat everything."""
    repeat, between = 1.0, ""
    working = [f for f in nest.facts if f.work.flops or f.streams] or nest.facts
    shortest = min([len(f.kernel.loops) for f in working])
    loops = working[0].kernel.loops
    for depth, loop in enumerate(loops):
        if depth >= shortest or any(f.kernel.loops[depth] is not loop for f in working):
            return _Repeated(repeat, depth, "", between)
        found = freedom(loop, nest)
        if found.free:
            return _Repeated(repeat, depth, "", between)
        if _moved(nest, depth) or loop.exits or depth + 1 >= shortest:
            return _Repeated(repeat, None, found.why, between)
        called = unknown_call(loop)
        if called:
            between = f"{called}, called in every step, may use the arrays on the host"
        repeat *= nest.trips[id(loop)]
    return _Repeated(repeat, None, "no loop is left to cut", between)


def _moved(nest: BlockedNest, depth: int) -> bool:
    """Whether anything moves with the loop at ``depth``."""
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
