"""Cycles that one core needs for the lines that come from memory, and for those beside them.

Streams are measured in a few ratios of reads to writes. A loop whose ratio lies between those of
two of them takes the time of both, each for the share of its lines that they add up to: the sum of
two arrays reads three lines, write-allocate included, for each that it writes, so half of it goes
as a copy (two) and half as a triad (four).

The rate of a stream includes the nearer links that its own lines pass. Lines that nearer caches
serve beside it take turns with those from memory, on links that overlap as well: each adds
``memory.penalty_cy_per_nearer_line``.
"""

from collections.abc import Sequence
from itertools import pairwise

from rooflint.machine import STREAM_LINES, LineTransfers, Machine, Pattern
from rooflint.memory import LinkStream, LinkTraffic, Rates
from rooflint.records import NamedTuple

ROUNDING_NS = 1e-9


class BeyondStream(NamedTuple):
    """Cycles of one core beyond those of the measured stream that is nearest to its traffic.

    mixed_cy   as two measured streams read and write what the loop does together
    nearer_cy  of lines that nearer caches serve beside memory
    """

    mixed_cy: float = 0.0
    nearer_cy: float = 0.0

    def scaled(self, iterations: float) -> "BeyondStream":
        """Of so many iterations."""
        return BeyondStream(self.mixed_cy * iterations, self.nearer_cy * iterations)


def beyond_stream(
    links: Sequence[LinkTraffic], requested: Pattern, rates: Rates, clock_ghz: float
) -> BeyondStream:
    """Of an iteration that moves lines over the last of ``links``, which leads to memory.

    ``rates`` are those of one core, ``requested`` is the pattern of the loop's own accesses.
    """
    memory = links[-1]
    nearest = rates.sustained(memory, requested)
    mixed = _mixed_ns(memory, requested, rates)
    if nearest is not None:
        mixed -= memory.total_bytes / nearest.gb_s
    return BeyondStream(
        mixed_cy=mixed * clock_ghz if mixed > ROUNDING_NS else 0.0,
        nearer_cy=_nearer_cy(links, rates.machine),
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
    if not overlaps or memory.total_bytes <= 0:
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
    lines: LineTransfers = STREAM_LINES[pattern]
    return 0.0 if rate is None else (lines.up + lines.down) * rates.machine.line_bytes / rate.gb_s
