"""Lines of an earlier walk that a cache still holds when a later walk reaches them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from operator import mul
from typing import TypeAlias

from rooflint.facts import ByteBox
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.line_counts import CountsByArray
from rooflint.memory.nests import Members
from rooflint.memory.occupancy import SCALE, Packed, sets_of, thin_out
from rooflint.memory.subnest_footprints import Fixed, SubnestFootprints

CROWDED = 1.5
"""With so many times the lines that a cache holds, hardly a set keeps any."""
SLIGHT = 0.02
"""Of so small a part of the lines nobody asks in which set they are."""


Names: TypeAlias = Collection[str]
"""Of arrays."""


class WindowLines:
    """The lines that kernels touch in a window: by array, and by set once somebody asks."""

    def __init__(
        self,
        grown: Sequence[CountsByArray],
        place: tuple[Members, int, Fixed],
        windows: SubnestFootprints,
        cache: CacheGeometry,
    ) -> None:
        self._place = place
        self._windows = windows
        self._cache = cache
        self.sets = sets_of(cache.sets)
        self.totals: dict[str, float] = {}
        for row in grown:
            for array, growth in row.items():
                lines = growth.load + growth.allocate
                self.totals[array] = self.totals.get(array, 0.0) + lines
        self.total = sum(self.totals.values())

    @cached_property
    def boxes(self) -> Mapping[str, list[ByteBox]]:
        """Where they lie, as far as that is known."""
        return self._windows.boxes(*self._place)

    @cached_property
    def most(self) -> float:
        """At most so many fall into one set."""
        bound, cache = self._windows.most_in_a_set, self._cache
        if cache.sets == 1 or self.total > CROWDED * cache.lines:
            return self.total
        return sum(bound(box, cache) for boxes in self.boxes.values() for box in boxes)

    def common(self, other: "WindowLines", array: str) -> float:
        """How many lines of an array both have, at most."""
        if self is other:
            return self.totals[array]
        mine, others = self.boxes.get(array), other.boxes.get(array)
        if mine is None or others is None:
            return self.totals[array]
        size = self._windows.line_bytes
        return sum(one.common_lines(another, size) for one in mine for another in others)

    def shared_with(self, other: "WindowLines", left: Mapping[str, float]) -> dict[str, float]:
        """Per array how many of the lines that are ``left`` of this window the other has, too."""
        return {
            array: min(other.totals[array], lines, self.common(other, array))
            for array, lines in left.items()
            if lines > 0 and other.totals.get(array)
        }

    @cached_property
    def by_set(self) -> dict[str, Packed]:
        """Per array, the lines in each set; spread evenly where places are unknown."""
        sets = self.sets
        found: dict[str, Packed] = {}
        for array, total in self.totals.items():
            boxes = self.boxes.get(array)
            if boxes is None or sets.number == 1:
                found[array] = sets.even(total)
                continue
            counts = self._windows.lines_per_set(array, boxes, sets)
            # a triangle's hull is fuller than the triangle, boxes may share lines: they count less
            density = total / sets.total(counts)
            found[array] = thin_out(counts, density) if density < 1 else counts
        return found

    @cached_property
    def in_sets(self) -> dict[str, float]:
        """Per array, the lines in all sets together."""
        return {array: self.sets.total(counts) for array, counts in self.by_set.items()}

    @cached_property
    def held(self) -> Packed:
        """The lines of all arrays in each set."""
        return sum(self.by_set.values())

    def walks(self, array: str, other: "WindowLines") -> "_Way":
        """How this window walks an array after ``other`` did."""
        members, depth, _ = self._place
        before = self._windows.order(other._place[0], array, depth)
        order = self._windows.order(members, array, depth)
        if order.rows_first != before.rows_first:
            return _across
        return _along if order.upwards == before.upwards else _back


def shares_kept(
    tail: WindowLines,
    always: WindowLines,
    head: WindowLines,
    cache: CacheGeometry,
    asked: Names,
) -> Mapping[str, float]:
    """Per array ``asked`` of ``head``, the share of its lines that the cache still holds from
    ``tail``.

    Where ``head`` has come a fraction f of its way, there were since: all that is ``always``
    there, the rest of ``tail`` and the fraction f of ``head``.
    """
    asked = [array for array in asked if array in head.totals]
    if _least(tail, always, head) > CROWDED * cache.lines:
        return {}
    between = always.total + max(tail.total, head.total)
    if head.total < SLIGHT * between and cache.sets > 1:
        return dict.fromkeys(asked, float(between <= cache.lines))
    if always.most + max(tail.most, head.most) <= cache.ways:
        return dict.fromkeys(asked, 1.0)
    ways: dict[_Way, list[str]] = {}
    for array in asked:
        way = _along if tail is head else head.walks(array, tail)
        ways.setdefault(way, []).append(array)
    found: dict[str, float] = {}
    for way, arrays in ways.items():
        found |= _shares(tail, always, head, cache, way, arrays)
    return found


def _least(tail: WindowLines, always: WindowLines, head: WindowLines) -> float:
    """At least so many lines are touched in between, wherever on the way."""
    found = always.total
    for array, lines in head.totals.items():
        both = min(lines, tail.totals.get(array, 0.0))
        found += max(0.0, both - always.totals.get(array, 0.0))
    return found


_Way: TypeAlias = Callable[[float, float, float, float], float]
"""The share of a walk for which a set with so many ways keeps what the walk before it touched.

Arguments: ways, lines that are always there, those and the walk before, those and this walk.
"""


def _shares(
    tail: WindowLines,
    always: WindowLines,
    head: WindowLines,
    cache: CacheGeometry,
    way: _Way,
    arrays: Sequence[str],
) -> Mapping[str, float]:
    """``shares_kept`` of the ``arrays`` that are walked in the same ``way``."""
    room, sets = cache.ways, head.sets
    begin = _with(tail, always)
    end = begin if head is tail else _with(head, always)
    fits_first, fits_last = sets.at_most(begin, room), sets.at_most(end, room)
    # where it fits first and last it stays, whichever way; walking alike, where it never fits not
    sure = fits_first & fits_last
    doubtful = (fits_first | fits_last if way is _along else sets.all) ^ sure
    if sure == sets.all:
        return dict.fromkeys(arrays, 1.0)
    if not sure | doubtful:
        return {}
    stays: list[float] = []
    if doubtful:
        lines = list(zip(*map(sets.fields, (always.held, begin, end)), strict=True))
        shares = {each: way(room * SCALE, *each) for each in set(lines)}
        stays = [shares[each] for each in lines]
    found: dict[str, float] = {}
    for array in arrays:
        own = head.by_set[array]
        lines_kept = sets.total(own & sure) if sure else 0.0
        if doubtful:
            lines_kept += sum(map(mul, sets.fields(own & doubtful), stays)) / SCALE
        found[array] = lines_kept / (head.in_sets[array] or 1.0)
    return found


def _with(some: WindowLines, others: WindowLines) -> Packed:
    """Lines in each set of all arrays; of an array in both, as many as the one with more has."""
    if not others.totals:
        return some.held
    mine, known = some.by_set, others.by_set
    total = sum([counts for array, counts in known.items() if array not in mine])
    for array, counts in mine.items():
        total += some.sets.larger(counts, known[array]) if array in known else counts
    return total


def _along(ways: float, _always: float, begin: float, end: float) -> float:
    """Both walk alike: what is in between goes from ``begin`` to ``end``."""
    if begin <= ways and end <= ways:
        return 1.0
    if begin > ways and end > ways:
        return 0.0
    crossed = (ways - begin) / (end - begin)
    return crossed if end > begin else 1 - crossed


def _back(ways: float, always: float, begin: float, end: float) -> float:
    """The second walk comes back the way of the first: it meets the latest first."""
    most = max(begin, end)
    if most <= ways:
        return 1.0
    return max(0.0, (ways - always) / (most - always)) if most > always else 0.0


def _across(ways: float, always: float, begin: float, end: float) -> float:
    """The walks cross: any time of the first goes with any time of the second."""
    room, one, other = ways - always, begin - always, end - always
    if room <= 0:
        return 0.0
    if one + other <= room:
        return 1.0
    if one <= 0 or other <= 0:
        return min(1.0, room / max(one, other))
    corner = max(0.0, room - one) ** 2 + max(0.0, room - other) ** 2
    return min(1.0, (room**2 - corner) / (2 * one * other))
