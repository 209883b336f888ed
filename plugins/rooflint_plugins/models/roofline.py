"""Roofline: a loop attains the lower of what cores can compute and what a link can feed.

    P = min(P_peak, I * b)        1e9 work/s = min(1e9 work/s, work/B * GB/s)

I is work per byte that crosses the link, b the link's bandwidth; they meet at the ridge point
P_peak / b. One such roof per link whose bandwidth the machine gives; the lowest limits.
Work is flops; a loop without any counts integer operations, exchanges of elements or bytes moved.
One exchange moves a pair of elements, as in the report's transposition.

S. Williams, A. Waterman, D. Patterson: Roofline. CACM 52(4), 2009, pp. 65-76, and the technical
report UCB/EECS-2008-134 (section 5 for other metrics).
"""

from typing import NamedTuple

from rooflint.facts import Kernel, KernelFacts
from rooflint.hookspecs import Context, Model, Needs, hookimpl
from rooflint.prediction import Json, NotApplicable, Prediction

COMPULSORY = "caches cold at the start; each line crosses each link once, no reuse is lost"


class Metric(NamedTuple):
    """What is counted, how much of it an iteration does, and the unit of its rate.

    ``per_iteration`` is None for bytes: those on the link that is looked at.
    """

    name: str
    per_iteration: float | None
    unit: str


class Level(NamedTuple):
    """The roof over one link that something crosses; ``fed`` is what its bandwidth allows."""

    link: str
    bandwidth_gb_s: float
    moved_bytes: float
    intensity_per_byte: float
    fed_g_per_s: float
    attainable_g_per_s: float


class Roof(NamedTuple):
    """The answer: the level that limits or comes nearest to it, None when nothing moves."""

    metric: Metric
    peak_g_per_s: float | None
    compute: bool
    level: Level | None
    attainable_g_per_s: float
    levels: tuple[Level, ...]


def attainable(peak: float | None, bandwidth_gb_s: float, intensity_per_byte: float) -> float:
    """``min(peak, bandwidth * intensity)`` in 1e9 work/s; without a peak, bandwidth alone."""
    fed = bandwidth_gb_s * intensity_per_byte
    return fed if peak is None or fed < peak else peak


class Roofline:
    """The model as a plugin."""

    name = "roofline"
    needs = Needs()

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The roof of one kernel; not applicable when neither work nor traffic is known."""
        roof = roof_of(context)
        if roof is None:
            return NotApplicable(_nothing_to_limit(context))
        metric, level = roof.metric, roof.level
        if metric.per_iteration is not None:
            time_ns = metric.per_iteration / roof.attainable_g_per_s
        else:
            assert level is not None
            time_ns = level.moved_bytes / roof.attainable_g_per_s
        return Prediction(
            self.name,
            "compute" if roof.compute or level is None else level.link,
            _sentence(roof, context),
            f"{_short(roof.attainable_g_per_s)} {metric.unit}",
            time_ns * context.machine.clock_ghz,
            _assumptions(roof, context),
            _data(roof),
        )


def metric_of(facts: KernelFacts) -> Metric:
    """Flops where there are any; else integer operations, exchanges, or bytes."""
    work = facts.work
    if work.flops:
        return Metric("flop", work.flops, "GFLOP/s")
    if work.integer_operations:
        return Metric("iop", work.integer_operations, "GIOP/s")
    if not work.operations and _permutes(facts):
        return Metric("exchange", work.stores / 2, "Gexchange/s")
    return Metric("byte", None, "GB/s")


def _permutes(facts: KernelFacts) -> bool:
    """Elements only change places: as many loads as stores, in one array or between strides."""
    if not facts.work.loads or facts.work.loads != facts.work.stores:
        return False
    loaded = {stream.array for stream in facts.streams if stream.reads}
    stored = {stream.array for stream in facts.streams if stream.writes}
    return loaded == stored or len({stream.strides for stream in facts.streams}) > 1


def roof_of(context: Context) -> Roof | None:
    """The lowest roof over the kernel; None when the machine gives no rate for what it does."""
    metric = metric_of(context.facts)
    found = None
    if metric.per_iteration is not None:
        found = context.rates.peak(context.facts.work.type, metric.name)
    peak = None if found is None else found.value_g_per_s
    levels = _levels(metric, peak, context)
    lowest: Level | None = None
    longest = 0.0
    for level in levels:  # of equal ones the outermost
        time = level.moved_bytes / level.bandwidth_gb_s
        if lowest is None or time >= longest:
            lowest, longest = level, time
    if lowest is None:
        return None if peak is None else Roof(metric, peak, True, None, peak, levels)
    compute = peak is not None and lowest.fed_g_per_s >= peak
    return Roof(metric, peak, compute, lowest, lowest.attainable_g_per_s, levels)


def _levels(metric: Metric, peak: float | None, context: Context) -> tuple[Level, ...]:
    traffic = context.traffic
    per_iteration = metric.per_iteration
    rates = context.rates.bandwidths(traffic.pattern)
    levels: list[Level] = []
    for moved in traffic.links:
        total, bandwidth = moved.total_bytes, rates.get(moved.link)
        if bandwidth is None or total <= 0:
            continue
        gb_s = bandwidth.gb_s
        intensity = 1.0 if per_iteration is None else per_iteration / total
        fed = gb_s * intensity
        rate = fed if peak is None or fed < peak else peak
        levels.append(Level(moved.link, gb_s, total, intensity, fed, rate))
    return tuple(levels)


def _nothing_to_limit(context: Context) -> str:
    operations = context.facts.work.operations
    if not operations:
        return "moves no data and computes nothing"
    return f"moves no data, and {context.machine.name} gives no peak for {', '.join(operations)}"


def _sentence(roof: Roof, context: Context) -> str:
    metric, level, peak = roof.metric, roof.level, roof.peak_g_per_s
    if level is None:
        return f"compute-bound: nothing moves but registers; peak {_short(peak)} {metric.unit}"
    place = f"{_short(level.bandwidth_gb_s)} GB/s ({level.link})"
    if metric.per_iteration is None:
        text = f"memory-bound: {_short(level.moved_bytes)} B per iteration at {place}"
    elif roof.compute:
        ridge = _short((peak or 0.0) / level.bandwidth_gb_s)
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


def _unsure(roof: Roof, context: Context) -> str:
    """What unknown places of accesses could cost: the rate if each of them takes a line."""
    metric, level = roof.metric, roof.level
    if level is None:
        return ""
    bounds = next((t.bounds for t in context.traffic.links if t.link == level.link), None)
    if bounds is None:
        return ""
    if metric.per_iteration is None:
        return f"; up to {_short(bounds[1])} B where places are unknown"
    worst = attainable(roof.peak_g_per_s, level.bandwidth_gb_s, metric.per_iteration / bounds[1])
    return f"; down to {_short(worst)} if every indirect access takes a line"


def _assumptions(roof: Roof, context: Context) -> tuple[str, ...]:
    work = context.facts.work
    found = [COMPULSORY, *context.traffic.assumptions]
    calls = sorted(name for name in work.operations if name.startswith("call:"))
    if calls:
        found.append(f"library calls count no flops: {', '.join(c[5:] for c in calls)}")
    if roof.peak_g_per_s is None and roof.metric.per_iteration is not None:
        name = f"{work.type} {roof.metric.name}"
        found.append(
            f"machine {context.machine.name} gives no peak for {name}: memory alone limits"
        )
    return tuple(found)


def _data(roof: Roof) -> dict[str, Json]:
    level, peak = roof.level, roof.peak_g_per_s
    bandwidth = None if level is None else level.bandwidth_gb_s
    levels: list[Json] = [
        {
            "link": each.link,
            "intensity_per_byte": each.intensity_per_byte,
            "attainable_g_per_s": each.attainable_g_per_s,
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
    }


def _short(value: float | None) -> str:
    """Three significant digits, without an exponent for the sizes that occur."""
    if value is None:
        return "unknown"
    return f"{value:.3g}" if 1e-4 <= value < 1000 else f"{value:.4g}"


@hookimpl
def rooflint_models() -> list[Model]:
    """The built-in Roofline model."""
    return [Roofline()]
