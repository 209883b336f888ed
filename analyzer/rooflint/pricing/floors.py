"""Floors under prices: cycles that the code of a kernel takes at least, whatever a model says.

    throughput   the busiest ports and the issue width, at the code's own instructions
    latency      the recurrences that remain, divided by the executions that overlap
    transfers    the bytes of each link at the best rate that the machine file has for it

Each bounds the time from below by itself, so they are not added. A model may know more and answer
more; one that answers less leaves something out, and its answer counts for that much.
"""

from rooflint.core.code import Code, CorePlan, chain_share
from rooflint.facts import Space
from rooflint.machine import CacheLevel, Coprocessors, Machine
from rooflint.memory import LinkTraffic, Rates
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple
from rooflint.registry import missing

CORE_SECTION = "core.operations"


class Floor(NamedTuple):
    """Cycles per iteration of a kernel's own loop, all active cores together."""

    throughput_cy: float = 0.0
    latency_cy: float = 0.0
    transfers_cy: float = 0.0

    @property
    def cycles(self) -> float:
        """The larger of the bounds, which holds for any price."""
        return max(self)


def floor_of(context: Context) -> Floor:
    """The floor of one kernel; zero for what the machine file says nothing of."""
    machine, cores, rates = context.machine, context.cores, context.rates
    transfers = max([transfer_cy(moved, rates) for moved in context.traffic.links[1:]], default=0.0)
    lazy = context.core
    # cycles measured in the place of the model's own are a floor by themselves
    if lazy is None or lazy.external is not None or missing((CORE_SECTION,), machine):
        return Floor(transfers_cy=transfers)
    space = context.traffic.space
    code = running_code(lazy.plan, space)
    return Floor(throughput_cy(code) / cores, latency_cy(code, space, machine) / cores, transfers)


def offloaded_floor_of(context: Context, coprocessors: Coprocessors) -> Floor:
    """The floor of one kernel wherever it runs: all cores and all coprocessors at their peaks.

    Each has a memory of its own, so the bytes of the host's links say nothing here.
    """
    machine, work = context.machine, context.facts.work
    host = machine.peak_gops(work.type, machine.cores_total) if work.flops else None
    rate = coprocessors.number * coprocessors.peak_gop_s + (host.value_g_per_s if host else 0.0)
    return Floor(work.flops * machine.clock_ghz / rate if rate else 0.0)


def running_code(plan: CorePlan, space: Space) -> Code:
    """The code that runs: the scalar one where the iterations fill no vector."""
    return plan.code if plan.fills(space.trips[-1]) else plan.scalar


def throughput_cy(code: Code) -> float:
    """Cycles per iteration for which units are busy, whatever waits for what."""
    return max(max(code.overlapping_cy, code.issue_cy) + code.call_cy, code.non_overlapping_cy)


def latency_cy(code: Code, space: Space, machine: Machine) -> float:
    """Cycles per iteration that a recurrence takes at least.

    It begins anew with every execution of the loop. While one waits, the next ones start as far as
    the reorder buffer reaches; how far that is for a machine that states none, nobody knows.
    """
    if code.recurrence_cy <= 0 or space.trips[-1] <= 0:
        return 0.0
    assert machine.core is not None
    return code.recurrence_cy * (chain_share(code, machine.core, space) or 0.0)


def transfer_cy(moved: LinkTraffic, rates: Rates) -> float:
    """Cycles per iteration of one link at its best rate; 0 where the machine gives none."""
    machine, level = rates.machine, moved.link.rpartition("-")[2]
    found: list[float] = []
    rate = rates.highest(moved.link)
    if rate:
        clock_ghz = min(machine.clock_ghz, machine.simd_clock_ghz or machine.clock_ghz)
        full = level == "MEM" and machine.memory.duplex == "full"
        found.append(_bytes(moved, full) * clock_ghz / rate)
    cache = machine.cache(level)
    if cache is not None and cache.cy_per_line_up is not None:
        found.append(_line_cy(moved, cache, machine.line_bytes) / rates.cores)
    return min(found, default=0.0)


def _bytes(moved: LinkTraffic, full_duplex: bool) -> float:
    up = moved.load_bytes + moved.write_allocate_bytes
    return max(up, moved.evict_bytes) if full_duplex else moved.total_bytes


def _line_cy(moved: LinkTraffic, cache: CacheLevel, line_bytes: int) -> float:
    up_cy = cache.cy_per_line_up or 0.0
    down_cy = up_cy if cache.cy_per_line_down is None else cache.cy_per_line_down
    up = (moved.load_bytes + moved.write_allocate_bytes) / line_bytes * up_cy
    down = moved.evict_bytes / line_bytes * down_cy
    return max(up, down) if cache.duplex == "full" else up + down
