"""What another distribution may bring: a model with figures of its own, and rules.

The core does one load or store a cycle and a division in twenty; everything else is for nothing.
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from rooflint.plugin_api.drawing import PlotData, RoofPlot
from rooflint.plugin_api.hookspecs import Context, DescribedModel, Needs, Rule, hookimpl
from rooflint.plugin_api.prediction import DataField, NotApplicable, Prediction
from rooflint.plugin_api.rule import Change, Guard, Match, RuleContext
from rooflint.plugin_api.transforms import reciprocal
from rooflint.plugin_api.views import Kernel
from rooflint.rule_kit.queries import innermost

DIVISION_CY = 20.0


class OneAccessPerCycle:
    """The model; its name counts the accesses, its time the divisions too."""

    name = "one-access"
    title = "access count"
    needs = Needs(models=("roofline",))
    fields = (
        DataField("accesses", "loads and stores of an iteration", "1/it", True, {"type": "number"}),
        DataField("divisions", "divisions of an iteration", "1/it", schema={"type": "number"}),
    )

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The number of accesses; reads the Roofline's answer to show that it can."""
        work = context.facts.work
        accesses, divisions = float(work.loads + work.stores), work.operations.get("div.f64", 0)
        cycles = accesses + DIVISION_CY * divisions
        roofline = context.results["roofline"].headline
        return Prediction(
            model=self.name,
            bottleneck="accesses",
            sentence=f"{accesses:g} accesses, {cycles:g} cycles; the Roofline allows {roofline}",
            headline=f"{cycles:g} cy",
            cycles_per_iteration=cycles,
            data={"accesses": accesses, "divisions": float(divisions)},
            plot=PlotData(self._roof(accesses, cycles, context)),
        )

    def _roof(self, accesses: float, cycles: float, context: Context) -> RoofPlot | None:
        """One access a cycle is the peak; the farthest link is the other side of the roof."""
        link = context.traffic.links[-1]
        rates = context.rates.of(context.traffic)
        if not accesses or not link.total_bytes:
            return None
        clock_ghz = context.machine.clock_ghz
        return RoofPlot(
            metric="access",
            g_per_s=accesses / cycles * clock_ghz,
            intensity_per_byte=accesses / link.total_bytes,
            peak_g_per_s=clock_ghz,
            bandwidth_gb_s=rates[link.link].gb_s if link.link in rates else None,
            link=link.link,
        )


class PlainCopy:
    """A loop that does what ``memcpy`` does; a note, because it changes nothing."""

    code = "ACME001"
    slug = "plain-copy"
    summary = "a loop copies one array to another and does nothing else"
    aliases: tuple[str, ...] = ()
    status: Literal["stable", "preview", "structural"] = "stable"
    models: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops with a load, a store and no operation."""
        for site, facts in innermost(context):
            work = facts.work
            if (work.loads, work.stores, work.operations) == (1, 1, {}):
                evidence = "a copy: 1 load and 1 store per iteration, no arithmetic"
                yield Match(site.name, evidence, ())


class ScaledCopy:
    """A division where a multiplication would do, priced by the model of this module."""

    code = "ACME201"
    slug = "scaled-copy"
    summary = "a loop divides by a value that never changes"
    aliases: tuple[str, ...] = ()
    status: Literal["stable", "preview", "structural"] = "preview"
    models = ("one-access",)
    needs: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops with one division."""
        for site, facts in innermost(context):
            if facts.work.operations.get("div.f64") == 1:
                change = Change("a multiplication", partial(reciprocal, loop=site.name))
                yield Match(site.name, "1 division per iteration", (change,))


@hookimpl
def rooflint_models() -> list[DescribedModel]:
    """The model of this distribution."""
    return [OneAccessPerCycle()]


@hookimpl
def rooflint_rules() -> list[Rule]:
    """The rules of this distribution."""
    return [PlainCopy(), ScaledCopy()]
