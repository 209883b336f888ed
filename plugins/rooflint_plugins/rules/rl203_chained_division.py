"""RL203: two divisions where one and a multiplication give the same."""

from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple

from rooflint.advice import Fix
from rooflint.expressions import (
    FLOATS,
    behind_memory,
    busy_cycles,
    cycles_words,
    folds,
    plan_of,
    statements_in_loops,
    text_of,
)
from rooflint.ir import Loop, Statement
from rooflint.matching import kernels_in, place_of
from rooflint.rule import Change, Guard, Match, RelatedNode, RuleContext
from rooflint.transform import Transformed, merge_divisions
from rooflint.transform.graph import uses


class _Pair(NamedTuple):
    """A quotient made of a quotient, or a sum of two."""

    statement: Statement
    number: int
    loop: Loop | None

    @property
    def chained(self) -> bool:
        return self.statement.values[self.number].op == "div"


def _by_flags(match: Match, context: RuleContext) -> str:
    pairs = [p for p in _pairs(context) if _place(context, p) == match.place]
    if folds(context.compiler) and all(p.chained for p in pairs):
        return f"{context.compiler} divides once already"
    return ""


def _once(match: Match, context: RuleContext) -> str:
    return "" if match.place else "it stands in no loop and runs once a call"


def _hidden(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[0]
    link = behind_memory(context, facts)
    return f"transfers over {link} decide, the divisions fit behind them" if link else ""


class ChainedDivision:
    """The divider is the slowest unit that a core has; two quotients often need it once."""

    code = "RL203"
    slug = "chained-division"
    summary = "two divisions where one and a multiplication do"
    aliases = ("PWR046",)
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (
        Guard("no-loop", "the expression stands in no loop", _once),
        Guard("fast-math", "the flags let the compiler do it", _by_flags),
        Guard("memory-bound", "transfers take longer than the divisions", _hidden),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """``a/b/c``, ``a/(b/c)`` and ``a/b + c/d``, one match a loop."""
        found: dict[str, list[_Pair]] = {}
        for pair in _pairs(context):
            found.setdefault(_place(context, pair), []).append(pair)
        for place, pairs in found.items():
            yield _match(context, place, pairs)


RULE = ChainedDivision()


def _pairs(context: RuleContext) -> Iterator[_Pair]:
    for statement, loops in statements_in_loops(context.function):
        divisions = {n for n, v in enumerate(statement.values) if v.op == "div"}
        if len(divisions) < 2:
            continue
        used = uses(statement)
        for number, value in enumerate(statement.values):
            if value.type not in FLOATS:
                continue
            inner = [a for a in value.args if a in divisions and used[a] == 1]
            if (value.op == "div" and inner) or (value.op in ("add", "sub") and len(inner) == 2):
                yield _Pair(statement, number, loops[-1] if loops else None)


def _place(context: RuleContext, pair: _Pair) -> str:
    return place_of(context, pair.loop) if pair.loop is not None else ""


def _match(context: RuleContext, place: str, pairs: list[_Pair]) -> Match:
    first = pairs[0]
    said = text_of(first.statement, first.number).removeprefix("(").removesuffix(")")
    kernels = kernels_in(context, place) if place else []
    plan = plan_of(context, kernels[0]) if kernels else None
    cost = ""
    if plan is not None and (busy := busy_cycles(plan.code, "div")):
        cost = f": the divider is busy for {cycles_words(busy)} cycles per iteration"
    return Match(
        place,
        f"{said} divides twice{cost}",
        (
            Change(
                "one division and a multiplication",
                partial(merge_divisions, loop=place),
                fix=partial(_fix, first),
                doubts=("the product of the divisors must not overflow or vanish",),
            ),
        )
        if place
        else (),
        related=tuple([RelatedNode(p.statement.origin, "divides twice") for p in pairs]),
        origin=-1 if place else first.statement.origin,
    )


def _fix(pair: _Pair, result: Transformed) -> Fix:
    written = "a / b / c -> a / (b * c)\na / (b / c) -> a * c / b"
    if not pair.chained:
        written = "a / b + c / d -> (a * d + c * b) / (b * d)"
    return Fix("unsafe", "divide once", sketch=written)
