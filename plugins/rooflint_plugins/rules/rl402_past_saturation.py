from collections.abc import Iterator

from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit import openmp
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import kernels_in

FEW = 1
"""Threads too many that are not worth a word."""


def _core_bound(match: Match, context: RuleContext) -> str:
    shared = openmp.shared_at(context, match.place)
    saturated = _saturated(context, shared)
    threads = _threads(context, shared)
    if saturated is not None and threads is not None and threads > saturated + FEW:
        return ""
    if saturated is None:
        return "memory does not limit the loop"
    return f"{saturated} cores saturate the memory, hardly fewer than the directive requests"


class PastSaturation(RuleDefaults):
    code = "RL402"
    slug = "past-saturation"
    summary = "num_threads requests more threads than the memory can feed"
    status = "preview"
    models = ("ecm", "roofline")
    needs = ("core", "memory.bandwidth")
    guards = (
        Guard("core-bound", "the requested threads do not saturate the memory", _core_bound,
              structural=True),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Parallel loops whose directive says how many threads."""
        for shared in openmp.shared_loops(context):
            threads = _threads(context, shared)
            if threads is not None and threads > 1:
                yield _match(context, shared, threads)


RULE = PastSaturation()


def _threads(context: RuleContext, shared: openmp.WorksharedLoop) -> int | None:
    asked = openmp.clause(shared.region, "num_threads") or ""
    return int(asked) if asked.strip().isdecimal() else None


def _saturated(context: RuleContext, shared: openmp.WorksharedLoop) -> int | None:
    """The cores that saturate the memory domains in use, by the nest's heaviest kernel."""
    facts = max(kernels_in(context, shared.site.name), key=lambda f: f.work.flops)
    prediction = context.predictions(facts).get("ecm")
    return openmp.saturating_cores(prediction, context.machine, context.kernel(facts).cores)


def _match(context: RuleContext, shared: openmp.WorksharedLoop, threads: int) -> Match:
    saturated = _saturated(context, shared)
    evidence = f"num_threads({threads})"
    if saturated is not None:
        evidence += f": memory is saturated by {saturated} cores, {threads - saturated} only wait"
    return Match(shared.site.name, evidence)
