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
from rooflint.source_edit.edits import EditableSource, replace
from rooflint.source_edit.tokens import CallText, calls_of
from rooflint.transform.arithmetic.operations import MAX_POWER, POWERS, expand_powers
from rooflint.transform.result import ChangedFunction

TYPICAL_CYCLES: Final = "36"
"""Of one call of pow in a loop (glibc on x86 server cores), where no plan says."""


def _folded(match: Match, context: RuleContext) -> str:
    powers = arithmetic.values_at(context, match, _powers)
    if context.compiler.level > 0 and all(_exponent(each) in (1, 2) for each in powers):
        return "compilers turn pow(x, 2) into a product with any flags"
    return ""


def _by_flags(match: Match, context: RuleContext) -> str:
    if arithmetic.folds(context.compiler):
        return f"{context.compiler} already expands the power"
    return ""


class PowConst(RuleDefaults):
    code = "RL204"
    slug = "pow-const"
    requires = (CodeFeature.CALL,)
    summary = "a library call for a small constant power"
    aliases = ("PWR031",)
    needs = ("core",)
    guards = (
        Guard("square", "the exponent is 2: every compiler folds it", _folded, structural=True),
        Guard("no-loop", "the call is in no loop", arithmetic.no_loop),
        Guard("fast-math", "the flags let the compiler expand the power", _by_flags),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """``pow`` with a whole or half exponent, one match a loop."""
        for place, powers in arithmetic.values_by_loop(context, _powers).items():
            yield _match(context, place, powers)


RULE = PowConst()


def _powers(statement: Statement) -> Iterator[int]:
    for number, value in enumerate(statement.values):
        if value.op == "call" and value.callee in POWERS and len(value.args) == 2:
            exponent = arithmetic.constant(statement, value.args[1])
            if exponent and abs(exponent) <= MAX_POWER and 2 * exponent % 1 == 0:
                yield number


def _exponent(power: arithmetic.LocatedValue) -> float:
    return arithmetic.constant(power.statement, power.value.args[1]) or 0.0


def _match(context: RuleContext, place: str, powers: list[arithmetic.LocatedValue]) -> Match:
    first = max(powers, key=lambda power: _exponent(power) not in (1, 2))
    plan = arithmetic.plan_at(context, place)
    cycles = arithmetic.call_cycles(plan.code, "pow") if plan is not None else 0.0
    cost = arithmetic.cycles_words(cycles) if cycles else TYPICAL_CYCLES
    call = arithmetic.text_of(first.statement, first.number)
    written = _product("x", _exponent(first))
    doubts = ("pow and sqrt differ at -0.0 and minus infinity",) if _exponent(first) % 1 else ()
    return Match(
        place,
        f"{call} calls the library for {cost} cycles per iteration",
        (
            Change(
                written,
                partial(expand_powers, loop=place),
                fix=partial(_fix, context, first),
                doubts=doubts,
                action=Action(ActionKind.OTHER, written),
            ),
        )
        if place
        else (),
        related=tuple([RelatedNode(p.statement.origin, "calls pow") for p in powers]),
        origin=-1 if place else first.statement.origin,
    )


def _product(base: str, exponent: float) -> str:
    """``x * x * x``, ``x * sqrt(x)``, ``1 / (x * x)``."""
    whole, half = divmod(abs(exponent), 1)
    factors = [base] * int(whole) + ([f"sqrt({base})"] if half else [])
    if exponent > 0:
        return " * ".join(factors)
    return f"1 / {factors[0]}" if len(factors) == 1 else f"1 / ({' * '.join(factors)})"


def _fix(context: RuleContext, power: arithmetic.LocatedValue, result: ChangedFunction) -> Fix:
    title, exponent = "expand the power", _exponent(power)
    text = EditableSource(context.text)
    tokens = text.tokens(context.source.spans[power.statement.origin])
    calls = [call for name in ("pow", "powf") for call in calls_of(tokens, name)]
    simple = [call for call in calls if _is_simple(call, exponent)]
    if len(simple) != 1 or power.value.type != "f64":
        return Fix("unsafe", title, sketch=_product("x", exponent))
    [call] = simple
    base = "".join([token.text for token in call.arguments[0]])
    span = text.span(call.name.start, call.end)
    return Fix("unsafe", title, (replace(span, f"({_product(base, exponent)})"),))


def _is_simple(call: CallText, exponent: float) -> bool:
    """Whether a call is of ``x`` or ``a[i]``, to a power that is written as this number."""
    if len(call.arguments) != 2:
        return False
    base, power = call.arguments
    plain = all(token.is_name or token.text in "[]" or token.text.isalnum() for token in base)
    written = "".join([token.text for token in power]).rstrip("fF")
    return bool(base) and plain and base[0].is_name and _number(written) == exponent


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
