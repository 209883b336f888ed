from collections.abc import Iterator
from functools import partial

from rooflint.plugin_api.rule import Action, ActionKind, Change, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import CHAIN_IS_THE_LIMIT, cycles_words, plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost
from rooflint.transform.arithmetic.carried_terms import add_carried_last
from rooflint.transform.result import ChangeRefusal


def _by_flags(match: Match, context: RuleContext) -> str:
    if context.compiler.reassociate and context.compiler.level > 0:
        return f"the flags let {context.compiler} order the sum itself"
    return ""


class CarriedTermFirst(RuleDefaults):
    code = "RL214"
    slug = "carried-term-first"
    summary = "a sum begins with what the previous iteration computes, and adds the rest one by one"
    needs = ("core",)
    guards = (
        Guard("reassociates", "the flags let the compiler order sums", _by_flags),
        CHAIN_IS_THE_LIMIT,
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with a sum that waits for the previous iteration before its other terms
        are added."""
        for site, facts in innermost(context):
            if isinstance(add_carried_last(context.function, site.name), ChangeRefusal):
                continue
            plan = plan_of(context, facts)
            chain = f" of {cycles_words(plan.code.recurrence_cy)} cycles" if plan else ""
            yield Match(
                site.name,
                f"several additions in a row wait for the previous iteration, a chain{chain} per"
                " iteration",
                (
                    Change(
                        "adding the previous iteration's value last",
                        partial(add_carried_last, loop=site.name),
                        action=Action(ActionKind.OTHER, "the carried term last"),
                    ),
                ),
            )


RULE = CarriedTermFirst()
