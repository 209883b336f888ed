from collections.abc import Iterator

from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.offload import region_around
from rooflint.rule_kit.queries import kernel_of, kernels_in

SPREADS = frozenset(("teams", "loop"))


def _serial(match: Match, context: RuleContext) -> str:
    regions = kernel_of(match, context).kernel.regions
    if any("parallel" in region.kind.split() for region in regions):
        return ""
    return "the region shares no work among threads"


class NoTeams(RuleDefaults):
    code = "RL504"
    slug = "no-teams"
    summary = "a target region has threads but no teams: one unit of the coprocessor works"
    aliases = ("PWR009",)
    status = "preview"
    models = ("hybrid",)
    needs = ("coprocessors",)
    guards = (Guard("serial", "the region shares no work, so teams alone would not help", _serial),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Nests in a target region without teams around them."""
        for site in context.sites.values():
            kernels = [] if site.outer else kernels_in(context, site.name)
            region = region_around(context, site.name) if kernels else None
            if region is None:
                continue
            words = {w for each in kernels[0].kernel.regions for w in each.kind.split()}
            if not words & SPREADS:
                yield Match(
                    site.name,
                    f"omp {region.kind} has no teams: 1 team on 1 unit of the coprocessor;"
                    " teams distribute parallel for reaches all of them",
                )


RULE = NoTeams()
