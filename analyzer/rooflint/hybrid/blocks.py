"""The largest block of a streamed nest that fits a coprocessor's memory.

Sudareva, candidate thesis, NIISI RAN 2018, section 3.2.2: the largest block that fits; of equal
ones that with the longer contiguous side.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

MOST_COMBINATIONS = 4096


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
    best: tuple[int, ...] | None = None
    for sides in _outer_sides(outer, boxes, limit_bytes, min(multiple, own)):
        last = _longest(sides, own, boxes, limit_bytes, multiple)
        if last and (best is None or _better((*sides, last), best)):
            best = (*sides, last)
    return best


def _better(block: tuple[int, ...], best: tuple[int, ...]) -> bool:
    return (prod(block), block[::-1]) > (prod(best), best[::-1])


def _outer_sides(
    extents: Sequence[int], boxes: Sequence[Box], limit: float, least: int
) -> Iterator[tuple[int, ...]]:
    """Sides of the other axes that leave room for the smallest last side."""

    def fits(sides: Sequence[int]) -> bool:
        block = (*sides, *[1] * (len(extents) - len(sides)), least)
        return sum([box.bytes(block) for box in boxes]) <= limit

    def walk(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(done) == len(extents):
            yield done
            return
        for side in _candidates(extents[len(done)]):
            if not fits((*done, side)):
                break
            yield from walk((*done, side))

    return walk(())


def _candidates(extent: int) -> Iterator[int]:
    """1 to 16, then eight steps an octave, and the whole: close enough to every size there is."""
    side, step = 1, 1
    while side < extent:
        yield side
        if side >= 16 * step:
            step *= 2
        side += step
    yield extent


def _longest(
    sides: tuple[int, ...], extent: int, boxes: Sequence[Box], limit: float, multiple: int
) -> int:
    """The longest last side that fits: the boxes grow linearly with it."""
    one = sum([box.bytes((*sides, 1)) for box in boxes])
    slope = sum([box.bytes((*sides, 2)) for box in boxes]) - one
    if one > limit:
        return 0
    most = extent if slope <= 0 else min(extent, 1 + int((limit - one) / slope))
    return most if most == extent else most // multiple * multiple
