"""Figures of a machine file that cannot hold together, each with what to do about it.

The limits come from probes of one machine, an hour apart, of which one was disturbed and passed
for good: memory 20.9 and 3.25 GB/s, latency of the last cache 64 and 157 cycles.
"""

from collections.abc import Iterator
from itertools import pairwise

from rooflint.machine.model import Machine
from rooflint.machine.parts import BandwidthEntry
from rooflint.machine.peak import best_rate
from rooflint.records import NamedTuple

LEAST_OF_ONE, MOST_OF_ONE = 0.95, 1.05
"""Several cores draw at least so much of one core's rate, and at most so many times each."""
PEAK_TOLERANCE = 0.03
"""Stated and derived peaks differ by rounding and by the clock of the measurement, not by more."""
LATENCY_OF_PARENT = 1.5
RATE_OF_PARENT = (0.5, 2.0)
LINES_IN_FLIGHT = (10, 200)
"""Of one core that prefetches: from its fill buffers to those of its last cache's prefetchers."""
REPEAT = "repeat the measurement on a quiet machine"
COMPARE = "compare with the source of the figure"


class ImplausibleFigure(NamedTuple):
    """The dotted path of a figure, why it cannot be, and the remedy."""

    figure: str
    reason: str
    remedy: str


def implausible(machine: Machine, parent: Machine | None) -> Iterator[ImplausibleFigure]:
    """Every figure that contradicts another one, or the machine that this one ``extends``.

    Those that the file accepts, with its reason, are left out.
    """
    parts = [
        _over_cores(machine),
        _over_levels(machine),
        _latencies(machine),
        _caches_beside_parent(machine, parent) if parent is not None else (),
        _memory_beside_parent(machine, parent) if parent is not None else (),
        _in_flight(machine),
        _peaks(machine),
        _quality(machine),
    ]
    return (each for part in parts for each in part if each.figure not in machine.accepted)


def _path(entry: BandwidthEntry) -> str:
    return f"memory.bandwidth.{entry.level}.{entry.pattern}.{entry.cores}"


def _over_cores(machine: Machine) -> Iterator[ImplausibleFigure]:
    entries = machine.memory.bandwidth
    alone = {(e.level, e.pattern): e.gb_s for e in entries if e.cores == 1}
    for entry in entries:
        one = alone.get((entry.level, entry.pattern))
        if one is None or entry.cores == 1:
            continue
        stated = f"{entry.gb_s:g} GB/s with {entry.cores} cores, {one:g} with one"
        if entry.gb_s < LEAST_OF_ONE * one:
            yield ImplausibleFigure(_path(entry), f"{stated}: several draw less", REPEAT)
        elif entry.gb_s > entry.cores * MOST_OF_ONE * one:
            reason = f"{stated}: more than {entry.cores} times as much"
            yield ImplausibleFigure(_path(entry), reason, REPEAT)


def _over_levels(machine: Machine) -> Iterator[ImplausibleFigure]:
    loads = [e for e in machine.memory.bandwidth if (e.pattern, e.cores) == ("load", 1)]
    loads.sort(key=lambda entry: machine.levels.index(entry.level))
    for near, far in pairwise(loads):
        if far.gb_s > near.gb_s * MOST_OF_ONE:
            reason = f"one core loads {far.gb_s:g} GB/s from {far.level}, {near.gb_s:g} from"
            yield ImplausibleFigure(_path(far), f"{reason} {near.level}", REPEAT)


def _latencies(machine: Machine) -> Iterator[ImplausibleFigure]:
    waits = [(f"caches.{c.level}.latency_cy", c.latency_cy) for c in machine.caches]
    memory_ns = machine.memory.latency_ns
    waits.append(("memory.latency_ns", memory_ns * machine.clock_ghz if memory_ns else None))
    known = [(path, cycles) for path, cycles in waits if cycles]
    for (_, near_cy), (path, far_cy) in pairwise(known):
        if far_cy <= near_cy:
            reason = f"{far_cy:.4g} cycles, {near_cy:.4g} for the next nearer level"
            yield ImplausibleFigure(path, reason, REPEAT)


def _caches_beside_parent(machine: Machine, parent: Machine) -> Iterator[ImplausibleFigure]:
    for cache in machine.caches:
        related = parent.cache(cache.level)
        ours, theirs = cache.latency_cy, related.latency_cy if related else None
        if ours and theirs and not 1 / LATENCY_OF_PARENT <= ours / theirs <= LATENCY_OF_PARENT:
            reason = f"{ours:g} cycles, {theirs:g} on {parent.name}, which has the same core"
            yield ImplausibleFigure(f"caches.{cache.level}.latency_cy", reason, REPEAT)


def _memory_beside_parent(machine: Machine, parent: Machine) -> Iterator[ImplausibleFigure]:
    before = {(e.pattern, e.cores): e.gb_s for e in parent.memory.bandwidth if e.level == "MEM"}
    low, high = RATE_OF_PARENT
    for entry in machine.memory.bandwidth:
        other = before.get((entry.pattern, entry.cores))
        if entry.level != "MEM" or entry.cores != 1 or not other:
            continue
        if not low <= entry.gb_s / other <= high:
            reason = f"{entry.gb_s:g} GB/s of one core, {other:g} on {parent.name}"
            yield ImplausibleFigure(_path(entry), reason, REPEAT)


def _in_flight(machine: Machine) -> Iterator[ImplausibleFigure]:
    latency = machine.memory.latency_ns
    low, high = LINES_IN_FLIGHT
    for entry in machine.memory.bandwidth:
        if not latency or (entry.level, entry.pattern, entry.cores) != ("MEM", "load", 1):
            continue
        lines = entry.gb_s * latency / machine.line_bytes
        if not low <= lines <= high and machine.caches:
            reason = f"{entry.gb_s:g} GB/s at {latency:g} ns are {lines:.3g} lines in flight"
            yield ImplausibleFigure(
                _path(entry), f"{reason}, a prefetching core has {low} to {high}", REPEAT
            )


def _peaks(machine: Machine) -> Iterator[ImplausibleFigure]:
    for kind, stated in machine.peak_gflop_s.items():
        derived = _peak_of_ports(machine, kind)
        if derived is not None and abs(derived - stated) > PEAK_TOLERANCE * derived:
            reason = f"{stated:g} stated, but the ports give {derived:.4g}"
            yield ImplausibleFigure(f"peak_gflop_s.{kind}", reason, COMPARE)


def _peak_of_ports(machine: Machine, kind: str) -> float | None:
    """The node's Gflop/s by its ports; None where the file gives no ports for the type."""
    rate = best_rate(machine.core, machine.simd, kind, "flop") if machine.core else None
    if rate is None:
        return None
    clock = machine.simd_clock_ghz if rate.simd and machine.simd_clock_ghz else machine.clock_ghz
    return rate.per_cycle * clock * machine.cores_total


def _quality(machine: Machine) -> Iterator[ImplausibleFigure]:
    for path in machine.doubtful:
        words = machine.quality[path].words
        yield ImplausibleFigure(path, f"doubtful by its own measurement: {words}", REPEAT)
    probed = [path for path, source in machine.sources.items() if PROBE_SOURCE in source]
    if any(path.startswith("memory.bandwidth.") for path in probed) and not machine.quality:
        reason = "measured by a probe that did not record its disturbance"
        yield ImplausibleFigure("memory.bandwidth", reason, "probe the machine again")


PROBE_SOURCE = "rooflint machine probe"
"""With this the probe cites itself in the files that it writes."""
