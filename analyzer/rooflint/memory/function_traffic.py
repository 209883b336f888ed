"""Traffic on every link of the kernels of a function, from what each level misses.

Between registers and the nearest level go the bytes that the accesses ask for. Over every other
link go the lines that the level above it misses (see ``rooflint.memory.reuse``): loads, the fetch
that a store to a line not cached begins with, and stored lines that leave. Caches are cold when the
function is called, or as its last call left them (``rooflint.scenario``).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial

from rooflint.facts import ArrayLines, KernelFacts, Space, compulsory_lines
from rooflint.ir import Array
from rooflint.machine import Tlb
from rooflint.machine.quantities import format_bytes
from rooflint.memory.closed_form import ClosedForm, ReuseCache
from rooflint.memory.conflicts import NOTABLE, ArrayConflict, MissKinds, Padding
from rooflint.memory.engine import (
    BEYOND_BUDGET,
    ClosedFormReason,
    NestReplays,
    bound_lines,
    close_windows,
    link_lines,
)
from rooflint.memory.engine.misses import MissAnalysis, MissCounter, ReplayedMisses
from rooflint.memory.hierarchy import CacheGeometry, MemoryLink
from rooflint.memory.layers import Rule, layers_of
from rooflint.memory.line_counts import (
    CountedLines,
    CountMethod,
    CountsByArray,
    KernelLines,
    LineCounts,
)
from rooflint.memory.memo import memoized_method
from rooflint.memory.pages import page_walks, walk_notes
from rooflint.memory.rates import Rates
from rooflint.memory.regimes import CountedNest, Regimes, core_caches, regimes_and_blocks
from rooflint.memory.stretches import BRIEF, THOROUGH
from rooflint.memory.subnest_footprints import Fixed
from rooflint.memory.traffic import (
    STAND_IN_TRIPS,
    KernelTransfers,
    LineTotals,
    LinkTraffic,
    TotalLines,
    Traffic,
    link_traffic,
    most_lines,
    requested_traffic,
    stand_in,
)
from rooflint.scenario import COLD_ENTRY, CacheEntry
from rooflint.scenario.sizes import Sizes

_NO_REPLAYS = ClosedFormReason("")
UNNOTICED = 0.01
"""Share of a kernel's lines that may come from farther than the level said to hold its data: what
so few lines cost lies below what measurements of a loop scatter by."""


class FunctionTraffic:
    """The traffic of kernels that run one after the other, from the caches' state on ``entry``.

    A kernel finds what those before it left. ``arrays`` are those of the function; ``reuses`` may
    know some of its nests already. Without ``replays`` all lines are counted in closed form.
    """

    def __init__(
        self,
        facts: Sequence[KernelFacts],
        arrays: Mapping[str, Array],
        sizes: Sizes,
        line_bytes: int,
        reuses: ReuseCache | None = None,
        entry: CacheEntry = COLD_ENTRY,
        replays: NestReplays | None = None,
    ) -> None:
        self.facts = facts
        self.entry = entry
        self.sizes = sizes
        self._arrays = arrays
        self._line_bytes = line_bytes
        self._reuses = reuses or ReuseCache()
        self._reuse = self._reuses.of(arrays, sizes.values, line_bytes)
        self._replays = replays
        self._closed = self._closed_form(self._between(line_bytes))
        self._footprints = self._reuse.windows
        self._numbers = tuple(map(self._footprints.number, facts))

    @memoized_method
    def with_entry(self, entry: CacheEntry) -> "FunctionTraffic":
        """The same kernels from another state of the caches."""
        return FunctionTraffic(
            self.facts,
            self._arrays,
            self.sizes,
            self._line_bytes,
            self._reuses,
            entry,
            self._replays,
        )

    @memoized_method
    def traffic(self, position: int, rates: Rates) -> Traffic:
        """Traffic of one of the kernels."""
        facts = self.facts[position]
        space = self._footprints.space(self._numbers[position], 0, ())
        if not space.executions:
            space = stand_in(space)
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
        return self._closed.misses_of([facts], cache)[0]

    def _closed_form(self, between: float | None) -> ClosedForm:
        is_brief = self._replays is not None and self._replays.is_brief
        return ClosedForm(self._reuse, self.facts, between, BRIEF if is_brief else THOROUGH)

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
        farthest: CountsByArray = {}
        counted = self._over(rates, position) if runs else None
        for number, link in enumerate(rates.hierarchy):
            if counted is None:
                own = KernelLines(_once(arrays, link.allocates), method=CountMethod.CLOSED_FORM)
            else:
                own = counted[number]
            moved = self._total(facts, space, rates, link, arrays, own)
            lines.append(moved.lines)
            farthest = own.arrays
            links.append(link_traffic(link, moved, near, per_iteration))
        walks: Mapping[str, float] = {}
        if runs:
            notes += self._not_replayed(rates, position)
            notes += self._lost(position, rates, lines, arrays)
            walks = self._walks(position, rates.machine.tlb, space.executions)
            notes += walk_notes(walks, rates.machine.tlb)
        return KernelTransfers(
            links=tuple(links),
            lines=tuple(lines),
            farthest=farthest,
            assumptions=tuple(notes),
            page_walks=walks,
        )

    def _total(
        self,
        facts: KernelFacts,
        space: Space,
        rates: Rates,
        link: MemoryLink,
        arrays: Sequence[ArrayLines],
        own: KernelLines,
    ) -> TotalLines:
        """All arrays together; unknown addresses may miss nowhere, or a line with each access."""
        most = None
        if isinstance(self._replayed(rates), ClosedFormReason):
            most = most_lines(facts, space.executions, link, arrays, own.arrays)
        return TotalLines(
            lines=_summed(own.arrays.values()),
            most=most,
            method=own.method or CountMethod.CLOSED_FORM,
            interval=own.interval,
        )

    def _not_replayed(self, rates: Rates, position: int) -> list[str]:
        """Why the lines are not counted one by one, unless they are certain."""
        replayed = self._replayed(rates)
        if not isinstance(replayed, ClosedFormReason) or not rates.replay_levels:
            return []
        if self._closed.is_one_sweep(rates.hierarchy):
            return []
        return [f"traffic in closed form: {replayed.reason}"] if replayed.reason else []

    def _walks(self, position: int, tlb: Tlb | None, executions: float) -> dict[str, float]:
        if tlb is None:
            return {}
        reuse = self._reuses.of(self._arrays, self.sizes.values, tlb.page_bytes)
        found = page_walks(self.facts[position], reuse, tlb.entries, self._between(tlb.page_bytes))
        return {array: walks / executions for array, walks in found.items()}

    def level_of_data(self, position: int, rates: Rates) -> str:
        """The level that the farthest of a kernel's lines come from; ``MEM`` is one, too."""
        touched = self._touched(self._numbers[position], 0, ())
        own = self._over(rates, position)
        for lines, level in zip(own[::-1], rates.machine.levels[::-1], strict=False):
            if lines.incoming > UNNOTICED * touched:
                return level
        return rates.machine.levels[0]

    def totals(self, rates: Rates, shares: Sequence[float] = ()) -> tuple[LineTotals, ...]:
        """Lines of all kernels together over every link but the nearest, where no lines move.

        ``shares``: the part of each kernel's executions that a call makes, one where not given.
        """
        found: list[LineTotals] = []
        for link, kernels in zip(rates.hierarchy, self.counted(rates).links, strict=True):
            each = [
                counts.times(share)
                for own, share in zip(kernels, shares or [1.0] * len(kernels), strict=True)
                for counts in own.arrays.values()
            ]
            load, allocate, evict = _summed(each)
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
        for own in self.counted(rates).links[-1]:
            for array, growth in own.arrays.items():
                found[array] = found.get(array, 0.0) + sum(growth)
        return found

    def regimes(
        self, position: int, rates: Rates, rule: Rule = "exact", *, replayed: bool = False
    ) -> Regimes:
        """Layers that each level holds, with the sizes; ``replayed`` where that is possible."""
        facts, values = self.facts[position], self.sizes.values
        if len(facts.kernel.loops) < 2:
            return Regimes()
        layers = layers_of(facts, self._arrays, values, self._line_bytes, rule)
        levels = core_caches(rates.hierarchy, self._line_bytes)
        space = self._footprints.space(self._numbers[position], 0, ())
        loops = list(zip(facts.kernel.loops, space.trips, strict=True))
        nest = self._nest_trials(position, rates) if replayed and layers else None
        return regimes_and_blocks(layers, levels, loops, values, nest)

    def _nest_trials(self, position: int, rates: Rates) -> CountedNest | None:
        if self._replays is None:
            return None
        found = self._replayed(rates)
        is_placed = found == BEYOND_BUDGET or not isinstance(found, ClosedFormReason)
        levels = rates.replay_levels if is_placed else ()
        between = self.entry.steady_between
        return self._replays.trials(self.facts[position], levels, rates.hierarchy, between)

    def kinds(self, position: int, rates: Rates) -> tuple[MissKinds, ...]:
        """Per level, how many lines it misses for which reason."""
        return self._misses(rates).kinds(position)

    def conflicts(self, position: int, rates: Rates, level: int) -> tuple[ArrayConflict, ...]:
        """Which arrays the conflict misses of a kernel in a level are between."""
        return self._misses(rates).conflicts(position, level)

    def padding(self, position: int, rates: Rates, level: int) -> Padding | None:
        """Rows longer by one line that leave a level fewer misses in a kernel; None: none do."""
        return self._misses(rates).padding(position, level)

    @memoized_method
    def _misses(self, rates: Rates) -> MissAnalysis:
        counter: MissCounter | ReplayedMisses = MissCounter(self._closed, rates.hierarchy)
        if self._replays is not None and not isinstance(self._replayed(rates), ClosedFormReason):
            between = self.entry.steady_between
            counter = ReplayedMisses(self._replays, rates.replay_levels, between)
        return MissAnalysis(self._footprints, self._numbers, rates.hierarchy, counter)

    def spaces(self) -> list[Space]:
        """Trips and executions of every kernel."""
        return [self._footprints.space(number, 0, ()) for number in self._numbers]

    @memoized_method
    def counted(self, rates: Rates) -> CountedLines:
        """Lines over each link but the nearest, by kernel: replayed, or in closed form."""
        replayed = self._replayed(rates)
        if isinstance(replayed, ClosedFormReason):
            rows = [self._over(rates, position) for position in range(len(self.facts))]
            links = tuple(zip(*rows, strict=True))
            return CountedLines(method=CountMethod.CLOSED_FORM, links=links)
        if replayed.method is CountMethod.WINDOWS:
            if self._closed.is_one_sweep(rates.hierarchy):
                return self._closed.counted(rates.hierarchy)  # certain, and windows are not
            cold = self._closed_form(None)
            touched = [self._touched(number, 0, ()) for number in self._numbers]
            replayed = close_windows(replayed, rates.hierarchy, self._closed, cold, touched)
        return link_lines(replayed, rates.hierarchy)

    def _replayed(self, rates: Rates) -> CountedLines | ClosedFormReason:
        if self._replays is None:
            return _NO_REPLAYS
        if self._is_beyond_budget:
            return BEYOND_BUDGET
        return self._replays.lines(rates.replay_levels, self.entry.steady_between)

    @cached_property
    def _is_beyond_budget(self) -> bool:
        return self._replays is not None and self._replays.is_beyond(self.spaces())

    @memoized_method
    def _over(self, rates: Rates, position: int) -> tuple[KernelLines, ...]:
        """Lines of one kernel over each link but the nearest, with the method of counting. Those in
        closed form are counted kernel by kernel: who runs a nest at other sizes asks for no more.
        """
        links = rates.hierarchy
        if isinstance(self._replayed(rates), ClosedFormReason):
            own = self._closed.kernel_lines(links, position)
            own = bound_lines(own, links, self._footprints, self._numbers[position])
            return tuple([each._replace(method=CountMethod.CLOSED_FORM) for each in own])
        counted = self.counted(rates)
        kernels = [each[position] for each in counted.links]
        return tuple([own._replace(method=own.method or counted.method) for own in kernels])

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
