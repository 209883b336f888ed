"""Cycles that a line of work spends on the links beyond the nearest level."""

from collections.abc import Sequence

from rooflint.machine import Bandwidth, CacheLevel, Machine, Pattern
from rooflint.memory import LinkTraffic
from rooflint.records import NamedTuple

RATIOS: tuple[tuple[Pattern, float], ...] = (("copy", 2.0), ("triad", 4.0), ("update", 1.0))
"""Lines read, write-allocates included, per line written, of the measured streams."""


class Transfers(NamedTuple):
    """``cycles`` by link, nearest first; ``memory_cy`` what the memory interface needs of it.

    missing    a link whose rate the machine does not give
    bandwidth  of memory with one domain's cores, as used; None when nothing comes from there
    """

    cycles: dict[str, float]
    memory_cy: float = 0.0
    bandwidth: Bandwidth | None = None
    missing: str = ""
    walks_cy: float = 0.0


def transfers(
    links: Sequence[LinkTraffic],
    written: Pattern,
    machine: Machine,
    iterations: float,
    clock_ghz: float,
) -> Transfers:
    """Cycles per ``iterations`` of the kernel's own loop on ``links``, that to registers left out.

    ``written`` is the pattern of the loop's own accesses; the clock is that of the core.
    """
    cycles: dict[str, float] = {}
    memory, bandwidth = 0.0, None
    for moved in links:
        level = moved.link.rpartition("-")[2]
        if moved.total_bytes <= 0:
            cycles[moved.link] = 0.0
            continue
        if level == "MEM":
            bandwidth = domain_bandwidth(machine, pattern_of(moved, written))
            if bandwidth is None:
                return Transfers(cycles, missing=moved.link)
            # a measured rate counts both directions, so it holds for full duplex as it is
            memory = moved.total_bytes * clock_ghz / bandwidth.gb_s * iterations
            cycles[moved.link] = memory + _penalty_cy(moved, machine) * iterations
            continue
        cache = machine.cache(level)
        found = _link_cy(moved, cache, machine) if cache else None
        if found is None:
            return Transfers(cycles, missing=moved.link)
        cycles[moved.link] = found * iterations
    return Transfers(cycles, memory, bandwidth)


def pattern_of(moved: LinkTraffic, written: Pattern) -> Pattern:
    """The measured stream whose ratio of reads to writes is nearest to that on the link.

    ``written`` is the pattern of the loop's own accesses, which tells a store from an update.
    """
    if moved.evict_bytes <= 0:
        return "load"
    ratio = (moved.load_bytes + moved.write_allocate_bytes) / moved.evict_bytes
    best = min(RATIOS, key=lambda known: abs(known[1] - ratio))[0]
    return "store" if best == "update" and written == "store" else best


def domain_bandwidth(machine: Machine, pattern: Pattern) -> Bandwidth | None:
    """The best memory bandwidth of one NUMA domain over all numbers of its cores."""
    domain = machine.domain_cores("MEM")
    known = {entry.cores for entry in machine.memory.bandwidth if entry.level == "MEM"}
    numbers = sorted({domain, *[cores for cores in known if cores < domain]})
    rates = [machine.bandwidth_gb_s("MEM", pattern, cores) for cores in numbers]
    return max([rate for rate in rates if rate], key=lambda rate: rate.gb_s, default=None)


def _penalty_cy(moved: LinkTraffic, machine: Machine) -> float:
    up = (moved.load_bytes + moved.write_allocate_bytes) / machine.line_bytes
    down = moved.evict_bytes / machine.line_bytes
    memory = machine.memory
    return up * memory.penalty_cy_per_line_up + down * memory.penalty_cy_per_line_down


def _link_cy(moved: LinkTraffic, cache: CacheLevel, machine: Machine) -> float | None:
    up_cy = cache.cy_per_line_up
    if up_cy is None:
        rate = machine.bandwidth_gb_s(cache.level, pattern_of(moved, "copy"), 1)
        return None if rate is None else moved.total_bytes / rate.gb_s * machine.clock_ghz
    down_cy = cache.cy_per_line_down if cache.cy_per_line_down is not None else up_cy
    up = (moved.load_bytes + moved.write_allocate_bytes) / machine.line_bytes * up_cy
    down = moved.evict_bytes / machine.line_bytes * down_cy
    return max(up, down) if cache.duplex == "full" else up + down
