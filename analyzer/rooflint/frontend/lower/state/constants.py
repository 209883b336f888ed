"""Floating-point expressions of constants, which compilers evaluate: no loop computes them.

Arithmetic on literals becomes one literal. A call of a function that both gcc and clang evaluate
becomes a constant with the call's text: its last bit is the compiler's business. Variables that are
never assigned count as the constants they begin with inside such a call.
"""

import math
from collections.abc import Callable
from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.parse import kinds
from rooflint.ir import Value
from rooflint.ir.mathematics import evaluate, to_float
from rooflint.records import NamedTuple

EVALUATED: Final = frozenset(
    """
    pow sqrt exp exp2 log log2 log10 sin cos tan asin acos sinh cosh fmod floor ceil trunc round
    rint abs max min copysign fma
    """.split()
)
"""Calls that gcc 12 and clang 14 fold from -O1 on (``tests/frontend/test_constants.py`` compiles
each). ``core.folding`` knows what gcc alone does."""
SUFFIXES: Final = {"f32": "f", "f64": ""}
SPELLED: Final = {"abs": "fabs", "max": "fmax", "min": "fmin"}


class Constant(NamedTuple):
    """A constant's value, as exact as needed to tell errors, and its text in C."""

    value: float
    text: str


def evaluated_call(
    context: LoweringContext, name: str, type_: str, args: tuple[int, ...]
) -> str | None:
    """The text of a call whose arguments are constants; None where it is made at run time.

    Errors of domain and range set ``errno``, so compilers keep such calls.
    """
    if name not in EVALUATED or type_ not in SUFFIXES:
        return None
    constants = [constant_of(context, number) for number in args]
    known = [constant for constant in constants if constant is not None]
    if len(known) < len(constants) or not known:
        return None
    value = evaluate(name, [constant.value for constant in known])
    if value is None:
        return None
    text = f"{SPELLED.get(name, name)}{SUFFIXES[type_]}({', '.join(c.text for c in known)})"
    context.unit.constants.enter_call(text, value)
    return text


def constant_of(context: LoweringContext, number: int) -> Constant | None:
    """The constant of a value that is known before the program runs."""
    value = context.statement.values[number]
    if value.type not in SUFFIXES:
        return None
    if value.op == "const":
        known = context.unit.constants.evaluated.get(value.spelling)
        return _literal(value) if known is None else Constant(known, value.spelling)
    if value.op == "scalar":
        return _variable(context, value.name, value.type)
    if value.op in ("neg", "convert"):
        inner = constant_of(context, value.args[0])
        if inner is None:
            return None
        if value.op == "neg":
            return Constant(-inner.value, f"-{inner.text}")
        rounded = _rounded(inner.value, value.type)
        return None if rounded is None else Constant(rounded, _text(rounded, value.type))
    return None


def evaluated_arithmetic(
    context: LoweringContext, op: str, type_: str, args: tuple[int, int]
) -> Constant | None:
    """The literal that arithmetic on two literals gives; None where it is not one.

    The operations are exact to the last bit in IEEE 754, so the literal stands for them.
    """
    if type_ not in SUFFIXES:
        return None
    left, right = (_literal(context.statement.values[a]) for a in args)
    if left is None or right is None or (op == "div" and not right.value):
        return None
    exact = _ARITHMETIC[op](left.value, right.value) if op in _ARITHMETIC else math.nan
    rounded = _rounded(exact, type_)
    return None if rounded is None else Constant(rounded, _text(rounded, type_))


_ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}
"""In double: rounded to float it is what float arithmetic gives (Figueroa, When is double rounding
innocuous?, 1995)."""


def _literal(value: Value) -> Constant | None:
    if value.op != "const" or value.number is None:
        return None
    number = float(value.number)
    return Constant(number, _text(number, value.type))


def literal_value(text: str) -> float | None:
    """The value of a floating literal of C in its own type; None for what is none."""
    hexadecimal = text[:2] in ("0x", "0X")
    digits = text.rstrip("fFlL").replace("'", "")
    try:
        number = float.fromhex(digits) if hexadecimal else float(digits)
    except (ValueError, OverflowError):
        return None
    return _rounded(number, "f32" if text[-1] in "fF" else "f64")


def in_type(number: int | float | None, type_: str) -> int | float | None:
    """A constant converted to a type; None if it has no value there."""
    if number is None or not math.isfinite(number):
        return None
    if type_[0] in "iu":
        return int(number)
    if type_ == "bool":
        return int(number != 0)
    try:
        return _rounded(float(number), type_)
    except OverflowError:
        return None


def _rounded(number: float, type_: str) -> float | None:
    if type_ == "f32":
        return to_float(number)
    return number if math.isfinite(number) else None


def _text(number: float, type_: str) -> str:
    return f"{number!r}{SUFFIXES[type_]}"


def _variable(context: LoweringContext, name: str, type_: str) -> Constant | None:
    """The value of a variable that keeps the constant it is declared with."""
    decl = context.variables.variable_named(name)
    if decl is None or decl.kind != kinds.VARIABLE or not _keeps_its_value(context, decl):
        return None
    constants = context.unit.constants
    number = constants.floats.get(decl.key)
    if number is None:
        number = constants.enter_float(decl.key, _initial(context, decl))
    rounded = _rounded(number, type_)
    return None if rounded is None else Constant(rounded, _text(rounded, type_))


def _keeps_its_value(context: LoweringContext, decl: Decl) -> bool:
    """Whether nothing assigns a variable; in C++, where references may, only one that is const."""
    type_ = context.unit.clang.getCursorType(decl.cursor)
    if decl.ctype.reference or context.unit.clang.isVolatileQualifiedType(type_):
        return False
    if decl.ctype.const:
        return True
    if not context.unit.is_c or context.inlining.callees or context.function.tree is None:
        return False
    extent = context.unit.source.extent
    begin, end = extent(context.function.tree.cursor)
    own = begin <= extent(decl.cursor)[0] < end
    return own and decl.key not in context.effects.assigned(context.function.tree)


def _initial(context: LoweringContext, decl: Decl) -> float:
    """The initialiser as libclang evaluates it; not a number if it cannot."""
    clang = context.unit.clang
    result = clang.Cursor_Evaluate(decl.cursor)
    if not result:
        return math.nan
    floating = clang.EvalResult_getKind(result) == kinds.EVALUATED_FLOAT
    number = clang.EvalResult_getAsDouble(result) if floating else math.nan
    clang.EvalResult_dispose(result)
    return number
