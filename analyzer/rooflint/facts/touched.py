"""How many bytes the kernels of a nest touch at one set of sizes after another.

A search for a size asks this several times and needs nothing else. What does not depend on sizes,
which for most streams is all but the extents, is worked out once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rooflint.facts.affine import number
from rooflint.facts.compulsory import (
    StreamWalk,
    below,
    by_array,
    extent_lines,
    lines_of_walk,
    touched_lines,
)
from rooflint.facts.footprint import shape_of
from rooflint.facts.kernel_facts import KernelFacts
from rooflint.facts.space import Fixed, Space, space_of
from rooflint.facts.streams import Stream
from rooflint.ir import ZERO, Array, Loop


class _Plain(NamedTuple):
    """The only stream of an array, its places known.

    moving   per loop that it moves with: depth, bytes a step (0 where sizes decide) and step
    places   displacements of its references
    most     lines of the whole array
    """

    stream: Stream
    moving: tuple[tuple[int, int, int], ...]
    places: tuple[int, ...]
    most: float

    def lines(self, space: Space, values: Mapping[str, int], line_bytes: int) -> float | None:
        """Lines touched; None where a stride has no value, or none but zero."""
        stream = self.stream
        strides: list[int] = []
        used: list[int] = []
        start = 0
        for depth, constant, step in self.moving:
            stride = constant or number(stream.strides[depth] or ZERO, values)
            if not stride:
                return None
            if space.firsts[depth]:
                start += stride * space.firsts[depth] // step
            strides.append(stride)
            used.append(depth)
        extents: Sequence[float]
        if space.ranges is None:
            extents = [space.trips[depth] for depth in used]
            accesses = 1.0
            for extent in extents:
                accesses *= extent
        else:
            extents = space.extents([depth in used for depth in range(len(space.loops))])
            accesses = space.executions
        if strides and min(strides) < 0:
            start += below(strides, extents)
        shape = shape_of(strides, extents, stream.element_bytes, line_bytes)
        places = tuple([place + start for place in self.places]) if start else self.places
        return min(lines_of_walk(StreamWalk(shape, places, accesses), line_bytes), self.most)


class _Kernel(NamedTuple):
    """``plain`` and the ``others`` together are all streams of the kernel."""

    facts: KernelFacts
    plain: tuple[_Plain, ...]
    others: Mapping[str, Sequence[Stream]]


class NestFootprint:
    """The footprint of the kernels of one nest."""

    def __init__(
        self, nest: Iterable[KernelFacts], arrays: Mapping[str, Array], line_bytes: int
    ) -> None:
        self._arrays = arrays
        self._line_bytes = line_bytes
        self._kernels = [self._kernel(facts) for facts in nest]

    def bytes_at(self, values: Mapping[str, int]) -> float:
        """Bytes of all lines touched; an array of several kernels counts once."""
        line_bytes, arrays = self._line_bytes, self._arrays
        largest: dict[str, float] = {}
        known: Fixed = {}
        for facts, plain, others in self._kernels:
            space = space_of(facts.kernel.loops, values, known)
            if not space.executions:
                continue
            rest = others
            for stream in plain:
                lines = stream.lines(space, values, line_bytes)
                if lines is None:
                    rest = {**rest, stream.stream.array: [stream.stream]}
                elif lines > largest.get(stream.stream.array, 0.0):
                    largest[stream.stream.array] = lines
            for array, lines in touched_lines(rest, space, values, line_bytes, arrays):
                if lines > largest.get(array, 0.0):
                    largest[array] = lines
        return sum(largest.values()) * line_bytes

    def _kernel(self, facts: KernelFacts) -> _Kernel:
        plain: list[_Plain] = []
        others: dict[str, Sequence[Stream]] = {}
        for array, streams in by_array(facts).items():
            most = self._extent(array)
            found = None
            if most is not None and len(streams) == 1:
                found = _plain(streams[0], facts.kernel.loops, most)
            if found is None:
                others[array] = streams
            else:
                plain.append(found)
        return _Kernel(facts, tuple(plain), others)

    def _extent(self, name: str) -> float | None:
        """Lines of a whole array; None where that depends on sizes."""
        array = self._arrays.get(name)
        if array is not None and not all(e is None or e.value is not None for e in array.extents):
            return None
        return extent_lines(array, {}, self._line_bytes)


def _plain(stream: Stream, loops: Sequence[Loop], most: float) -> _Plain | None:
    if stream.reason or stream.follows:
        return None
    moving: list[tuple[int, int, int]] = []
    for depth, stride in enumerate(stream.strides):
        if stride is not None and stride.terms:
            step = loops[depth].step.value
            if step is None:
                return None
            moving.append((depth, stride.value or 0, step or 1))
    places: list[int] = []
    for reference in stream.references:
        place = reference.displacement.value
        if place is None:
            return None
        places.append(place)
    return _Plain(stream, tuple(moving), tuple(places), most)
