from collections.abc import Iterator
from functools import partial

from rooflint.ir import Branch, Loop, Poly, Statement
from rooflint.ir.text import plain_detail
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
from rooflint.rule_kit.queries import innermost
from rooflint.transform.nest.tree import Site
from rooflint.transform.peeling import Side, peel
from rooflint.transform.result import ChangedFunction


def _straightened(match: Match, context: RuleContext) -> str:
    if context.compiler.straightens_boundaries:
        return f"{context.compiler} vectorises both arms with masks, or peels itself: 1.0x"
    return ""


class IteratorBranch(RuleDefaults):
    code = "RL303"
    slug = "iterator-branch"
    requires = (CodeFeature.BRANCH,)
    summary = "a branch is taken in the first or last iteration only"
    aliases = ("PWR049",)
    needs = ("core",)
    guards = (Guard("clang", "clang handles the branch itself", _straightened),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with a branch on whether their index is at its first or last value."""
        for site, _ in innermost(context):
            for node in site.loop.body:
                if isinstance(node, Branch):
                    found = _side(site, node.condition)
                    if found is not None:
                        yield _match(site, node, *found)


RULE = IteratorBranch()


def _side(site: Site, condition: Statement) -> tuple[Side, str] | None:
    """At which end of the loop the condition is decided otherwise than everywhere else."""
    if len(condition.values) != 3:
        return None
    left, right, compare = condition.values
    if compare.op != "compare" or compare.args != (0, 1):
        return None
    loop = site.loop
    equal = _equality(loop, left.closed_form, right.closed_form)
    if equal is None:
        return None
    index, sign = equal
    words = f"{plain_detail(left)} {compare.operator} {plain_detail(right)}"
    # the first index of those that decide otherwise, and how far it is from the last iteration
    index = index - sign if compare.operator in ("<", ">=") else index
    if (index - loop.lower).value == 0:
        return "first", words
    last = 0 if compare.operator in ("==", "!=") else -1
    return ("last", words) if (index - (loop.upper - loop.step)).value == last else None


def _equality(loop: Loop, left: Poly | None, right: Poly | None) -> tuple[Poly, int] | None:
    """The index at which both sides of a comparison are equal, and how fast they part: 1 or -1."""
    if left is None or right is None:
        return None
    sign = (left - right).terms.get((loop.index,))
    if sign not in (1, -1):
        return None
    return (left - right).substitute({loop.index: loop.lower}) * -sign + loop.lower, sign


def _match(site: Site, branch: Branch, side: Side, words: str) -> Match:
    return Match(
        site.name,
        f"if ({words}) differs only in the {side} iteration, yet every iteration tests it",
        (
            Change(
                f"peeling the {side} iteration",
                partial(peel, loop=site.name, side=side),
                fix=partial(_fix, side),
                action=Action(ActionKind.OTHER, f"the {side} iteration peeled"),
            ),
        ),
        key=words,
        related=(RelatedNode(branch.origin, "the branch"),),
    )


def _fix(side: Side, result: ChangedFunction) -> Fix:
    order = "first iteration, then the loop" if side == "first" else "loop, then its last iteration"
    return Fix("safe", f"peel the {side} iteration", sketch=f"// the {order} without the branch")
