"""The ceilings of a machine: as its file states them, else derived from its core and its memory.

Derived compute ceilings, per active core at clock f (UCB/EECS-2008-134, appendix A.1, with ``min``
where A.1.3 prints ``max``, and the number of pipes as its note on further processors asks):

    tlp       f / latency of an add          a dependent chain of scalar adds on every core
    ilp       f * scalar adds a cycle        independent chains fill the add pipes
    simd      f * lanes * vector adds a cycle
    fma       the peak: as many multiplies as adds, fused; ``balance`` where they have own pipes

Derived memory ceilings: without affinity all data lie in one of d memory domains (factor d, as
measured on the two-socket machines of the report, 1.85 to 2.6); without prefetch a core has only
as many lines in flight as fill buffers, so that it gets buffers * line / latency (Little's law).
"""

from collections.abc import Sequence
from typing import Literal

from rooflint.machine import Ceiling, Machine, Pattern
from rooflint.machine.parts import FLOAT_BYTES, INT_BYTES, CoreModel, CoreOperation, scalar_type
from rooflint.memory import LinkStream, Rates
from rooflint.records import NamedTuple

from rooflint_plugins.models.ceilings.concurrency import concurrency_of

Origin = Literal["stated", "derived"]

ROUNDING = 0.01
NO_PREFETCH = 0.6
"""Of the bandwidth without software prefetch, where latency or fill buffers are unknown: 0.65 on
the Opteron X2 (Figure 2b), 0.60 in Figure A5."""
LIFTED_BY = {
    "tlp": "threads on all cores (#pragma omp parallel for)",
    "ilp": "independent chains: unroll with several partial sums",
    "simd": "vector instructions",
    "fma": "adds and multiplies in pairs, fused",
    "balance": "as many multiplies as adds",
    "affinity": "first touch by the thread that reads, threads pinned",
    "sw-prefetch": "prefetch ahead of irregular accesses",
    "unit-stride": "long unit-stride accesses",
    "load-balance": "schedule(dynamic), or chunks small enough to even out",
    "peak": "the rest beyond the stated ceilings",
}


class Rung(NamedTuple):
    """A ceiling over the one below: ``factor`` is at least 1."""

    name: str
    factor: float
    origin: Origin
    lifted_by: str


def derived_rung(name: str, factor: float, lifted_by: str = "") -> Rung:
    """A rung that the machine file does not state, with the usual remedy unless told."""
    lifted_by = lifted_by or LIFTED_BY[name]
    return Rung(name=name, factor=factor, origin="derived", lifted_by=lifted_by)


class Ladder(NamedTuple):
    """Ceilings bottom to top; ``floor`` (1e9 work/s or GB/s) is what lies below the first rung."""

    floor: float
    rungs: tuple[Rung, ...]

    @property
    def top(self) -> float:
        """The roof."""
        height = self.floor
        for rung in self.rungs:
            height *= rung.factor
        return height


def compute_ladder(machine: Machine, element_type: str, metric: str, cores: int) -> Ladder | None:
    """Compute ceilings of ``cores`` busy cores in 1e9 ``metric``/s; None without a peak.

    Stated ceilings are those of the whole node in double precision; other types take the derived
    ones, and where the file has no ports, the shape of the stated ones under their own peak.
    """
    peak = machine.peak_gops(element_type, cores, metric)
    if peak is None:
        return None
    stated = tuple(c for c in machine.ceilings.compute if c.metric == metric)
    derived = _derived_compute(machine, element_type, metric, cores, peak.value_g_per_s)
    if stated and (metric != "flop" or element_type == "f64"):
        return _stated(stated, peak.value_g_per_s, cores / machine.cores_total)
    if derived.rungs or not stated:
        return derived
    shape = _stated(stated, peak.value_g_per_s, peak.value_g_per_s / stated[-1].g_per_s)
    return _relabelled(shape)


def memory_ladder(rates: Rates, pattern: Pattern, active: int) -> Ladder | None:
    """Memory ceilings in GB/s of the cores of ``rates``; None when the machine gives no rate.

    ``active`` cores are those that run the loop now: what a core gets without prefetch is theirs.
    """
    machine, cores = rates.machine, rates.cores
    roof = rates.of_stream(LinkStream(machine.links[-1], pattern))
    if roof is None:
        return None
    stated = machine.ceilings.memory
    if stated:
        return _stated(stated, roof.gb_s, roof.gb_s / stated[-1].g_per_s)
    rungs = [derived_rung("unit-stride", 1.0)]
    domains = -(-cores // machine.domain_cores("MEM"))
    if domains > 1:
        rungs.append(derived_rung("affinity", float(domains)))
    share = _without_prefetch(rates.with_cores(active), pattern)
    if share < 1:
        rungs.append(derived_rung("sw-prefetch", 1 / share))
    floor = roof.gb_s
    for rung in rungs:
        floor /= rung.factor
    return Ladder(floor, tuple(rungs))


def _stated(ceilings: tuple[Ceiling, ...], roof: float, scale: float) -> Ladder:
    """Ceilings as the file has them; the roof decides where the uppermost is a rounded figure."""
    heights = [min(ceiling.g_per_s * scale, roof) for ceiling in ceilings]
    if heights[-1] >= roof * (1 - ROUNDING):
        heights[-1] = roof
    rungs: list[Rung] = []
    below = heights[0]
    for ceiling, height in zip(ceilings, heights, strict=True):
        factor = height / below
        rungs.append(Rung(ceiling.name, factor, "stated", lifted_by=ceiling.lifted_by))
        below = height
    if below < roof:
        rungs.append(derived_rung("peak", roof / below))
    return Ladder(heights[0], tuple(rungs))


def _relabelled(ladder: Ladder) -> Ladder:
    return Ladder(ladder.floor, tuple(rung._replace(origin="derived") for rung in ladder.rungs))


def _derived_compute(
    machine: Machine, element_type: str, metric: str, cores: int, peak: float
) -> Ladder:
    base = scalar_type(element_type)
    size = {"flop": FLOAT_BYTES, "iop": INT_BYTES}.get(metric, {}).get(base)
    scalar = machine.core.operation("add", base) if machine.core else None
    if machine.core is None or size is None or scalar is None:
        return Ladder(peak, ())
    ghz = machine.clock_ghz * cores
    heights = _scalar_heights(scalar, ghz)
    width = _vector_bytes(machine, machine.core, base, metric, size)
    vector = machine.core.operation("add", base, width) if width > size else None
    if vector is not None:
        clock = machine.simd_clock_ghz or machine.clock_ghz
        heights.append(("simd", clock * cores * vector.per_cycle * (width // size)))
    fused = metric == "flop" and machine.core.operation("fma", base, width or None) is not None
    heights.append(("fma" if fused else "balance", peak))
    return _ladder_of(heights, peak)


def _scalar_heights(add: CoreOperation, ghz: float) -> list[tuple[str, float]]:
    heights = [("ilp", ghz * add.per_cycle)]
    if add.latency_cy and add.latency_cy * add.per_cycle > 1:
        heights.insert(0, ("tlp", ghz / add.latency_cy))
    return heights


def _vector_bytes(machine: Machine, core: CoreModel, base: str, metric: str, size: int) -> int:
    """Bytes of the vectors that the core adds; of integers it may not add the widest."""
    width = machine.simd.register_bytes if machine.simd else 0
    while width > size and metric == "iop" and not core.operation("add", base, width):
        width //= 2
    return width


def _ladder_of(heights: Sequence[tuple[str, float]], peak: float) -> Ladder:
    floor = below = min(heights[0][1], peak)
    rungs: list[Rung] = []
    last = len(heights) - 1
    for position, (name, height) in enumerate(heights):
        top = min(height, peak)
        least = below if position == last else below * (1 + ROUNDING)
        if position == 0 or top > least:
            rungs.append(derived_rung(name, max(top / below, 1.0)))
            below = max(top, below)
    return Ladder(floor, tuple(rungs))


def _without_prefetch(rates: Rates, pattern: Pattern) -> float:
    """The share of the bandwidth that demand misses alone draw; 1 where that is all of it.

    Software fills a local store, so there is nothing to prefetch.
    """
    if rates.machine.local_store is not None:
        return 1.0
    found = concurrency_of(rates, pattern)
    if found is not None:
        return min(1.0, found.demand_gb_s / found.gb_s)
    known = rates.of_stream(LinkStream(rates.machine.links[-1], pattern))
    return 1.0 if known is None else NO_PREFETCH
