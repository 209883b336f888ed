"""Peaks and bandwidths of one machine with a number of active cores.

``Rates.of`` is the one answer to how fast a link is for a loop. Every model takes it, so that no
prediction can be faster than the Roofline model's bound. Two rates of memory are not the same:

sustained   what the active cores draw together, as measured for so many: a bound on their time
saturated   the most that the cores of one NUMA domain draw: what the memory interface can do.
            T_mem and n_S of the ECM model rest on it; it is no rate of one core
"""

from collections.abc import Iterable, Mapping

from rooflint.machine import PATTERNS, Bandwidth, ComputePeak, LineTransfers, Machine, Pattern
from rooflint.memory.engine import levels_of
from rooflint.memory.hierarchy import links_of
from rooflint.memory.memo import memoized_method
from rooflint.memory.traffic import LinkTraffic, Traffic
from rooflint.records import NamedTuple

COUNTED_AS = {"c64": "f32", "c128": "f64", "c160": "f80", "ptr": "i64"}
"""Work on complex numbers is counted in operations on their parts."""


RATIOS: tuple[tuple[Pattern, float], ...] = (("copy", 2.0), ("triad", 4.0), ("update", 1.0))
"""Lines read, write-allocates included, per line written, of the measured streams."""
NO_LINES = LineTransfers(0.0, 0.0)


class LinkStream(NamedTuple):
    """Traffic of a link as far as its rate goes: the nearest measured stream, and its lines."""

    link: str
    pattern: Pattern
    lines: LineTransfers = NO_LINES


def stream_of(moved: LinkTraffic, requested: Pattern) -> Pattern:
    """The measured stream whose ratio of reads to writes is nearest to that on the link.

    ``requested`` is the pattern of the loop's own accesses: it holds on the link to registers and
    where nothing moves, and tells a store from an update.
    """
    up = moved.load_bytes + moved.write_allocate_bytes
    if moved.link.startswith("REG-") or moved.total_bytes <= 0:
        return requested
    if moved.evict_bytes <= 0:
        return "load"
    ratio = up / moved.evict_bytes
    best = min(RATIOS, key=lambda known: abs(known[1] - ratio))[0]
    return "store" if best == "update" and requested == "store" else best


def level_bytes(machine: Machine, cores: int) -> tuple[int, ...]:
    """Capacity of each level above memory for ``cores`` cores together, nearest first."""
    if machine.local_store is not None:
        return (int(machine.local_store.size_kib * 1024) * cores,)
    return tuple(
        int(cache.size_kib * 1024) * -(-cores // cache.shared_by_cores) for cache in machine.caches
    )


class Rates:
    """Rates of ``machine`` with ``cores``; one object per run, shared by all kernels and models."""

    def __init__(self, machine: Machine, cores: int) -> None:
        self.machine = machine
        self.cores = cores
        self.links = machine.links
        self.hierarchy = links_of(machine, cores)
        self.replay_levels = levels_of(machine, cores)
        self.held_bytes = level_bytes(machine, cores)
        self.write_allocate = machine.write_allocates(cores)

    def peak(self, element_type: str, operation: str = "flop") -> ComputePeak | None:
        """The compute roof in 1e9 ``operation`` a second; None when the machine does not say."""
        return self._peak(element_type, operation)

    @memoized_method
    def _peak(self, element_type: str, operation: str) -> ComputePeak | None:
        counted = COUNTED_AS.get(element_type, element_type)
        return self.machine.peak_gops(counted, self.cores, operation)

    def of(self, traffic: Traffic) -> Mapping[str, Bandwidth]:
        """By link, nearest first, the sustained rates that the machine gives for a loop."""
        return self.of_links(traffic.links, traffic.pattern)

    def of_links(self, links: Iterable[LinkTraffic], requested: Pattern) -> Mapping[str, Bandwidth]:
        """The same for links whose traffic is at hand."""
        rates = {moved.link: self.sustained(moved, requested) for moved in links}
        return {link: rate for link, rate in rates.items() if rate is not None}

    def sustained(self, moved: LinkTraffic, requested: Pattern) -> Bandwidth | None:
        """The rate that all active cores draw over one link with its mix of reads and writes.

        ``requested`` is the pattern of the loop's own accesses. Streams that were measured answer
        first; else the cycles per line of the lines that cross the link.
        """
        return self.of_stream(link_stream(moved, requested, self.machine))

    def saturated(self, moved: LinkTraffic, requested: Pattern) -> Bandwidth | None:
        """The most that any number of cores of one NUMA domain draws from memory.

        None where the machine gives no rate of several cores that share it.
        """
        return self._saturated(moved.link, stream_of(moved, requested))

    @memoized_method
    def of_stream(self, stream: LinkStream) -> Bandwidth | None:
        """The rate that all active cores draw over one link as the stream does."""
        known = None if stream.lines == NO_LINES else stream.lines
        return self.machine.bandwidth_gb_s(stream.link, stream.pattern, self.cores, known)

    @memoized_method
    def highest(self, link: str) -> float:
        """GB/s of the fastest stream with up to all cores of a domain, in the domains in use.

        Zero where the machine gives no rate.
        """
        domain = self.machine.domain_cores(link.rpartition("-")[2])
        rates = [rate.gb_s for pattern in PATTERNS for rate in self._in_domain(link, pattern)]
        return max(rates, default=0.0) * -(-self.cores // domain)

    @memoized_method
    def with_cores(self, cores: int) -> "Rates":
        """The rates of the same machine with another number of active cores."""
        return self if cores == self.cores else Rates(self.machine, cores)

    @memoized_method
    def _saturated(self, link: str, pattern: Pattern) -> Bandwidth | None:
        machine = self.machine
        domain = machine.domain_cores("MEM")
        stated = {entry.cores for entry in machine.memory.bandwidth if entry.level == "MEM"}
        if domain > 1 and max(stated, default=1) == 1:
            return None
        return max(self._in_domain(link, pattern), key=lambda rate: rate.gb_s, default=None)

    def _in_domain(self, link: str, pattern: Pattern) -> list[Bandwidth]:
        """The rates of each known number of cores of a domain, and of all its cores."""
        machine, level = self.machine, link.rpartition("-")[2]
        domain = machine.domain_cores(level)
        stated = {entry.cores for entry in machine.memory.bandwidth if entry.level == level}
        numbers = sorted({domain, *[cores for cores in stated if cores < domain]})
        rates = [machine.bandwidth_gb_s(link, pattern, cores) for cores in numbers]
        return [rate for rate in rates if rate is not None]


def link_stream(moved: LinkTraffic, requested: Pattern, machine: Machine) -> LinkStream:
    """The stream on one link of a loop whose own accesses are of the pattern ``requested``."""
    return LinkStream(moved.link, stream_of(moved, requested), _shares(moved, machine))


def _shares(moved: LinkTraffic, machine: Machine) -> LineTransfers:
    """How the lines of a link divide; nothing where a measured stream answers for them all."""
    level = moved.link.rpartition("-")[2]
    cache = machine.cache(level)
    measured = any(entry.level == level for entry in machine.memory.bandwidth)
    if measured or cache is None or cache.cy_per_line_up is None or moved.total_bytes <= 0:
        return NO_LINES
    up = (moved.load_bytes + moved.write_allocate_bytes) / moved.total_bytes
    return LineTransfers(up, 1.0 - up)
