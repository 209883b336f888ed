from collections.abc import Iterator
from functools import partial

from rooflint.ir import Reason
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.transform.expand import assigned_cells, in_local
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction


def _kept(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    reason = plan.code.vector.reason if plan is not None else None
    if reason is not None and match.names[0] in _in_memory(reason):
        return ""
    return f"{context.compiler} does not keep the loop scalar for {match.names[0]}"


class MemberAccumulator(RuleDefaults):
    code = "RL220"
    slug = "member-accumulator"
    requires = (CodeFeature.CELLS, CodeFeature.CARRIED_SCALAR)
    summary = "a sum is a member or a referenced scalar, which other accesses may touch"
    needs = ("core",)
    guards = (Guard("kept", "the compiler keeps it in a register, or has other reasons", _kept),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that change scalars in memory."""
        for site, _ in innermost(context):
            for name in assigned_cells(context.function, site.loop):
                yield _match(site, name)


RULE = MemberAccumulator()


def _in_memory(reason: Reason) -> tuple[object, ...]:
    """The scalars that the compiler leaves in memory because accesses may touch them."""
    parts = [each for each in reason.arguments if isinstance(each, Reason)]
    return tuple([a for each in parts if each.kind == "store-in-place" for a in each.arguments])


def _match(site: Site, name: str) -> Match:
    return Match(
        site.name,
        f"{name} is stored in every iteration, because other accesses of the loop may touch it",
        (
            Change(
                "a local sum",
                partial(in_local, loop=site.name, name=name),
                fix=partial(_fix, name),
                action=Action(ActionKind.OTHER, "a local sum"),
            ),
        ),
        names=(name,),
    )


def _fix(name: str, _: ChangedFunction) -> Fix:
    sketch = (
        f"sum = {name};   // before the loop, with its type\n"
        "sum += ...;   // in the loop\n"
        f"{name} = sum;   // after the loop"
    )
    return Fix(safety="sketch", title="sum in a local", sketch=sketch)
