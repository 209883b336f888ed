"""RL205: literals without a suffix turn float arithmetic into double arithmetic."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final, Literal

from rooflint.ir import Const, Statement
from rooflint.plugin_api.advice import Edit, Fix
from rooflint.plugin_api.rule import Change, Guard, Match, RelatedNode, RuleContext
from rooflint.rule_kit.arithmetic import Picked, no_loop, picked, plan_at, tree
from rooflint.source_edit.edits import Text
from rooflint.transform import Transformed, narrow
from rooflint.transform.narrowing import widened


def _narrowed(match: Match, context: RuleContext) -> str:
    plan = plan_at(context, match.place)
    if plan is None or any(op.kind.startswith("convert") for op in plan.code.operations):
        return ""
    return "the literals are floats exactly, and the compiler computes in float"


class DoubleLiteral:
    """Half as many lanes, and two conversions for each value, for digits that are thrown away."""

    code = "RL205"
    slug = "double-literal"
    summary = "double literals make float arithmetic run in double"
    aliases = ("PWR044",)
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (
        Guard("no-loop", "the expression stands in no loop", no_loop),
        Guard("narrowed", "the compiler narrows it: one operation, an exact literal", _narrowed),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Expressions of floats and double literals that are turned back to float or compared."""
        for place, roots in picked(context, _roots).items():
            yield _match(place, roots, context)


RULE = DoubleLiteral()


def _roots(statement: Statement) -> Iterator[int]:
    if any(value.type == "f64" for value in statement.values):
        for root in widened(statement):
            if _literals(statement, root):
                yield root


def _literals(statement: Statement, root: int) -> list[Const]:
    """Doubles as they are written; whole numbers and floats take the type of the other operand."""
    consts = [v for v in tree(statement, root) if v.op == "const" and v.type == "f64"]
    return [v for v in consts if _DOUBLE.fullmatch(v.spelling)]


_DOUBLE: Final = re.compile(r"[\d']*(?:\.[\d']*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)")
"""A decimal number with a point or an exponent, and no suffix."""


def _match(place: str, roots: list[Picked], context: RuleContext) -> Match:
    values = [v for r in roots for v in tree(r.statement, r.number) if v.type == "f64"]
    names = list(
        dict.fromkeys([v.spelling for r in roots for v in _literals(r.statement, r.number)])
    )
    count = sum(bool(value.args) and value.op != "convert" for value in values)
    conversions = sum(value.op == "convert" for value in values) + len(roots)
    operations = f"{count} float operation{'s' if count != 1 else ''}"
    compared = f"{operations} in double" if count else "a float comparison in double"
    shown = ", ".join(names[:2]) + (", ..." if len(names) > 2 else "")
    words = f"{names[0]}f" if len(names) == 1 else "writing them as floats"
    return Match(
        place,
        f"{shown} {'makes' if len(names) == 1 else 'make'} {compared}, {conversions} conversions"
        " per iteration",
        (Change(words, partial(narrow, loop=place), fix=partial(_fix, context, roots)),)
        if place
        else (),
        related=tuple([RelatedNode(root.statement.origin, "computed in double") for root in roots]),
        origin=-1 if place else roots[0].statement.origin,
    )


_ALIAS = re.compile(r"\btypedef\s+float\s+(\w+)|\busing\s+(\w+)\s*=\s*float\b")


def _fix(context: RuleContext, roots: list[Picked], result: Transformed) -> Fix:
    """A suffix at each literal; a file that gives float another name has its literals cast."""
    alias = _ALIAS.search(context.text)
    text = Text(context.text)
    edits: dict[Edit, None] = {}
    title = "float literals"
    for root in roots:
        span = context.source.spans[root.statement.origin]
        start, behind = text.ends(span)
        code = text.blank[start:behind].decode()
        for literal in {value.spelling for value in _literals(root.statement, root.number)}:
            found = list(re.finditer(rf"(?<![\w.]){re.escape(literal)}(?![\w.])", code))
            if not found:
                return Fix("unsafe", title, sketch=f"{literal}f")
            for each in found:
                at, end = (text.place(start + place) for place in each.span())
                new = f"({alias[1] or alias[2]}){literal}" if alias else f"{literal}f"
                edits[Edit(*at, *end, new)] = None
    return Fix("unsafe", title, tuple(sorted(edits)))
