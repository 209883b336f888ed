"""RL303: a condition that holds in the first or last iteration only."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from rooflint.facts import plain
from rooflint.ir import Branch, Statement
from rooflint.ir.text import detail_text
from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.rule import Change, Guard, Match, RelatedNode, RuleContext
from rooflint.rule_kit.queries import innermost
from rooflint.transform import Site, Transformed, peel
from rooflint.transform.peeling import Side


def _clang(match: Match, context: RuleContext) -> str:
    if context.compiler.name == "clang" and context.compiler.level >= 2:
        return f"{context.compiler} vectorises both ways with masks, or peels by itself: 1.0x"
    return ""


class IteratorBranch:
    """All other iterations are the same straight code."""

    code = "RL303"
    slug = "iterator-branch"
    summary = "a branch is taken in the first or last iteration only"
    aliases = ("PWR049",)
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (Guard("clang", "clang copes with the branch by itself", _clang),)

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
    a, b = left.closed_form, right.closed_form
    if a is None or b is None or compare.op != "compare" or compare.args != (0, 1):
        return None
    loop = site.loop
    difference = a - b
    if difference.terms.get((loop.index,)) not in (1, -1):
        return None
    words = f"{plain(detail_text(left))} {compare.operator} {plain(detail_text(right))}"
    sign = difference.terms[(loop.index,)]
    # the value of the index at which both sides are equal
    even = (difference.substitute({loop.index: loop.lower}) * -sign) + loop.lower
    away = {"==": 0, "!=": 0, ">": 0, "<=": 0, "<": -1, ">=": -1}[compare.operator] * sign
    first = even - loop.lower
    last = even - (loop.upper - loop.step)
    if compare.operator in ("==", "!="):
        sides: tuple[tuple[Side, object], ...] = (("first", first.value), ("last", last.value))
        return next(((side, words) for side, at in sides if at == 0), None)
    if (first + away).value == 0:
        return "first", words
    return ("last", words) if (last + away).value == -1 else None


def _match(site: Site, branch: Branch, side: Side, words: str) -> Match:
    return Match(
        site.name,
        f"if ({words}) decides otherwise once, in the {side} iteration, and all others test it",
        (
            Change(
                f"peeling the {side} iteration",
                partial(peel, loop=site.name, side=side),
                fix=partial(_fix, side),
            ),
        ),
        key=words,
        related=(RelatedNode(branch.origin, "the branch"),),
    )


def _fix(side: Side, result: Transformed) -> Fix:
    order = "first iteration, then the loop" if side == "first" else "loop, then its last iteration"
    return Fix("safe", f"peel the {side} iteration", sketch=f"// the {order} without the branch")
