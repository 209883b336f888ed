"""Cycles that a line of work spends on the links beyond the nearest level.

Streams are measured in a few ratios of reads to writes. A loop whose ratio lies between those of
two of them takes the time of both, each for the share of its lines that they add up to: the sum of
two arrays reads three lines, write-allocate included, for each that it writes, so half of it goes
as a copy (two) and half as a triad (four).

The rate of a stream includes the nearer links that its own lines pass. Lines that nearer caches
serve beside it take turns with those from memory, on links that overlap as well: each adds
``memory.penalty_cy_per_nearer_line``.

The measured streams walk line after line. Where an array is walked in other ways, its lines come
from memory at the rate of ``memory.scattered_gb_s``, whether they are read, stored to or both:
those that leave do so meanwhile. In steps between one line and two, prefetchers bring the lines
that are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import gcd
from typing import TypeAlias

from rooflint.facts import Stream
from rooflint.facts.affine import number as integer
from rooflint.facts.streams import run_bytes
from rooflint.ir.poly import UnknownValueError
from rooflint.machine import STREAM_LINES, Bandwidth, CoreModel, Machine, Pattern
from rooflint.memory import LinkStream, LinkTraffic, Rates, link_stream
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple

from rooflint_plugins.models.ecm.composition import number

DrawnBytes: TypeAlias = tuple[LinkStream, float]
"""The bytes that an iteration draws over a link, and as which stream."""
NOTHING_DRAWN: Mapping[str, float] = {}


ROUNDING_NS = 1e-9
WORTH_WORDS = 0.02
"""Of a time, the least share of a part that is named."""


class BeyondStream(NamedTuple):
    """Cycles of one core beyond those of the measured stream that is nearest to its traffic.

    mixed_cy   as two measured streams read and write what the loop does together
    nearer_cy  of lines that nearer caches serve beside memory
    """

    mixed_cy: float = 0.0
    nearer_cy: float = 0.0

    @property
    def total_cy(self) -> float:
        """Both together."""
        return self.mixed_cy + self.nearer_cy


class Transfers(NamedTuple):
    """``cycles`` by link, nearest first; ``memory_cy`` what the memory interface needs of it.

    missing    a link whose rate the machine does not give
    bandwidth  of memory with one domain's cores, as used; None when nothing comes from there. It
               and ``memory_cy`` are None when the machine gives no rate of several cores: the
               cycles of the link are then those of ``drawn_cy``
    drawn_cy   by link, what one core needs for the bytes at the rate that it sustains; that
               includes all nearer links, and no prediction is faster
    scattered  the link over which lines come that prefetchers do not foresee; empty where none do
    beyond     of ``drawn_cy`` of memory, what is not of the nearest measured stream
    """

    cycles: dict[str, float]
    memory_cy: float | None = 0.0
    bandwidth: Bandwidth | None = None
    missing: str = ""
    walks_cy: float = 0.0
    drawn_cy: Mapping[str, float] = NOTHING_DRAWN
    scattered: str = ""
    beyond: BeyondStream = BeyondStream()


class OneCore(NamedTuple):
    """The time of one core, from which that of several follows.

    memory_cy  of the total, what the memory interface needs; None: unknown
    scale      iterations of a line of work times the clock in GHz
    drawn      what one iteration draws over each link
    """

    total_cy: float
    memory_cy: float | None
    scale: float
    drawn: Sequence[DrawnBytes]


def transfers(
    links: Sequence[LinkTraffic],
    requested: Pattern,
    rates: Rates,
    iterations: float,
    clock_ghz: float,
) -> Transfers:
    """Cycles per ``iterations`` of the kernel's own loop on ``links``, that to registers left out.

    ``requested`` is the pattern of the loop's own accesses, ``rates`` are those of one core, and
    the clock is that of the core.
    """
    machine = rates.machine
    drawn = drawn_cy(drawn_bytes(links, requested, machine), rates, iterations * clock_ghz)
    beyond = _beyond_stream(links, requested, rates, iterations, clock_ghz)
    if beyond.total_cy:
        drawn[links[-1].link] += beyond.total_cy
    cycles: dict[str, float] = {}
    memory: float | None = 0.0
    saturated = None
    for moved in links:
        needed: float | None = 0.0
        if moved.total_bytes > 0:
            needed = _link_cy(moved, machine, iterations)
        if moved.total_bytes > 0 and moved.link.endswith("-MEM"):
            saturated = rates.saturated(moved, requested)
            memory = needed = None
            if saturated is not None:
                # a measured rate counts both directions, so it holds for full duplex as it is
                memory = moved.total_bytes * clock_ghz / saturated.gb_s * iterations
                needed = memory + _penalty_cy(moved, machine) * iterations
        if needed is None:
            needed = drawn.get(moved.link)
        if needed is None:
            return Transfers(cycles, missing=moved.link)
        cycles[moved.link] = needed
    return Transfers(
        cycles=cycles, memory_cy=memory, bandwidth=saturated, drawn_cy=drawn, beyond=beyond
    )


def _beyond_stream(
    links: Sequence[LinkTraffic],
    requested: Pattern,
    rates: Rates,
    iterations: float,
    clock_ghz: float,
) -> BeyondStream:
    """``rates`` are those of one core, ``requested`` is the pattern of the loop's own accesses."""
    memory = links[-1] if links and links[-1].link.endswith("-MEM") else None
    nearest = None if memory is None else rates.sustained(memory, requested)
    if memory is None or nearest is None or memory.total_bytes <= 0:
        return BeyondStream()
    mixed = _mixed_ns(memory, requested, rates) - memory.total_bytes / nearest.gb_s
    return BeyondStream(
        mixed_cy=mixed * clock_ghz * iterations if mixed > ROUNDING_NS else 0.0,
        nearer_cy=_nearer_cy(links, rates.machine) * iterations,
    )


def _mixed_ns(moved: LinkTraffic, requested: Pattern, rates: Rates) -> float:
    """Of an iteration, as the two measured streams between whose ratios its lines lie; 0 where they
    lie between none."""
    line = rates.machine.line_bytes
    read = (moved.load_bytes + moved.write_allocate_bytes) / line
    written = moved.evict_bytes / line
    known = _measured(rates.machine, requested)
    for more, less in pairwise(sorted(known, key=_written_share)):
        first, second = STREAM_LINES[more], STREAM_LINES[less]
        both = first.up * second.down - second.up * first.down
        of_first = (read * second.down - written * second.up) / both
        of_second = (written * first.up - read * first.down) / both
        if of_first >= 0 and of_second >= 0:
            return sum(
                times * _stream_ns(pattern, moved.link, rates)
                for pattern, times in ((more, of_first), (less, of_second))
            )
    return 0.0


def _nearer_cy(links: Sequence[LinkTraffic], machine: Machine) -> float:
    """Of the lines that an iteration brings from nearer caches to the nearest, beside those that it
    brings from memory; 0 where none come from there, and where links do not overlap."""
    memory = links[-1]
    overlaps = machine.core is not None and machine.core.overlap.overlaps(memory.link)
    if not overlaps:
        return 0.0
    nearest, far = [each.load_bytes + each.write_allocate_bytes for each in (links[0], memory)]
    return max(0.0, nearest - far) / machine.line_bytes * machine.memory.penalty_cy_per_nearer_line


def _measured(machine: Machine, requested: Pattern) -> set[Pattern]:
    """The streams of one core that read and write in ratios of their own."""
    entries = machine.memory.bandwidth
    stated = {each.pattern for each in entries if each.level == "MEM" and each.cores == 1}
    return stated - {"update" if requested == "store" and "store" in stated else "store"}


def _written_share(pattern: Pattern) -> float:
    lines = STREAM_LINES[pattern]
    return lines.down / (lines.up + lines.down)


def _stream_ns(pattern: Pattern, link: str, rates: Rates) -> float:
    """Of the lines of one iteration of a measured stream."""
    rate = rates.of_stream(LinkStream(link, pattern))
    lines = STREAM_LINES[pattern]
    return 0.0 if rate is None else (lines.up + lines.down) * rates.machine.line_bytes / rate.gb_s


def drawn_bytes(
    links: Sequence[LinkTraffic], requested: Pattern, machine: Machine
) -> list[DrawnBytes]:
    """The streams of the links over which anything moves, with their bytes."""
    return [
        (link_stream(moved, requested, machine), moved.total_bytes)
        for moved in links
        if moved.total_bytes > 0
    ]


def drawn_cy(drawn: Iterable[DrawnBytes], rates: Rates, scale: float) -> dict[str, float]:
    """Cycles of each link at the rate that the active cores sustain.

    ``scale``: the iterations times the clock in GHz.
    """
    known = [(stream, moved, rates.of_stream(stream)) for stream, moved in drawn]
    return {
        stream.link: moved / rate.gb_s * scale for stream, moved, rate in known if rate is not None
    }


def drawn_words(
    moved: Transfers, link: str, total_cy: float, rates: Mapping[str, Bandwidth]
) -> list[str]:
    """How fast one core draws over ``link``, where that sets the time ``total_cy``."""
    if moved.drawn_cy.get(link, 0.0) < total_cy * (1 - 1e-9):
        return []
    if link == moved.scattered:
        return [f"lines over {link} that do not follow each other come one by one"]
    beyond = moved.beyond if link.endswith("-MEM") else BeyondStream()
    rate = rates[link]
    words = [f"one core sustains {number(rate.gb_s)} GB/s over {link} ({rate.how})"]
    if beyond.mixed_cy > WORTH_WORDS * total_cy:
        words = [f"one core reads and writes over {link} as two measured streams together"]
    if beyond.nearer_cy > WORTH_WORDS * total_cy:
        words.append(f"lines of nearer caches take {number(beyond.nearer_cy)} cy/CL beside memory")
    return words


def _penalty_cy(moved: LinkTraffic, machine: Machine) -> float:
    up = (moved.load_bytes + moved.write_allocate_bytes) / machine.line_bytes
    down = moved.evict_bytes / machine.line_bytes
    memory = machine.memory
    return up * memory.penalty_cy_per_line_up + down * memory.penalty_cy_per_line_down


def _link_cy(moved: LinkTraffic, machine: Machine, iterations: float) -> float | None:
    """By the cycles per line of a cache; None where the machine does not give them."""
    cache = machine.cache(moved.link.rpartition("-")[2])
    if cache is None or cache.cy_per_line_up is None:
        return None
    up_cy = cache.cy_per_line_up
    down_cy = cache.cy_per_line_down if cache.cy_per_line_down is not None else up_cy
    up = (moved.load_bytes + moved.write_allocate_bytes) / machine.line_bytes * up_cy
    down = moved.evict_bytes / machine.line_bytes * down_cy
    return (max(up, down) if cache.duplex == "full" else up + down) * iterations


class SetWalk(NamedTuple):
    """A stream that meets so many ``sets`` of the nearest cache, a line in each iteration.

    A walk with a stride of ``s`` lines meets ``sets / gcd(sets, s)`` sets. Where its lines are not
    found there, some cores bring the next line of a set only once the last one has arrived, and
    have to write a changed one back in between: a column of a matrix with rows of 1024 bytes has 4
    sets of 64. Arrays begin at the same set, as large ones from an allocator do, and static ones
    whose sizes are powers of two.
    """

    sets: int
    reads: bool
    writes: bool


def set_walks(
    streams: Sequence[Stream], machine: Machine, values: Mapping[str, int]
) -> tuple[SetWalk, ...]:
    """The streams that step over whole lines; none on a machine without caches."""
    if not machine.caches:
        return ()
    nearest, line = machine.caches[0], machine.line_bytes
    sets = int(nearest.size_kib * 1024) // (line * nearest.ways) if nearest.ways else 1
    found = []
    for stream in streams:
        step = _own_stride(stream, values)
        if step and step % line == 0:
            met = sets // gcd(sets, step // line)
            found.append(SetWalk(sets=met, reads=stream.reads > 0, writes=stream.writes > 0))
    return tuple(found)


def _own_stride(stream: Stream, values: Mapping[str, int]) -> int:
    """Bytes per iteration of the kernel's own loop; 0 where unknown."""
    stride = stream.strides[-1] if stream.strides else None
    if stride is None:
        return 0
    try:
        return int(stride.evaluate(values))
    except (UnknownValueError, KeyError, ZeroDivisionError):
        return 0


def cycles_of_sets(
    walks: Sequence[SetWalk], moved: LinkTraffic, line_bytes: int, core: CoreModel
) -> float:
    """Cycles of an iteration, where lines of a set come and go one after the other.

    A line that has been written leaves once for each stream that loads lines of the set, so that
    lines that are only stored to leave beside those that come. 0 on a core that states no cycles.
    """
    up_cy, down_cy = core.set_fill_cy, core.set_evict_cy
    if not walks or up_cy is None or down_cy is None:
        return 0.0
    up = (moved.load_bytes + moved.write_allocate_bytes) / line_bytes
    down = moved.evict_bytes / line_bytes
    written, read = sum([walk.writes for walk in walks]), sum([walk.reads for walk in walks])
    loaded = min(moved.load_bytes / line_bytes, read)
    if len(walks) == 1 and not written and core.set_read_cy is not None:
        up_cy = core.set_read_cy
    cycles = min(up, len(walks)) * up_cy + min(down, written) * loaded * down_cy
    return cycles / min([walk.sets for walk in walks])


class ScatteredLines(NamedTuple):
    """Lines of an iteration over the link to memory, beside those of the streams.

    coming   those that come one by one
    leaving  those that leave while these come
    skipped  those that prefetchers bring and nobody uses
    """

    coming: float = 0.0
    leaving: float = 0.0
    skipped: float = 0.0


def scattered_cy(context: Context, rates: Rates, clock_ghz: float) -> float:
    """Cycles of an iteration on the link to memory, all its lines together; 0 where they follow
    each other, or the machine does not say what others take. ``rates`` are those of one core."""
    memory, moved = context.machine.memory, context.traffic.links[-1]
    if memory.scattered_gb_s is None or moved.total_bytes <= 0:
        return 0.0
    found = scattered_lines(context)
    stream = rates.sustained(moved, context.traffic.pattern)
    if stream is None or not (found.coming or found.skipped):
        return 0.0
    line = context.machine.line_bytes
    in_rows = moved.total_bytes - (found.coming + found.leaving - found.skipped) * line
    return (in_rows / stream.gb_s + found.coming * line / memory.scattered_gb_s) * clock_ghz


def scattered_lines(context: Context) -> ScatteredLines:
    """Of all arrays whose every stream jumps."""
    executions = max(1, context.traffic.space.executions)
    coming = leaving = skipped = 0.0
    for array, counts in context.traffic.farthest.items():
        own = [s for s in context.facts.streams if s.array == array and s.pattern != "invariant"]
        share = min([_unforeseen(context, stream) for stream in own], default=0.0)
        lines = (counts.load + counts.allocate) / executions
        coming += share * lines
        leaving += share * counts.evict / executions
        skipped += (1 - share) * lines * _left_out(context, own)
    return ScatteredLines(coming=coming, leaving=leaving, skipped=skipped)


def _unforeseen(context: Context, stream: Stream) -> float:
    """The share of a stream's lines that come before a prefetcher follows it."""
    machine = context.machine
    moving = sum([s.pattern != "invariant" for s in context.facts.streams])
    run = run_bytes(
        stream,
        context.traffic.space.trips,
        context.sizes.values,
        gap_bytes=2 * machine.line_bytes - stream.element_bytes,
        side_by_side=machine.memory.prefetched_runs / moving,
    )
    if run is None:
        return 0.0
    return min(1.0, machine.memory.run_lines / max(1.0, run / machine.line_bytes))


def _left_out(context: Context, streams: list[Stream]) -> float:
    """Lines between two of an array's, for each of them, where its only stream leaves some out."""
    line = context.machine.line_bytes
    stride = streams[0].strides[-1] if len(streams) == 1 else None
    step = abs((None if stride is None else integer(stride, context.sizes.values)) or 0)
    return step / line - 1 if line < step < 2 * line else 0.0
