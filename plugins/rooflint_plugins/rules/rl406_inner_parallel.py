from collections.abc import Iterator
from functools import partial

from rooflint.facts import as_written
from rooflint.ir import Function
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit import openmp
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import time_words
from rooflint.transform.annotations import parallelise, serialise
from rooflint.transform.result import ChangedFunction, ChangeRefusal, Result


def _few_iterations(match: Match, context: RuleContext) -> str:
    shared = openmp.shared_at(context, match.place)
    trips = context.kernel(shared.kernels[0]).traffic.space.trips[0]
    cores = context.machine.cores_per_socket
    if trips >= cores:
        return ""
    return f"{as_written(shared.site.outer[0].index)} has {trips:.0f} iterations for {cores} cores"


class InnerParallel(RuleDefaults):
    code = "RL406"
    slug = "inner-parallel"
    summary = "an inner loop starts threads in every iteration of an outer one"
    status = "preview"
    models = ("ecm", "roofline")
    needs = ("memory.bandwidth",)
    guards = (
        Guard("few-iterations", "the outer loop has fewer iterations than there are cores",
              _few_iterations),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Parallel loops inside another loop."""
        for shared in openmp.shared_loops(context):
            if shared.site.outer:
                yield _match(context, shared)


RULE = InnerParallel()


def _match(context: RuleContext, shared: openmp.WorksharedLoop) -> Match:
    site, outer = shared.site, shared.site.outer[0]
    times = openmp.times_opened(context, shared)
    return Match(
        site.name,
        f"omp {shared.region.kind} opens {times:.0f} times, {time_words(openmp.FORK_JOIN_S)} each",
        (
            Change(
                f"starting it once around {as_written(outer.index)}",
                partial(_moved, inner=site.name, outer=site.name.partition(".")[0]),
                fix=partial(_fix, as_written(outer.index)),
                action=Action(ActionKind.OTHER, "one parallel region"),
            ),
        ),
    )


def _moved(function: Function, inner: str, outer: str) -> Result:
    result = serialise(function, inner)
    if isinstance(result, ChangeRefusal):
        return result
    return result.then(lambda f: parallelise(f, outer))


def _fix(index: str, result: ChangedFunction) -> Fix:
    return Fix("sketch", f"move the directive to the loop of {index}",
               sketch=f"// #pragma omp parallel for: above the loop of {index}")  # fmt: skip
