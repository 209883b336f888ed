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
    load = allocate = evict = touched = 0.0
    sure = True
    for array in lines:
        load += array.loaded
        evict += array.stored
        touched += array.touched
        if array.touched > array.loaded:
            allocate += array.touched - array.loaded
        sure = sure and array.certain
    if not rates.write_allocate:
        allocate = 0.0
    per_iteration = line_bytes / space.executions
    bounds = None
    if not sure:
        bounds = _bounds(lines, load + allocate + evict, per_iteration, rates.write_allocate)
    near, *far = rates.links
    requested, pattern = _requested(facts, near)
    repeats, note = _repeats(facts, space, rates, touched * line_bytes)
    load, allocate, evict = load * per_iteration, allocate * per_iteration, evict * per_iteration
    links = [requested]
    for link, times in zip(far, repeats, strict=True):
        within = bounds and (bounds[0] * times, bounds[1] * times)
        links.append(LinkTraffic(link, load * times, allocate * times, evict * times, within))
    return Traffic(tuple(links), repeats, pattern, space, lines, (*assumptions, *note))


def _bounds(
    lines: Iterable[ArrayLines], least: float, per_iteration: float, write_allocate: bool
) -> tuple[float, float] | None:
    """Bytes per iteration over a link at least and at most; None when that is the same."""
    load = allocate = evict = 0.0
    for array in lines:
        load += array.loaded_most
        evict += array.stored_most
        if write_allocate:
            allocate += max(array.touched_most - array.loaded_most, 0.0)
    most = load + allocate + evict
    return (least * per_iteration, most * per_iteration) if most != least else None


def _repeats(
    facts: KernelFacts, space: Space, rates: Rates, touched_bytes: float
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Per link below the nearest, how often loops that move no data carry the nest over it."""
    held = rates.held_bytes
    if not held or touched_bytes <= held[0]:
        return (1.0,) * len(held), ()
    times = 1.0
    indices: list[str] = []
    for depth, loop in enumerate(space.loops[:-1]):
        if any(_moves(stream, depth) for stream in facts.streams):
            break
        times *= space.trips[depth]
        indices.append(loop.index)
    if times <= 1:
        return (1.0,) * len(held), ()
    repeats = tuple([times if touched_bytes > size else 1.0 for size in held])
    names = rates.machine.levels
    missed = names[sum([1 for r in repeats if r > 1]) - 1]
    note = f"{_size_text(touched_bytes)} do not stay in {missed}: each iteration of " + (
        f"{', '.join(indices)} moves them again"
    )
    return repeats, (note,)


def _moves(stream: Stream, depth: int) -> bool:
    stride = stream.strides[depth]
    follows = bool(stream.follows) and stream.follows[depth]
    return follows or stride is None or bool(stride.terms)


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
