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

from rooflint.facts import Kernel
from rooflint.plugin_api.drawing import LinkRoof, PlotData, RoofPlot
from rooflint.plugin_api.hookspecs import Context, Model, Needs, hookimpl
from rooflint.plugin_api.prediction import DataField, Json, NotApplicable, Prediction
from rooflint.plugin_api.terms import (
    CoreUnit,
    Limiter,
    LimiterKind,
    TimeTerm,
    TimeTerms,
    link_resource,
)

from rooflint_plugins import called
from rooflint_plugins.models.roofline.roof import (
    LoopRoof,
    called_function,
    roof_of,
    time_ns,
    unrated_links,
)

REPLACED = "lines are replaced by age"

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
            found = called.in_calls(self.name, kernel, context.cores)
            return found._replace(terms=_calls_only(found, context)) if found else roof
        metric, level = roof.metric, roof.level
        cycles = time_ns(roof) * context.machine.clock_ghz
        beside = called.priced_cycles(kernel) / context.cores
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
            terms=_floors(roof, beside, context),
        )


def _calls_only(found: Prediction, context: Context) -> TimeTerms:
    calls = TimeTerm(Limiter(LimiterKind.CALL), found.cycles_per_iteration or 0.0)
    return TimeTerms(context.machine.clock_ghz, floors=(calls,))


def _floors(roof: LoopRoof, calls_cy: float, context: Context) -> TimeTerms:
    """The time under each roof.

    Calls come on top of the core's work, and not of the links', which move data meanwhile: a floor
    is what a resource is busy for, whatever else happens.
    """
    clock, work = context.machine.clock_ghz, roof.metric.per_iteration
    floors = [
        TimeTerm(link_resource(level.link), level.moved_bytes / level.gb_s * clock)
        for level in roof.levels
    ]
    core_cy = calls_cy
    if roof.peak is not None and work:
        core_cy += work / roof.peak.value_g_per_s * clock
        unit = CoreUnit.INTEGER if roof.metric.name == "iop" else CoreUnit.MULTIPLY_ADD
        resource = Limiter(LimiterKind.PORT, unit=unit)
        floors.append(TimeTerm(resource, work / roof.peak.value_g_per_s * clock))
    if calls_cy:
        floors.append(TimeTerm(Limiter(LimiterKind.CALL), core_cy))
    return TimeTerms(clock, floors=tuple(floors))


def _sentence(roof: LoopRoof, context: Context) -> str:
    metric, level, peak = roof.metric, roof.level, roof.peak_g_per_s
    if level is None:
        where = (
            "where the machine gives a data rate" if unrated_links(context) else "beyond registers"
        )
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
    if slowest[0] <= time_ns(roof):
        return ""
    work, level = roof.metric.per_iteration, roof.level
    if work is not None:
        found = f"down to {_short(work / slowest[0])}"
    else:
        same = level is not None and level.link == slowest[2]
        found = f"up to {_short(slowest[1])} B{'' if same else f' over {slowest[2]}'}"
    return f"; {found} if every access to an unknown address takes a line"


def _assumptions(roof: LoopRoof, context: Context) -> tuple[str, ...]:
    facts, name = context.facts, context.machine.name
    found = [REPLACED, *context.traffic.assumptions]
    if facts.kernel.calls:
        found.append("the work of calls that are not covered is not counted")
    names = {called_function(operation) for operation in facts.work.operations}
    found += called.call_assumptions(facts.kernel)
    mathematical = sorted(names - {"", *called.call_names(facts.kernel)})
    if mathematical:
        found.append(f"mathematical functions count no flops: {', '.join(mathematical)}")
    if roof.peak is None and roof.metric.per_iteration is not None:
        found.append(f"no compute roof: {name} gives no peak_gop_s.{roof.metric.name}")
    unrated = unrated_links(context)
    if unrated:
        found.append(f"no roof over {', '.join(unrated)}: {name} gives no data rate there")
    return (*found, *_derived(roof, context))


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
