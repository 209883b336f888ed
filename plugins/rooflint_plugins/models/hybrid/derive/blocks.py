"""The largest block of a streamed nest that fits a coprocessor's memory.

Sudareva, candidate thesis, NIISI RAN 2018, section 3.2.2: the largest block that fits; of equal
ones that with the longer contiguous side.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import TypeAlias

from rooflint.records import NamedTuple

SMALL_BYTES = 1 << 16
"""Up to here every few elements of halo count, beyond it there would be too many blocks to try."""


class BoxSide(NamedTuple):
    """One dimension of the part of an array that a block touches, in elements.

    terms      (axis of the block, step of the index per step of the axis)
    fixed      what inner loops add to the extent
    low, high  halo before and after the block, rounded up to ``align`` elements
    """

    terms: tuple[tuple[int, int], ...] = ()
    fixed: int = 0
    low: int = 0
    high: int = 0
    align: int = 1

    @property
    def halo(self) -> int:
        """Elements of both halos as transferred."""
        return -(-self.low // self.align) * self.align - (-self.high // self.align) * self.align

    def extent(self, block: Sequence[int]) -> int:
        """Elements along this dimension."""
        span = sum([step * (block[axis] - 1) for axis, step in self.terms])
        return span + 1 + self.fixed + self.halo


class AccessBox(NamedTuple):
    """The part of an array that a block touches: a box, ``factor`` times (run-time inner loops)."""

    element_bytes: int
    sides: tuple[BoxSide, ...]
    factor: float = 1.0

    @property
    def moves(self) -> bool:
        """Whether the block's place decides which part it is."""
        return any(side.terms for side in self.sides)

    def bytes(self, block: Sequence[int]) -> float:
        """Bytes of the box."""
        return self.element_bytes * self.factor * prod([s.extent(block) for s in self.sides])


def largest_block(
    extents: Sequence[int], boxes: Sequence[AccessBox], limit_bytes: float, multiple: int = 1
) -> tuple[int, ...] | None:
    """The block with most points whose boxes together take at most ``limit_bytes``.

    ``extents``: iterations of each axis, the contiguous one last; a block's last side is a multiple
    of ``multiple``, or the whole axis. None when not even the smallest block fits.
    """
    *outer, own = extents
    if sum([box.bytes(extents) for box in boxes]) <= limit_bytes:
        return tuple(extents)
    shapes = [_shape(box, len(outer), own) for box in boxes]
    best: tuple[int, ...] = ()
    points = 0
    for block in _blocks(outer, own, shapes, limit_bytes, multiple):
        now = prod(block)
        if now > points or (now == points and block[::-1] > best[::-1]):
            best, points = block, now
    return best or None


_Terms: TypeAlias = tuple[tuple[int, int], ...]
_Extent: TypeAlias = tuple[int, _Terms]
"""What does not grow, and (axis, step) of what does."""


class _GrowingBox(NamedTuple):
    """A box, made for many blocks: what grows with the last side is ``moving``, by ``step``."""

    element_bytes: float
    still: tuple[_Extent, ...]
    moving: _Extent
    step: int


def _shape(box: AccessBox, last: int, own: int) -> _GrowingBox:
    still: list[_Extent] = []
    moving: _Extent = (1, ())
    step = 0
    for side in box.sides:
        fixed = 1 + side.fixed + side.halo - sum([pace for _, pace in side.terms])
        terms = tuple([term for term in side.terms if term[0] != last])
        pace = sum([pace for axis, pace in side.terms if axis == last])
        if pace and step:  # a diagonal: one of its sides stays at the most that it can be
            fixed, pace = fixed + pace * own, 0
        if pace:
            moving, step = (fixed, terms), pace
        else:
            still.append((fixed, terms))
    return _GrowingBox(box.element_bytes * box.factor, still=tuple(still), moving=moving, step=step)


def _blocks(
    outer: Sequence[int], own: int, shapes: Sequence[_GrowingBox], limit: float, multiple: int
) -> Iterator[tuple[int, ...]]:
    """For the sides of the other axes that leave room for it, the longest last side."""

    def walk(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        ones = (1,) * (len(outer) - len(done) - 1)
        for side in _candidates(outer[len(done)], fine=limit <= SMALL_BYTES):
            last = _longest((*done, side, *ones), own, shapes, limit, multiple)
            if not last:
                break
            if ones:
                yield from walk((*done, side))
            else:
                yield (*done, side, last)

    if outer:
        return walk(())
    last = _longest((), own, shapes, limit, multiple)
    return iter([(last,)] if last else [])


def _candidates(extent: int, *, fine: bool) -> Iterator[int]:
    """1 to 16, then eight steps an octave, and the whole; coarse: 1 to 4, then two an octave."""
    side, step, most = 1, 1, 16 if fine else 4
    while side < extent:
        yield side
        if side >= most * step:
            step *= 2
        side += step
    yield extent


def _length(extent: _Extent, sides: Sequence[int]) -> int:
    length, terms = extent
    for axis, step in terms:
        length += step * sides[axis]
    return length


def _longest(
    sides: tuple[int, ...], extent: int, shapes: Sequence[_GrowingBox], limit: float, multiple: int
) -> int:
    none = slope = 0.0
    for shape in shapes:
        row = shape.element_bytes * prod([_length(extent, sides) for extent in shape.still])
        none += row * _length(shape.moving, sides)
        slope += row * shape.step
    if none + slope > limit:
        return 0
    most = extent if slope <= 0 else min(extent, int((limit - none) / slope))
    return most if most == extent else most // multiple * multiple
