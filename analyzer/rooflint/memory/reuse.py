"""Lines that cross a link because the level above it did not keep them.

A loop finds again what its last iteration touched when the lines of one iteration, all arrays
together, stay in the cache: then its traffic is that of its distinct lines. Where they do not stay,
each iteration brings its own. This is applied from the outermost loop inwards; with it come layer
conditions (a row, a plane, a block that stays), temporal and group reuse across statements and
nests. What stays is decided per set: a line stays while no more lines than ways fall into its set,
so strides that reach few sets conflict.

An iteration that depends on its place (triangles, strided columns that start at other sets) is
taken at a few places spread over the loop; cost does not grow with trip counts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import add

from rooflint.facts import ArrayLines
from rooflint.memory.hulls import together
from rooflint.memory.nests import Nest, Part, members_of, nest_tree
from rooflint.memory.stretches import Kept, Looks, difference, merged, sampled
from rooflint.memory.windows import NOTHING, Cache, Fixed, Grown, Growth, Windows

OUTER, INNER = Looks(6, 2), Looks(5, 4)
"""Iterations looked at: of an outermost loop whose iterations differ, of one inside another."""
GAUSS = ((0.21132486540518713, 0.5), (0.7886751345948129, 0.5))
"""Fractions of a stretch and their weights: exact where traffic is a cubic of the index."""


class Reuse:
    """The traffic below caches of any shape for one function at numeric sizes."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._root = nest_tree(windows.facts)
        self._grown: dict[tuple[tuple[int, ...], int, Fixed], list[Grown]] = {}
        self._uneven: dict[tuple[tuple[int, ...], int], bool] = {}

    def misses(self, cache: Cache) -> list[Grown]:
        """Per kernel and array the lines that cross the link below ``cache``, over all iterations.

        Caches are cold at first.
        """
        return _Walk(self._windows, self._grown, self._uneven, cache).body(
            self._root, (), inside=False
        )


class _Walk:
    """One cache's way through the nest tree."""

    def __init__(
        self,
        windows: Windows,
        grown: dict[tuple[tuple[int, ...], int, Fixed], list[Grown]],
        uneven: dict[tuple[tuple[int, ...], int], bool],
        cache: Cache,
    ) -> None:
        self.windows = windows
        self.cache = cache
        self._grown = grown
        self._uneven = uneven

    def grown(self, members: tuple[int, ...], depth: int, fixed: Fixed) -> list[Grown]:
        """What each kernel adds, in program order, to the lines of a window."""
        key = (members, depth, fixed)
        found = self._grown.get(key)
        if found is None:
            found = self._grown[key] = _growths(
                [self.windows.lines(position, depth, fixed) for position in members]
            )
        return found

    def loop(self, nest: Nest, fixed: Fixed, inside: bool) -> list[Grown]:
        """The traffic of one execution of a loop; ``inside`` one whose iterations are sampled."""
        whole = self.grown(nest.members, nest.depth, fixed)
        if nest.is_innermost or _total(whole) <= self.cache.ways:
            return whole
        trips = max(1, int(self._trips(nest, fixed)))
        result: list[Grown] = [{} for _ in nest.members]
        for share, kept, each in self._iterations(nest, fixed, whole, trips, inside):
            _blend(result, whole, each, kept, share, share * trips)
        return result

    def _iterations(
        self, nest: Nest, fixed: Fixed, whole: list[Grown], trips: int, inside: bool
    ) -> Iterator[tuple[float, Kept, list[Grown]]]:
        """Iterations that stand for all: their share, what stays after them, what each moves."""

        def kept_at(iteration: int) -> Kept:
            return self.kept(nest.members, nest.depth + 1, self._at(nest, fixed, iteration))

        def moved_at(iteration: int, kept: Kept, inside: bool) -> list[Grown]:
            if all(kept.get(array, 0.0) >= 1 for row in whole for array in row):
                return []
            return self.body(nest, self._at(nest, fixed, iteration), inside)

        def both_at(iteration: int) -> tuple[Kept, list[Grown]]:
            kept = kept_at(iteration)
            return kept, moved_at(iteration, kept, inside=True)

        if not self._is_uneven(nest, fixed):
            kept = kept_at(trips // 2)
            yield 1.0, kept, moved_at(trips // 2, kept, inside)
            return
        period = self.windows.period(nest.members, nest.depth, self.cache)
        if inside:
            for begin, end, kept in merged(sampled(trips, period, kept_at, difference, INNER)):
                for fraction, weight in GAUSS:
                    iteration = int((begin + (end - begin) * fraction) * trips)
                    yield (end - begin) * weight, kept, moved_at(iteration, kept, inside=True)
            return
        scale = max(_total(whole), trips)

        def change(one: tuple[Kept, list[Grown]], other: tuple[Kept, list[Grown]]) -> float:
            return abs(_moved(whole, *one, trips) - _moved(whole, *other, trips)) / scale

        for stretch in sampled(trips, period, both_at, change, OUTER):
            yield stretch.width, *stretch.value

    def _is_uneven(self, nest: Nest, fixed: Fixed) -> bool:
        """Whether iterations differ: bounds depend on the index, or columns begin at other sets."""
        key = (nest.members, nest.depth)
        found = self._uneven.get(key)
        if found is None:
            found = self._uneven[key] = self._bounds_others(nest) or self.windows.is_strided(
                nest.members,
                nest.depth + 1,
                self._at(nest, fixed, int(self._trips(nest, fixed) / 2)),
            )
        return found

    def _bounds_others(self, nest: Nest) -> bool:
        assert nest.loop is not None
        index = nest.loop.index
        return any(
            index in loop.lower.names() or index in loop.upper.names()
            for position in nest.members
            for loop in self.windows.facts[position].kernel.loops[nest.depth + 1 :]
        )

    def _at(self, nest: Nest, fixed: Fixed, iteration: int) -> Fixed:
        """The loop's index fixed in an iteration counted from 0."""
        assert nest.loop is not None
        space = self.windows.space(nest.members[0], nest.depth, fixed)
        first = space.firsts[0] if space.firsts else 0
        step = nest.loop.step.evaluate(self.windows.at(fixed))
        return (*fixed, (nest.loop.index, first + step * iteration))

    def body(self, nest: Nest, fixed: Fixed, inside: bool) -> list[Grown]:
        """The traffic of one iteration: neighbours that fit together find each other's lines."""
        depth = nest.depth + 1
        result: list[Grown] = []
        group: list[Part] = []
        before: tuple[int, ...] = ()
        for part in (*nest.parts, None):
            if part is not None and self._fits((*group, part), depth, fixed):
                group.append(part)
                continue
            if group:
                rows = self._group(group, depth, fixed, inside)
                result += self._without(rows, group, before, depth, fixed)
                before = members_of(group)
            group = [] if part is None else [part]
        if group:
            rows = self._group(group, depth, fixed, inside)
            result += self._without(rows, group, before, depth, fixed)
        return result

    def _fits(self, parts: Sequence[Part], depth: int, fixed: Fixed) -> bool:
        members = members_of(parts)
        return _total(self.grown(members, depth, fixed)) <= self.cache.lines

    def _without(
        self,
        rows: list[Grown],
        group: Sequence[Part],
        before: tuple[int, ...],
        depth: int,
        fixed: Fixed,
    ) -> list[Grown]:
        """``rows`` less what the loop that begins the group finds of the parts ``before`` it."""
        nest = group[0]
        if not before or isinstance(nest, int):
            return rows
        trips = self.windows.space(nest.members[0], depth, fixed).trips[0]
        if trips <= 0:
            return rows
        first = self._at(nest, fixed, 0)
        left = self.grown(before, depth, fixed)
        taken = self.grown(nest.members, depth + 1, first)
        if _total(left) + _total(taken) > self.cache.lines:
            return rows
        for array in {a for row in taken for a in row} & {a for row in left for a in row}:
            lines = [
                *[x for p in before for x in self.windows.lines(p, depth, fixed)],
                *[x for p in nest.members for x in self.windows.lines(p, depth + 1, first)],
            ]
            both = together([x for x in lines if x.array == array])[0]
            found = _lines_of(left, array) + _lines_of(taken, array) - both
            _subtract(rows, array, found)
        return rows

    def _group(self, group: Sequence[Part], depth: int, fixed: Fixed, inside: bool) -> list[Grown]:
        if len(group) == 1:
            return self._alone(group[0], depth, fixed, inside)
        members = members_of(group)
        whole = self.grown(members, depth, fixed)
        kept = self.kept(members, depth, fixed)
        if all(kept.get(array, 0.0) >= 1 for row in whole for array in row):
            return whole
        each = [row for part in group for row in self._alone(part, depth, fixed, inside)]
        result: list[Grown] = [{} for _ in members]
        _blend(result, whole, each, kept, 1.0, 1.0)
        return result

    def _alone(self, part: Part, depth: int, fixed: Fixed, inside: bool) -> list[Grown]:
        if isinstance(part, int):
            return self.grown((part,), depth, fixed)
        return self.loop(part, fixed, inside)

    def _trips(self, nest: Nest, fixed: Fixed) -> float:
        return self.windows.space(nest.members[0], nest.depth, fixed).trips[0]

    def kept(self, members: tuple[int, ...], depth: int, fixed: Fixed) -> Kept:
        """Per array the share of a window's lines that is still there at its end; {}: none."""
        cache = self.cache
        grown = self.grown(members, depth, fixed)
        total = _total(grown)
        if total > 2 * cache.lines:
            return {}
        boxes = self.windows.boxes(members, depth, fixed)
        most = sum(self.windows.most_in_a_set(b, cache) for each in boxes.values() for b in each)
        if most <= cache.ways:
            return dict.fromkeys((array for row in grown for array in row), 1.0)
        per_set = {
            array: self.windows.lines_per_set(array, each, cache.sets)
            for array, each in boxes.items()
        }
        return _shares(per_set, grown, cache)


def _shares(per_set: Mapping[str, Sequence[int]], grown: Sequence[Grown], cache: Cache) -> Kept:
    """Per array the share of its lines that lie in sets with no more lines than ways."""
    held: Iterable[float] = [0.0] * cache.sets
    totals = {array: sum(counts) for array, counts in per_set.items()}
    for array, counts in per_set.items():
        # a triangle's hull is fuller than the triangle, streams may share lines: both count in part
        density = _lines_of(grown, array) / totals[array]
        inside: Iterable[float] = counts if density >= 1 else [n * density for n in counts]
        held = map(add, held, inside)
    stays = [all_ <= cache.ways for all_ in held]
    if all(stays):
        return dict.fromkeys(per_set, 1.0)
    if not any(stays):
        return {}
    return {
        array: sum(compress(counts, stays)) / totals[array] for array, counts in per_set.items()
    }


def _blend(
    result: list[Grown],
    whole: list[Grown],
    each: list[Grown],
    kept: Kept,
    whole_times: float,
    each_times: float,
) -> None:
    """Adds to ``result`` the distinct lines where they are kept and every iteration's elsewhere."""
    for number, row in enumerate(whole):
        for array, growth in row.items():
            share = kept.get(array, 0.0)
            sum_ = result[number].get(array, NOTHING)
            if share:
                sum_ = sum_.plus(growth, share * whole_times)
            if share < 1:
                sum_ = sum_.plus(each[number].get(array, NOTHING), (1 - share) * each_times)
            result[number][array] = sum_


def _moved(whole: list[Grown], kept: Kept, each: list[Grown], trips: int) -> float:
    """Lines that all iterations together move if they are like this one."""
    result: list[Grown] = [{} for _ in whole]
    _blend(result, whole, each, kept, 1.0, trips)
    return _total(result)


def _subtract(rows: list[Grown], array: str, found: float) -> None:
    """Takes lines that are there already from what the kernels load, in program order."""
    for row in rows:
        growth = row.get(array)
        if growth is not None and found > 0:
            hit = min(found, growth.load)
            row[array] = growth._replace(load=growth.load - hit)
            found -= hit


def _growths(kernels: Sequence[Sequence[ArrayLines]]) -> list[Grown]:
    seen: dict[str, list[ArrayLines]] = {}
    found: list[Grown] = []
    for kernel in kernels:
        row: Grown = {}
        for lines in kernel:
            earlier = seen.get(lines.array)
            if earlier is None:
                seen[lines.array] = [lines]
                fresh, stored = lines.touched, lines.stored
            else:
                before, stored_before = together(earlier)
                earlier.append(lines)
                after, stored_after = together(earlier)
                fresh, stored = after - before, stored_after - stored_before
            loaded = min(lines.loaded, fresh)
            row[lines.array] = Growth(loaded, fresh - loaded, stored)
        found.append(row)
    return found


def _total(grown: Sequence[Grown]) -> float:
    return sum(g.load + g.allocate for row in grown for g in row.values())


def _lines_of(grown: Sequence[Grown], array: str) -> float:
    growths = (row.get(array, NOTHING) for row in grown)
    return sum(growth.load + growth.allocate for growth in growths)
