"""Roofline with the core's own roof: what the instructions of the loop allow, not the peak.

The roofs over the links are those of the Roofline model; in place of the peak, and of the link to
the registers, stands the time that the core plan takes with its data in the nearest level.
"""

from rooflint.core.code import clock_of
from rooflint.facts import Kernel
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import DataField, Json, NotApplicable, Prediction
from rooflint.records import NamedTuple

from rooflint_plugins.models.ecm.composition import number
from rooflint_plugins.models.ecm.model import vector_text
from rooflint_plugins.models.ecm.work import core_of, unit_of


class CoreRoof(NamedTuple):
    """One limit: nanoseconds per iteration of all active cores, and where it is."""

    link: str
    time_ns: float
    bandwidth_gb_s: float | None = None
    moved_bytes: float = 0.0


class RooflineCore:
    """The model as a plugin."""

    name = "roofline-core"
    title = "roofline with the core"
    fields: tuple[DataField, ...] = ()
    needs = Needs(machine=("core.operations",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The lowest roof of the core and the links beyond the nearest level."""
        unit = unit_of(context.facts, context.machine.line_bytes)
        core = core_of(context, unit)
        clock = clock_of(context.machine, core.code)
        core_roof = CoreRoof("core", core.code.t_core_cy / clock / context.cores)
        roofs = [core_roof, *_links(context)]
        lowest = max(roofs, key=lambda roof: roof.time_ns)
        if lowest.time_ns <= 0:
            return NotApplicable("nothing is left to execute and nothing moves")
        flops = context.facts.work.flops
        name, unit_name, amount = (
            ("flop", "GFLOP/s", float(flops)) if flops else ("iteration", "Giterations/s", 1.0)
        )
        rate = amount / lowest.time_ns
        peak = amount / core_roof.time_ns if core_roof.time_ns else None
        return Prediction(
            model=self.name,
            bottleneck=lowest.link,
            sentence=_sentence(lowest, rate, peak, unit_name, core.code.limit)
            + f"; {vector_text(core)}",
            headline=f"{number(rate)} {unit_name}",
            cycles_per_iteration=lowest.time_ns * clock,
            assumptions=(*context.traffic.assumptions, *core.assumptions),
            data=_data(roofs, lowest, name, amount, peak),
        )


def _links(context: Context) -> list[CoreRoof]:
    rates = context.rates.bandwidths(context.traffic.pattern)
    found = []
    for moved in context.traffic.links[1:]:
        rate = rates.get(moved.link)
        total = moved.total_bytes
        if rate is not None and total > 0:
            roof = CoreRoof(moved.link, total / rate.gb_s, rate.gb_s, moved_bytes=total)
            found.append(roof)
    return found


def _sentence(lowest: CoreRoof, rate: float, peak: float | None, unit: str, limit: str) -> str:
    if lowest.bandwidth_gb_s is None:
        return f"core-bound: {number(rate)} {unit} by the {limit}, with data in the nearest level"
    whole = "" if peak is None else f" of the core's {number(peak)}"
    return (
        f"memory-bound: {number(lowest.moved_bytes)} B per iteration at"
        f" {number(lowest.bandwidth_gb_s)} GB/s ({lowest.link}) allow {number(rate)}{whole} {unit}"
    )


def _data(
    roofs: list[CoreRoof], lowest: CoreRoof, name: str, amount: float, peak: float | None
) -> dict[str, Json]:
    levels: list[Json] = [
        {
            "link": roof.link,
            "intensity_per_byte": amount / roof.moved_bytes,
            "attainable_g_per_s": amount / roof.time_ns,
        }
        for roof in roofs
        if roof.moved_bytes
    ]
    return {
        "bound": "core" if lowest.bandwidth_gb_s is None else "memory",
        "link": None if lowest.bandwidth_gb_s is None else lowest.link,
        "metric": name,
        "attainable_g_per_s": amount / lowest.time_ns,
        "core_g_per_s": peak,
        "bandwidth_gb_s": lowest.bandwidth_gb_s,
        "levels": levels,
    }
