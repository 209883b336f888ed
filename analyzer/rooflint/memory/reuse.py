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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from rooflint.facts import KernelFacts
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.line_counts import NOTHING, CountsByArray, incoming_lines, rows_with_least
from rooflint.memory.memo import memoized_method
from rooflint.memory.nests import (
    KernelNest,
    NestTable,
    Part,
    Parts,
    kernels_before,
    members_of,
    nest_tree,
    nest_with_numbers,
)
from rooflint.memory.retention import CROWDED, SLIGHT, Names, WindowLines, shares_kept
from rooflint.memory.stretches import (
    THOROUGH,
    Kept,
    LookPlan,
    LoopLook,
    fetched_lines,
    lines_of_looks,
    merge_stretches,
    sample_stretches,
    share_kept,
)
from rooflint.memory.subnest_footprints import Fixed, Shifts, SubnestFootprints

ANY = -1
"""Stands for the parts that find all lines of an array in parts before them: what they store
leaves as often as the other parts fetch it anew."""


class Reuse:
    """The traffic below caches of any shape at numeric sizes.

    Functions may ask one after the other: what is known of a nest holds for all that have it.
    ``narrowed``: the traffic of some kernels where only the sizes that decide on these are known,
    so that others may be others.
    """

    def __init__(
        self,
        windows: SubnestFootprints,
        narrowed: "Callable[[Iterable[KernelFacts]], Reuse] | None" = None,
    ) -> None:
        self.windows = windows
        self._nests: NestTable = {}
        self._narrowed = narrowed

    def misses(
        self, facts: Sequence[KernelFacts], cache: CacheGeometry, between: float | None = None
    ) -> list[CountsByArray]:
        """Per kernel and array the lines that cross the link below ``cache``, over all iterations.

        ``facts`` are those of all kernels of a function. Caches are cold at first; or the function
        is called again and again, and ``between`` lines are touched elsewhere from call to call.
        """
        call = self.call(facts, cache, between)
        return [call.misses(position) for position in range(len(facts))]

    def call(
        self,
        facts: Sequence[KernelFacts],
        cache: CacheGeometry,
        between: float | None = None,
        looks: LookPlan = THOROUGH,
    ) -> "CallMisses":
        """The same for those kernels alone that are asked for."""
        root = nest_tree(facts, map(self.windows.number, facts), self._nests)
        return CallMisses(self.walk(cache, looks), root, between)

    @memoized_method
    def walk(self, cache: CacheGeometry, looks: LookPlan) -> "CacheWalk":
        """The walk of nests through one cache."""
        return CacheWalk(self, cache, looks)

    @memoized_method
    def part_alone(self, part: KernelNest) -> "tuple[Reuse, KernelNest]":
        """An outermost loop, and the traffic of it alone."""
        if self._narrowed is None:
            return self, part
        facts = self.windows.facts
        other = self._narrowed([facts[number] for number in part.members])
        if other is self:
            return self, part
        numbers = other.windows.number
        return other, nest_with_numbers(part, lambda number: numbers(facts[number]), other._nests)


class CacheWalk:
    """How nests walk through one cache."""

    def __init__(self, reuse: Reuse, cache: CacheGeometry, looks: LookPlan) -> None:
        self._reuse = reuse
        self.windows = reuse.windows
        self.cache = cache
        self.looks = looks
        self.added_lines = reuse.windows.added_lines

    @memoized_method
    def loop(self, nest: KernelNest, fixed: Fixed, inside: bool) -> list[CountsByArray]:
        """Lines that each kernel of a loop brings in, with nothing around it."""
        whole = self.added_lines(nest.members, nest.depth, fixed)
        if nest.is_innermost or self._lines((nest,), nest.depth, fixed).most <= self.cache.ways:
            return whole
        trips = max(1, int(self._trips(nest, fixed)))
        looks = list(self._looks(nest, fixed, trips, inside))
        return rows_with_least(lines_of_looks(looks, whole, trips), whole)

    def _looks(
        self, nest: KernelNest, fixed: Fixed, trips: int, inside: bool
    ) -> Iterator[tuple[float, "LoopLook"]]:
        parts = [n for n, part in enumerate(nest.parts) for _ in members_of((part,))]

        def kept_at(iteration: int) -> Kept:
            return self._kept(nest, self._at(nest, fixed, iteration))

        def look(iteration: int, kept: Kept, inside: bool) -> LoopLook:
            place = self._at(nest, fixed, iteration)
            lines = self.added_lines(nest.members, nest.depth + 1, place)
            shares = [
                {a: kept.get((n, a), kept.get((ANY, a), 0.0)) for a in row}
                for n, row in zip(parts, lines, strict=True)
            ]
            alone = len(nest.parts) == 1
            if alone and all(share >= 1 for row in shares for share in row.values()):
                return LoopLook(lines, lines, shares)
            return LoopLook(self.body(nest, place, inside), lines, shares)

        def look_at(iteration: int) -> LoopLook:
            return look(iteration, kept_at(iteration), inside=True)

        if not self._is_uneven(nest, inside):
            yield 1.0, look(trips // 2, kept_at(trips // 2), inside)
            return
        period = self.windows.period(nest.members, nest.depth)
        if inside:
            for begin, end, kept in merge_stretches(
                sample_stretches(trips, period, kept_at, share_kept, self.looks.inner)
            ):
                middle = min(int((begin + end) / 2 * trips), trips - 1)
                yield end - begin, look(middle, kept, inside=True)
            return
        for stretch in sample_stretches(trips, period, look_at, fetched_lines, self.looks.outer):
            yield stretch.width, stretch.value

    def _is_uneven(self, nest: KernelNest, inside: bool) -> bool:
        """Whether iterations differ: bounds depend on the index, or lines begin at other sets. What
        a crowd meets in its sets is asked in the outermost loop alone."""
        shifts = self._shifts(nest)
        return shifts == "columns" or (shifts == "crowd" and not inside)

    @memoized_method
    def _shifts(self, nest: KernelNest) -> Shifts:
        if self._bounds_others(nest):
            return "columns"
        return self.windows.shifts(nest.members, nest.depth, self.cache.ways)

    def _bounds_others(self, nest: KernelNest) -> bool:
        index = self.windows.facts[nest.members[0]].kernel.loops[nest.depth].index
        return any(
            index in loop.lower.names() or index in loop.upper.names()
            for position in nest.members
            for loop in self.windows.facts[position].kernel.loops[nest.depth + 1 :]
        )

    def _at(self, nest: KernelNest, fixed: Fixed, iteration: int) -> Fixed:
        return self.windows.iteration(nest.members[0], nest.depth, fixed, iteration)

    def _trips(self, nest: KernelNest, fixed: Fixed) -> float:
        return self.windows.space(nest.members[0], nest.depth, fixed).trips[0]

    @memoized_method
    def called_again(self, root: KernelNest, number: int, between: float) -> list[CountsByArray]:
        """A part of a call of the function after the same call: an iteration of a loop around."""
        cold = self.part(root, number, (), inside=False)
        if between and between + self._incoming(root) > self.cache.lines:
            return cold
        whole = self.added_lines(root.members, 0, ())[kernels_before(root, number) :]
        kept = self._kept_part(root, (), number)
        return [
            {
                array: counts.less(
                    first.get(array, NOTHING),
                    NOTHING,
                    kept[array] if array in kept else self._least_kept(root, (), array),
                )
                for array, counts in moved.items()
            }
            for moved, first in zip(cold, whole, strict=False)
        ]

    @memoized_method
    def _incoming(self, root: KernelNest) -> float:
        return incoming_lines(self.added_lines(root.members, 0, ()))

    def body(self, nest: KernelNest, fixed: Fixed, inside: bool) -> list[CountsByArray]:
        """Lines that each kernel brings in while an iteration of the nest runs once."""
        result: list[CountsByArray] = []
        for number in range(len(nest.parts)):
            result += self.part(nest, number, fixed, inside)
        return result

    def part(
        self, nest: KernelNest, number: int, fixed: Fixed, inside: bool
    ) -> list[CountsByArray]:
        """The same of one of its parts."""
        part = nest.parts[number]
        if isinstance(part, KernelNest):
            alone = self._loop_alone(part, fixed, inside)
        else:
            alone = self.added_lines((part,), nest.depth + 1, fixed)
        return self._less_found(alone, nest, number, fixed) if number else alone

    @memoized_method
    def _touched(self, nest: KernelNest, fixed: Fixed) -> tuple[float, ...]:
        """Lines that the parts before each part touch, each by itself; last those of all parts."""
        lines = [self._lines((part,), nest.depth + 1, fixed).total for part in nest.parts]
        return tuple(accumulate(lines, initial=0.0))

    def _loop_alone(self, part: KernelNest, fixed: Fixed, inside: bool) -> list[CountsByArray]:
        if part.depth:
            return self.loop(part, fixed, inside)
        reuse, own = self._reuse.part_alone(part)
        return reuse.walk(self.cache, self.looks).loop(own, fixed, inside)

    def _less_found(
        self, alone: list[CountsByArray], nest: KernelNest, number: int, fixed: Fixed
    ) -> list[CountsByArray]:
        """``alone``, of the part ``number``, less the first touches of lines that are still there
        from parts before."""
        depth, part = nest.depth + 1, nest.parts[number]
        own = members_of((part,))
        touched = self._touched(nest, fixed)[number]
        shares = self._since(nest.parts[:number], part, depth, fixed, touched)
        if not any(shares.values()):
            return alone
        whole, first = self.added_lines(own, depth, fixed), kernels_before(nest, number)
        # of all parts at once: what a kernel adds does not depend on those behind it
        fresh = self.added_lines(nest.members, depth, fixed)[first : first + len(own)]
        return [
            {
                array: growth.less(row[array], new[array], shares.get(array, 0.0))
                for array, growth in moved.items()
            }
            for moved, row, new in zip(alone, whole, fresh, strict=True)
        ]

    def _kept(self, nest: KernelNest, fixed: Fixed) -> Kept:
        """Per part and array the share of lines still there from the iteration before."""
        kept: dict[tuple[int, str], float] = {}
        for number in range(len(nest.parts)):
            for array, share in self._kept_part(nest, fixed, number).items():
                kept[number, array] = share
                kept[ANY, array] = min(share, kept.get((ANY, array), 1.0))
        return kept

    @memoized_method
    def _kept_part(self, nest: KernelNest, fixed: Fixed, number: int) -> Mapping[str, float]:
        """The same of one part, by array."""
        depth, parts = nest.depth + 1, nest.parts
        if len(parts) == 1:
            asked = self._lines(parts, depth, fixed).totals
            return self.stays(parts[0], (), parts[0], depth, fixed, asked)
        before = (*parts[number:], *parts[:number])
        touched = self._touched(nest, fixed)[-1]
        return self._since(before, parts[number], depth, fixed, touched, number)

    @memoized_method
    def _least_kept(self, nest: KernelNest, fixed: Fixed, array: str) -> float:
        """The least share of an array that a part keeps; zero where none finds any of it."""
        place = nest.depth + 1, fixed
        touching = [
            n for n, p in enumerate(nest.parts) if array in self._lines((p,), *place).totals
        ]
        shares = [self._kept_part(nest, fixed, number) for number in touching]
        return min([share[array] for share in shares if array in share], default=0.0)

    def _since(
        self,
        before: Parts,
        own: Part,
        depth: int,
        fixed: Fixed,
        touched: float,
        taken: int = 0,
    ) -> dict[str, float]:
        """Per array the share of ``own``'s lines still there from the parts ``before`` it, which
        ``touched`` so many lines. The nearest part with lines of an array counts for as many as it
        has, then the next; what the nearest ``taken`` parts have is not looked for further away,
        and not counted."""
        here = self._lines((own,), depth, fixed)
        if here.total <= SLIGHT * touched:
            return dict.fromkeys(here.totals, float(touched <= self.cache.lines))
        left = dict(here.totals)
        found = dict.fromkeys(left, 0.0)
        covered = dict.fromkeys(left, 0.0)
        nearer, most, least = len(before), 0.0, 0.0
        while nearer and any(left.values()):
            nearer -= 1
            part, between = before[nearer], before[nearer + 1 :]
            there = self._lines((part,), depth, fixed)
            shared = here.shared_with(there, left)
            counts = len(between) >= taken
            stays: Mapping[str, float] = {}
            if shared and counts and least <= CROWDED * self.cache.lines:
                stays = dict.fromkeys(shared, 1.0)
                if most + max(there.most, here.most) > self.cache.ways:
                    stays = self.stays(part, between, own, depth, fixed, shared)
            for array, lines in shared.items():
                left[array] -= lines
                if counts:
                    covered[array] += lines
                    found[array] += lines * stays.get(array, 0.0)
            most += there.most
            least = max(least, there.total)
        return {array: found[array] / lines for array, lines in covered.items() if lines}

    def stays(
        self, left: Part, between: Parts, own: Part, depth: int, fixed: Fixed, asked: Names
    ) -> Mapping[str, float]:
        """Per array ``asked`` the share of ``own``'s lines still there since ``left`` touched them.
        Both walk alike. Where ``own`` has come a fraction f of its way, there were since: all that
        is ``between``, the rest of ``left`` and the fraction f of ``own``."""
        always = self._lines(between, depth, fixed)
        tail, head = self._lines((left,), depth, fixed), self._lines((own,), depth, fixed)
        kept = dict(shares_kept(tail, always, head, self.cache, asked))
        alone: dict[tuple[WindowLines, WindowLines], Mapping[str, float]] = {}
        for array in asked:
            if kept.get(array, 0.0) < 1 and array in tail.totals:
                # loops that do not move the array: it is touched in their last iteration, and first
                last = self._last(left, array, depth, fixed)
                first = self._last(own, array, depth, fixed)
                if last is not tail or first is not head:
                    shares = alone.get((last, first))
                    if shares is None:
                        shares = shares_kept(last, always, first, self.cache, asked)
                        alone[last, first] = shares
                    kept[array] = shares.get(array, 0.0)
        return kept

    def _last(self, part: Part, array: str, depth: int, fixed: Fixed) -> WindowLines:
        """The lines of one iteration of those outer loops that do not move an array."""
        idle = self.windows.idle_loops(part, array, depth)
        for _ in range(idle):
            fixed = self.windows.middle(members_of((part,))[0], depth, fixed)
            depth += 1
        return self._lines((part,), depth, fixed)

    @memoized_method
    def _lines(self, parts: Parts, depth: int, fixed: Fixed) -> WindowLines:
        place = (members_of(parts), depth, fixed)
        return WindowLines(self.added_lines(*place), place, self.windows, self.cache)


class CallMisses:
    """The lines that a call of a function brings into a cache, of the kernels asked for; the others
    are counted as far as they decide on these. ``between`` as in ``Reuse.misses``."""

    def __init__(self, walk: CacheWalk, root: KernelNest, between: float | None) -> None:
        self._walk, self._root, self._between = walk, root, between

    def misses(self, position: int) -> CountsByArray:
        """Those of one kernel, by array."""
        number, row = self._places[position]
        if self._between is None:
            return self._cold(number)[row]
        return self._walk.called_again(self._root, number, self._between)[row]

    @memoized_method
    def _cold(self, number: int) -> list[CountsByArray]:
        return self._walk.part(self._root, number, (), False)

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """The part of each kernel, and its place in there."""
        return [
            (number, row)
            for number, part in enumerate(self._root.parts)
            for row in range(len(members_of((part,))))
        ]
