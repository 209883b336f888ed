from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace
from rooflint.core.loop_passes import is_unswitched
from rooflint.ir import Branch, Function
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
from rooflint.rule_kit.arithmetic import text_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost
from rooflint.transform.nest.graph import is_steady
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.tree import Nodes, at, replace_nodes, sites
from rooflint.transform.peeling import unswitch
from rooflint.transform.result import ChangedFunction, ChangeRefusal, Result


def _unswitched(match: Match, context: RuleContext) -> str:
    compiler = context.compiler
    if is_unswitched(context.sites[match.place].loop, compiler):
        return f"{compiler} moves the test out of the loop itself: 1.0x"
    return ""


class InvariantBranch(RuleDefaults):
    code = "RL304"
    slug = "invariant-branch"
    summary = "a branch of the loop goes the same way in every iteration"
    status = "preview"
    needs = ("core",)
    guards = (Guard("unswitched", "the compiler generates two loops itself", _unswitched),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops whose first branch tests what the loop does not change."""
        for site, _ in innermost(context):
            branch = next((node for node in site.loop.body if isinstance(node, Branch)), None)
            if branch is not None and is_steady(site.loop, branch):
                condition = branch.condition
                words = text_of(condition, len(condition.values) - 1)
                yield Match(
                    site.name,
                    f"if ({words}) goes the same way in every iteration",
                    (
                        Change(
                            "testing before the loop",
                            partial(_heavier_way, loop=site.name),
                            fix=partial(_fix, words),
                            action=Action(ActionKind.OTHER, "the test before the loop"),
                        ),
                    ),
                    related=(RelatedNode(branch.origin, "the branch"),),
                )


RULE = InvariantBranch()


def _heavier_way(function: Function, loop: str) -> Result:
    """The test before the loop, and of the two loops the one that does more: of a branch the
    heavier side counts, as it does inside a loop."""
    result = unswitch(function, loop)
    if isinstance(result, ChangeRefusal):
        return result
    path = sites(function)[loop].path
    branch = at(result.function, path)
    assert isinstance(branch, Branch)
    way = max(branch.then, branch.orelse, key=_weight)
    return replace(result, function=replace_nodes(result.function, path, *way))


def _weight(nodes: Nodes) -> int:
    return sum(len(statement.values) for statement in statements_in(nodes))


def _fix(words: str, result: ChangedFunction) -> Fix:
    sketch = (
        f"if ({words}) {{ /* loop with the first branch */ }}"
        " else { /* loop with the second branch */ }"
    )
    return Fix("unsafe" if result.assumes else "safe", "test before the loop", sketch=sketch)
