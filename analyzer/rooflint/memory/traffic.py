"""Traffic on every link per iteration of a kernel.

Compulsory traffic: with cold caches every line a nest touches crosses each link at least once,
lines that are stored to leave once, and on a write-allocate hierarchy lines that are stored before
they are loaded are fetched as well. Between registers and the nearest level go the bytes that the
accesses ask for; a reference that does not move with the kernel's own loop stays in a register, and
an element that an iteration loads twice is loaded once.

One reuse is plain to see without following the caches: loops around a nest that move none of its
data (time steps, repetitions) find it again only in a level that holds all of it. Below every
smaller level their traffic is that of each repetition.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from rooflint.facts import ArrayLines, KernelFacts, Space, Stream, compulsory_lines, space_of
from rooflint.ir import Array
from rooflint.machine import Machine, Pattern
from rooflint.memory.rates import Rates, level_bytes
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
    repeats   per link below the nearest: how often the nest's lines cross it, 1 where they stay
    pattern   the access pattern whose bandwidth applies
    space     trips and executions at these sizes
    arrays    lines per array over the whole nest
    """

    links: tuple[LinkTraffic, ...]
    repeats: tuple[float, ...]
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
    held = level_bytes(machine, cores)
    return held[-1] if held else 0


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
    touched_bytes = sum(array.touched for array in lines) * line_bytes
    repeats, note = _repeats(facts, space, rates, touched_bytes)
    moved = LinkTraffic(
        near, load * per_iteration, allocate * per_iteration, evict * per_iteration, bounds
    )
    links = (requested, *[_scaled(moved, link, r) for link, r in zip(far, repeats, strict=True)])
    return Traffic(links, repeats, pattern, space, lines, (*assumptions, *note))


def _repeats(
    facts: KernelFacts, space: Space, rates: Rates, touched_bytes: float
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Per link below the nearest, how often loops that move no data carry the nest over it."""
    times = 1.0
    indices: list[str] = []
    for depth, loop in enumerate(space.loops[:-1]):
        if any(_moves(stream, depth) for stream in facts.streams):
            break
        times *= space.trips[depth]
        indices.append(loop.index)
    held = rates.held_bytes
    if times <= 1 or touched_bytes <= held[0]:
        return (1.0,) * len(held), ()
    repeats = tuple(times if touched_bytes > size else 1.0 for size in held)
    names = rates.machine.levels
    missed = names[sum(1 for r in repeats if r > 1) - 1]
    note = f"{_size_text(touched_bytes)} do not stay in {missed}: each iteration of " + (
        f"{', '.join(indices)} moves them again"
    )
    return repeats, (note,)


def _moves(stream: Stream, depth: int) -> bool:
    stride = stream.strides[depth]
    follows = bool(stream.follows) and stream.follows[depth]
    return follows or stride is None or bool(stride.terms)


def _scaled(moved: LinkTraffic, link: str, times: float) -> LinkTraffic:
    bounds = moved.bounds and (moved.bounds[0] * times, moved.bounds[1] * times)
    return LinkTraffic(
        link,
        moved.load_bytes * times,
        moved.write_allocate_bytes * times,
        moved.evict_bytes * times,
        bounds,
    )


def _size_text(size_bytes: float) -> str:
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size_bytes >= scale:
            return f"{size_bytes / scale:.3g} {unit}"
    return f"{size_bytes:.0f} B"


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

    A line that an earlier kernel touched is not counted again, except by the repetitions that do
    not find it. Lower bounds where places are unknown. The nearest link, where no lines move, is
    left out.
    """
    kernels = tuple(kernels)
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
    totals: list[LineTotals] = []
    for position, link in enumerate(machine.links[1:]):
        parts = [load, allocate, evict]
        for kernel in kernels:
            again = kernel.repeats[position] - 1
            for lines in kernel.arrays if again else ():
                parts[0] += again * lines.loaded
                parts[1] += again * max(lines.touched - lines.loaded, 0.0)
                parts[2] += again * lines.stored
        fetched, filled, stored = (round(part) for part in parts)
        totals.append(LineTotals(link, fetched, filled if write_allocate else 0, stored))
    return tuple(totals)


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
