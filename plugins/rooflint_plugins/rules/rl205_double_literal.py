from collections.abc import Iterator
from functools import partial

from rooflint.ir import Const, Statement
from rooflint.plugin_api.advice import Edit, Fix
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Guard,
    Match,
    RelatedNode,
    RuleContext,
)
from rooflint.rule_kit.arithmetic import LocatedValue, no_loop, operands, plan_at, values_by_loop
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.source_edit.edits import EditableSource, float_alias, replace
from rooflint.source_edit.tokens import is_double_literal
from rooflint.transform.narrowing import narrow, widened_values
from rooflint.transform.result import ChangedFunction


def _narrowed(match: Match, context: RuleContext) -> str:
    plan = plan_at(context, match.place)
    if plan is None or any(op.kind.startswith(("convert", "round")) for op in plan.code.operations):
        return ""
    return "the literals are exact floats, so the compiler computes in float"


class DoubleLiteral(RuleDefaults):
    code = "RL205"
    slug = "double-literal"
    requires = (CodeFeature.CONVERSION,)
    summary = "double literals make float arithmetic run in double"
    aliases = ("PWR044",)
    needs = ("core",)
    guards = (
        Guard("no-loop", "the expression is in no loop", no_loop),
        Guard("narrowed", "the compiler narrows it: one operation, an exact literal", _narrowed),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Expressions of floats and double literals that are turned back to float or compared."""
        for place, roots in values_by_loop(context, _roots).items():
            yield _match(place, roots, context)


RULE = DoubleLiteral()


def _roots(statement: Statement) -> Iterator[int]:
    if any(value.type == "f64" for value in statement.values):
        for root in widened_values(statement):
            if _literals(statement, root):
                yield root


def _literals(statement: Statement, root: int) -> list[Const]:
    """Doubles as they are written; whole numbers and floats take the type of the other operand."""
    values = [statement.values[number] for number in operands(statement, root)]
    consts = [value for value in values if value.op == "const" and value.type == "f64"]
    return [value for value in consts if is_double_literal(value.spelling)]


def _match(place: str, roots: list[LocatedValue], context: RuleContext) -> Match:
    literals = [v for r in roots for v in _literals(r.statement, r.number)]
    names = list(dict.fromkeys([literal.spelling for literal in literals]))
    verb = "makes" if len(names) == 1 else "make"
    shown = ", ".join(names[:2]) + (", ..." if len(names) > 2 else "")
    words = f"{names[0]}f" if len(names) == 1 else "writing them as floats"
    change = Change(
        words,
        partial(narrow, loop=place),
        fix=partial(_fix, context, roots),
        action=Action(ActionKind.OTHER, words),
    )
    return Match(
        place,
        f"{shown} {verb} {_cost(roots)} per iteration",
        (change,) if place else (),
        related=tuple([RelatedNode(root.statement.origin, "computed in double") for root in roots]),
        origin=-1 if place else roots[0].statement.origin,
    )


def _cost(roots: list[LocatedValue]) -> str:
    values = [r.statement.values[n] for r in roots for n in operands(r.statement, r.number)]
    doubles = [value for value in values if value.type == "f64"]
    count = sum(bool(value.args) and value.op != "convert" for value in doubles)
    conversions = sum(value.op == "convert" for value in doubles) + len(roots)
    operations = f"{count} float operation{'s' if count != 1 else ''}"
    computed = f"{operations} in double" if count else "a float comparison in double"
    return f"{computed}, {conversions} conversions"


def _fix(context: RuleContext, roots: list[LocatedValue], result: ChangedFunction) -> Fix:
    """A suffix at each literal; a file that gives float another name has its literals cast."""
    text = EditableSource(context.text)
    alias = float_alias(text)
    edits: dict[Edit, None] = {}
    title = "float literals"
    for root in roots:
        tokens = text.tokens(context.source.spans[root.statement.origin])
        for literal in {value.spelling for value in _literals(root.statement, root.number)}:
            places = [token for token in tokens if token.text == literal]
            if not places:
                return Fix("unsafe", title, sketch=f"{literal}f")
            new = f"({alias}){literal}" if alias else f"{literal}f"
            edits.update({replace(text.span(each.start, each.end), new): None for each in places})
    return Fix("unsafe", title, tuple(sorted(edits)))
