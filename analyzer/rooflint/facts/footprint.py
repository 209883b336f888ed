"""Distinct cache lines that streams touch over a whole iteration space, in closed form.

Addresses of a stream over loops with strides s and extents t are ``d + sum(s*v), 0 <= v < t``.
Taken by growing stride they form runs of bytes: a stride that leaves gaps smaller than a line
lengthens the run, a larger one repeats it. Runs of several references overlap where their
displacements, written in the same strides, do. Arrays are taken to start at a line.
"""

from collections.abc import Iterable, Sequence
from math import gcd
from typing import TypeAlias

from rooflint.records import NamedTuple


class Repeat(NamedTuple):
    """The pattern inside is repeated so many ``times``, ``stride`` bytes apart."""

    stride: int
    times: float


class RunShape(NamedTuple):
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
) -> RunShape:
    """The shape of one reference. Extents are at least 1; strides of either sign, not 0."""
    width: float = element_bytes
    if len(strides) == 1 and abs(strides[0]) - width < line_bytes:
        return RunShape(width + abs(strides[0]) * (extents[0] - 1))
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
    return RunShape(width, tuple(repeats))


def lines_of(shape: RunShape, places: tuple[int, ...], line_bytes: int) -> float:
    """Distinct lines of ``shape`` at all ``places`` (bytes) of one array together."""
    if len(places) == 1:
        return _lines(shape, places[0], line_bytes)
    if not shape.repeats:
        return _merged(sorted(places), shape.width, line_bytes)
    return sum([lines for lines, _ in _clusters(shape, places, line_bytes)])


def _lines(shape: RunShape, start: int, line_bytes: int) -> float:
    if not shape.repeats:
        return (start % line_bytes + shape.width + line_bytes - 1) // line_bytes
    count = _mean_lines(shape, start, shape.width, line_bytes)
    for repeat in shape.repeats:
        count *= repeat.times
    return count


def _mean_lines(shape: RunShape, start: int, width: float, line_bytes: int) -> float:
    """Lines of one run of ``width``, averaged over the places in a line where runs start."""
    grain = line_bytes
    for repeat in shape.repeats:
        grain = gcd(grain, repeat.stride)
    if grain == line_bytes:
        return (start % line_bytes + width + line_bytes - 1) // line_bytes
    phases = range(start % grain, line_bytes, grain)
    total = sum([(phase + width + line_bytes - 1) // line_bytes for phase in phases])
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


class ByteBox(NamedTuple):
    """A shape that begins at the byte ``start``."""

    start: int
    shape: RunShape

    def covers(self, other: "ByteBox") -> bool:
        """Whether all of ``other`` lies inside, as far as equal strides tell."""
        strides = {repeat.stride for repeat in self.shape.repeats}
        if strides and (
            other.shape.width > self.shape.width
            or any(repeat.stride not in strides for repeat in other.shape.repeats)
        ):
            return False
        offset = other.start - self.start
        return self._reaches(offset) and self._reaches(int(offset + other.shape.span - 1))

    def common_lines(self, other: "ByteBox", line_bytes: int) -> float:
        """About how many lines both have; of strides that differ, as if spread evenly."""
        first = max(self.start, other.start) - line_bytes
        end = min(self.start + self.shape.span, other.start + other.shape.span)
        if end <= first:
            return 0.0
        strides = [repeat.stride for repeat in self.shape.repeats]
        if strides != [repeat.stride for repeat in other.shape.repeats]:
            fewer = min(self, other, key=lambda box: _lines(box.shape, box.start, line_bytes))
            share = min(1.0, (end - first) / fewer.shape.span)
            return share * _lines(fewer.shape, fewer.start, line_bytes)
        mine, others = _position(self.shape, self.start), _position(self.shape, other.start)
        lines = 1.0
        repeats = reversed(self.shape.repeats), reversed(other.shape.repeats)
        axes = zip(mine, others, *repeats, strict=False)  # the last place has no repeat
        for low, other_low, repeat, other_repeat in axes:
            reach = min(low + repeat.times, other_low + other_repeat.times)
            lines *= max(0.0, reach - max(low, other_low))
        low = max(mine[-1], others[-1]) // line_bytes
        last = min(mine[-1] + self.shape.width, others[-1] + other.shape.width) - 1
        return lines * max(0.0, last // line_bytes - low + 1)

    def _reaches(self, offset: int) -> bool:
        for stride, times in reversed(self.shape.repeats):
            steps = min(offset // stride, round(times) - 1)
            if steps < 0:
                return False
            offset -= steps * stride
        return 0 <= offset < self.shape.width


def boxes_of(shape: RunShape, places: Iterable[int], line_bytes: int) -> list[ByteBox]:
    """Repeated runs that cover ``shape`` at all ``places``, each with its first byte."""
    return [box for _, boxes in _clusters(shape, places, line_bytes) for box in boxes]


def _clusters(
    shape: RunShape, places: Iterable[int], line_bytes: int
) -> list[tuple[float, list[ByteBox]]]:
    """Lines and boxes of places that overlap each other. Each place is written as a multiple of the
    strides, largest first, and a rest. Places whose rests lie within a line of each other and whose
    boxes overlap are covered by one bounding box, or by their own where those are fewer lines. The
    arms of a star have fewer than its box."""
    positions = sorted({_position(shape, place) for place in places})
    hulls = _hulls(shape, positions, line_bytes)
    if len(hulls) == 1:
        return [_cover(shape, *hulls[0], positions, line_bytes)]
    return [
        _cover(shape, low, high, [p for p in positions if _is_inside(p, low, high)], line_bytes)
        for low, high in hulls
    ]


def _hulls(
    shape: RunShape, positions: Iterable[tuple[int, ...]], line_bytes: int
) -> list[tuple[list[int], list[int]]]:
    """First and last step along each axis of positions whose boxes overlap."""
    hulls: list[tuple[list[int], list[int]]] = []
    for position in positions:
        for low, high in hulls:
            if _overlap(shape, low, high, position, line_bytes):
                low[:], high[:] = map(min, low, position), map(max, high, position)
                break
        else:
            hulls.append((list(position), list(position)))
    return hulls


def _is_inside(position: Sequence[int], low: Sequence[int], high: Sequence[int]) -> bool:
    return all(a <= b <= c for a, b, c in zip(low, position, high, strict=True))


def _cover(
    shape: RunShape,
    low: Sequence[int],
    high: Sequence[int],
    inside: Sequence[tuple[int, ...]],
    line_bytes: int,
) -> tuple[float, list[ByteBox]]:
    boxes = [_covering(shape, low, high, line_bytes)]
    lines = sum((_lines(shape, start, line_bytes) for start, shape in boxes))
    if len(inside) > 1:
        starts = [_place(shape, position) for position in inside]
        alone = _repeated(shape, starts, line_bytes)
        if alone < lines:
            lines, boxes = alone, [ByteBox(start, shape) for start in starts]
    if len(inside) > len(low) > 1:
        lines = min(lines, _union(shape, _arms(inside), line_bytes))
    return lines, boxes


_Position: TypeAlias = tuple[int, ...]


def _arms(positions: Sequence[_Position]) -> list[tuple[_Position, _Position]]:
    """First and last of each set of places that differ along one axis alone. Each place counts in
    its largest set."""
    arms: dict[tuple[int, _Position], list[_Position]] = {}
    for position in positions:
        for axis in range(len(position)):
            key = (axis, position[:axis] + position[axis + 1 :])
            arms.setdefault(key, []).append(position)
    largest: dict[_Position, list[_Position]] = {}
    for arm in arms.values():
        for position in arm:
            if len(arm) > len(largest.get(position, ())):
                largest[position] = arm
    return list(dict.fromkeys([(min(arm), max(arm)) for arm in largest.values()]))


def _union(shape: RunShape, arms: Sequence[tuple[_Position, _Position]], line_bytes: int) -> float:
    """Lines of arms that meet in one place, each from its first place to its last."""
    total = 0.0
    for number, (low, high) in enumerate(arms):
        shared = 0.0
        for other_low, other_high in arms[:number]:
            # both reach as far beyond their last place as the shape does
            first = tuple(map(max, low, other_low))
            last = tuple(map(min, high, other_high))
            meeting = _covering(shape, first, last, line_bytes)
            shared = max(shared, _lines(meeting.shape, meeting.start, line_bytes))
        own = _covering(shape, low, high, line_bytes)
        total += max(0.0, _lines(own.shape, own.start, line_bytes) - shared)
    return total


def _repeated(shape: RunShape, starts: Iterable[int], line_bytes: int) -> float:
    """Lines of one shape at each of ``starts``, alone; equal places in a line count alike."""
    known: dict[int, float] = {}
    total = 0.0
    for start in starts:
        phase = start % line_bytes
        if phase not in known:
            known[phase] = _lines(shape, phase, line_bytes)
        total += known[phase]
    return total


def _place(shape: RunShape, position: Sequence[int]) -> int:
    place = position[-1]
    for repeat, steps in zip(reversed(shape.repeats), position, strict=False):
        place += steps * repeat.stride
    return place


def _covering(shape: RunShape, low: Sequence[int], high: Sequence[int], line_bytes: int) -> ByteBox:
    """The shape at ``low`` widened to reach what ``high`` does."""
    longer = [
        Repeat(stride, times + last - first)
        for (stride, times), first, last in zip(reversed(shape.repeats), low, high, strict=False)
    ]
    width = shape.width + high[-1] - low[-1]
    while longer and longer[-1].stride - width < line_bytes:
        stride, times = longer.pop()
        width += stride * (times - 1)
    return ByteBox(_place(shape, low), RunShape(width, tuple(reversed(longer))))


def _position(shape: RunShape, place: int) -> tuple[int, ...]:
    axes: list[int] = []
    for repeat in reversed(shape.repeats):
        steps = (2 * place + repeat.stride) // (2 * repeat.stride)  # to the nearest
        axes.append(steps)
        place -= steps * repeat.stride
    return (*axes, place)


def _overlap(
    shape: RunShape,
    low: Sequence[int],
    high: Sequence[int],
    position: Sequence[int],
    line_bytes: int,
) -> bool:
    axis = 0
    for _, count in reversed(shape.repeats):
        if not low[axis] - count <= position[axis] <= high[axis] + count:
            return False
        axis += 1
    reach = shape.width + line_bytes - 1
    return low[axis] - reach <= position[axis] <= high[axis] + reach
