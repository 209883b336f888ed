"""Traffic on every link of the kernels of a function, from what each level misses.

Between registers and the nearest level go the bytes that the accesses ask for. Over every other
link go the lines that the level above it misses (see ``rooflint.memory.reuse``): loads, the fetch
that a store to a line not cached begins with, and stored lines that leave. Caches are cold when the
function is called, or as its last call left them (``rooflint.scenario``).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from rooflint.facts import ArrayLines, KernelFacts, Space, compulsory_lines
from rooflint.ir import Array
from rooflint.machine import Machine, Tlb
from rooflint.machine.quantities import format_bytes
from rooflint.memory.conflicts import MissKinds, Padding, pad_rows, row_bytes
from rooflint.memory.hierarchy import CacheGeometry, MemoryLink
from rooflint.memory.layers import Rule, layers_of
from rooflint.memory.line_counts import NOTHING, CountsByArray, LineCounts
from rooflint.memory.memo import memoized_method
from rooflint.memory.pages import page_walks
from rooflint.memory.rates import Rates, level_bytes
from rooflint.memory.regimes import CoreCache, Regimes, blocks_of, conditions_of, regimes_of
from rooflint.memory.reuse import Reuse
from rooflint.memory.subnest_footprints import Fixed, SubnestFootprints
from rooflint.memory.traffic import (
    KernelTransfers,
    LineTotals,
    LinkTraffic,
    Traffic,
    most_lines,
    requested_traffic,
)
from rooflint.scenario import COLD_ENTRY, CacheEntry
from rooflint.scenario.sizes import Sizes

STAND_IN_TRIPS = 1024
NOTABLE = 1.05
"""A link with so many times the compulsory traffic gets a note."""
UNNOTICED = 0.01
"""Share of a kernel's lines that may come from farther than the level said to hold its data: what
so few lines cost lies below what measurements of a loop scatter by."""


def capacity_bytes(machine: Machine, cores: int) -> int:
    """Capacity of the last-level caches (or local stores) of ``cores`` cores together."""
    held = level_bytes(machine, cores)
    return held[-1] if held else 0


class ReuseCache:
    """Analyses of reuse for functions that differ in part, as a change of one does."""

    def __init__(self) -> None:
        self._known: dict[object, Reuse] = {}

    def of(self, arrays: Mapping[str, Array], values: Mapping[str, int], line_bytes: int) -> Reuse:
        """That of all functions with these arrays at these sizes, in such lines."""
        extents = [(name, a.element_bytes, a.extents) for name, a in arrays.items()]
        key = tuple(extents), frozenset(values.items()), line_bytes
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Reuse(SubnestFootprints(arrays, values, line_bytes))
        return found


class FunctionTraffic:
    """The traffic of kernels that run one after the other, from the caches' state on ``entry``.

    A kernel finds what those before it left. ``arrays`` are those of the function; ``reuses`` may
    know some of its nests already.
    """

    def __init__(
        self,
        facts: Sequence[KernelFacts],
        arrays: Mapping[str, Array],
        sizes: Sizes,
        line_bytes: int,
        reuses: ReuseCache | None = None,
        entry: CacheEntry = COLD_ENTRY,
    ) -> None:
        self.facts = facts
        self.entry = entry
        self.sizes = sizes
        self._arrays = arrays
        self._line_bytes = line_bytes
        self._reuses = reuses or ReuseCache()
        self._reuse = self._reuses.of(arrays, sizes.values, line_bytes)
        self._footprints = self._reuse.windows
        self._numbers = tuple(map(self._footprints.number, facts))

    def with_entry(self, entry: CacheEntry) -> "FunctionTraffic":
        """The same kernels from another state of the caches."""
        return FunctionTraffic(
            self.facts, self._arrays, self.sizes, self._line_bytes, self._reuses, entry
        )

    def traffic(self, position: int, rates: Rates) -> Traffic:
        """Traffic of one of the kernels."""
        facts = self.facts[position]
        space = self._footprints.space(self._numbers[position], 0, ())
        if not space.executions:
            space = _stand_in(space)
        _, pattern = requested_traffic(facts, rates.links[0])
        values, line = self.sizes.values, self._line_bytes
        return Traffic(
            pattern,
            space,
            partial(compulsory_lines, facts, space, values, line, self._arrays),
            partial(self._moved, position, rates, space),
            partial(self._alone, facts),
        )

    def _alone(self, facts: KernelFacts, cache: CacheGeometry) -> CountsByArray:
        return self._reuse.misses([facts], cache, self._between(self._line_bytes))[0]

    def _between(self, unit_bytes: int) -> float | None:
        """Lines or pages touched elsewhere between two calls; None where caches are cold."""
        between = self.entry.steady_between
        return None if between is None else between / unit_bytes

    def _moved(
        self, position: int, rates: Rates, space: Space, arrays: tuple[ArrayLines, ...]
    ) -> KernelTransfers:
        """Link traffic; ``space`` is a substitute if the kernel does not run."""
        facts = self.facts[position]
        notes = [f"trip counts estimated: {space.inexact}"] if space.inexact else []
        runs = space is self._footprints.space(self._numbers[position], 0, ())
        if not runs:
            notes.append(
                f"the loop does not run at these sizes: assumed {STAND_IN_TRIPS} iterations"
            )
        near, _ = requested_traffic(facts, rates.links[0])
        per_iteration = self._line_bytes / space.executions
        links: list[LinkTraffic] = [near]
        lines: list[LineCounts] = []
        for link in rates.hierarchy:
            moved = self._over(link, position) if runs else _once(arrays, link.allocates)
            most = most_lines(facts, space.executions, link, arrays, moved)
            total = _summed(moved.values())
            lines.append(total)
            evict = near.evict_bytes if link.through else total.evict * per_iteration
            load, fill = total.load * per_iteration, total.allocate * per_iteration
            bounds = None if most is None else (load + fill + evict, most * per_iteration)
            links.append(
                LinkTraffic(
                    link=link.name,
                    load_bytes=load,
                    write_allocate_bytes=fill,
                    evict_bytes=evict,
                    bounds=bounds,
                )
            )
        walks: Mapping[str, float] = {}
        if runs:
            notes += self._lost(position, rates, lines, arrays)
            walks = self._walks(position, rates.machine.tlb, space.executions)
            notes += _walked(walks, rates.machine.tlb)
        return KernelTransfers(
            links=tuple(links), lines=tuple(lines), assumptions=tuple(notes), page_walks=walks
        )

    def _walks(self, position: int, tlb: Tlb | None, executions: float) -> dict[str, float]:
        if tlb is None:
            return {}
        reuse = self._reuses.of(self._arrays, self.sizes.values, tlb.page_bytes)
        found = page_walks(self.facts[position], reuse, tlb.entries, self._between(tlb.page_bytes))
        return {array: walks / executions for array, walks in found.items()}

    def level_of_data(self, position: int, rates: Rates) -> str:
        """The level that the farthest of a kernel's lines come from; ``MEM`` is one, too."""
        touched = self._touched(self._numbers[position], 0, ())
        for link, level in zip(rates.hierarchy[::-1], rates.machine.levels[::-1], strict=False):
            if _lines([self._over(link, position)]) > UNNOTICED * touched:
                return level
        return rates.machine.levels[0]

    def totals(self, rates: Rates) -> tuple[LineTotals, ...]:
        """Lines of all kernels together over every link but the nearest, where no lines move."""
        found: list[LineTotals] = []
        for link in rates.hierarchy:
            rows = [self._over(link, position) for position in range(len(self.facts))]
            load, allocate, evict = _summed([growth for row in rows for growth in row.values()])
            found.append(
                LineTotals(
                    link=link.name,
                    load_lines=round(load),
                    write_allocate_lines=round(allocate),
                    evict_lines=round(evict),
                )
            )
        return tuple(found)

    def from_memory(self, rates: Rates) -> Mapping[str, float]:
        """Lines of each array over the link to memory, those of all kernels together."""
        found: dict[str, float] = {}
        for position in range(len(self.facts)):
            for array, growth in self._over(rates.hierarchy[-1], position).items():
                found[array] = found.get(array, 0.0) + sum(growth)
        return found

    def regimes(self, position: int, rates: Rates, rule: Rule = "exact") -> Regimes:
        """Layers that stay in each level, with the sizes, in closed form."""
        facts, values = self.facts[position], self.sizes.values
        if len(facts.kernel.loops) < 2:
            return Regimes((), (), ())
        layers = layers_of(facts, self._arrays, values, self._line_bytes, rule)
        levels = [
            CoreCache(link.near, link.name, link.above.lines * self._line_bytes)
            for link in rates.hierarchy
        ]
        space = self._footprints.space(self._numbers[position], 0, ())
        loops = list(zip(facts.kernel.loops, space.trips, strict=True))
        return Regimes(
            regimes_of(layers, levels, values),
            blocks_of(layers, levels, loops, values),
            conditions_of(layers, levels),
        )

    def kinds(self, position: int, rates: Rates) -> tuple[MissKinds, ...]:
        """Per level, how many lines it misses for which reason."""
        found: list[MissKinds] = []
        number = self._numbers[position]
        touched = self._touched(number, 0, ())
        for link in rates.hierarchy:
            missed = _lines([self._misses(link.above)[position]])
            least, lost = min(missed, touched), max(0.0, missed - touched)
            capacity = lost
            notable = lost > touched * (NOTABLE - 1)
            if (
                notable
                and link.above.sets > 1
                and self._footprints.may_conflict(number, link.above)
            ):
                spread = _lines([self._misses(CacheGeometry(1, link.above.lines))[position]])
                capacity = min(lost, max(0.0, spread - touched))
            found.append(
                MissKinds(
                    level=link.near, compulsory=least, capacity=capacity, conflict=lost - capacity
                )
            )
        return tuple(found)

    def padding(self, position: int, cache: CacheGeometry) -> Padding | None:
        """Rows longer by one line that leave a cache fewer misses in a kernel; None where none do.

        Tried are the arrays of the kernel whose strides reach few sets.
        """
        outermost = self.facts[position].kernel.loops[0]
        nest = tuple([n for n, f in enumerate(self.facts) if f.kernel.loops[0] is outermost])
        found: list[Padding] = []
        for name in self._footprints.crowding(self._numbers[position], cache):
            row = row_bytes(self._arrays[name], self.sizes.values)
            if row is not None:
                padded_rows = self._padded_misses(nest, name, row, cache)
                left = _lines([padded_rows[nest.index(position)]])
                found.append(
                    Padding(array=name, row_bytes=row, more_bytes=self._line_bytes, misses=left)
                )
        best = min(found, key=lambda padding: padding.misses, default=None)
        now = _lines([self._misses(cache)[position]])
        return best if best is not None and best.misses * NOTABLE < now else None

    @memoized_method
    def _padded_misses(
        self, nest: tuple[int, ...], array: str, row: int, cache: CacheGeometry
    ) -> list[CountsByArray]:
        """Misses of a nest by itself when the rows of an array are a line longer."""
        values, line = self.sizes.values, self._line_bytes
        longer = [pad_rows(self.facts[n], array, row, line, values) for n in nest]
        return self._reuse.misses(longer, cache, self._between(line))

    def spaces(self) -> list[Space]:
        """Trips and executions of every kernel."""
        return [self._footprints.space(number, 0, ()) for number in self._numbers]

    @memoized_method
    def _misses(self, cache: CacheGeometry) -> list[CountsByArray]:
        return self._reuse.misses(self.facts, cache, self._between(self._line_bytes))

    def _over(self, link: MemoryLink, position: int) -> CountsByArray:
        past = self.facts[position].nontemporal
        moved = self._misses(link.above)[position]
        below = {} if link.victim is None else self._misses(link.victim)[position]
        found: CountsByArray = {}
        for array, growth in moved.items():
            load, allocate, evict = growth
            if link.victim is not None:
                # it takes every line that is dropped, and hands up those it holds
                evict = load + allocate
                held = below.get(array, NOTHING)
                load, allocate = max(0.0, load - held.load), max(0.0, allocate - held.allocate)
            found[array] = LineCounts(load, allocate if link.allocates else 0.0, evict)
            if array in past:
                found[array] = LineCounts(0.0, 0.0, evict if link.last else 0.0)
        return found

    def _lost(
        self, position: int, rates: Rates, lines: Sequence[LineCounts], arrays: Iterable[ArrayLines]
    ) -> list[str]:
        """Which levels do not hold what one iteration of which loop touches."""
        least = sum([array.touched for array in arrays])
        lost: dict[str, list[str]] = {}
        for link, moved in zip(rates.hierarchy, lines, strict=True):
            times = (moved.load + moved.allocate) / least if least else 0.0
            if times > NOTABLE and link.victim is None:
                reason = self._outgrown(position, link.above)
                shown = f"{times:,.0f}" if times >= 10 else f"{times:.2g}"
                over = "over" if reason in lost else "compulsory traffic over"
                lost.setdefault(reason, []).append(f"{shown} x {over} {link.name}")
        return [f"{reason}: {', '.join(links)}" for reason, links in lost.items()]

    def _touched(self, number: int, depth: int, fixed: Fixed) -> float:
        return sum([array.touched for array in self._footprints.lines(number, depth, fixed)])

    def _outgrown(self, position: int, cache: CacheGeometry) -> str:
        """The innermost loop whose iterations do not leave their lines in ``cache``."""
        loops = self.facts[position].kernel.loops
        fixed: Fixed = ()
        found = ""
        number = self._numbers[position]
        whole = self._touched(number, 0, fixed)
        for depth, loop in enumerate(loops[:-1]):
            trips = self._footprints.space(number, depth, fixed).trips[0]
            fixed = self._footprints.middle(number, depth, fixed)
            touched = self._touched(number, depth + 1, fixed)
            if touched <= cache.lines:
                break
            if whole * NOTABLE < touched * trips:
                size = format_bytes(touched * self._line_bytes)
                found = f"each {loop.index} iteration touches {size}, more than stays cached"
            whole = touched
        if found:
            return found
        if cache.sets > 1 and self._footprints.may_conflict(number, cache):
            return f"lines compete for few of {cache.sets} sets"
        return "the enclosing loops touch more than stays cached"


def _walked(walks: Mapping[str, float], tlb: Tlb | None) -> list[str]:
    if tlb is None or not walks:
        return []
    each = ", ".join([f"{number:.2g} through {array}" for array, number in walks.items()])
    pages = f"pages of {format_bytes(tlb.page_bytes)}; the TLB holds {tlb.entries}"
    return [f"page walks per iteration: {each} ({pages})"]


def _lines(rows: Iterable[CountsByArray]) -> float:
    return sum([growth.load + growth.allocate for row in rows for growth in row.values()])


def _once(arrays: Iterable[ArrayLines], allocates: bool) -> CountsByArray:
    return {
        a.array: LineCounts(a.loaded, max(a.touched - a.loaded, 0.0) * allocates, a.stored)
        for a in arrays
    }


def _summed(growths: Iterable[LineCounts]) -> LineCounts:
    load = allocate = evict = 0.0
    for growth in growths:
        load += growth.load
        allocate += growth.allocate
        evict += growth.evict
    return LineCounts(load, allocate, evict)


def _stand_in(space: Space) -> Space:
    trips = tuple(trip or STAND_IN_TRIPS for trip in space.trips)
    executions = 1.0
    for trip in trips:
        executions *= trip
    return Space(
        loops=space.loops,
        trips=trips,
        executions=executions,
        firsts=space.firsts,
        inexact=space.inexact,
    )
