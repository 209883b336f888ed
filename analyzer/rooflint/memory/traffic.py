"""Traffic of a kernel over the links of a hierarchy: its records, and the nearest link."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from rooflint.facts import ArrayLines, KernelFacts, Space
from rooflint.machine import Pattern
from rooflint.memory.hierarchy import CacheGeometry, MemoryLink
from rooflint.memory.line_counts import (
    NOTHING,
    CountMethod,
    CountsByArray,
    LineCounts,
    LineInterval,
)
from rooflint.records import NamedTuple

STAND_IN_TRIPS = 1024


class LinkTraffic(NamedTuple):
    """Bytes per iteration over one link; ``bounds`` is (lower, upper) of their sum where unsure.

    The three kinds hold the lower bound then. ``interval``: loads and write-allocates together lie
    between the two, as far as one line more or less in a set decides; None: not known.
    """

    link: str
    load_bytes: float
    write_allocate_bytes: float
    evict_bytes: float
    bounds: tuple[float, float] | None = None
    method: CountMethod = CountMethod.EXACT
    interval: tuple[float, float] | None = None

    @property
    def total_bytes(self) -> float:
        """All three kinds together."""
        return self.load_bytes + self.write_allocate_bytes + self.evict_bytes


class KernelTransfers(NamedTuple):
    """Traffic of one kernel on each link; see Traffic."""

    links: tuple[LinkTraffic, ...]
    lines: tuple[LineCounts, ...] = ()
    farthest: Mapping[str, LineCounts] = MappingProxyType({})
    assumptions: tuple[str, ...] = ()
    page_walks: Mapping[str, float] = MappingProxyType({})


class Traffic:
    """Traffic of one kernel at given sizes and cores.

    Link traffic is computed on first use: a rule may need only the trip counts.

    pattern   the access pattern whose bandwidth applies
    space     trips and executions at these sizes
    alone     what misses a cache if nothing but the kernel runs, over all iterations
    """

    def __init__(
        self,
        pattern: Pattern,
        space: Space,
        arrays: Callable[[], tuple[ArrayLines, ...]],
        moved: Callable[[tuple[ArrayLines, ...]], KernelTransfers],
        alone: Callable[[CacheGeometry], CountsByArray],
    ) -> None:
        self.pattern = pattern
        self.space = space
        self.alone = alone
        self._arrays, self._move = arrays, moved

    def resident(self, links: int) -> "Traffic":
        """The same with warm data that cross the ``links`` nearest links and none behind them."""

        def moved(arrays: tuple[ArrayLines, ...]) -> KernelTransfers:
            return _without_far_links(self._move(arrays), links)

        return Traffic(self.pattern, self.space, self._arrays, moved, self.alone)

    @cached_property
    def arrays(self) -> tuple[ArrayLines, ...]:
        """Lines per array over the whole nest, each once."""
        return self._arrays()

    @cached_property
    def _moved(self) -> KernelTransfers:
        return self._move(self.arrays)

    @property
    def links(self) -> tuple[LinkTraffic, ...]:
        """Nearest first."""
        return self._moved.links

    @property
    def lines(self) -> tuple[LineCounts, ...]:
        """Per link below the nearest, over all iterations; lower bounds where unsure."""
        return self._moved.lines

    @property
    def farthest(self) -> Mapping[str, LineCounts]:
        """Lines of the last link by array, over all iterations; lower bounds where unsure."""
        return self._moved.farthest

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the traffic, and the levels that lose lines before their reuse."""
        return self._moved.assumptions

    @property
    def page_walks(self) -> Mapping[str, float]:
        """Of an iteration, by array, on a machine whose TLB is known."""
        return self._moved.page_walks


def _without_far_links(moved: KernelTransfers, links: int) -> KernelTransfers:
    still = [LinkTraffic(each.link, 0.0, write_allocate_bytes=0.0, evict_bytes=0.0)
             for each in moved.links[links:]]  # fmt: skip
    # lines are counted from the second link on
    near = moved.lines[: max(0, links - 1)]
    return moved._replace(
        links=(*moved.links[:links], *still),
        lines=(*near, *[NOTHING] * (len(moved.lines) - len(near))),
        farthest={} if still else moved.farthest,
    )


class LineTotals(NamedTuple):
    """Lines over one link, for everything in a function."""

    link: str
    load_lines: int
    write_allocate_lines: int
    evict_lines: int


def requested_traffic(facts: KernelFacts, link: str) -> tuple[LinkTraffic, Pattern]:
    """The bytes that accesses ask for per iteration, and how loads and stores come together.

    A reference that does not move with the kernel's own loop stays in a register, and an element
    that an iteration loads twice is loaded once.
    """
    load = store = 0
    loading = storing = updated = 0
    for stream in facts.streams:
        if stream.pattern == "invariant":
            continue
        loads = stores = 0
        for reference in stream.references:
            loads += reference.loaded
            stores += reference.stored
        load += loads * stream.element_bytes
        store += stores * stream.element_bytes
        loading += loads > 0
        storing += stores > 0
        updated += loads > 0 and stores > 0
    pattern: Pattern
    if not storing:
        pattern = "load"
    elif not loading:
        pattern = "store"
    elif updated == loading:
        pattern = "update"
    else:
        pattern = "copy" if loading == 1 else "triad"
    return LinkTraffic(
        link=link, load_bytes=float(load), write_allocate_bytes=0.0, evict_bytes=float(store)
    ), pattern


class TotalLines(NamedTuple):
    """Lines of a kernel over one link; ``most`` where the places of some accesses are unknown."""

    lines: LineCounts
    most: float | None
    method: CountMethod
    interval: LineInterval | None


def link_traffic(
    link: MemoryLink, moved: TotalLines, near: LinkTraffic, per_iteration: float
) -> LinkTraffic:
    """The bytes of an iteration over a link, of which a line has ``per_iteration``.

    A level that writes through sends on what the accesses store, as over the ``near`` link.
    """
    evict = near.evict_bytes if link.through else moved.lines.evict * per_iteration
    load, fill = moved.lines.load * per_iteration, moved.lines.allocate * per_iteration
    interval = None if moved.interval is None else moved.interval.times(per_iteration)
    most = None if moved.most is None else moved.most * per_iteration
    return LinkTraffic(
        link=link.name,
        load_bytes=load,
        write_allocate_bytes=fill,
        evict_bytes=evict,
        bounds=None if most is None else (load + fill + evict, most),
        method=moved.method,
        interval=None if interval is None else (interval.low, interval.high),
    )


def most_lines(
    facts: KernelFacts,
    executions: float,
    link: MemoryLink,
    arrays: Sequence[ArrayLines],
    moved: Mapping[str, LineCounts],
) -> float | None:
    """Upper bound of the lines where the places of some accesses are unknown; else None."""
    if all(array.certain for array in arrays):
        return None
    total = 0.0
    for array in arrays:
        counts = moved.get(array.array, NOTHING)
        if not array.certain:
            counts = _upper_counts(facts, executions, link, array, counts)
        total += sum(counts)
    return total


def _upper_counts(
    facts: KernelFacts, executions: float, link: MemoryLink, array: ArrayLines, counts: LineCounts
) -> LineCounts:
    """Upper bounds of one array's lines. Nothing that is gathered need stay in a level that does
    not hold all of the array: there each access may bring its own line."""
    loaded, stored, touched = array.loaded_most, array.stored_most, array.touched_most
    if touched > link.above.lines:
        gathers = [s for s in facts.streams if s.array == array.array and s.reason]
        each = [reference for stream in gathers for reference in stream.references]
        loaded = max(loaded, executions * sum([reference.loaded for reference in each]))
        stored = max(stored, executions * sum([reference.stored for reference in each]))
        touched = max(touched, executions * len(each))
    load = max(counts.load, loaded)
    allocate = max(counts.allocate, touched - loaded) if link.allocates else 0.0
    return LineCounts(load, allocate, max(counts.evict, stored))


def stand_in(space: Space) -> Space:
    """The space of loops that do not run, with trips for those that make none."""
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
        assumed=tuple([number for number, trip in enumerate(space.trips) if not trip]),
    )
