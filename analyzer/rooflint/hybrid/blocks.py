"""The largest block of a streamed nest that fits a coprocessor's memory.

Sudareva, candidate thesis, NIISI RAN 2018, section 3.2.2: the largest block that fits; of equal
ones that with the longer contiguous side.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

SMALL_BYTES = 1 << 16
"""Up to here every few elements of halo count, beyond it there would be too many blocks to try."""


class Side(NamedTuple):
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


class Box(NamedTuple):
    """The part of an array that a block touches: a box, ``factor`` times (run-time inner loops)."""

    element_bytes: int
    sides: tuple[Side, ...]
    factor: float = 1.0

    def bytes(self, block: Sequence[int]) -> float:
        """Bytes of the box."""
        return self.element_bytes * self.factor * prod([s.extent(block) for s in self.sides])


def largest_block(
    extents: Sequence[int], boxes: Sequence[Box], limit_bytes: float, multiple: int = 1
) -> tuple[int, ...] | None:
    """The block with most points whose boxes together take at most ``limit_bytes``.

    ``extents``: iterations of each axis, the contiguous one last; a block's last side is a multiple
    of ``multiple``, or the whole axis. None when not even the smallest block fits.
    """
    *outer, own = extents
    shapes = [_shape(box) for box in boxes]
    if sum([_bytes(shape, extents) for shape in shapes]) <= limit_bytes:
        return tuple(extents)
    best: tuple[int, ...] = ()
    points = 0
    for sides in _outer_sides(outer, shapes, limit_bytes, min(multiple, own)):
        last = _longest(sides, own, shapes, limit_bytes, multiple)
        now = prod(sides) * last
        if now > points or (last and now == points and (*sides, last)[::-1] > best[::-1]):
            best, points = (*sides, last), now
    return best or None


_Terms: TypeAlias = tuple[tuple[int, int], ...]
_Shape: TypeAlias = tuple[float, tuple[tuple[int, _Terms], ...]]
"""Bytes of an element; per side what does not grow, and (axis, step) of what does."""


def _shape(box: Box) -> _Shape:
    sides = [
        (1 + s.fixed + s.halo - sum([step for _, step in s.terms]), s.terms) for s in box.sides
    ]
    return box.element_bytes * box.factor, tuple(sides)


def _bytes(shape: _Shape, block: Sequence[int]) -> float:
    total, sides = shape
    for fixed, terms in sides:
        extent = fixed
        for axis, step in terms:
            extent += step * block[axis]
        total *= extent
    return total


def _outer_sides(
    extents: Sequence[int], shapes: Sequence[_Shape], limit: float, least: int
) -> Iterator[tuple[int, ...]]:
    """Sides of the other axes that leave room for the smallest last side."""

    def walk(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(done) == len(extents):
            yield done
            return
        ones = (1,) * (len(extents) - len(done) - 1)
        for side in _candidates(extents[len(done)], fine=limit <= SMALL_BYTES):
            block = (*done, side, *ones, least)
            if sum([_bytes(shape, block) for shape in shapes]) > limit:
                break
            yield from walk((*done, side))

    return walk(())


def _candidates(extent: int, *, fine: bool) -> Iterator[int]:
    """1 to 16, then eight steps an octave, and the whole; coarse: 1 to 4, then two an octave."""
    side, step, most = 1, 1, 16 if fine else 4
    while side < extent:
        yield side
        if side >= most * step:
            step *= 2
        side += step
    yield extent


def _longest(
    sides: tuple[int, ...], extent: int, shapes: Sequence[_Shape], limit: float, multiple: int
) -> int:
    """The longest last side that fits: the boxes grow linearly with it."""
    one = sum([_bytes(shape, (*sides, 1)) for shape in shapes])
    slope = sum([_bytes(shape, (*sides, 2)) for shape in shapes]) - one
    if one > limit:
        return 0
    most = extent if slope <= 0 else min(extent, 1 + int((limit - one) / slope))
    return most if most == extent else most // multiple * multiple
