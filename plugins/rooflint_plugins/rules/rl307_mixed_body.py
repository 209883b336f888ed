from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.facts import KernelFacts
from rooflint.ir import Reason, Statement
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.transform.bodies import fission
from rooflint.transform.result import ChangedFunction

CUTS: Final = 3
"""Places to cut that are priced: the first ones."""
IN_ORDER: Final = frozenset(
    ("recurrence", "reduction", "memory-reduction", "call", "indirect-store", "no-scatter")
)
"""Reasons for scalar code that are one statement's."""


def _vectorised(match: Match, context: RuleContext) -> str:
    plan = plan_of(context, kernel_of(match, context))
    if plan is None or plan.code.vector.width < 2:
        return ""
    return f"the whole loop is vectorised with {plan.code.vector.width} lanes"


class MixedBody(RuleDefaults):
    code = "RL307"
    slug = "mixed-body"
    summary = "one statement has to run in order and keeps the others scalar"
    aliases = ("PWR020", "PWR021")
    status = "preview"
    needs = ("core",)
    guards = (Guard("vectorised", "the loop is already vectorised", _vectorised),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops of several statements that a recurrence, sum or call keeps scalar."""
        for site, facts in innermost(context):
            body = site.loop.body
            if len(body) < 2 or sum(_works(node) for node in body) < 2:
                continue
            reason = _reason(context, facts)
            if reason is not None and reason.kind in IN_ORDER:
                changes = [
                    Change(
                        f"a loop for the first {at} of {len(body)} statements",
                        partial(fission, loop=site.name, at=at),
                        fix=_fix,
                        action=Action(ActionKind.OTHER, "the loop split"),
                    )
                    for at in range(1, len(body))
                ]
                yield Match(
                    site.name,
                    f"one of {len(body)} statements keeps all of them scalar ({reason})",
                    tuple(changes[:CUTS]),
                )


RULE = MixedBody()


def _works(node: object) -> bool:
    return isinstance(node, Statement) and any(value.args for value in node.values)


def _reason(context: RuleContext, facts: KernelFacts) -> Reason | None:
    plan = plan_of(context, facts)
    return plan.scalar.vector.reason if plan is not None else None


def _fix(result: ChangedFunction) -> Fix:
    sketch = "two loops over the same range, with the ordered statements in one of them"
    return Fix("unsafe" if result.assumes else "safe", "split the loop", sketch=sketch)
