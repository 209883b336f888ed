"""Addresses of arrays: page after page, in the order of the function."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rooflint.dependence import record_place
from rooflint.ir import Array, Branch, Function, Loop, Node, Region, Statement
from rooflint.records import NamedTuple
from rooflint.replay.intervals import Interval, Ranges, interval_of
from rooflint.replay.program import RowPadding

PAGE_BYTES: Final = 4096
"""Allocators hand out large arrays from a page boundary on."""
FIRST_BYTE: Final = 1 << 30
"""Far from zero, so that no access lies below it."""
OPEN_BYTES: Final = 1 << 24
"""Reserved for an array whose end neither declaration nor accesses tell."""


class PageLayout(NamedTuple):
    """The address of byte 0 of each array, and the bytes that all of them take."""

    addresses: Mapping[str, int]
    bytes: int


def page_layout(
    function: Function, sizes: Mapping[str, int], padding: RowPadding | None = None
) -> Mapping[str, int]:
    """The address of byte 0 of each array; members of records lie within their records."""
    return lay_out(function, sizes, padding).addresses


def lay_out(
    function: Function, sizes: Mapping[str, int], padding: RowPadding | None = None
) -> PageLayout:
    """``page_layout`` with the bytes from the begin of the first array to the end of the last."""
    ranges: dict[str, Interval] = {name: Interval(v, v) for name, v in sizes.items()}
    reached = _reached(function, ranges)
    layout: dict[str, int] = {}
    free = FIRST_BYTE
    for array in function.arrays:
        if record_place(array) is not None:
            continue
        low, high = _extent(array, ranges, reached.get(array.name, Interval(0, 0)))
        if padding is not None and array.name == padding.array:
            low, high = padding.moved(low), padding.moved(high)
        layout[array.name] = free - low // PAGE_BYTES * PAGE_BYTES
        free = -(-(layout[array.name] + high) // PAGE_BYTES) * PAGE_BYTES
    for array in function.arrays:
        place = record_place(array)
        if place is not None and place[0] in layout:
            layout[array.name] = layout[place[0]] + place[1]
    return PageLayout(addresses=layout, bytes=free - FIRST_BYTE)


def _reached(function: Function, ranges: Ranges) -> dict[str, Interval | None]:
    """Bytes that all accesses of an array touch; None where some have no bounds."""
    reached: dict[str, Interval | None] = {}
    for name, interval in _touched(function.body, ranges):
        known = reached.setdefault(name, interval)
        if known is not None:
            reached[name] = None if interval is None else _joined(known, interval)
    return reached


def _joined(one: Interval, other: Interval) -> Interval:
    return Interval(min(one.low, other.low), max(one.high, other.high))


def _extent(array: Array, ranges: Ranges, reached: Interval | None) -> Interval:
    """First byte and the one behind the last, by its declaration, else by its accesses."""
    size: int | None = array.element_bytes
    for extent in array.extents:
        known = None if extent is None else interval_of(extent, ranges)
        size = None if size is None or known is None else size * max(1, known.high)
    if size is not None:
        return Interval(0, size)
    return Interval(0, OPEN_BYTES) if reached is None else reached


def _touched(nodes: Iterable[Node], ranges: Ranges) -> Iterator[tuple[str, Interval | None]]:
    """Bytes of each access."""
    for node in nodes:
        if isinstance(node, Statement):
            for access in node.accesses:
                place = interval_of(access.offset, ranges)
                past = None if place is None else Interval(place.low, place.high + access.bytes)
                yield access.array, past
        elif isinstance(node, Loop):
            yield from _touched(node.body, {**ranges, **_index_range(node, ranges)})
        elif isinstance(node, Branch):
            yield from _touched((node.condition, *node.then, *node.orelse), ranges)
        elif isinstance(node, Region):
            yield from _touched(node.body, ranges)


def _index_range(loop: Loop, ranges: Ranges) -> dict[str, Interval]:
    lower, upper = interval_of(loop.lower, ranges), interval_of(loop.upper, ranges)
    step = loop.step.value
    if lower is None or upper is None or not step:
        return {}
    if step > 0:
        return {loop.index: Interval(lower.low, max(lower.low, upper.high - 1))}
    return {loop.index: Interval(min(upper.low + 1, lower.high), lower.high)}
