from collections.abc import Iterator

from rooflint.plugin_api.rule import Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.offload import OffloadEstimate, estimate_of, region_around
from rooflint.transform.annotations import parallelise
from rooflint.transform.result import ChangedFunction, ChangeRefusal

HALF = 0.5
"""Of the time, for transfers to count as what limits the coprocessors."""


def _dependent(match: Match, context: RuleContext) -> str:
    if region_around(context, match.place) is not None:
        return ""
    found = parallelise(context.function, match.place)
    return found.reason if isinstance(found, ChangeRefusal) else ""


def _same_memory(match: Match, context: RuleContext) -> str:
    estimate = estimate_of(context, match.place)
    if estimate is None or not estimate.is_host_memory_bound or estimate.transfer_share < HALF:
        return ""
    return "transfers and the host's cores share the bandwidth of the host's memory"


class SplitWork(RuleDefaults):
    code = "RL505"
    slug = "split-work"
    summary = "host and coprocessors together would finish a nest sooner than either alone"
    status = "preview"
    models = ("hybrid",)
    needs = ("coprocessors",)
    guards = (
        Guard("same-memory", "the host's memory limits both", _same_memory, structural=True),
        Guard("dependent", "iterations of the outer loop depend on one another", _dependent,
              structural=True),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Nests that the coprocessors do sooner than the host, and not by far."""
        for site in context.sites.values():
            estimate = None if site.outer else estimate_of(context, site.name)
            if estimate is not None and estimate.speedup >= 1:
                yield _match(context, site.name, estimate)


RULE = SplitWork()


def _match(context: RuleContext, place: str, estimate: OffloadEstimate) -> Match:
    together = 1 / (1 / estimate.seconds + 1 / estimate.host_s)
    share = together / estimate.seconds
    index = context.sites[place].loop.index
    return Match(
        place,
        f"shared {100 * share:.0f} to {100 * (1 - share):.0f} between coprocessors and host, both"
        f" finish the loops of {index} together",
        (
            Change(
                "working on both",
                fix=_fix,
                seconds=lambda: {"hybrid": (estimate.seconds, together)},
                doubts=("transfers of a part are assumed to shrink with it",),
            ),
        ),
    )


def _fix(result: ChangedFunction) -> Fix:
    text = (
        "// omp target nowait for the first part of the outer loop, omp parallel for for the rest"
    )
    return Fix("sketch", "share the outer loop between host and coprocessors", sketch=text)
