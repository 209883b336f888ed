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

from collections import Counter
from collections.abc import Mapping, Sequence

from rooflint.facts import ArrayLines
from rooflint.memory.hulls import together
from rooflint.memory.nests import Nest, Part, members_of, nest_tree
from rooflint.memory.windows import NOTHING, Cache, Fixed, Grown, Growth, Windows

SPREAD = 0.6180339887498949
"""Golden section: places this far apart fall into all positions within a line and a set."""
SAMPLES = (16, 16, 8)
FEW = 6
GAUSS = ((0.1127016653792583, 5 / 18), (0.5, 8 / 18), (0.8872983346207417, 5 / 18))
"""Places of a loop to look at when its iterations differ, by the sampled loops around it."""


class Reuse:
    """The traffic below caches of any shape for one function at numeric sizes."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._root = nest_tree(windows.facts)
        self._grown: dict[tuple[tuple[int, ...], int, Fixed], list[Grown]] = {}

    def misses(self, cache: Cache) -> list[Grown]:
        """Per kernel and array the lines that cross the link below ``cache``, over all iterations.

        Caches are cold at first.
        """
        return _Walk(self._windows, self._grown, cache).body(self._root, (), 0)


class _Walk:
    """One cache's way through the nest tree."""

    def __init__(
        self,
        windows: Windows,
        grown: dict[tuple[tuple[int, ...], int, Fixed], list[Grown]],
        cache: Cache,
    ) -> None:
        self.windows = windows
        self.cache = cache
        self._grown = grown

    def grown(self, members: tuple[int, ...], depth: int, fixed: Fixed) -> list[Grown]:
        """What each kernel adds, in program order, to the lines of a window."""
        key = (members, depth, fixed)
        found = self._grown.get(key)
        if found is None:
            found = self._grown[key] = _growths(
                [self.windows.lines(position, depth, fixed) for position in members]
            )
        return found

    def loop(self, nest: Nest, fixed: Fixed, sampled: int) -> list[Grown]:
        """The traffic of one execution of a loop."""
        assert nest.loop is not None
        whole = self.grown(nest.members, nest.depth, fixed)
        if nest.is_innermost or _total(whole) <= self.cache.ways:
            return whole
        trips = self.windows.space(nest.members[0], nest.depth, fixed).trips[0]
        result: list[Grown] = [{} for _ in nest.members]
        for inside, weight, kept in self._iterations(nest, fixed, trips, sampled):
            each: list[Grown] | None = None
            if any(kept.get(array, 0.0) < 1 for row in whole for array in row):
                each = self.body(nest, inside, sampled + (weight < 1))
            _blend(result, whole, each, kept, weight, weight * trips)
        return result

    def _iterations(
        self, nest: Nest, fixed: Fixed, trips: float, sampled: int
    ) -> list[tuple[Fixed, float, Mapping[str, float]]]:
        """Iterations that stand for all of a loop: where, their weight, what stays of each.

        Three by Gauss' rule are exact where traffic grows with the index as a polynomial; columns
        begin at other sets in each iteration, so those take more. Where they do not agree on what
        stays, many spread evenly follow the borders.
        """
        if trips <= 0:
            return []
        strided, bounded = self._differs(nest, fixed)
        if not (strided or bounded):
            middle = self._at(nest, fixed, trips, [0.5])[0]
            return [(middle, 1.0, self.kept(nest.members, nest.depth + 1, middle))]
        many = min(int(trips), SAMPLES[min(sampled, len(SAMPLES) - 1)])
        for points in (_spread(min(many, FEW)) if strided else GAUSS, _spread(many)):
            places = self._at(nest, fixed, trips, [fraction for fraction, _ in points])
            kept = [self.kept(nest.members, nest.depth + 1, inside) for inside in places]
            if all(k == kept[0] for k in kept):
                break
        return [(p, weight, k) for p, (_, weight), k in zip(places, points, kept, strict=True)]

    def _at(
        self, nest: Nest, fixed: Fixed, trips: float, fractions: Sequence[float]
    ) -> list[Fixed]:
        """The loop's index fixed at fractions of its way."""
        assert nest.loop is not None
        space = self.windows.space(nest.members[0], nest.depth, fixed)
        first = space.firsts[0] if space.firsts else 0
        step = nest.loop.step.evaluate(self.windows.at(fixed))
        last = max(0, int(trips) - 1)
        index = nest.loop.index
        return [
            (*fixed, (index, first + step * min(last, int(fraction * trips))))
            for fraction in fractions
        ]

    def body(self, nest: Nest, fixed: Fixed, sampled: int) -> list[Grown]:
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
                rows = self._group(group, depth, fixed, sampled)
                result += self._without(rows, group, before, depth, fixed)
                before = members_of(group)
            group = [] if part is None else [part]
        if group:
            rows = self._group(group, depth, fixed, sampled)
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
        first = self._at(nest, fixed, trips, [0.0])[0]
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

    def _group(self, group: Sequence[Part], depth: int, fixed: Fixed, sampled: int) -> list[Grown]:
        if len(group) == 1:
            return self._alone(group[0], depth, fixed, sampled)
        members = members_of(group)
        whole = self.grown(members, depth, fixed)
        kept = self.kept(members, depth, fixed)
        if all(kept.get(array, 0.0) >= 1 for row in whole for array in row):
            return whole
        each = [row for part in group for row in self._alone(part, depth, fixed, sampled)]
        result: list[Grown] = [{} for _ in members]
        _blend(result, whole, each, kept, 1.0, 1.0)
        return result

    def _alone(self, part: Part, depth: int, fixed: Fixed, sampled: int) -> list[Grown]:
        if isinstance(part, int):
            return self.grown((part,), depth, fixed)
        return self.loop(part, fixed, sampled)

    def _differs(self, nest: Nest, fixed: Fixed) -> tuple[bool, bool]:
        """Whether iterations hit other sets than their neighbours, and whether bounds depend."""
        assert nest.loop is not None
        index = nest.loop.index
        bounded = any(
            index in loop.lower.names() or index in loop.upper.names()
            for position in nest.members
            for loop in self.windows.facts[position].kernel.loops[nest.depth + 1 :]
        )
        middle = self._at(nest, fixed, self._trips(nest, fixed), [0.5])[0]
        parts = self.windows.parts(nest.members, nest.depth + 1, middle)
        return any(part.shape.repeats for _, part in parts), bounded

    def _trips(self, nest: Nest, fixed: Fixed) -> float:
        return self.windows.space(nest.members[0], nest.depth, fixed).trips[0]

    def kept(self, members: tuple[int, ...], depth: int, fixed: Fixed) -> Mapping[str, float]:
        """Per array the share of a window's lines that is still there at its end; {}: none."""
        cache = self.cache
        grown = self.grown(members, depth, fixed)
        total = _total(grown)
        if total > 2 * cache.lines:
            return {}
        parts = self.windows.parts(members, depth, fixed)
        if sum(self.windows.peak(part, cache) for _, part in parts) <= cache.ways:
            return dict.fromkeys((array for row in grown for array in row), 1.0)
        touched: dict[str, set[int]] = {}
        for array, part in parts:
            numbers = self.windows.numbers(array, part)
            if array in touched:
                touched[array] |= numbers
            else:
                touched[array] = numbers
        return _shares(touched, grown, cache)


def _shares(
    touched: Mapping[str, set[int]], grown: Sequence[Grown], cache: Cache
) -> Mapping[str, float]:
    """Per array the share of its lines that lie in sets with no more lines than ways."""
    per_set = {
        array: Counter([line % cache.sets for line in lines]) for array, lines in touched.items()
    }
    held = [0.0] * cache.sets
    for array, counts in per_set.items():
        # a triangle's hull is fuller than the triangle: its lines count in part
        density = min(1.0, _lines_of(grown, array) / len(touched[array]))
        for number, count in counts.items():
            held[number] += count * density
    return {
        array: sum(count for number, count in counts.items() if held[number] <= cache.ways)
        / len(touched[array])
        for array, counts in per_set.items()
    }


def _blend(
    result: list[Grown],
    whole: list[Grown],
    each: list[Grown] | None,
    kept: Mapping[str, float],
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
            if share < 1 and each is not None:
                sum_ = sum_.plus(each[number].get(array, NOTHING), (1 - share) * each_times)
            result[number][array] = sum_


def _spread(count: int) -> tuple[tuple[float, float], ...]:
    """So many fractions, evenly spread and out of step with lines and sets; equal weights."""
    return tuple(((k + k * SPREAD % 1) / count, 1 / count) for k in range(count))


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
