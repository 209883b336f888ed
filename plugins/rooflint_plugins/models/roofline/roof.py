"""The lowest roof over a kernel: work, peak, and the links that feed it."""

from rooflint.facts import KernelFacts, exchanged_elements
from rooflint.machine import Bandwidth, ComputePeak
from rooflint.machine.parts import scalar_type
from rooflint.memory.rates import COUNTED_AS
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.prediction import NotApplicable
from rooflint.records import NamedTuple

CALL = "call:"
PEAK_KEYS = {"flop": ("flops", "peak_gflop_s"), "iop": ("integer operations", "peak_gop_s.iop")}
"""Per metric, what is counted and where a machine file states its peak.

An exchange moves as many bytes as its elements have, so memory alone is a roof for it; arithmetic
in a loop that hardly moves data has none without a peak.
"""


class Metric(NamedTuple):
    """The work that is counted, how much of it an iteration does, and the unit of its rate.

    ``per_iteration`` is None for bytes: those on the link that is looked at.
    """

    name: str
    per_iteration: float | None
    unit: str


class RooflineLevel(NamedTuple):
    """The roof over one link that something crosses; ``fed`` is what its bandwidth allows."""

    link: str
    bandwidth: Bandwidth
    moved_bytes: float
    intensity_per_byte: float
    fed_g_per_s: float
    attainable_g_per_s: float

    @property
    def gb_s(self) -> float:
        """The bandwidth alone."""
        return self.bandwidth.gb_s


class LoopRoof(NamedTuple):
    """The answer: the level that limits or comes nearest to it, None when nothing moves.

    ``core_intensity_per_byte`` is work over the bytes that the core asks for, whatever the caches
    keep: the axis of the cache-aware roofline (A. Ilic, F. Pratas, L. Sousa: Cache-aware Roofline
    model. IEEE Computer Architecture Letters 13(1), 2014). None where it asks for none.
    """

    metric: Metric
    peak: ComputePeak | None
    compute: bool
    level: RooflineLevel | None
    attainable_g_per_s: float
    levels: tuple[RooflineLevel, ...]
    core_intensity_per_byte: float | None

    @property
    def peak_g_per_s(self) -> float | None:
        """The compute roof; None where only memory limits."""
        return None if self.peak is None else self.peak.value_g_per_s


def attainable(peak: float | None, bandwidth_gb_s: float, intensity_per_byte: float) -> float:
    """``min(peak, bandwidth * intensity)`` in 1e9 work/s; without a peak, bandwidth alone."""
    fed = bandwidth_gb_s * intensity_per_byte
    return fed if peak is None or fed < peak else peak


def metric_of(facts: KernelFacts) -> Metric:
    """Flops where there are any; else integer operations, exchanges, or bytes."""
    work, kernel = facts.work, facts.kernel
    if work.flops:
        return Metric("flop", work.flops, "GFLOP/s")
    if work.integer_operations:
        return Metric("iop", work.integer_operations, "GIOP/s")
    exchanged = 0
    if work.stores and work.loads == work.stores and not work.operations:
        exchanged = exchanged_elements(kernel.loops, kernel.statements)
    if exchanged:
        return Metric("exchange", exchanged / 2, "Gexchange/s")
    return Metric("byte", None, "GB/s")


def roof_of(context: Context) -> LoopRoof | NotApplicable:
    """The lowest roof over the kernel, or which figure or what of the code is missing for one."""
    metric = metric_of(context.facts)
    if context.facts.kernel.always_calls and metric.name != "flop":
        return NotApplicable("the loop's work is in calls that are not covered")
    peak: ComputePeak | None = None
    if metric.per_iteration is not None:
        peak = context.rates.peak(context.facts.work.type, metric.name)
        if peak is None and metric.name in PEAK_KEYS:
            return NotApplicable(_no_peak(metric, context))
    levels = _levels(metric, None if peak is None else peak.value_g_per_s, context)
    if not levels:
        return _roof_without_links(metric, peak, context)
    # of equal ones the outermost
    lowest = max(reversed(levels), key=lambda level: level.moved_bytes / level.gb_s)
    compute = peak is not None and lowest.fed_g_per_s >= peak.value_g_per_s
    core = _core_intensity(metric, context.traffic.links[0].total_bytes)
    return LoopRoof(
        metric=metric,
        peak=peak,
        compute=compute,
        level=lowest,
        attainable_g_per_s=lowest.attainable_g_per_s,
        levels=levels,
        core_intensity_per_byte=core,
    )


def _core_intensity(metric: Metric, asked_bytes: float) -> float | None:
    if metric.per_iteration is None:
        return 1.0
    return metric.per_iteration / asked_bytes if asked_bytes else None


def _roof_without_links(
    metric: Metric, peak: ComputePeak | None, context: Context
) -> LoopRoof | NotApplicable:
    unrated = unrated_links(context)
    if unrated and (peak is None or not context.rates.of(context.traffic)):
        missing = f"{context.machine.name} gives no data rate for {unrated[-1]}"
        return NotApplicable(f"no memory roof: {missing}; key memory.bandwidth")
    if peak is None:
        return NotApplicable(_nothing_to_limit(context))
    rate = peak.value_g_per_s
    return LoopRoof(metric, peak, True, level=None, attainable_g_per_s=rate, levels=(),
                    core_intensity_per_byte=None)  # fmt: skip


def _levels(metric: Metric, peak: float | None, context: Context) -> tuple[RooflineLevel, ...]:
    traffic = context.traffic
    per_iteration = metric.per_iteration
    rates = context.rates.of(traffic)
    levels: list[RooflineLevel] = []
    for moved in traffic.links:
        total, bandwidth = moved.total_bytes, rates.get(moved.link)
        if bandwidth is None or total <= 0:
            continue
        gb_s = bandwidth.gb_s
        intensity = 1.0 if per_iteration is None else per_iteration / total
        rate = attainable(peak, gb_s, intensity)
        levels.append(
            RooflineLevel(
                link=moved.link,
                bandwidth=bandwidth,
                moved_bytes=total,
                intensity_per_byte=intensity,
                fed_g_per_s=gb_s * intensity,
                attainable_g_per_s=rate,
            )
        )
    return tuple(levels)


def unrated_links(context: Context) -> list[str]:
    """Links that something crosses and that the machine gives no rate of."""
    rates = context.rates.of(context.traffic)
    links = context.traffic.links
    return [moved.link for moved in links if moved.total_bytes > 0 and moved.link not in rates]


def _no_peak(metric: Metric, context: Context) -> str:
    counted, key = PEAK_KEYS[metric.name]
    kind = scalar_type(context.facts.work.type)
    kind = COUNTED_AS.get(kind, kind)
    return (
        f"no compute roof: {context.machine.name} gives no peak for {counted} on {kind};"
        f" key {key}.{kind}"
    )


def _nothing_to_limit(context: Context) -> str:
    operations = context.facts.work.operations
    if not operations:
        lost = context.facts.not_covered
        return "nothing in it is modelled" if lost else "moves no data and computes nothing"
    done = [f"call of {called_function(n)}" if called_function(n) else n for n in operations]
    return f"moves no data, and does no counted work: {', '.join(dict.fromkeys(done))}"


def time_ns(roof: LoopRoof) -> float:
    """Nanoseconds of an iteration under the roof."""
    work = roof.metric.per_iteration
    if work is None:
        assert roof.level is not None
        work = roof.level.moved_bytes
    return work / roof.attainable_g_per_s


def called_function(operation: str) -> str:
    """``exp`` of ``call:exp.f64``; empty for what is no call."""
    return operation[len(CALL) :].rpartition(".")[0] if operation.startswith(CALL) else ""
