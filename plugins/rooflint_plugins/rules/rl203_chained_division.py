from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.ir import Statement
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
from rooflint.rule_kit import arithmetic
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import kernel_of
from rooflint.transform.arithmetic.operations import merge_divisions
from rooflint.transform.nest.graph import uses
from rooflint.transform.result import ChangedFunction

LEAST_QUOTIENTS: Final = {"div": 1, "add": 2, "sub": 2}
"""Operands that are quotients themselves, from which on an operation divides once too often."""


def _by_flags(match: Match, context: RuleContext) -> str:
    pairs = arithmetic.values_at(context, match, _pairs)
    if arithmetic.folds(context.compiler) and all(pair.value.op == "div" for pair in pairs):
        return f"{context.compiler} divides once already"
    return ""


def _hidden(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    link = arithmetic.behind_memory(context, facts)
    return f"transfers over {link} decide, the divisions fit behind them" if link else ""


class ChainedDivision(RuleDefaults):
    code = "RL203"
    slug = "chained-division"
    requires = (CodeFeature.DIVISION,)
    summary = "two divisions where one and a multiplication suffice"
    aliases = ("PWR046",)
    needs = ("core",)
    guards = (
        Guard("no-loop", "the expression is in no loop", arithmetic.no_loop),
        Guard("fast-math", "the flags let the compiler make this change itself", _by_flags),
        Guard("memory-bound", "transfers take longer than the divisions", _hidden),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """``a/b/c``, ``a/(b/c)`` and ``a/b + c/d``, one match a loop."""
        for place, pairs in arithmetic.values_by_loop(context, _pairs).items():
            yield _match(context, place, pairs)


RULE = ChainedDivision()


def _pairs(statement: Statement) -> Iterator[int]:
    divisions = {n for n, v in enumerate(statement.values) if v.op == "div"}
    if len(divisions) < 2:
        return
    used = uses(statement)
    alone = {number for number in divisions if used[number] == 1}
    for number, value in enumerate(statement.values):
        inner = sum(argument in alone for argument in value.args)
        if value.type in arithmetic.FLOATS and inner >= LEAST_QUOTIENTS.get(
            value.op, len(value.args) + 1
        ):
            yield number


def _match(context: RuleContext, place: str, pairs: list[arithmetic.LocatedValue]) -> Match:
    first = pairs[0]
    said = arithmetic.text_of(first.statement, first.number).removeprefix("(").removesuffix(")")
    plan = arithmetic.plan_at(context, place)
    cost = ""
    if plan is not None and (busy := arithmetic.division_cycles(plan.code)):
        cost = f": the divider is busy for {arithmetic.cycles_words(busy)} cycles per iteration"
    return Match(
        place,
        f"{said} divides twice{cost}",
        (
            Change(
                "one division and a multiplication",
                partial(merge_divisions, loop=place),
                fix=partial(_fix, first),
                action=Action(ActionKind.OTHER, "one division"),
                doubts=("the product of the divisors must not overflow or underflow",),
            ),
        )
        if place
        else (),
        related=tuple([RelatedNode(p.statement.origin, "divides twice") for p in pairs]),
        origin=-1 if place else first.statement.origin,
    )


def _fix(pair: arithmetic.LocatedValue, result: ChangedFunction) -> Fix:
    written = "a / b / c -> a / (b * c)\na / (b / c) -> a * c / b"
    if pair.value.op != "div":
        written = "a / b + c / d -> (a * d + c * b) / (b * d)"
    return Fix("unsafe", "divide once", sketch=written)
