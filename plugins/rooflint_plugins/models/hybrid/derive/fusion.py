"""Page loops in a row that can share their pages: loaded once, two kernels, stored once.

They can where both walk the same points, and what one writes the other touches at the same point
only. Everything else (a transposition, a neighbour, a sum) is needed from other pages first, so
the loops stay stages of their own.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rooflint.facts import KernelFacts, Stream
from rooflint.facts.affine import number

from rooflint_plugins.models.hybrid.derive.array_transfers import (
    ArrayTransfer,
    BlockedNest,
    kind_of,
    positions,
    walk_of,
)
from rooflint_plugins.models.hybrid.derive.blocks import AccessBox
from rooflint_plugins.models.hybrid.derive.pages import PageLoop

_Dimension: TypeAlias = tuple[int, tuple[tuple[int | None, int], ...], int]
"""Bytes of a step, (axis, factor) of what moves along it, and the offset of the references."""


def fuse_page_loops(found: Sequence[PageLoop]) -> tuple[PageLoop, ...]:
    """The same page loops, neighbours made one where they can share their pages."""
    made: list[PageLoop] = []
    for page in found:
        if made and _share(made[-1], page):
            made[-1] = _joined(made[-1], page)
        else:
            made.append(page)
    return tuple(_kept_alive(made))


def _share(first: PageLoop, second: PageLoop) -> bool:
    if first.sums or first.trips != second.trips or _range(first) != _range(second):
        return False
    return _is_derived(first) and _is_derived(second) and _meet_in_points(first, second)


def _meet_in_points(first: PageLoop, second: PageLoop) -> bool:
    before = {role.array: role for role in first.roles}
    pairs = [(before[role.array], role) for role in second.roles if role.array in before]
    return all(
        not (one.whole or other.whole) and _meet((first, second), one.array)
        for one, other in pairs
        if one.writes or other.writes
    )


def _is_derived(page: PageLoop) -> bool:
    return not page.missing and not any(role.mapped for role in page.roles)


def _range(page: PageLoop) -> list[tuple[int | None, int | None]]:
    values = page.nest.values
    return [(number(axis.lower, values), number(axis.step, values)) for axis in page.nest.axes]


def _meet(pages: Sequence[PageLoop], array: str) -> bool:
    ways = {way for page in pages for part in page.kernels for way in _ways(part, array)}
    return len(ways) == 1 and None not in ways


def _ways(page: PageLoop, array: str) -> Iterator[tuple[_Dimension, ...] | None]:
    """How an array is walked along the axes; None where that is unknown, or at several offsets."""
    for facts in page.nest.facts:
        for stream in facts.streams:
            if stream.array == array:
                yield _way(page.nest, facts, stream)


def _way(nest: BlockedNest, facts: KernelFacts, stream: Stream) -> tuple[_Dimension, ...] | None:
    walk = walk_of(nest, facts, stream)
    way: list[_Dimension] = []
    for unit, members, steps in positions(nest, stream, walk) if walk else ():
        moving = [(nest.axis(loop), factor) for loop, factor in members]
        axes = tuple([pair for pair in moving if pair[0] is not None])
        if axes:
            way += [(unit, axes, step) for step in set(steps)]
    once = len({(unit, axes) for unit, axes, _ in way}) == len(way)
    return tuple(way) if way and once else None


def _joined(first: PageLoop, second: PageLoop) -> PageLoop:
    roles = {role.array: role for role in first.roles}
    for role in second.roles:
        before = roles.get(role.array)
        roles[role.array] = role if before is None else _merged(before, role)
    return first._replace(
        flops=first.flops + second.flops,
        roles=tuple(roles.values()),
        sums=second.sums,
        parts=(*first.kernels, *second.kernels),
    )


def _merged(first: ArrayTransfer, second: ArrayTransfer) -> ArrayTransfer:
    """One array in both: what the first writes, the second finds in the page."""
    reads = first.reads or (second.reads and not first.writes)
    writes = first.writes or second.writes
    whole = next((role for role in (first, second) if role.whole), None)
    if whole is not None:
        references = first.references + second.references
        return whole._replace(reads=reads, references=references)
    kind = first.kind if first.kind == "private" else kind_of(reads, writes)
    boxes = tuple(_hulls((*first.boxes, *second.boxes)))
    return first._replace(kind=kind, boxes=boxes, reads=reads, writes=writes)


def _hulls(boxes: Sequence[AccessBox]) -> Iterator[AccessBox]:
    """Boxes that differ in their halos alone become one with the larger halos."""
    hulls: dict[AccessBox, AccessBox] = {}
    for box in boxes:
        bare = box._replace(sides=tuple([s._replace(low=0, high=0) for s in box.sides]))
        known = hulls.get(bare)
        if known is not None:
            pairs = zip(known.sides, box.sides, strict=True)
            sides = [a._replace(low=max(a.low, b.low), high=max(a.high, b.high)) for a, b in pairs]
            hulls[bare] = box._replace(sides=tuple(sides))
        else:
            hulls[bare] = box
    yield from hulls.values()


def _kept_alive(made: Sequence[PageLoop]) -> Iterator[PageLoop]:
    """An array local to the function stays in the page only where no other page loop reads it."""
    for page in made:
        elsewhere = {r.array for other in made if other is not page for r in other.roles if r.reads}
        roles = [
            role._replace(kind="output", note="")
            if role.kind == "private" and role.mapped is None and role.array in elsewhere
            else role
            for role in page.roles
        ]
        yield page._replace(roles=tuple(roles))
