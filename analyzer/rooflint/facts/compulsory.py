"""Lines a kernel must move at least: each line of each array once, whatever the caches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from math import prod

from rooflint.facts.affine import number
from rooflint.facts.footprint import RunShape, lines_of, shape_of
from rooflint.facts.kernel_facts import KernelFacts
from rooflint.facts.space import Space, Triangle
from rooflint.facts.streams import Stream
from rooflint.ir import Array
from rooflint.records import NamedTuple


class ArrayLines(NamedTuple):
    """Distinct lines of one array over the whole nest of a kernel, averages where runs misalign.

    loaded, stored    touched by a load (before a store of the same iteration), by a store
    touched           both together
    loaded_most, stored_most, touched_most   upper bounds, above the others where places are unknown
    first_byte, end_byte   the hull; None where places are unknown
    """

    array: str
    loaded: float
    stored: float
    touched: float
    loaded_most: float
    stored_most: float
    touched_most: float
    first_byte: int | None
    end_byte: float | None

    @property
    def certain(self) -> bool:
        """Whether lower and upper bounds are the same."""
        least = (self.loaded, self.stored, self.touched)
        return least == (self.loaded_most, self.stored_most, self.touched_most)


BOX: Triangle = frozenset()
"""The bounds tie no indices together."""


class StreamFootprint(NamedTuple):
    """One stream in numbers.

    shape       of each reference; ``places``: first bytes of all, ``loaded``, ``stored`` of those
    region      strides and bounds; streams with equal ones walk the same region
    copies      upper bound on how often the shape may lie elsewhere where places are unknown
    executions  of the kernel's body
    """

    shape: RunShape
    region: tuple[tuple[int, ...], Triangle]
    copies: float
    executions: float
    loaded: tuple[int, ...]
    stored: tuple[int, ...]
    places: tuple[int, ...]
    known: bool
    gather: bool


def compulsory_lines(
    facts: KernelFacts,
    space: Space,
    values: Mapping[str, int],
    line_bytes: int,
    arrays: Mapping[str, Array],
) -> tuple[ArrayLines, ...]:
    """Per array what the kernel touches while its nest runs once; ``space`` is not empty.

    Where the place of an access is unknown the lower bound counts no line beyond the first, the
    upper bound a line per access; neither exceeds the array's extent.
    """
    found: list[ArrayLines] = []
    for name, streams in by_array(facts).items():
        lines = None
        if len(streams) == 1:
            lines = _plain(streams[0], space, values, line_bytes)
        if lines is None:
            lines = _array_lines(name, streams, space, values, line_bytes)
        most = extent_lines(arrays.get(name), values, line_bytes)
        found.append(lines if lines.touched_most <= most else _at_most(lines, most))
    return tuple(found)


def by_array(facts: KernelFacts) -> dict[str, list[Stream]]:
    """The streams of each array."""
    found: dict[str, list[Stream]] = {}
    for stream in facts.streams:
        found.setdefault(stream.array, []).append(stream)
    return found


def touched_lines(
    streams_of: Mapping[str, Sequence[Stream]],
    space: Space,
    values: Mapping[str, int],
    line_bytes: int,
) -> Iterator[tuple[str, float]]:
    """``ArrayLines.touched`` of each array alone, for searches that need nothing else.

    Arrays have no end here.
    """
    for name, streams in streams_of.items():
        walk = stream_walk(streams[0], space, values, line_bytes) if len(streams) == 1 else None
        if walk is None:
            parts = [part_of(stream, space, values, line_bytes) for stream in streams]
            hull = _hull(parts)
            lines, _ = _union([(p, p.places) for p in parts], _span(hull, line_bytes), line_bytes)
        else:
            lines = _lines_of_walk(walk, line_bytes)
        yield name, lines


def touched_hulls(
    streams_of: Mapping[str, Sequence[Stream]],
    space: Space,
    values: Mapping[str, int],
    line_bytes: int,
) -> Iterator[tuple[str, tuple[int, float] | None]]:
    """First and end byte of what is touched of each array; None where a place is unknown."""
    for name, streams in streams_of.items():
        yield name, _hull([part_of(stream, space, values, line_bytes) for stream in streams])


def _at_most(lines: ArrayLines, most: float) -> ArrayLines:
    return ArrayLines(
        array=lines.array,
        loaded=min(lines.loaded, most),
        stored=min(lines.stored, most),
        touched=min(lines.touched, most),
        loaded_most=min(lines.loaded_most, most),
        stored_most=min(lines.stored_most, most),
        touched_most=min(lines.touched_most, most),
        first_byte=lines.first_byte,
        end_byte=lines.end_byte,
    )


class StreamWalk(NamedTuple):
    """The only stream of its array in numbers: its shape at all places, and how often it accesses
    each of them."""

    shape: RunShape
    places: tuple[int, ...]
    accesses: float

    @property
    def hull(self) -> tuple[int, float]:
        """First and end byte."""
        return min(self.places), max(self.places) + self.shape.span


def _lines_of_walk(walk: StreamWalk, line_bytes: int) -> float:
    lines = _lines_at(walk.places, walk.shape, line_bytes, walk.accesses)
    return min(lines, _span(walk.hull, line_bytes))


class _Moves(NamedTuple):
    """How loops move a stream, in numbers.

    depths, strides   the loops that do, and bytes per iteration of each
    start             where the first iteration is, in bytes from where all indices are 0
    known             whether each loop's stride has a value
    """

    depths: list[int]
    strides: list[int]
    start: int
    known: bool


def _moves(stream: Stream, space: Space, values: Mapping[str, int]) -> _Moves:
    depths: list[int] = []
    strides: list[int] = []
    start = 0
    known = True
    for depth, stride in enumerate(stream.strides):
        if stride is None:
            known = known and bool(stream.follows) and stream.follows[depth]
        elif stride.terms:
            value = number(stride, values)
            known = known and value is not None
            if value:
                depths.append(depth)
                strides.append(value)
                first = space.firsts[depth]
                if first:
                    start += value * first // (number(space.loops[depth].step, values) or 1)
    return _Moves(depths=depths, strides=strides, start=start, known=known)


def stream_walk(
    stream: Stream, space: Space, values: Mapping[str, int], line_bytes: int
) -> StreamWalk | None:
    """``stream`` where all its places are known; None for any other. The same as ``part_of`` in a
    fraction of the time: nearly all streams are of this kind."""
    if stream.reason or stream.follows:
        return None
    depths, strides, start, known = _moves(stream, space, values)
    if not known:
        return None
    extents: Sequence[float] = [space.trips[depth] for depth in depths]
    accesses = space.executions
    if space.ranges is None:
        accesses = prod(extents, start=1.0)
    else:
        extents = space.extents([depth in depths for depth in range(len(space.loops))])
    if strides and min(strides) < 0:
        start += _below(strides, extents)
    shape = shape_of(strides, extents, stream.element_bytes, line_bytes)
    places = [start + (number(r.displacement, values) or 0) for r in stream.references]
    return StreamWalk(shape, tuple(places), accesses)


def _plain(
    stream: Stream, space: Space, values: Mapping[str, int], line_bytes: int
) -> ArrayLines | None:
    """The only stream of its array, all places known; None for any other."""
    walk = stream_walk(stream, space, values, line_bytes)
    if walk is None:
        return None
    shape, places, accesses = walk
    touched = _lines_at(places, shape, line_bytes, accesses)

    def lines_of_some(chosen: list[bool]) -> float:
        if all(chosen):
            return touched
        return _lines_at(tuple(compress(places, chosen)), shape, line_bytes, accesses)

    loaded = lines_of_some([reference.loaded for reference in stream.references])
    stored = lines_of_some([reference.stored for reference in stream.references])
    first, end = walk.hull
    lines = ArrayLines(
        array=stream.array,
        loaded=loaded,
        stored=stored,
        touched=touched,
        loaded_most=loaded,
        stored_most=stored,
        touched_most=touched,
        first_byte=first,
        end_byte=end,
    )
    most = _span(walk.hull, line_bytes)
    return lines if touched <= most else _at_most(lines, most)


def _span(hull: tuple[int, float] | None, line_bytes: int) -> float:
    """Lines from the first to the last byte; infinite where nobody knows them."""
    if hull is None:
        return float("inf")
    return (hull[1] - 1) // line_bytes - hull[0] // line_bytes + 1


def _below(strides: Iterable[int], extents: Iterable[float]) -> int:
    """How far below the first access those with negative strides reach, as a negative number."""
    return sum([int(s * (e - 1)) for s, e in zip(strides, extents, strict=True) if s < 0])


def _lines_at(places: tuple[int, ...], shape: RunShape, line_bytes: int, accesses: float) -> float:
    """Distinct lines of the places of one shape, each walked by so many accesses."""
    if not places:
        return 0.0
    lines = lines_of(shape, places, line_bytes)
    # an access touches one line, or two where it straddles them
    most = accesses * len(places) * (2 if shape.width > line_bytes else 1)
    return lines if lines <= most else most


def _array_lines(
    name: str, streams: Sequence[Stream], space: Space, values: Mapping[str, int], line_bytes: int
) -> ArrayLines:
    parts = [part_of(stream, space, values, line_bytes) for stream in streams]
    hull = _hull(parts)
    most = _span(hull, line_bytes)
    loaded, loaded_most = _union([(p, p.loaded) for p in parts if p.loaded], most, line_bytes)
    stored, stored_most = _union([(p, p.stored) for p in parts if p.stored], most, line_bytes)
    touched, touched_most = loaded or stored, loaded_most or stored_most
    if stored_most and loaded_most:
        touched, touched_most = _union([(p, p.places) for p in parts], most, line_bytes)
    return ArrayLines(
        array=name,
        loaded=loaded,
        stored=stored,
        touched=touched,
        loaded_most=loaded_most,
        stored_most=stored_most,
        touched_most=touched_most,
        first_byte=hull[0] if hull else None,
        end_byte=hull[1] if hull else None,
    )


def _hull(parts: Sequence[StreamFootprint]) -> tuple[int, float] | None:
    if not all(part.known for part in parts):
        return None
    first = min([min(part.places) for part in parts])
    return first, max([max(part.places) + part.shape.span for part in parts])


def part_of(
    stream: Stream, space: Space, values: Mapping[str, int], line_bytes: int
) -> StreamFootprint:
    """A stream at numeric sizes, over the whole of ``space``."""
    depths, strides, start, known = _moves(stream, space, values)
    used = [depth in depths for depth in range(len(stream.strides))]
    extents = space.extents(used)
    if stream.follows and extents:
        rows = compress(space.trips, stream.follows)
        extents = (*extents[:-1], extents[-1] * prod(rows, start=1.0))
    if strides and min(strides) < 0:
        start += _below(strides, extents)
    references = stream.references
    places = [start + (number(r.displacement, values) or 0) for r in references]
    gather = not known and stream.pattern == "gather"
    copies = 1.0
    if gather:
        copies = space.executions
    elif not known:
        unknown = [stride is None for stride in stream.strides]
        copies = prod(compress(space.trips, unknown), start=1.0)
    triangle = BOX if space.ranges is None else space.triangle(used, strides)
    return StreamFootprint(
        shape=shape_of(strides, extents, stream.element_bytes, line_bytes),
        region=(tuple(sorted(strides)), triangle),
        copies=copies,
        executions=space.executions,
        loaded=tuple(compress(places, [r.loaded for r in references])),
        stored=tuple(compress(places, [r.stored for r in references])),
        places=tuple(places),
        known=known,
        gather=gather,
    )


def extent_lines(array: Array | None, values: Mapping[str, int], line_bytes: int) -> float:
    """Lines of the whole array, infinite where an extent is open."""
    if array is None or not array.extents:
        return float("inf")
    size = array.element_bytes
    for extent in array.extents:
        value = None if extent is None else number(extent, values)
        if value is None:
            return float("inf")
        size *= max(value, 0)
    return -(-size // line_bytes) if size else float("inf")


def _union(
    parts: Iterable[tuple[StreamFootprint, tuple[int, ...]]], most: float, line_bytes: int
) -> tuple[float, float]:
    lower = upper = 0.0
    for part, places in _outermost(parts):
        lines = _lines_at(places, part.shape, line_bytes, part.executions)
        lower += 0.0 if part.gather else lines
        upper += lines * part.copies
    return min(lower, most), min(upper, most)


def _outermost(
    parts: Iterable[tuple[StreamFootprint, tuple[int, ...]]],
) -> list[tuple[StreamFootprint, tuple[int, ...]]]:
    """The parts without those that lie inside another one of the same region."""
    kept: list[tuple[StreamFootprint, tuple[int, ...]]] = []
    for part, places in sorted(parts, key=lambda each: -each[0].shape.span):
        low, high = min(places), max(places) + part.shape.span
        inside = part.known and any(
            other.known
            and other.region == part.region
            and min(outer) <= low
            and high <= max(outer) + other.shape.span
            for other, outer in kept
        )
        if not inside:
            kept.append((part, places))
    return kept
