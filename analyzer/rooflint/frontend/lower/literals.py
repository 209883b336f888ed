"""Literals and constant expressions."""

import math
import re

from rooflint.frontend.lower.state.constants import in_type, literal_value
from rooflint.frontend.lower.state.context import Context, Operand
from rooflint.frontend.lower.state.dispatch import evaluates, opaque
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import ONE, ZERO, Const, Poly

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*$")


def constant(context: Context, key: int, tree: Tree) -> Poly | None:
    """The value of the constant that ``tree`` names; ``key`` is its declaration's."""
    known = context.unit.constants
    if key not in known:
        known[key] = evaluate_integer(context, tree)
    found = known[key]
    return None if found is None else Poly.constant(found)


def evaluate_integer(context: Context, tree: Tree) -> int | None:
    """The integer libclang folds a constant expression to, or None."""
    clang = context.clang
    result = clang.Cursor_Evaluate(tree[1])
    if not result:
        return None
    number = (
        clang.EvalResult_getAsLongLong(result) if clang.EvalResult_getKind(result) == 1 else None
    )
    clang.EvalResult_dispose(result)
    return number


@evaluates(kinds.INTEGER)
def _integer(context: Context, tree: Tree) -> Operand:
    text = context.unit.source.text(tree[1])
    known = context.unit.literals.get(text)
    if known is not None:
        return known
    if text.isdigit() and (text[0] != "0" or text == "0"):
        known = context.unit.literals[text] = Poly.constant(int(text))
        return known
    match = _INTEGER.match(text)
    if match is None:
        number = evaluate_integer(context, tree)
        return opaque(context, tree) if number is None else Poly.constant(number)
    digits = match[1].replace("'", "")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    return Poly.constant(int(digits, 8 if octal else 0))


@evaluates(kinds.CHARACTER, kinds.SIZEOF)
def evaluated(context: Context, tree: Tree) -> Operand:
    """What libclang folds: character literals, sizeof, alignof."""
    number = evaluate_integer(context, tree)
    if number is not None:
        return Poly.constant(number)
    if tree[0] == kinds.SIZEOF:
        return context.size("".join(context.unit.source.text(tree[1]).split()) or "sizeof")
    return opaque(context, tree)


@evaluates(kinds.BOOL_LITERAL)
def _boolean(context: Context, tree: Tree) -> Operand:
    return ONE if context.unit.source.text(tree[1]) == "true" else ZERO


@evaluates(kinds.FLOATING)
def _floating(context: Context, tree: Tree) -> Operand:
    text = context.unit.source.text(tree[1])
    if text:
        type_ = {"f": "f32", "F": "f32", "l": "f80", "L": "f80"}.get(text[-1], "f64")
        hexadecimal = text[:2] in ("0x", "0X")
        type_ = "f64" if hexadecimal and "p" not in text.lower() else type_
        return context.emit(Const(type=type_, spelling=text, number=literal_value(text)))
    type_ = context.unit.types.of_cursor(tree[1]).ir
    result = context.clang.Cursor_Evaluate(tree[1])
    number = context.clang.EvalResult_getAsDouble(result) if result else math.nan
    if result:
        context.clang.EvalResult_dispose(result)
    spelling = repr(number) if result else "?"
    return context.emit(Const(type=type_, spelling=spelling, number=in_type(number, type_)))


@evaluates(kinds.STRING)
def _string(context: Context, tree: Tree) -> Operand:
    return context.emit(Const(type="ptr", spelling="string"))
