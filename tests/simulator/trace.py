"""Address traces of IR functions: every access in program order, at given sizes and addresses.

A trace is made of walks: runs of iterations in which each reference moves by a fixed stride. Walks
expand to single touches, or collapse to passes over cache lines, which is what makes millions of
accesses a second possible.
"""

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from rooflint.ir import Function

from .plan import Planner, Policy, Stride, Values, Walk, run_all

Layout = Mapping[str, int]
"""Byte address of each array's start."""


class Touch(NamedTuple):
    """One access."""

    address: int
    bytes: int
    write: bool


class Pass(NamedTuple):
    """``times`` repetitions of the same accesses; ``codes`` are ``2 * line + write``."""

    codes: list[int]
    times: int


DEFAULT = Policy()
CHUNK_TRIPS = 1024


def lay_out(
    function: Function,
    values: Mapping[str, int],
    align_bytes: int = 64,
    gap_bytes: int = 0,
    open_bytes: int = 1 << 20,
) -> dict[str, int]:
    """Addresses for all arrays in their order, one after the other, page 1 first.

    An array with an open extent gets ``open_bytes``; ``gap_bytes`` stay free behind each array.
    """
    addresses: dict[str, int] = {}
    free = 4096
    for array in function.arrays:
        addresses[array.name] = free = -(-free // align_bytes) * align_bytes
        size = array.element_bytes
        for extent in array.extents:
            size = open_bytes if extent is None else size * extent.evaluate(values)
            if extent is None:
                break
        free += size + gap_bytes
    return addresses


def owner_of(layout: Layout, line_bytes: int = 64) -> Callable[[int], str]:
    """The array that a line belongs to: the last one that starts at or before the line's end."""
    starts = sorted((address, name) for name, address in layout.items())

    def owner(line: int) -> str:
        place = bisect(starts, ((line + 1) * line_bytes, "")) - 1
        return starts[max(place, 0)][1]

    return owner


def walks(
    function: Function, layout: Layout, values: Mapping[str, int], policy: Policy = DEFAULT
) -> Iterator[Walk]:
    """The function's accesses with its size parameters at ``values``.

    Raises UnknownValueError for a size without a value, and for a value without closed form when
    the policy has no callback for it.
    """
    plans = Planner(layout, values, policy).plans(function.body)
    yield from run_all(plans, Values(values, policy))


def touches(
    function: Function, layout: Layout, values: Mapping[str, int], policy: Policy = DEFAULT
) -> Iterator[Touch]:
    """Every single access in program order."""
    for walk in walks(function, layout, values, policy):
        for trip in range(walk.trips):
            for address, stride, size, write in walk.references:
                yield Touch(address + stride * trip, size, write)


def line_passes(trace: Iterable[Walk], line_bytes: int = 64) -> Iterator[Pass]:
    """The walks as passes over lines; an access across a line's end is one access to each line."""
    for trips, references in trace:
        if trips == 1:
            yield Pass(_codes(references, 0, line_bytes), 1)
        elif not _aligned(references, line_bytes):
            yield from _uneven_blocks(trips, references, line_bytes)
        elif any(abs(stride) >= line_bytes for _, stride, _, _ in references):
            yield from _chunks(trips, references, line_bytes)
        else:
            yield from _blocks(trips, references, line_bytes)


def _aligned(references: Iterable[Stride], line_bytes: int) -> bool:
    """Whether no access lies across two lines, and short strides divide a line."""
    for address, stride, size, _ in references:
        if size & (size - 1) or address % size or stride % size or size > line_bytes:
            return False
        if stride and abs(stride) < line_bytes and line_bytes % stride:
            return False
    return True


def _chunks(trips: int, references: tuple[Stride, ...], line_bytes: int) -> Iterator[Pass]:
    """Many iterations as one pass, where each of them changes lines; aligned references."""
    number = len(references)
    for begin in range(0, trips, CHUNK_TRIPS):
        end = min(begin + CHUNK_TRIPS, trips)
        codes = [0] * (number * (end - begin))
        for position, (address, stride, _, write) in enumerate(references):
            places: Iterable[int] = (address,)
            if stride:
                places = range(address + stride * begin, address + stride * end, stride)
            own = [place // line_bytes << 1 | write for place in places]
            codes[position::number] = own if stride else own * (end - begin)
        yield Pass(codes, 1)


def _blocks(trips: int, references: tuple[Stride, ...], line_bytes: int) -> Iterator[Pass]:
    """Iterations between which no reference changes its line are one pass; aligned references."""
    codes: list[int] = []
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for position, (address, stride, _, write) in enumerate(references):
        line, place = divmod(address, line_bytes)
        codes.append(line << 1 | write)
        if stride:
            first = (line_bytes - 1 - place) // stride if stride > 0 else place // -stride
            key = (first + 1, line_bytes // abs(stride))
            groups.setdefault(key, []).append((position, 2 if stride > 0 else -2))
    cuts = [begin for begin, _ in groups]
    rest = [(place, every, group) for place, ((_, every), group) in enumerate(groups.items())]
    trip = 0
    while True:
        until = min(trips, *cuts) if cuts else trips
        yield Pass(codes, until - trip)
        if until == trips:
            return
        codes = codes.copy()
        trip = until
        for place, every, group in rest:
            if cuts[place] == until:
                cuts[place] += every
                for position, change in group:
                    codes[position] += change


def _uneven_blocks(trips: int, references: tuple[Stride, ...], line_bytes: int) -> Iterator[Pass]:
    """The same for references that lie anyhow."""
    trip = 0
    while trip < trips:
        left = trips - trip
        for address, stride, size, _ in references:
            if not stride:
                continue
            for end in (address + stride * trip, address + stride * trip + size - 1):
                place = end % line_bytes
                steps = (line_bytes - 1 - place) // stride if stride > 0 else place // -stride
                left = min(left, steps + 1)
        yield Pass(_codes(references, trip, line_bytes), left)
        trip += left


def _codes(references: tuple[Stride, ...], trip: int, line_bytes: int) -> list[int]:
    codes: list[int] = []
    for address, stride, size, write in references:
        begin = address + stride * trip
        for line in range(begin // line_bytes, (begin + size - 1) // line_bytes + 1):
            codes.append(line << 1 | write)
    return codes
