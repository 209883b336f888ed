"""Expressions as formulas of sympy, and an equation solved for one of their symbols.

A parsed tree is converted node by node; sympy never reads text. The first formula imports sympy,
which takes longer than an estimate.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import islice
from math import ceil, comb, lcm, prod
from typing import TYPE_CHECKING, Any

from rooflint_plugins.models.hybrid.procedure.expression import (
    ExpressionError,
    Number,
    Symbol,
    Tree,
)

MAX_TERMS = 30
"""Terms above or below the line of a formula multiplied out. With 30 no balance of 900 random ones
takes sympy 200 ms; the procedures in ``examples`` have 9 at most."""
MAX_NODES = 400
"""Numbers, symbols and operations of a formula; the procedures in ``examples`` have 70 at most."""
MAX_BITS = 1024
"""Of one number, as many as those of the largest float."""
MAX_EXPONENT = 64
"""Of a power: with MAX_BITS no number fills the memory before its size is seen."""
MAX_ROOT = 1000
"""Common denominator of all exponents: sympy makes polynomials of that degree of such roots. Enough
for N**2.807, the operations of Strassen's product."""

if TYPE_CHECKING:
    from sympy import Expr, Poly


def _sympy() -> Any:  # noqa: ANN401 - sympy has no types
    import sympy  # noqa: PLC0415 - takes 0.3 s that only --balance pays

    return sympy


def symbol(name: str) -> Expr:
    """A symbol of a model: sizes, counts and rates are above zero."""
    return _sympy().Symbol(name, positive=True)


def constant(value: float) -> Expr:
    """The simplest fraction that is the same float, such as 1/3; else what its digits say."""
    simplest = Fraction(value).limit_denominator(10**12)
    exact = simplest if float(simplest) == value else Fraction(repr(value))
    return _sympy().Rational(exact.numerator, exact.denominator)


def formula(tree: Tree, symbols: Mapping[str, Expr]) -> Expr:
    """A parsed expression; names in ``symbols`` are replaced, others stay symbols.

    Raises ExpressionError for a division by zero and for what takes too long to multiply out.
    """
    converted = _converted(tree, symbols)
    _check_size(converted)
    return converted


def _converted(tree: Tree, symbols: Mapping[str, Expr]) -> Expr:
    if isinstance(tree, Number):
        return constant(tree.value)
    if isinstance(tree, Symbol):
        return symbols[tree.text] if tree.text in symbols else symbol(tree.text)
    args = [_converted(arg, symbols) for arg in tree.args]
    operation = _OPERATIONS.get(tree.op)
    return _function(tree.op, args) if operation is None else operation(*args)


def quotient(above: Expr, below: Expr) -> Expr:
    """above / below; ExpressionError for a division by zero."""
    if below == 0:
        raise ExpressionError("division by zero")
    return above / below


def _power(base: Expr, exponent: Expr) -> Expr:
    if base == 0 and exponent.is_negative:
        raise ExpressionError("division by zero")
    _check_exponents([exponent])
    _check_bits(base)
    return base**exponent


_OPERATIONS: Mapping[str, Callable[..., Expr]] = {
    "+": operator.add,
    "-": operator.sub,
    "neg": operator.neg,
    "*": operator.mul,
    "/": quotient,
    "**": _power,
}


def _rounded(name: str, args: list[Expr]) -> Expr:
    rounding = {"ceil": "ceiling", "floor": "floor", "min": "Min", "max": "Max"}
    return getattr(_sympy(), rounding[name])(*args)


def _function(name: str, args: list[Expr]) -> Expr:
    if name == "sqrt":
        return _power(args[0], _sympy().Rational(1, 2))
    if all(arg.is_Rational for arg in args):
        if name != "log2":
            return _rounded(name, args)
        above, below = args[0].as_numer_denom()
        if above > 0 and _power_of_two(above) and _power_of_two(below):
            return _sympy().Integer(int(above).bit_length() - int(below).bit_length())
    return _sympy().Function(name)(*args)


def equal(left: Expr, right: Expr, wanted: str) -> Expr:
    """The value of ``wanted`` at which both sides are the same.

    Solves for a symbol that is there in two powers, or whose logarithm is; ExpressionError
    otherwise.
    """
    above, below = _sympy().fraction(_cancelled(quotient(left, right)))
    unknown = symbol(wanted)
    if unknown not in (above - below).free_symbols:
        raise ExpressionError(f"T_C / T_tr does not depend on {wanted}")
    difference = _sympy().Poly(above - below)
    atom = _atom_of(unknown, difference)
    powers = _sympy().collect(difference.as_expr(), atom, evaluate=False)
    if len(powers) != 2:
        raise ExpressionError(f"{wanted} occurs in {len(powers)} different powers")
    (low, first), (high, last) = sorted([(_exponent(p), c) for p, c in powers.items()])
    value = _cancelled(-first / last)
    if value.is_negative and (atom == unknown or high - low != 1):
        raise ExpressionError(f"no {wanted} above 0 makes T_C and T_tr equal")
    if high - low != 1:
        value = _power(value, 1 / (high - low))
    return value if atom == unknown else _two_to_the(value, wanted)


def _two_to_the(value: Expr, wanted: str) -> Expr:
    if value.is_Rational and abs(value) > MAX_BITS:
        raise ExpressionError(f"{wanted} has more than {MAX_BITS} bits")
    return _sympy().Integer(2) ** value


def _atom_of(unknown: Expr, difference: Poly) -> Expr:
    holding = set()
    for generator in difference.gens:
        base, exponent = generator.as_base_exp()
        if unknown in generator.free_symbols:
            holding.add(base if exponent.is_Rational else generator)
    if holding in ({unknown}, {_function("log2", [unknown])}):
        return holding.pop()
    inside = ", ".join(sorted(map(str, holding - {unknown})))
    raise ExpressionError(f"{unknown} is inside {inside}")


def _exponent(power: Expr) -> Expr:
    return _sympy().S.Zero if power == 1 else power.as_base_exp()[1]


def _cancelled(ratio: Expr) -> Expr:
    _check_size(ratio)
    cancelled = _sympy().cancel(ratio)
    if cancelled.has(_sympy().zoo, _sympy().nan):
        raise ExpressionError("division by zero")
    above, below = _sympy().fraction(cancelled)
    flips = below.could_extract_minus_sign() if above.is_Add else below.is_Add
    if flips and above.could_extract_minus_sign():
        above, below = -above, -below  # a/(8 - b), not -a/(b - 8)
    return _sympy().factor_terms(above / below, sign=False)


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def _check_bits(value: Expr) -> None:
    parts = [part for number in value.atoms(_sympy().Rational) for part in (number.p, number.q)]
    if any(int(part).bit_length() > MAX_BITS for part in parts):
        raise ExpressionError(f"a number of more than {MAX_BITS} bits")


def _check_exponents(exponents: Iterable[Expr]) -> None:
    numbers = [number for exponent in exponents for number in exponent.atoms(_sympy().Rational)]
    if any(abs(number) > MAX_EXPONENT for number in numbers):
        raise ExpressionError(f"an exponent above {MAX_EXPONENT}")
    if lcm(*[int(number.q) for number in numbers]) > MAX_ROOT:
        raise ExpressionError(f"exponents in finer fractions than 1/{MAX_ROOT}")


def _check_size(value: Expr) -> None:
    """Sympy takes time by the size of a formula, and sets itself no limit."""
    nodes = sum(1 for _ in islice(_sympy().preorder_traversal(value), MAX_NODES + 1))
    if nodes > MAX_NODES:
        raise ExpressionError(f"a formula of more than {MAX_NODES} parts")
    _check_bits(value)
    _check_exponents([power.exp for power in value.atoms(_sympy().Pow)])
    _terms(value)


def _terms(value: Expr) -> tuple[int, int]:
    """At most so many terms above and below the line once it is multiplied out."""
    parts = [_terms(part) for part in value.args]
    above = below = 1
    if value.is_Add:
        below = prod([part[1] for part in parts])
        above = sum([part[0] * below // part[1] for part in parts])
    elif value.is_Mul:
        above, below = prod([part[0] for part in parts]), prod([part[1] for part in parts])
    elif value.is_Pow:
        times = ceil(sum([abs(number) for number in value.exp.atoms(_sympy().Rational)]))
        above, below = (comb(times + terms - 1, times) for terms in parts[0])
        if value.exp.could_extract_minus_sign():
            above, below = below, above
    if max(above, below) > MAX_TERMS:
        raise ExpressionError(f"more than {MAX_TERMS} terms")
    return above, below
