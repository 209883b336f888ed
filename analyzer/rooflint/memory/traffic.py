"""Traffic on every link per iteration of a kernel.

Compulsory traffic: with cold caches every line a nest touches crosses each link at least once,
lines that are stored to leave once, and on a write-allocate hierarchy lines that are stored before
they are loaded are fetched as well. Between registers and the nearest level go the bytes that the
accesses ask for; a reference that does not move with the kernel's own loop stays in a register, and
an element that an iteration loads twice is loaded once.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from rooflint.facts import ArrayLines, KernelFacts, Space, compulsory_lines, space_of
from rooflint.ir import Array
from rooflint.machine import Machine, Pattern
from rooflint.memory.rates import Rates
from rooflint.sizes import Sizes

Basis: TypeAlias = Literal["compulsory"]
"""What the numbers count; ``reuse`` joins when caches are followed."""

STAND_IN_TRIPS = 1024


class LinkTraffic(NamedTuple):
    """Bytes per iteration over one link; ``bounds`` is (lower, upper) of their sum where unsure.

    The three kinds hold the lower bound then.
    """

    link: str
    load_bytes: float
    write_allocate_bytes: float
    evict_bytes: float
    bounds: tuple[float, float] | None = None

    @property
    def total_bytes(self) -> float:
        """All three kinds together."""
        return self.load_bytes + self.write_allocate_bytes + self.evict_bytes


class Traffic(NamedTuple):
    """What moves for one kernel at given sizes and cores.

    links     nearest first
    pattern   the access pattern whose bandwidth applies
    space     trips and executions at these sizes
    arrays    lines per array over the whole nest
    """

    links: tuple[LinkTraffic, ...]
    pattern: Pattern
    space: Space
    arrays: tuple[ArrayLines, ...]
    assumptions: tuple[str, ...] = ()
    basis: Basis = "compulsory"


class LineTotals(NamedTuple):
    """Lines over one link, for everything in a function."""

    link: str
    load: int
    write_allocate: int
    evict: int


def capacity_bytes(machine: Machine, cores: int) -> int:
    """What the last level of cache (or the local stores) of ``cores`` cores holds together."""
    if machine.local_store is not None:
        return int(machine.local_store.size_kib * 1024) * cores
    if not machine.caches:
        return 0
    last = machine.caches[-1]
    instances = -(-cores // last.shared_by_cores)
    return int(last.size_kib * 1024) * instances


def traffic(facts: KernelFacts, arrays: Mapping[str, Array], sizes: Sizes, rates: Rates) -> Traffic:
    """Compulsory traffic of one kernel on every link of the machine."""
    space = space_of(facts.kernel.loops, sizes.values)
    assumptions: tuple[str, ...] = ()
    if not space.executions:
        space = _stand_in(space)
        assumptions = (f"the loop does not run at these sizes: {STAND_IN_TRIPS} iterations taken",)
    if space.inexact:
        assumptions = (*assumptions, f"trip counts estimated: {space.inexact}")
    line_bytes = rates.machine.line_bytes
    lines = compulsory_lines(facts, space, sizes.values, line_bytes, arrays)
    load = allocate = evict = 0.0
    load_most = allocate_most = evict_most = 0.0
    for array in lines:
        load += array.loaded
        evict += array.stored
        allocate += max(array.touched - array.loaded, 0.0)
        load_most += array.loaded_most
        evict_most += array.stored_most
        allocate_most += max(array.touched_most - array.loaded_most, 0.0)
    if not rates.write_allocate:
        allocate = allocate_most = 0.0
    per_iteration = line_bytes / space.executions
    bounds = None
    most = load_most + allocate_most + evict_most
    least = load + allocate + evict
    if most != least:
        bounds = (least * per_iteration, most * per_iteration)
    near, *far = rates.links
    requested, pattern = _requested(facts, near)
    moved = (load * per_iteration, allocate * per_iteration, evict * per_iteration)
    links = (requested, *[LinkTraffic(link, *moved, bounds) for link in far])
    return Traffic(links, pattern, space, lines, assumptions)


def _stand_in(space: Space) -> Space:
    trips = tuple(trip or STAND_IN_TRIPS for trip in space.trips)
    executions = 1.0
    for trip in trips:
        executions *= trip
    return Space(space.loops, trips, executions, space.firsts, space.inexact)


def _requested(facts: KernelFacts, link: str) -> tuple[LinkTraffic, Pattern]:
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
    return LinkTraffic(link, float(load), 0.0, float(store)), pattern


def function_lines(
    kernels: Iterable[Traffic], machine: Machine, write_allocate: bool
) -> tuple[LineTotals, ...]:
    """Lines of all kernels of a function together, in program order, caches cold before the first.

    A line that an earlier kernel touched is not counted again. Lower bounds where places are
    unknown. The nearest link, where no lines move, is left out.
    """
    seen: dict[str, list[ArrayLines]] = {}
    load = allocate = evict = 0.0
    for kernel in kernels:
        for lines in kernel.arrays:
            earlier = seen.setdefault(lines.array, [])
            before, stored_before = _together(earlier)
            earlier.append(lines)
            after, stored_after = _together(earlier)
            fresh = after - before
            fetched = min(lines.loaded, fresh)
            load += fetched
            allocate += fresh - fetched
            evict += stored_after - stored_before
    if not write_allocate:
        allocate = 0.0
    return tuple(
        LineTotals(link, round(load), round(allocate), round(evict)) for link in machine.links[1:]
    )


def _together(parts: list[ArrayLines]) -> tuple[float, float]:
    """(touched, stored) lines of one array by several kernels: overlapping hulls are one place."""
    touched = stored = 0.0
    for hull in _hulls(parts):
        span = max(part.touched for part in hull)
        largest = span
        if len(hull) > 1 and all(part.end_byte is not None for part in hull):
            largest = min(sum(part.touched for part in hull), _span_lines(hull, span))
        touched += largest
        stored += min(largest, max(part.stored for part in hull))
    return touched, stored


def _hulls(parts: list[ArrayLines]) -> list[list[ArrayLines]]:
    """Parts grouped by overlapping address ranges; those of unknown places overlap with all."""
    if any(part.first_byte is None for part in parts):
        return [parts]
    groups: list[list[ArrayLines]] = []
    reach = 0.0
    for part in sorted(parts, key=lambda part: part.first_byte or 0):
        if groups and (part.first_byte or 0) < reach:
            groups[-1].append(part)
            reach = max(reach, part.end_byte or 0)
        else:
            groups.append([part])
            reach = part.end_byte or 0
    return groups


def _span_lines(parts: list[ArrayLines], densest: float) -> float:
    """Lines of the common hull, as densely filled as the densest of the parts fills its own."""
    first = min(part.first_byte or 0 for part in parts)
    end = max(part.end_byte or 0 for part in parts)
    widest = max((part.end_byte or 0) - (part.first_byte or 0) for part in parts)
    return densest * (end - first) / widest if widest else densest
