"""Role of each array of a nest in a procedure: loaded, stored, copied to all, kept.

Source: the specification's rules on partitioned, broadcast, in/out, private and gathered arrays
and on halo volumes; access functions as ``facts.streams`` gives them.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Literal, TypeAlias

from rooflint.facts import KernelFacts, Stream
from rooflint.facts.affine import number
from rooflint.ir import Array, Loop, Poly
from rooflint.records import NamedTuple

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

    boxes           the parts that a block touches; the whole of an array that every block needs
    mapped          the map clause that determines the transfer, if any
    mapped_bytes    the size of the whole array by that clause
    reads, writes   according to the accesses, regardless of a clause: old values, new values
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
    """An extent that the source does not show, and the sidecar entry that would state it."""

    array: str
    reason: str
    entry: str

    def __str__(self) -> str:
        return f"{self.array}: {self.reason}; a sidecar must give {self.entry}"


class ArrayTransfers(NamedTuple):
    """The arrays of a page loop, and missing extents; a missing one never counts as zero."""

    roles: tuple[ArrayTransfer, ...]
    missing: tuple[MissingExtent, ...]


class LoopTrips(NamedTuple):
    """Average iterations per execution of loops; equal loops of a function are not the same."""

    loops: tuple[Loop, ...] = ()
    trips: tuple[float, ...] = ()

    def of(self, loop: Loop) -> float | None:
        """The trips of this very loop; None where it is not one of them."""
        for own, trip in zip(self.loops, self.trips, strict=True):
            if own is loop:
                return trip
        return None

    def without(self, loops: Sequence[Loop]) -> "LoopTrips":
        """The trips of all other loops."""
        pairs = zip(self.loops, self.trips, strict=True)
        return largest_trips([p for p in pairs if all(p[0] is not loop for loop in loops)])


def largest_trips(pairs: Iterable[tuple[Loop, float]]) -> LoopTrips:
    """The largest trips of each loop that occurs."""
    loops: list[Loop] = []
    trips: list[float] = []
    for loop, trip in pairs:
        position = next((n for n, own in enumerate(loops) if own is loop), None)
        if position is None:
            loops.append(loop)
            trips.append(trip)
        else:
            trips[position] = max(trips[position], trip)
    return LoopTrips(tuple(loops), tuple(trips))


class BlockedNest(NamedTuple):
    """A page loop: its kernels, the loops that are cut into blocks, and numbers for both.

    trips   of the loops inside those that repeat everything
    align   bytes of a run on the channel
    maps    by array, the ``map`` clause that governs the page loop
    """

    facts: tuple[KernelFacts, ...]
    axes: tuple[Loop, ...]
    trips: LoopTrips
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
    loaded, stored = _access_ways([stream for _, stream in uses])
    boxes: dict[AccessBox, None] = {}
    for facts, stream in uses:
        box = _box_of(nest, facts, stream)
        if box is None:
            return _gathered(nest, uses, stream, stored=stored)
        boxes[box] = None
    role = ArrayTransfer(
        array, kind_of(loaded, stored), boxes=tuple(boxes), reads=loaded, writes=stored
    )
    if stored and not loaded and _is_local(nest, array):
        role = role._replace(kind="private", note="local to the function")
    elif not any(box.moves for box in boxes) and not _follows_rows(uses):
        role = role._replace(kind="broadcast", note="every block needs all of it")
    return _as_mapped(nest, role)


def _follows_rows(uses: Sequence[tuple[KernelFacts, Stream]]) -> bool:
    return any(any(stream.follows) for _, stream in uses)


def _access_ways(streams: Sequence[Stream]) -> tuple[bool, bool]:
    references = [r for stream in streams for r in stream.references]
    loaded = any(r.loaded and not r.stored_first for r in references)
    return loaded, any(r.stored for r in references)


def kind_of(reads: bool, writes: bool) -> Kind:
    """The part of an array whose values move with the block."""
    return "in/out" if reads and writes else "output" if writes else "input"


def _is_local(nest: BlockedNest, array: str) -> bool:
    declared = nest.arrays.get(array)
    return declared is not None and declared.storage == "local"


def _box_of(nest: BlockedNest, facts: KernelFacts, stream: Stream) -> AccessBox | None:
    """The part of an array that a block touches; None if it depends on data."""
    if any(stream.follows):
        return _rows(nest, facts, stream)
    walk = None if stream.reason else walk_of(nest, facts, stream)
    return None if walk is None else _box(nest, stream, walk)


def _as_mapped(nest: BlockedNest, role: ArrayTransfer) -> ArrayTransfer:
    """A map clause determines the transfer; accesses that contradict it are reported, but not
    followed.
    """
    clause = nest.maps.get(role.array)
    if clause is None:
        return role
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
    array = stream.array
    reason = stream.reason or "its addresses have no closed form"
    if stored:
        return MissingExtent(array, f"written {reason}", f"the stages that write {array}")
    clause = nest.maps.get(array)
    count = _element_count(nest, array, clause)
    if count is None:
        return MissingExtent(array, f"read {reason}", f"elements: {{{array}: ...}}")
    role = ArrayTransfer(
        array=array,
        kind="gathered",
        boxes=(AccessBox(stream.element_bytes, (), count),),
        note=f"read {reason}",
        reads=True,
        references=sum([_references(nest, *use) for use in uses]),
    )
    return _as_mapped(nest, role)


def _element_count(nest: BlockedNest, array: str, clause: MappedArray | None) -> float | None:
    """Elements of an array by the first of: the sidecar, its map clause, its declaration."""
    count = nest.elements.get(array)
    if count is None and clause is not None:
        count = clause.elements(nest.values)
    if count is None and array in nest.arrays:
        count = _declared_elements(nest.arrays[array].extents, nest.values)
    return count


def _declared_elements(extents: Sequence[Poly | None], values: Mapping[str, int]) -> float | None:
    total = 1.0
    for extent in extents:
        length = None if extent is None else number(extent, values)
        if length is None:
            return None
        total *= length or 1
    return total if extents else None


def _references(nest: BlockedNest, facts: KernelFacts, stream: Stream) -> float:
    inner = [nest.trips.of(loop) for loop in facts.kernel.loops if nest.axis(loop) is None]
    return prod([1.0 if trips is None else trips for trips in inner]) * len(stream.references)


def _rows(nest: BlockedNest, facts: KernelFacts, stream: Stream) -> AccessBox:
    """Consecutive rows with lengths that depend on data: as many as the block has outer points."""
    factor = 1.0
    terms = []
    for loop in facts.kernel.loops:
        axis = nest.axis(loop)
        if axis is not None:
            terms.append(BoxSide(((axis, 1),)))
        else:
            trips = nest.trips.of(loop)
            factor *= 1.0 if trips is None else trips
    return AccessBox(stream.element_bytes, tuple(terms), factor)


def _steps(nest: BlockedNest, loop: Loop) -> int:
    return max(0, round(nest.trips.of(loop) or 0.0) - 1)


def walk_of(nest: BlockedNest, facts: KernelFacts, stream: Stream) -> StreamSteps | None:
    """A stream in numbers; None if a stride or an offset is unknown."""
    offsets = [number(r.displacement, nest.values) for r in stream.references]
    moving = []
    for stride, loop in zip(stream.strides, facts.kernel.loops, strict=True):
        step = None if stride is None else number(stride, nest.values)
        if step is None:
            return None
        if step and nest.trips.of(loop) is not None:
            moving.append((step, loop))
    known = tuple([offset for offset in offsets if offset is not None])
    if len(known) < len(offsets):
        return None
    return StreamSteps(tuple([s for s, _ in moving]), tuple([loop for _, loop in moving]), known)


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
                fixed += factor * _steps(nest, loop)
        align = max(1, nest.align // size) if unit == size and terms else 1
        sides.append(BoxSide(terms=tuple(terms), fixed=fixed, low=-low, high=high, align=align))
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
        span += pace * _steps(nest, loop)
    return found[::-1]
