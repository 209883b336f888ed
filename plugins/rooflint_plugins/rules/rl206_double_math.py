from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.core.vectorize.target import vector_target
from rooflint.ir import Statement, Value
from rooflint.library.mathematics import ROUNDING
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
from rooflint.rule_kit.arithmetic import (
    FLOATS,
    LocatedValue,
    no_loop,
    operands,
    text_of,
    values_at,
    values_by_loop,
)
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.source_edit.edits import EditableSource, replace
from rooflint.source_edit.tokens import calls_of
from rooflint.transform.narrowing import narrow, widened_values
from rooflint.transform.result import ChangedFunction

OPERATIONS: Final = {"sqrt": "sqrt", "abs": "fabs", "min": "fmin", "max": "fmax"}
"""Functions that are one operation, by the IR's name."""
EXACT: Final = frozenset((*OPERATIONS.values(), *ROUNDING))
"""Of a float, the double result is a float: compilers call the float function themselves."""


def _exact(match: Match, context: RuleContext) -> str:
    names = {_name(call.value) for call in values_at(context, match, _calls)}
    if names <= EXACT:
        return f"{', '.join(sorted(names))} round exactly: compilers compute in float themselves"
    return ""


def _by_flags(match: Match, context: RuleContext) -> str:
    if context.compiler.narrows_calls:
        return f"{context.compiler} calls the float functions itself"
    return ""


def _waits_for_calls(match: Match, context: RuleContext) -> str:
    target = vector_target(context.machine, context.compiler)
    if not context.compiler.traits.chains_conversions or not target.x86 or target.legacy:
        return ""
    if not any(_is_of_integer(call) for call in values_at(context, match, _calls)):
        return ""
    return f"{context.compiler} makes calls of a float function wait for each other"


def _is_of_integer(call: LocatedValue) -> bool:
    """Whether the argument of a call is computed of an integer that is converted in the loop."""
    values = call.statement.values
    made = [values[number] for number in operands(call.statement, call.number)]
    converted = [value for value in made if value.op == "convert" and value.type in FLOATS]
    return any(values[each.args[0]].type[:1] in ("i", "u") for each in converted)


class DoubleMath(RuleDefaults):
    code = "RL206"
    slug = "double-math"
    requires = (CodeFeature.CONVERSION,)
    summary = "a double function is called with a float, and its result becomes a float"
    aliases = ("PWR032",)
    needs = ("core",)
    guards = (
        Guard(
            "exactly-rounded", "sqrt, fabs, floor and similar functions", _exact, structural=True
        ),
        Guard("no-loop", "the call is in no loop", no_loop),
        Guard("fast-math", "gcc with -ffast-math calls the float function", _by_flags),
        Guard("waits-for-calls", "clang with AVX converts an integer for the call",
              _waits_for_calls),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Calls between a widened float and the conversion back."""
        for place, calls in values_by_loop(context, _calls).items():
            yield _match(context, place, calls)


RULE = DoubleMath()


def _calls(statement: Statement) -> Iterator[int]:
    values = statement.values
    if not any(value.type == "f64" and _is_function(value) for value in values):
        return
    inside = {number for root in widened_values(statement) for number in operands(statement, root)}
    yield from [n for n in sorted(inside) if _is_function(values[n])]


def _is_function(value: Value) -> bool:
    return value.op == "call" or value.op in OPERATIONS


def _name(value: Value) -> str:
    if value.op != "call":
        return OPERATIONS[value.op]
    return value.callee.rpartition("::")[2].removeprefix("__builtin_")


def _match(context: RuleContext, place: str, calls: list[LocatedValue]) -> Match:
    slow = [call for call in calls if _name(call.value) not in EXACT] or calls
    names = list(dict.fromkeys([_name(call.value) for call in slow]))
    wanted = ", ".join([f"{name}f" for name in names])
    first = slow[0]
    return Match(
        place,
        f"{text_of(first.statement, first.number, 2)} computes in double from floats to a float",
        (
            Change(
                f"{wanted}()",
                partial(narrow, loop=place),
                fix=partial(_fix, context, slow),
                action=Action(ActionKind.OTHER, f"{wanted}()"),
            ),
        )
        if place
        else (),
        related=tuple([RelatedNode(c.statement.origin, f"calls {_name(c.value)}") for c in slow]),
        origin=-1 if place else first.statement.origin,
    )


def _fix(context: RuleContext, calls: list[LocatedValue], result: ChangedFunction) -> Fix:
    title = "call the float function"
    text = EditableSource(context.text)
    edits: dict[Edit, None] = {}
    for call in calls:
        name = _name(call.value)
        tokens = text.tokens(context.source.spans[call.statement.origin])
        names = [each.name for each in calls_of(tokens, name)]
        if not names:
            return Fix("unsafe", title, sketch=f"{name}f(...)")
        edits.update({replace(text.span(n.start, n.end), f"{name}f"): None for n in names})
    return Fix("unsafe", title, tuple(sorted(edits)))
