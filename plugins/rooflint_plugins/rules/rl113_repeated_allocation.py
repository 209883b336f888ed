from collections.abc import Iterator, Mapping
from functools import partial

from rooflint.ir import Call, walk
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Match, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.openmp import predicted_seconds
from rooflint.rule_kit.queries import kernels_in
from rooflint.transform.nest.tree import Site
from rooflint.transform.repeated_calls import AllocationPair, allocate_once, allocation_pair
from rooflint.transform.result import ChangedFunction, ChangeRefusal


class RepeatedAllocation(RuleDefaults):
    code = "RL113"
    slug = "repeated-allocation"
    requires = (CodeFeature.CALL,)
    summary = "every iteration allocates memory of the same size and frees it"

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops whose body has one allocation and the release of it."""
        if not any(isinstance(node, Call) for node in walk(context.function.body)):
            return
        for site in context.sites.values():
            pair = allocation_pair(site.loop)
            if pair is not None and kernels_in(context, site.name):
                yield _match(context, site, pair)


RULE = RepeatedAllocation()


def _match(context: RuleContext, site: Site, pair: AllocationPair) -> Match:
    return Match(
        site.name,
        f"every iteration allocates {pair.array} with {pair.allocation.name}() and frees it",
        (
            Change(
                "allocating it once before the loop",
                partial(allocate_once, loop=site.name),
                fix=partial(_fix, pair),
                action=Action(ActionKind.HOIST, f"{pair.allocation.name}()"),
                seconds=partial(_seconds, context, site),
            ),
        ),
        names=(pair.array,),
    )


def _seconds(context: RuleContext, site: Site) -> Mapping[str, tuple[float, float]]:
    """Of the whole nest, by the models: the loops inside take as long after the change."""
    result = allocate_once(context.function, site.name)
    if isinstance(result, ChangeRefusal):
        return {}
    kernels = kernels_in(context, site.name)
    own = [facts for facts in kernels if facts.kernel.loops[-1] is site.loop]
    found = {}
    for model, gain in context.gains(result.function, RepeatedAllocation.models).items():
        whole = predicted_seconds(context, kernels, model)
        changed = predicted_seconds(context, own, model)
        if whole is not None and changed is not None:
            found[model] = (whole, whole - changed * (1.0 - 1.0 / gain))
    return found


def _fix(pair: AllocationPair, _: ChangedFunction) -> Fix:
    sketch = (
        f"{pair.array} = {pair.allocation.name}(...);   // before the loop\n"
        f"{pair.release.name}({pair.array});   // after the loop"
    )
    return Fix(safety="sketch", title="allocate before the loop", sketch=sketch)
