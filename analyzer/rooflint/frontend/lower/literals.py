"""Literals and constant expressions."""

import math

from rooflint.frontend.lower.state.constants import in_type, literal_value
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import evaluates, opaque, operand
from rooflint.frontend.lower.state.operands import Operand
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.folding import folded_integer
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ONE, ZERO, Const, Poly
from rooflint.startup.late_pattern import late_pattern

_INTEGER = late_pattern(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*$")


def constant(context: LoweringContext, key: int, tree: SyntaxTree) -> Poly | None:
    """The value of the constant that ``tree`` names; ``key`` is its declaration's."""
    constants = context.unit.constants
    if key in constants.integers:
        number = constants.integers[key]
    else:
        number = constants.enter_integer(key, evaluate_integer(context, tree))
    return None if number is None else Poly.constant(number)


def evaluate_integer(context: LoweringContext, tree: SyntaxTree) -> int | None:
    """The integer libclang folds a constant expression to, or None."""
    return folded_integer(context.unit.clang, tree.cursor)


def is_line_argument(context: LoweringContext, argument: SyntaxTree) -> bool:
    """Whether an argument of a call is ``__LINE__``, as ``assert`` hands it over.

    No time depends on it, and a function that moves has to stay the same.
    """
    bare = argument
    while bare.kind in kinds.CASTS and len(bare.children) == 1:
        bare = bare.children[0]
    if bare.kind != kinds.INTEGER or context.unit.source.text(bare.cursor):
        return False
    number = evaluate_integer(context, bare)
    return number is not None and context.unit.source.is_line_number(bare.cursor, number)


def passed_operand(context: LoweringContext, argument: SyntaxTree) -> Operand:
    """An argument of a call; ``__LINE__`` is the first line."""
    return ONE if is_line_argument(context, argument) else operand(context, argument)


@evaluates(kinds.INTEGER)
def _integer(context: LoweringContext, tree: SyntaxTree) -> Operand:
    text = context.unit.source.text(tree.cursor)
    constants = context.unit.constants
    poly = constants.literals.get(text)
    if poly is not None:
        return poly
    if text.isdigit() and (text[0] != "0" or text == "0"):
        return constants.enter_literal(text, Poly.constant(int(text)))
    match = _INTEGER.match(text)
    if match is None:
        number = evaluate_integer(context, tree)
        return opaque(context, tree) if number is None else Poly.constant(number)
    digits = match[1].replace("'", "")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    return Poly.constant(int(digits, 8 if octal else 0))


@evaluates(kinds.CHARACTER, kinds.SIZEOF)
def constant_operand(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """Constants that libclang folds: character literals, sizeof, alignof."""
    number = evaluate_integer(context, tree)
    if number is not None:
        return Poly.constant(number)
    if tree.kind == kinds.SIZEOF:
        return context.symbols.size(
            "".join(context.unit.source.text(tree.cursor).split()) or "sizeof"
        )
    return opaque(context, tree)


@evaluates(kinds.BOOL_LITERAL)
def _boolean(context: LoweringContext, tree: SyntaxTree) -> Operand:
    return ONE if context.unit.source.text(tree.cursor) == "true" else ZERO


@evaluates(kinds.FLOATING)
def _floating(context: LoweringContext, tree: SyntaxTree) -> Operand:
    text = context.unit.source.text(tree.cursor)
    if text:
        type_ = {"f": "f32", "F": "f32", "l": "f80", "L": "f80"}.get(text[-1], "f64")
        hexadecimal = text[:2] in ("0x", "0X")
        type_ = "f64" if hexadecimal and "p" not in text.lower() else type_
        return context.emit(Const(type=type_, spelling=text, number=literal_value(text)))
    type_ = context.unit.types.of_cursor(tree.cursor).ir
    result = context.unit.clang.Cursor_Evaluate(tree.cursor)
    number = context.unit.clang.EvalResult_getAsDouble(result) if result else math.nan
    if result:
        context.unit.clang.EvalResult_dispose(result)
    spelling = repr(number) if result else "?"
    return context.emit(Const(type=type_, spelling=spelling, number=in_type(number, type_)))


@evaluates(kinds.STRING)
def _string(context: LoweringContext, tree: SyntaxTree) -> Operand:
    return context.emit(Const(type="ptr", spelling="string"))
