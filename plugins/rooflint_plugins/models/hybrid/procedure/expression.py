"""Arithmetic in procedure files: parsed against a whitelist, never evaluated as Python.

Numbers, names, ``+ - * / **``, unary minus and ``log2 ceil floor min max sqrt``. Values are floats,
so no exponent can make a number that fills the memory.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import TypeAlias

from rooflint.records import NamedTuple

MAX_LENGTH = 2000
MAX_DEPTH = 60

Tree: TypeAlias = "Number | Symbol | Apply"


class ExpressionError(ValueError):
    """Text that is not an expression, or one without a value; its text says why."""


class Number(NamedTuple):
    """A literal."""

    value: float


class Symbol(NamedTuple):
    """A symbol."""

    text: str


class Apply(NamedTuple):
    """``op`` (``+ - * / **``, ``neg``, or a function's name) of ``args``."""

    op: str
    args: tuple[Tree, ...]


class ParsedExpression(NamedTuple):
    """A parsed expression; ``text`` as written."""

    text: str
    tree: Tree

    def names(self) -> frozenset[str]:
        """The symbols it needs."""
        return frozenset(_names(self.tree))

    def value(self, symbols: Mapping[str, float]) -> float:
        """Its value; raises ExpressionError for an unbound symbol or an impossible operation."""
        try:
            if isinstance(self.tree, Number):
                result = self.tree.value
            else:
                result = _program(self.text)(symbols)
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError(f"'{self.text}' has no value: {error}") from None
        if not math.isfinite(result):
            raise ExpressionError(f"'{self.text}' has no value: {result}")
        return result


def _log2(value: float) -> float:
    if value <= 0:
        raise ExpressionError(f"log2 of {value:g}")
    return math.log2(value)


def _power(base: float, exponent: float) -> float:
    result = base**exponent
    if isinstance(result, complex):
        raise ExpressionError(f"{base:g} to the power {exponent:g}")
    return float(result)


FUNCTIONS: dict[str, Callable[..., float]] = {
    "log2": _log2,
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "min": min,
    "max": max,
}
_ARGUMENTS = dict.fromkeys(("log2", "ceil", "floor", "sqrt"), (1, 1)) | {
    "min": (2, 16),
    "max": (2, 16),
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
_MEANING: dict[str, Callable[..., float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": _power,
    "neg": operator.neg,
    **FUNCTIONS,
}


def parse(text: str | float) -> ParsedExpression:
    """The expression in ``text``; raises ExpressionError for anything outside the whitelist."""
    if isinstance(text, int | float):
        return ParsedExpression(f"{text:.15g}", Number(float(text)))
    return _parsed(text)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ParsedExpression:
    """Kept: a nest is derived again at other sizes, and then most of its texts are the same."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"expression of {len(text)} characters, {MAX_LENGTH} are read")
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"'{text[:60]}' is not an expression") from None
    return ParsedExpression(text.strip(), _tree(body, text, 0))


def _tree(node: ast.expr, text: str, depth: int) -> Tree:
    if depth > MAX_DEPTH:
        raise ExpressionError(f"'{text[:60]}' is nested more than {MAX_DEPTH} levels deep")
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            try:
                return Number(float(value))
            except OverflowError:
                raise ExpressionError(f"a number of '{text[:60]}' is too large") from None
        case ast.Name(id=name) if name not in FUNCTIONS:
            return Symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Apply("neg", (_tree(operand, text, depth + 1),))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _tree(operand, text, depth + 1)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            sides = (_tree(left, text, depth + 1), _tree(right, text, depth + 1))
            return Apply(_OPERATORS[type(sign)], sides)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            least, most = _ARGUMENTS[name]
            if not least <= len(args) <= most:
                expected = f"{least}" if least == most else f"{least} or more"
                raise ExpressionError(f"{name} takes {expected} arguments, got {len(args)}")
            return Apply(name, tuple([_tree(arg, text, depth + 1) for arg in args]))
    raise ExpressionError(f"'{_shown(node)}' is not allowed, {_ALLOWED}")


_ALLOWED = f"expected numbers, names, + - * / ** and {', '.join(FUNCTIONS)}"


def _shown(node: ast.expr) -> str:
    return ast.unparse(node)[:60]


def _names(tree: Tree) -> Iterator[str]:
    if isinstance(tree, Symbol):
        yield tree.text
    elif isinstance(tree, Apply):
        for arg in tree.args:
            yield from _names(arg)


_Program: TypeAlias = Callable[[Mapping[str, float]], float]


@lru_cache(maxsize=1024)
def _program(text: str) -> _Program:
    return _compiled(_parsed(text).tree)


def _compiled(tree: Tree) -> _Program:
    if isinstance(tree, Number):
        number = tree.value
        return lambda symbols: number
    if isinstance(tree, Symbol):
        return partial(_symbol, tree.text)
    meaning = _MEANING[tree.op]
    args = [_compiled(arg) for arg in tree.args]
    if len(args) == 2:
        left, right = args
        return lambda symbols: meaning(left(symbols), right(symbols))
    return lambda symbols: meaning(*[arg(symbols) for arg in args])


def _symbol(name: str, symbols: Mapping[str, float]) -> float:
    try:
        return float(symbols[name])
    except KeyError:
        raise UnboundError(name) from None


class UnboundError(ExpressionError):
    """A symbol without a value; ``name`` is the symbol."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown symbol '{name}'")
        self.name = name
