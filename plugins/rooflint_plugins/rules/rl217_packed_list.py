from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

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
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.mispredictions import (
    PENALTY_IS_KNOWN,
    expectation_in,
    mispredicted_cycles,
    seconds_without_branch,
)
from rooflint.rule_kit.queries import innermost
from rooflint.source_edit.edits import EditableSource
from rooflint.source_edit.packed_text import packed_edits
from rooflint.transform.branches.packing import PackedList, packed_list, store_always
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction


def _expected(match: Match, context: RuleContext) -> str:
    found = packed_list(context.sites[match.place].loop)
    return expectation_in(context, found.branch.origin) if found is not None else ""


class PackedListRule(RuleDefaults):
    code = "RL217"
    slug = "packed-list"
    requires = (CodeFeature.BRANCH,)
    summary = "a branch on data decides whether an iteration appends to a list"
    needs = ("core",)
    guards = (
        PENALTY_IS_KNOWN,
        Guard("expected", "the source says that one outcome is rare", _expected),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops whose only branch stores at the end of a list and moves that."""
        for site, facts in innermost(context):
            found = packed_list(site.loop)
            if found is not None:
                yield _match(context, site, facts, found)


RULE = PackedListRule()
UNKNOWN_SHARE: Final = "how many elements the list takes is not known"


def _match(context: RuleContext, site: Site, facts: KernelFacts, found: PackedList) -> Match:
    return Match(
        site.name,
        f"whether an element is appended to {found.arrays[0]} is guessed wrong in 10 to 50 % of"
        f" the iterations if 10 to 90 % are: {mispredicted_cycles(context)}",
        (
            Change(
                "storing always and adding the condition",
                partial(store_always, loop=site.name),
                fix=partial(_fix, context, found),
                action=Action(ActionKind.OTHER, "no branch"),
                doubts=(UNKNOWN_SHARE,),
                depends_on_data=True,
                seconds=partial(_seconds, context, site, facts, NEVER_WRONG),
                most_seconds=partial(_seconds, context, site, facts, MOST_WRONG),
            ),
        ),
        names=found.arrays,
        related=(RelatedNode(found.branch.origin, "the branch"),),
    )


def _seconds(
    context: RuleContext, site: Site, facts: KernelFacts, share: float
) -> Mapping[str, tuple[float, float]]:
    result = store_always(context.function, site.name)
    return seconds_without_branch(context, facts, result, PackedListRule.models, share)


def _fix(context: RuleContext, found: PackedList, _: ChangedFunction) -> Fix:
    branch = found.branch
    compares = branch.condition.values[-1].op == "compare"
    span = context.source.spans[branch.origin]
    text = EditableSource(context.text)
    edits = packed_edits(text, span, found.end, compares=compares)
    sketch = f"// without a branch, with & in place of &&\n... = ...;\n{found.end} += ...;"
    return Fix(
        safety="unsafe",
        title="store always, add the condition",
        edits=edits,
        sketch="" if edits else sketch,
    )
