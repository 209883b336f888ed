from collections.abc import Iterator

from rooflint.plugin_api.rule import Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.offload import data_region, estimate_of, on_coprocessors, region_around
from rooflint.rule_kit.queries import kernel_of
from rooflint.transform.result import ChangedFunction


def _resident(match: Match, context: RuleContext) -> str:
    region = data_region(kernel_of(match, context))
    if region is None:
        return ""
    return f"omp {region.kind} keeps the data on the coprocessor, so the region transfers none"


def _pays(match: Match, context: RuleContext) -> str:
    estimate = estimate_of(context, match.place)
    if estimate is None:
        return "the arrays to transfer are unknown"
    if estimate.speedup < 1:
        return ""
    return f"it is {estimate.speedup:.2g} times as fast as the host's {estimate.host_cores} cores"


class OffloadLoses(RuleDefaults):
    code = "RL502"
    slug = "offload-loses"
    summary = "a target region takes longer than the host would, because of its transfers"
    models = ("hybrid",)
    needs = ("coprocessors",)
    guards = (
        Guard("resident", "an enclosing target data region keeps the data on the coprocessor",
              _resident, structural=True),
        Guard("pays", "the coprocessors are faster", _pays),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Nests in a target region."""
        for site in context.sites.values():
            if not site.outer and region_around(context, site.name) is not None:
                yield _match(context, site.name)


RULE = OffloadLoses()


def _match(context: RuleContext, place: str) -> Match:
    index = context.sites[place].loop.index
    estimate = estimate_of(context, place)
    if estimate is None:
        evidence = f"the loops of {index} run on the coprocessors of {context.machine.name}"
    else:
        evidence = f"{on_coprocessors(estimate)}, pays {estimate.pays}".rstrip(", ")
    return Match(
        place,
        evidence,
        (
            Change(
                f"{index} on the host",
                fix=_fix,
                seconds=lambda: {} if estimate is None else estimate.lost,
            ),
        ),
    )


def _fix(result: ChangedFunction) -> Fix:
    text = "replace the target directive by omp parallel for, or keep the data there between uses"
    return Fix("sketch", "leave the nest on the host", sketch=f"// {text}: omp target data")
