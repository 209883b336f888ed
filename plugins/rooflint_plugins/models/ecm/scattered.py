"""Lines from memory that one core brings before prefetchers know where they lie.

The measured streams walk line after line. Where an array is walked in other ways, its lines come
at the rate of ``memory.scattered_gb_s``, whether they are read, stored to or both: those that leave
do so meanwhile. In steps between one line and two, prefetchers bring the lines that are left out.
"""

from rooflint.facts import Stream
from rooflint.facts.affine import number
from rooflint.facts.runs import run_bytes
from rooflint.memory import Rates
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple


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
    step = abs((None if stride is None else number(stride, context.sizes.values)) or 0)
    return step / line - 1 if line < step < 2 * line else 0.0
