"""Distinct cache lines that streams touch over a whole iteration space, in closed form.

Addresses of a stream over loops with strides s and extents t are ``d + sum(s*v), 0 <= v < t``.
Taken by growing stride they form runs of bytes: a stride that leaves gaps smaller than a line
lengthens the run, a larger one repeats it. Runs of several references overlap where their
displacements, written in the same strides, do. Arrays are taken to start at a line.
"""

from collections.abc import Iterable, Sequence
from math import gcd
from typing import NamedTuple


class Repeat(NamedTuple):
    """The pattern inside is repeated so many ``times``, ``stride`` bytes apart."""

    stride: int
    times: float


class Shape(NamedTuple):
    """A run of ``width`` bytes, repeated along ``repeats`` (smallest stride first)."""

    width: float
    repeats: tuple[Repeat, ...] = ()

    @property
    def span(self) -> float:
        """From the first byte to the last one."""
        span = self.width
        for stride, times in self.repeats:
            span += stride * (times - 1)
        return span


def shape_of(
    strides: Sequence[int], extents: Sequence[float], element_bytes: int, line_bytes: int
) -> Shape:
    """The shape of one reference. Extents are at least 1; strides of either sign, not 0."""
    width: float = element_bytes
    if len(strides) == 1 and abs(strides[0]) - width < line_bytes:
        return Shape(width + abs(strides[0]) * (extents[0] - 1))
    repeats: list[Repeat] = []
    order = sorted(zip(map(abs, strides), extents, strict=True))
    for stride, extent in order:
        if not repeats and stride - width < line_bytes:
            width += stride * (extent - 1)
        elif (
            repeats
            and stride % repeats[-1].stride == 0
            and (stride < repeats[-1].stride * (repeats[-1].times + 1))
        ):
            last = repeats[-1]
            repeats[-1] = Repeat(last.stride, last.times + stride // last.stride * (extent - 1))
        elif extent > 1:
            repeats.append(Repeat(stride, extent))
    return Shape(width, tuple(repeats))


def lines_of(shape: Shape, places: tuple[int, ...], line_bytes: int) -> float:
    """Distinct lines of ``shape`` at all ``places`` (bytes) of one array together."""
    if len(places) == 1:
        return _lines(shape, places[0], line_bytes)
    if not shape.repeats:
        return _merged(sorted(places), shape.width, line_bytes)
    return _boxes(shape, places, line_bytes)


def _lines(shape: Shape, start: int, line_bytes: int) -> float:
    if not shape.repeats:
        return (start % line_bytes + shape.width + line_bytes - 1) // line_bytes
    count = _mean_lines(shape, start, shape.width, line_bytes)
    for repeat in shape.repeats:
        count *= repeat.times
    return count


def _mean_lines(shape: Shape, start: int, width: float, line_bytes: int) -> float:
    """Lines of one run of ``width``, averaged over the places in a line where runs start."""
    grain = line_bytes
    for repeat in shape.repeats:
        grain = gcd(grain, repeat.stride)
    if grain == line_bytes:
        return (start % line_bytes + width + line_bytes - 1) // line_bytes
    phases = range(start % grain, line_bytes, grain)
    total = sum((phase + width + line_bytes - 1) // line_bytes for phase in phases)
    return total / len(phases)


def _merged(starts: list[int], width: float, line_bytes: int) -> float:
    """Lines of runs of ``width`` at sorted ``starts``; runs in one line are one."""
    lines = 0.0
    last = None
    for start in starts:
        first, end = start // line_bytes, (start + width - 1) // line_bytes
        if last is None or first > last:
            lines += end - first + 1
            last = end
        elif end > last:
            lines += end - last
            last = end
    return lines


def _boxes(shape: Shape, places: Iterable[int], line_bytes: int) -> float:
    """Repeated runs at several places: those whose repeats overlap share a box.

    Each place is written as a multiple of the strides, largest first, and a rest. Places whose
    rests lie within a line of each other and whose boxes overlap are covered by one bounding box,
    unless the boxes one by one are fewer lines.
    """
    positions = sorted({_position(shape, place) for place in places})
    boxes: list[tuple[list[int], list[int]]] = []
    for position in positions:
        for low, high in boxes:
            if _overlap(shape, low, high, position, line_bytes):
                for axis, value in enumerate(position):
                    low[axis], high[axis] = min(low[axis], value), max(high[axis], value)
                break
        else:
            boxes.append((list(position), list(position)))
    total = 0.0
    for low, high in boxes:
        inside = [
            p for p in positions if all(a <= v <= b for a, v, b in zip(low, p, high, strict=True))
        ]
        box = _mean_lines(shape, low[-1], shape.width + high[-1] - low[-1], line_bytes)
        single = len(inside) * _mean_lines(shape, low[-1], shape.width, line_bytes)
        repeats = reversed(shape.repeats)
        for repeat, first, last in zip(repeats, low, high, strict=False):
            box *= repeat.times + last - first
            single *= repeat.times
        total += min(box, single)
    return total


def _position(shape: Shape, place: int) -> tuple[int, ...]:
    axes: list[int] = []
    for repeat in reversed(shape.repeats):
        steps = (2 * place + repeat.stride) // (2 * repeat.stride)  # to the nearest
        axes.append(steps)
        place -= steps * repeat.stride
    return (*axes, place)


def _overlap(
    shape: Shape, low: Sequence[int], high: Sequence[int], position: Sequence[int], line_bytes: int
) -> bool:
    counts = [repeat.times for repeat in reversed(shape.repeats)] + [shape.width + line_bytes - 1]
    return all(
        first - count <= value <= last + count
        for first, last, value, count in zip(low, high, position, counts, strict=True)
    )
