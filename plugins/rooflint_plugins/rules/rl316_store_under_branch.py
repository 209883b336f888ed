from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from rooflint.core import Compiler
from rooflint.core.code import Code
from rooflint.core.mispredictions import MOST_WRONG, NEVER_WRONG
from rooflint.facts import KernelFacts
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RelatedNode,
    RuleContext,
)
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.mispredictions import (
    PENALTY_IS_KNOWN,
    expectation_in,
    mispredicted_cycles,
    seconds_without_branch,
)
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.transform.branches.selecting import (
    ConditionalStore,
    conditional_store,
    store_selected,
)
from rooflint.transform.result import ChangedFunction


def _costly(match: Match, context: RuleContext) -> str:
    found = conditional_store(context.sites[match.place].loop)
    costly = found.costly if found is not None else ""
    return f"the branch has {costly}, which every iteration would make" if costly else ""


def _expected(match: Match, context: RuleContext) -> str:
    found = conditional_store(context.sites[match.place].loop)
    return expectation_in(context, found.branch.origin) if found is not None else ""


def _straight(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    if plan is None or _branches(plan.code):
        return ""
    return f"{context.compiler} makes vectors that store under a mask: no branch is left"


def _chosen_by_branch(match: Match, context: RuleContext) -> str:
    """Compilers take a store of what is there for none, and jump over it."""
    found = conditional_store(context.sites[match.place].loop)
    if found is None or _stays_selection(found, context.compiler):
        return ""
    return f"{context.compiler} makes a branch again of the selection"


def _stays_selection(found: ConditionalStore, compiler: Compiler) -> bool:
    """Whether compiled code selects between the new value and the old one."""
    traits = compiler.traits
    if traits.hoists_loads:
        return found.condition_reads_target or found.arm_reads_target
    scalar = traits.very_cheap_level is not None and compiler.level <= traits.very_cheap_level
    return not scalar or (found.condition_reads_target and not found.computes_floats)


def _branches(code: Code) -> bool:
    """Whether code has a branch for each element: scalar code, and vectors without masks."""
    jumps = [op for op in code.operations if op.kind.startswith("branch")]
    return code.vector.width == 1 or any(op.role == "arithmetic" for op in jumps)


class StoreUnderBranch(RuleDefaults):
    code = "RL316"
    slug = "store-under-branch"
    requires = (CodeFeature.BRANCH,)
    summary = "a branch on data decides whether an iteration stores an element"
    needs = ("core",)
    guards = (
        PENALTY_IS_KNOWN,
        Guard("expected", "the source says that one outcome is rare", _expected),
        Guard("costly-arm", "the branch has a call, a division or many operations", _costly),
        Guard("no-branch", "the compiler makes code without a branch", _straight),
        Guard("branch-again", "the compiler makes a branch of the selection", _chosen_by_branch),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops whose only branch stores one element at a known place."""
        for site, facts in innermost(context):
            found = conditional_store(site.loop)
            if found is not None:
                yield _match(context, site.name, facts, found)


UNKNOWN_SHARE: Final = "how often the branch is taken is not known"
RULE = StoreUnderBranch()


def _match(context: RuleContext, place: str, facts: KernelFacts, found: ConditionalStore) -> Match:
    array = found.target.array
    return Match(
        place,
        f"whether {array} is stored to is guessed wrong in 10 to 50 % of the iterations if 10 to"
        f" 90 % store: {mispredicted_cycles(context)}",
        (
            Change(
                "storing always, the new value or the old one",
                partial(store_selected, loop=place),
                fix=partial(_fix, array),
                action=Action(ActionKind.OTHER, "a selection"),
                doubts=(UNKNOWN_SHARE,),
                depends_on_data=True,
                seconds=partial(_seconds, context, place, facts, NEVER_WRONG),
                most_seconds=partial(_seconds, context, place, facts, MOST_WRONG),
            ),
        ),
        names=(array,),
        related=(RelatedNode(found.branch.origin, "the branch"),),
    )


def _seconds(
    context: RuleContext, place: str, facts: KernelFacts, share: float
) -> Mapping[str, tuple[float, float]]:
    result = store_selected(context.function, place)
    return seconds_without_branch(context, facts, result, StoreUnderBranch.models, share)


def _fix(array: str, _: ChangedFunction) -> Fix:
    return Fix(
        safety="sketch",
        title="store a selection",
        sketch=f"{array}[...] = condition ? ... : {array}[...];   // in every iteration",
    )
