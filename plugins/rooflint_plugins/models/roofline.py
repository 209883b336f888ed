"""Roofline: a loop attains the lower of what cores can compute and what a link can feed.

    P = min(P_peak, I * b)        1e9 work/s = min(1e9 work/s, work/B * GB/s)

I is work per byte that crosses the link, b the link's bandwidth; they meet at the ridge point
P_peak / b. One such roof per link whose bandwidth the machine gives; the lowest limits.
Work is flops; a loop without any counts integer operations, exchanges of elements or bytes moved.
One exchange moves a pair of elements, as in the report's transposition; a copy, a shift or a fill
is measured in bytes. Comparing and selecting floating-point numbers is no work of its own.

S. Williams, A. Waterman, D. Patterson: Roofline. CACM 52(4), 2009, pp. 65-76, and the technical
report UCB/EECS-2008-134 (section 5 for other metrics).
"""

from collections.abc import Iterator
from typing import Final

from rooflint.facts import Kernel, KernelFacts, exchanged_elements
from rooflint.machine import Bandwidth, ComputePeak
from rooflint.machine.parts import scalar_type
from rooflint.memory.rates import COUNTED_AS
from rooflint.plugin_api.drawing import LinkRoof, PlotData, RoofPlot
from rooflint.plugin_api.hookspecs import Context, Model, Needs, hookimpl
from rooflint.plugin_api.prediction import DataField, Json, NotApplicable, Prediction
from rooflint.records import NamedTuple

from rooflint_plugins import called

CALL = "call:"
REPLACED = "lines are replaced by age"
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


_RATE: Final[dict[str, Json]] = {"type": ["number", "null"]}
FIELDS: Final = (
    DataField("bound", "the side of the roof that limits", schema={"enum": ["memory", "compute"]}),
    DataField(
        "link", "the link that limits, or comes nearest to it", schema={"type": ["string", "null"]}
    ),
    DataField("metric", "what counts as work", schema={"type": "string"}),
    DataField("intensity_per_byte", "work per byte over the link", "1/B", schema=_RATE),
    DataField("attainable_g_per_s", "the lower of both sides", "1e9/s", schema=_RATE),
    DataField("peak_g_per_s", "the compute roof", "1e9/s", schema=_RATE),
    DataField("bandwidth_gb_s", "the data rate of the link", "GB/s", schema=_RATE),
    DataField("ridge_per_byte", "the intensity where both sides meet", "1/B", schema=_RATE),
    DataField("levels", "the same for every link with a rate", schema={"type": "array"}),
    DataField(
        "core_intensity_per_byte", "work per byte that the core requests", "1/B", schema=_RATE
    ),
)


class Roofline:
    """The model as a plugin."""

    name = "roofline"
    title = "roofline"
    fields = FIELDS
    needs = Needs()

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The roof of one kernel; not applicable when neither work nor traffic is known."""
        roof = roof_of(context)
        if isinstance(roof, NotApplicable):
            return called.in_calls(self.name, kernel) or roof
        metric, level = roof.metric, roof.level
        cycles, beside = _time_ns(roof) * context.machine.clock_ghz, called.priced_cycles(kernel)
        bottleneck = "compute" if roof.compute or level is None else level.link
        rate = roof.attainable_g_per_s * (cycles / (cycles + beside) if beside else 1.0)
        return Prediction(
            model=self.name,
            bottleneck="calls" if beside > cycles else bottleneck,
            sentence=_sentence(roof, context) + called.beside_calls(kernel),
            headline=f"{_short(rate)} {metric.unit}",
            cycles_per_iteration=cycles + beside,
            assumptions=_assumptions(roof, context),
            data=_data(roof),
            plot=None if context.brief else PlotData(_plot(roof)),
        )


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
    unrated = _unrated(context)
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


def _unrated(context: Context) -> list[str]:
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
    done = [f"call of {_called(n)}" if _called(n) else n for n in operations]
    return f"moves no data, and does no counted work: {', '.join(dict.fromkeys(done))}"


def _sentence(roof: LoopRoof, context: Context) -> str:
    metric, level, peak = roof.metric, roof.level, roof.peak_g_per_s
    if level is None:
        where = "where the machine gives a data rate" if _unrated(context) else "beyond registers"
        text = f"compute-bound: no data moves {where}; peak {_short(peak)} {metric.unit}"
        return text + _unsure(roof, context)
    place = f"{_short(level.gb_s)} GB/s ({level.link})"
    if metric.per_iteration is None:
        text = f"memory-bound: {_short(level.moved_bytes)} B per iteration over {level.link}"
    elif roof.compute:
        ridge = _short((peak or 0.0) / level.gb_s)
        text = (
            f"compute-bound: {_short(level.intensity_per_byte)} {metric.name}/B is past the ridge"
            f" point at {ridge} of {place}; peak {_short(peak)} {metric.unit}"
        )
    else:
        whole = "" if peak is None else f" of {_short(peak)}"
        word = metric.unit if peak is None else f"{metric.unit} peak"
        text = (
            f"memory-bound: {_short(level.intensity_per_byte)} {metric.name}/B at {place}"
            f" allows {_short(roof.attainable_g_per_s)}{whole} {word}"
        )
    return text + _unsure(roof, context)


def _unsure(roof: LoopRoof, context: Context) -> str:
    """The cost if each access of unknown place takes a line, on the link where it hurts most.

    Empty where all places are known, or where nothing gets slower by it.
    """
    rates = context.rates.of(context.traffic)
    most = [
        (t.bounds[1] / rates[t.link].gb_s, t.bounds[1], t.link)
        for t in context.traffic.links
        if t.bounds and t.link in rates
    ]
    slowest = max(most, default=(0.0, 0.0, ""))
    if slowest[0] <= _time_ns(roof):
        return ""
    work, level = roof.metric.per_iteration, roof.level
    if work is not None:
        found = f"down to {_short(work / slowest[0])}"
    else:
        same = level is not None and level.link == slowest[2]
        found = f"up to {_short(slowest[1])} B{'' if same else f' over {slowest[2]}'}"
    return f"; {found} if every access to an unknown address takes a line"


def _time_ns(roof: LoopRoof) -> float:
    work = roof.metric.per_iteration
    if work is None:
        assert roof.level is not None
        work = roof.level.moved_bytes
    return work / roof.attainable_g_per_s


def _assumptions(roof: LoopRoof, context: Context) -> tuple[str, ...]:
    facts, name = context.facts, context.machine.name
    found = [REPLACED, *context.traffic.assumptions]
    if facts.kernel.calls:
        found.append("the work of calls that are not covered is not counted")
    names = {_called(operation) for operation in facts.work.operations}
    found += called.call_assumptions(facts.kernel)
    mathematical = sorted(names - {"", *called.call_names(facts.kernel)})
    if mathematical:
        found.append(f"mathematical functions count no flops: {', '.join(mathematical)}")
    if roof.peak is None and roof.metric.per_iteration is not None:
        found.append(f"no compute roof: {name} gives no peak_gop_s.{roof.metric.name}")
    unrated = _unrated(context)
    if unrated:
        found.append(f"no roof over {', '.join(unrated)}: {name} gives no data rate there")
    return (*found, *_derived(roof, context))


def _called(operation: str) -> str:
    """``exp`` of ``call:exp.f64``; empty for what is no call."""
    return operation[len(CALL) :].rpartition(".")[0] if operation.startswith(CALL) else ""


def _derived(roof: LoopRoof, context: Context) -> Iterator[str]:
    peak, level = roof.peak, roof.level
    whole = context.cores == context.machine.cores_total
    if peak is not None and not (peak.origin == "stated" and whole):
        kind = context.facts.work.type
        yield f"{kind} peak of {_short(peak.value_g_per_s)} {roof.metric.unit}: {peak.how}"
    if level is not None and (level.bandwidth.origin != "stated" or level.bandwidth.doubtful):
        yield f"{level.link} at {_short(level.gb_s)} GB/s: {level.bandwidth.how}"


def _plot(roof: LoopRoof) -> RoofPlot:
    level = roof.level
    return RoofPlot(
        metric=roof.metric.name,
        g_per_s=roof.attainable_g_per_s,
        intensity_per_byte=None if level is None else level.intensity_per_byte,
        core_intensity_per_byte=roof.core_intensity_per_byte,
        peak_g_per_s=roof.peak_g_per_s,
        bandwidth_gb_s=None if level is None else level.gb_s,
        link="" if level is None else level.link,
        levels=tuple([
            LinkRoof(each.link, each.gb_s, each.intensity_per_byte) for each in roof.levels
        ]),
    )  # fmt: skip


def _data(roof: LoopRoof) -> dict[str, Json]:
    level, peak = roof.level, roof.peak_g_per_s
    bandwidth = None if level is None else level.gb_s
    levels: list[Json] = [
        {
            "link": each.link,
            "intensity_per_byte": each.intensity_per_byte,
            "attainable_g_per_s": each.attainable_g_per_s,
            "bandwidth_gb_s": each.gb_s,
        }
        for each in roof.levels
    ]
    return {
        "bound": "compute" if roof.compute else "memory",
        "link": None if level is None else level.link,
        "metric": roof.metric.name,
        "intensity_per_byte": None if level is None else level.intensity_per_byte,
        "attainable_g_per_s": roof.attainable_g_per_s,
        "peak_g_per_s": peak,
        "bandwidth_gb_s": bandwidth,
        "ridge_per_byte": None if peak is None or bandwidth is None else peak / bandwidth,
        "levels": levels,
        "core_intensity_per_byte": roof.core_intensity_per_byte,
    }


def _short(value: float | None) -> str:
    if value is None:
        return "unknown"
    if 1000 <= value < 10_000:
        return f"{value:.0f}"
    return f"{value:.3g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


@hookimpl
def rooflint_models() -> list[Model]:
    """The built-in Roofline model."""
    return [Roofline()]
