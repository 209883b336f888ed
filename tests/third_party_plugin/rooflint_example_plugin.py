"""What another distribution may bring: a model of one cycle per access, and a rule."""

from collections.abc import Iterator
from typing import Literal

from rooflint.facts import Kernel
from rooflint.hookspecs import Context, Model, Needs, Rule, hookimpl
from rooflint.matching import innermost
from rooflint.prediction import NotApplicable, Prediction
from rooflint.rule import Guard, Match, RuleContext


class OneAccessPerCycle:
    """A core that does one load or store a cycle and everything else for nothing."""

    name = "one-access"
    needs = Needs(models=("roofline",))

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        """The number of accesses; reads the Roofline's answer to show that it can."""
        cycles = float(context.facts.work.loads + context.facts.work.stores)
        roofline = context.results["roofline"].headline
        return Prediction(
            self.name,
            "accesses",
            f"{cycles:g} accesses take {cycles:g} cycles; the Roofline allows {roofline}",
            f"{cycles:g} cy",
            cycles,
            data={"accesses": cycles},
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


@hookimpl
def rooflint_models() -> list[Model]:
    """The model of this distribution."""
    return [OneAccessPerCycle()]


@hookimpl
def rooflint_rules() -> list[Rule]:
    """The rule of this distribution."""
    return [PlainCopy()]
