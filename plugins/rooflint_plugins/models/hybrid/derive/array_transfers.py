"""What each array of a nest is to a procedure: what is loaded, stored, copied to all, kept.

Source: the specification's rules on partitioned, broadcast, in/out, private and gathered arrays
and on halo volumes; access functions as ``facts.streams`` gives them.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Literal, NamedTuple, TypeAlias

from rooflint.facts import KernelFacts, Stream
from rooflint.facts.affine import number
from rooflint.ir import Array, Loop

from rooflint_plugins.models.hybrid.derive.blocks import AccessBox, BoxSide
from rooflint_plugins.models.hybrid.derive.map_clauses import MappedArray

Kind: TypeAlias = Literal["input", "output", "in/out", "broadcast", "gathered", "private"]
_WAYS: Mapping[str, Kind] = {
    "to": "input",
    "from": "output",
    "tofrom": "in/out",
    "alloc": "private",
}


class ArrayTransfer(NamedTuple):
    """An array's part in a page.

    boxes           what a block touches; of an array that every block needs, its whole
    mapped          the map clause that says what is moved, where there is one
    mapped_bytes    the whole of the array, by that clause
    reads, writes   what the accesses say, whatever a clause does: values from before, new ones
    references      of a gathered array: accesses by index in one point of the block
    """

    array: str
    kind: Kind
    boxes: tuple[AccessBox, ...]
    note: str = ""
    mapped: MappedArray | None = None
    mapped_bytes: float | None = None
    reads: bool = False
    writes: bool = False
    references: float = 0.0

    def bytes(self, block: Sequence[int]) -> float:
        """Bytes of the array that a block touches."""
        return sum([box.bytes(block) for box in self.boxes])

    @property
    def loaded(self) -> bool:
        """Whether a page needs its values."""
        if self.mapped is not None:
            return self.mapped.way in ("to", "tofrom")
        return self.kind in ("input", "in/out", "broadcast", "gathered")

    @property
    def stored(self) -> bool:
        """Whether a page leaves values that are needed later."""
        if self.mapped is not None:
            return self.mapped.way in ("from", "tofrom")
        return self.kind in ("output", "in/out")

    @property
    def whole(self) -> bool:
        """Whether every block needs all of it."""
        return self.kind in ("broadcast", "gathered")


class MissingExtent(NamedTuple):
    """What the source does not tell of an array, and the sidecar entry that would."""

    array: str
    reason: str
    entry: str

    def __str__(self) -> str:
        return f"{self.array}: {self.reason}; a sidecar must give {self.entry}"


class ArrayTransfers(NamedTuple):
    """The arrays of a page loop, and what is missing; a missing one never counts as zero."""

    roles: tuple[ArrayTransfer, ...]
    missing: tuple[MissingExtent, ...]


class BlockedNest(NamedTuple):
    """A page loop: its kernels, the loops that are cut into blocks, and numbers for both.

    trips   per loop (by identity) its average iterations per execution
    align   bytes of a run on the channel
    maps    by array, the ``map`` clause that governs the page loop
    """

    facts: tuple[KernelFacts, ...]
    axes: tuple[Loop, ...]
    trips: Mapping[int, float]
    values: Mapping[str, int]
    arrays: Mapping[str, Array]
    elements: Mapping[str, float]
    align: int = 1
    maps: Mapping[str, MappedArray] = {}

    def axis(self, loop: Loop) -> int | None:
        """Which axis of the block a loop is; None for one inside."""
        return next((n for n, axis in enumerate(self.axes) if axis is loop), None)


class StreamSteps(NamedTuple):
    """A stream at numeric sizes: bytes per step of each loop, offsets of its references."""

    strides: tuple[int, ...]
    loops: tuple[Loop, ...]
    offsets: tuple[int, ...]


def roles_of(nest: BlockedNest) -> ArrayTransfers:
    """The role of every array of the nest."""
    by_array: dict[str, list[tuple[KernelFacts, Stream]]] = {}
    for facts in nest.facts:
        for stream in facts.streams:
            by_array.setdefault(stream.array, []).append((facts, stream))
    roles: list[ArrayTransfer] = []
    missing: list[MissingExtent] = []
    for array, uses in by_array.items():
        found = _role(nest, array, uses)
        if isinstance(found, MissingExtent):
            missing.append(found)
        else:
            roles.append(found)
    return ArrayTransfers(tuple(roles), tuple(missing))


def _role(
    nest: BlockedNest, array: str, uses: Sequence[tuple[KernelFacts, Stream]]
) -> ArrayTransfer | MissingExtent:
    streams = [stream for _, stream in uses]
    loaded = any(r.loaded and not r.stored_first for s in streams for r in s.references)
    stored = any(r.stored for s in streams for r in s.references)
    boxes: list[AccessBox] = []
    moving = False
    for facts, stream in uses:
        if any(stream.follows):
            boxes.append(_rows(nest, facts, stream))
            moving = True
            continue
        walk = None if stream.reason else walk_of(nest, facts, stream)
        if walk is None:
            return _gathered(nest, uses, stream, stored=stored)
        boxes.append(_box(nest, stream, walk))
        moving = moving or any(side.terms for side in boxes[-1].sides)
    merged = tuple(dict.fromkeys(boxes))
    declared = nest.arrays.get(array)
    local = declared is not None and declared.storage == "local" and stored and not loaded
    kind: Kind = "in/out" if loaded and stored else "output" if stored else "input"
    if local:
        found = ArrayTransfer(array, "private", merged, "local to the function")
    elif not moving:
        found = ArrayTransfer(array, "broadcast", merged, "every block needs all of it")
    else:
        found = ArrayTransfer(array, kind, merged)
    found = found._replace(reads=loaded, writes=stored)
    clause = nest.maps.get(array)
    return found if clause is None else _as_mapped(nest, found, clause)


def _as_mapped(nest: BlockedNest, role: ArrayTransfer, clause: MappedArray) -> ArrayTransfer:
    """The clause decides what moves; what the accesses say otherwise is named, not followed."""
    count = clause.elements(nest.values)
    size = role.boxes[0].element_bytes
    mapped_bytes = None if count is None else count * size
    kind = role.kind if role.whole else _WAYS[clause.way]
    boxes = role.boxes
    if role.whole and count is not None:
        boxes = (AccessBox(size, (), count),)
    return role._replace(
        kind=kind,
        boxes=boxes,
        mapped=clause,
        mapped_bytes=mapped_bytes,
        note="on the device before and after" if clause.span == "kept" else role.note,
    )


def _gathered(
    nest: BlockedNest, uses: Sequence[tuple[KernelFacts, Stream]], stream: Stream, *, stored: bool
) -> ArrayTransfer | MissingExtent:
    """An array read at places that only the data knows: any of it may be needed by any block."""
    array = stream.array
    reason = stream.reason or "its places have no closed form"
    if stored:
        return MissingExtent(array, f"written {reason}", f"the stages that write {array}")
    clause = nest.maps.get(array)
    count = nest.elements.get(array)
    if count is None and clause is not None:
        count = clause.elements(nest.values)
    if count is None:
        declared = nest.arrays.get(array)
        extents = declared.extents if declared else ()
        known = [None if extent is None else number(extent, nest.values) for extent in extents]
        if not known or None in known:
            return MissingExtent(array, f"read {reason}", f"elements: {{{array}: ...}}")
        count = 1.0
        for extent in known:
            count *= extent or 1
    references = 0.0
    for facts, each in uses:
        inner = [loop for loop in facts.kernel.loops if nest.axis(loop) is None]
        trips = prod([nest.trips.get(id(loop), 1.0) for loop in inner])
        references += trips * len(each.references)
    box = AccessBox(stream.element_bytes, (), count)
    found = ArrayTransfer(
        array, "gathered", (box,), f"read {reason}", reads=True, references=references
    )
    return found if clause is None else _as_mapped(nest, found, clause)


def _rows(nest: BlockedNest, facts: KernelFacts, stream: Stream) -> AccessBox:
    """Rows one after another, as long as the data says: as many as the block has outer points."""
    factor = 1.0
    terms = []
    for loop in facts.kernel.loops:
        axis = nest.axis(loop)
        if axis is not None:
            terms.append(BoxSide(((axis, 1),)))
        elif id(loop) in nest.trips:
            factor *= nest.trips[id(loop)]
    return AccessBox(stream.element_bytes, tuple(terms), factor)


def walk_of(nest: BlockedNest, facts: KernelFacts, stream: Stream) -> StreamSteps | None:
    """A stream in numbers; None when a stride or an offset has none."""
    strides: list[int] = []
    loops: list[Loop] = []
    for loop, stride in zip(facts.kernel.loops, stream.strides, strict=True):
        value = None if stride is None else number(stride, nest.values)
        if value is None:
            return None
        if value and id(loop) in nest.trips:
            strides.append(value)
            loops.append(loop)
    offsets = [number(r.displacement, nest.values) for r in stream.references]
    if any(offset is None for offset in offsets):
        return None
    return StreamSteps(tuple(strides), tuple(loops), tuple([o for o in offsets if o is not None]))


def _box(nest: BlockedNest, stream: Stream, walk: StreamSteps) -> AccessBox:
    size = stream.element_bytes
    sides = []
    for unit, members, steps in positions(nest, stream, walk):
        low, high = min(steps), max(steps)
        if low > 0 or high < 0:  # all references lie to one side: the block itself is shifted
            low, high = (0, high - low) if low > 0 else (low - high, 0)
        terms = []
        fixed = 0
        for loop, factor in members:
            axis = nest.axis(loop)
            if axis is not None:
                terms.append((axis, factor))
            else:
                fixed += factor * max(0, round(nest.trips[id(loop)]) - 1)
        align = max(1, nest.align // size) if unit == size and terms else 1
        sides.append(BoxSide(tuple(terms), fixed, -low, high, align))
    return AccessBox(size, tuple(sides))


def positions(
    nest: BlockedNest, stream: Stream, walk: StreamSteps
) -> list[tuple[int, list[tuple[Loop, int]], list[int]]]:
    """The dimensions of a stream (see ``dimensions``), and where its references lie in each.

    An offset is cut to the nearest row, so that ``a[i][j-1]`` lies one before in its own row; what
    is inside a record counts from the record's start.
    """
    declared = nest.arrays.get(stream.array)
    record = declared.element_bytes if declared else 0
    inside = [0] * len(walk.offsets)
    if record > stream.element_bytes:
        inside = [offset % record for offset in walk.offsets]
    left = [offset - part for offset, part in zip(walk.offsets, inside, strict=True)]
    found = []
    shape = dimensions(nest, walk, stream.element_bytes)
    for position, (unit, members) in enumerate(shape):
        if position == len(shape) - 1:
            left = [offset + part for offset, part in zip(left, inside, strict=True)]
        steps = [round(offset / unit) for offset in left]
        left = [offset - step * unit for offset, step in zip(left, steps, strict=True)]
        found.append((unit, members, steps))
    return found


def dimensions(
    nest: BlockedNest, walk: StreamSteps, size: int
) -> list[tuple[int, list[tuple[Loop, int]]]]:
    """The dimensions that a stream walks, outermost first: unit in bytes, (loop, factor).

    A stride opens a dimension of its own when what moves below it does not reach the next row.
    """
    ordered = sorted(zip(walk.strides, walk.loops, strict=True), key=lambda pair: abs(pair[0]))
    found: list[tuple[int, list[tuple[Loop, int]]]] = [(size, [])]
    span = size
    for stride, loop in ordered:
        pace = abs(stride)
        unit, members = found[-1]
        if pace > unit and pace >= span:
            found.append((pace, [(loop, 1)]))
        else:
            members.append((loop, max(1, pace // unit)))
        span += pace * max(0, round(nest.trips[id(loop)]) - 1)
    return found[::-1]
