"""RL204: a library call for a small constant power."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final, Literal, NamedTuple

from rooflint.advice import Edit, Fix
from rooflint.editing import Text
from rooflint.expressions import (
    call_cycles,
    constant,
    cycles_words,
    folds,
    plan_of,
    statements_in_loops,
    text_of,
)
from rooflint.ir import Loop, Statement
from rooflint.matching import kernels_in, place_of
from rooflint.rule import Change, Guard, Match, RelatedNode, RuleContext
from rooflint.transform import Transformed, expand_powers
from rooflint.transform.arithmetic import MAX_POWER, POWERS

TYPICAL_CYCLES: Final = "36"
"""Of one call of pow in a loop (glibc on x86 server cores), where no plan says."""


class _Power(NamedTuple):
    statement: Statement
    number: int
    exponent: float
    loop: Loop | None


def _folded(match: Match, context: RuleContext) -> str:
    powers = [p for p in _powers(context) if _place(context, p) == match.place]
    if context.compiler.level > 0 and all(p.exponent in (1, 2) for p in powers):
        return "compilers make a product of pow(x, 2), whatever the flags"
    return ""


def _by_flags(match: Match, context: RuleContext) -> str:
    if folds(context.compiler):
        return f"{context.compiler} multiplies out already"
    return ""


def _once(match: Match, context: RuleContext) -> str:
    return "" if match.place else "it stands in no loop and runs once a call"


class PowConst:
    """A power that a few multiplications give goes through logarithm and exponential."""

    code = "RL204"
    slug = "pow-const"
    summary = "a library call for a small constant power"
    aliases = ("PWR031",)
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (
        Guard("square", "the exponent is 2: every compiler folds it", _folded, structural=True),
        Guard("no-loop", "the call stands in no loop", _once),
        Guard("fast-math", "the flags let the compiler multiply out", _by_flags),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """``pow`` with a whole or half exponent, one match a loop."""
        found: dict[str, list[_Power]] = {}
        for power in _powers(context):
            found.setdefault(_place(context, power), []).append(power)
        for place, powers in found.items():
            yield _match(context, place, powers)


RULE = PowConst()


def _powers(context: RuleContext) -> Iterator[_Power]:
    for statement, loops in statements_in_loops(context.function):
        for number, value in enumerate(statement.values):
            if value.op != "call" or value.name not in POWERS or len(value.args) != 2:
                continue
            exponent = constant(statement, value.args[1])
            if exponent and abs(exponent) <= MAX_POWER and 2 * exponent % 1 == 0:
                yield _Power(statement, number, exponent, loops[-1] if loops else None)


def _place(context: RuleContext, power: _Power) -> str:
    return place_of(context, power.loop) if power.loop is not None else ""


def _match(context: RuleContext, place: str, powers: list[_Power]) -> Match:
    first = max(powers, key=lambda power: power.exponent not in (1, 2))
    kernels = kernels_in(context, place) if place else []
    plan = plan_of(context, kernels[0]) if kernels else None
    cycles = call_cycles(plan.code, "pow") if plan is not None else 0.0
    cost = cycles_words(cycles) if cycles else TYPICAL_CYCLES
    call = text_of(first.statement, first.number)
    written = _product("x", first.exponent)
    doubts = ("pow and sqrt differ at -0.0 and minus infinity",) if first.exponent % 1 else ()
    return Match(
        place,
        f"{call} goes through the library for {cost} cycles per iteration",
        (
            Change(
                written,
                partial(expand_powers, loop=place),
                fix=partial(_fix, context, first),
                doubts=doubts,
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


def _fix(context: RuleContext, power: _Power, result: Transformed) -> Fix:
    title = "multiply out"
    span = context.source.spans[power.statement.origin]
    text = Text(context.text)
    kind = power.statement.values[power.number].type
    simple = r"\bpow[f]?\s*\(\s*([A-Za-z_]\w*(?:\[\w+\])*)\s*,\s*([-+]?[\d.]+)[fF]?\s*\)"
    found = [m for m in re.finditer(simple, text.within(span)) if float(m[2]) == power.exponent]
    if len(found) != 1 or kind != "f64":
        return Fix("unsafe", title, sketch=_product("x", power.exponent))
    start = text.offset(span.line, span.column)
    begin = start + len(text.within(span)[: found[0].start()].encode())
    end = begin + len(found[0][0].encode())
    product = _product(found[0][1], power.exponent)
    return Fix("unsafe", title, (Edit(*text.place(begin), *text.place(end), f"({product})"),))
