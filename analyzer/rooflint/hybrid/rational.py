"""Quotients of sums of products: as much algebra as solving T_C = T_tr takes, in a millisecond.

A monomial is a product of atoms to integer or fractional powers; an atom is a symbol or a function
of such quotients (``log2(N)``). Sums are expanded, common factors leave, exact multiples cancel.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from rooflint.hybrid.expression import Apply, ExpressionError, Name, Number, Tree

Atom = str
Monomial = tuple[tuple[Atom, Fraction], ...]
Sum = dict[Monomial, Fraction]
MAX_TERMS = 400
ONE: Sum = {(): Fraction(1)}


class Quotient(NamedTuple):
    """``above / below``; neither changes after creation."""

    above: Sum
    below: Sum

    def __str__(self) -> str:
        return text(self)


def quotient(tree: Tree, symbols: Mapping[str, "Quotient"]) -> Quotient:
    """A parsed expression; names in ``symbols`` are replaced, others stay symbols.

    Raises ExpressionError for what has no such form.
    """
    if isinstance(tree, Number):
        return constant(Fraction(tree.value).limit_denominator(10**12))
    if isinstance(tree, Name):
        return symbols.get(tree.text) or symbol(tree.text)
    args = [quotient(arg, symbols) for arg in tree.args]
    match tree:
        case Apply("+"):
            return plus(*args)
        case Apply("-"):
            return plus(args[0], times(args[1], constant(-1)))
        case Apply("neg"):
            return times(args[0], constant(-1))
        case Apply("*"):
            return times(*args)
        case Apply("/"):
            return over(*args)
        case Apply("**"):
            return power(*args)
    return _function(tree.op, args)


def constant(value: Fraction | int) -> Quotient:
    """A number."""
    return Quotient({(): Fraction(value)} if value else {}, ONE)


def symbol(atom: Atom) -> Quotient:
    """One atom."""
    return Quotient({((atom, Fraction(1)),): Fraction(1)}, ONE)


def plus(a: Quotient, b: Quotient) -> Quotient:
    """a + b."""
    if a.below == b.below:
        return simple(_add(a.above, b.above), a.below)
    above = _add(_product(a.above, b.below), _product(b.above, a.below))
    return simple(above, _product(a.below, b.below))


def times(a: Quotient, b: Quotient) -> Quotient:
    """a · b."""
    return simple(_product(a.above, b.above), _product(a.below, b.below))


def over(a: Quotient, b: Quotient) -> Quotient:
    """a / b; ExpressionError for a division by nothing."""
    if not b.above:
        raise ExpressionError("division by zero")
    return simple(_product(a.above, b.below), _product(a.below, b.above))


def power(a: Quotient, b: Quotient) -> Quotient:
    """a to an integer power; any power of a single term."""
    exponent = _number(b)
    if exponent is None:
        return symbol(f"{_grouped(a)}**{_grouped(b)}")
    if exponent.denominator == 1 and abs(exponent) <= 12:
        base = a if exponent >= 0 else over(constant(1), a)
        found = constant(1)
        for _ in range(abs(int(exponent))):
            found = times(found, base)
        return found
    if len(a.above) == len(a.below) == 1:
        above, below = _root(a.above, exponent), _root(a.below, exponent)
        if above is not None and below is not None:
            return simple(above, below)
    return symbol(f"{_grouped(a)}**{_grouped(b)}")


def _root(single: Sum, exponent: Fraction) -> Sum | None:
    ((monomial, coefficient),) = single.items()
    if coefficient != 1:
        return None
    return {tuple([(atom, p * exponent) for atom, p in monomial]): Fraction(1)}


def _function(name: str, args: list[Quotient]) -> Quotient:
    if name == "sqrt":
        return power(args[0], constant(Fraction(1, 2)))
    if name == "log2":
        number = _number(args[0])
        if number is not None and number > 0:
            top, bottom = number.numerator, number.denominator
            if top & (top - 1) == 0 and bottom & (bottom - 1) == 0:
                return constant(top.bit_length() - bottom.bit_length())
    return symbol(f"{name}({', '.join(map(str, args))})")


def simple(above: Sum, below: Sum) -> Quotient:
    """Without common factors; ``below`` with a leading coefficient above zero."""
    if not above:
        return Quotient({}, ONE)
    if len(above) > MAX_TERMS or len(below) > MAX_TERMS:
        raise ExpressionError(f"more than {MAX_TERMS} terms")
    shared = _content(above, below)
    above, below = _divided(above, shared), _divided(below, shared)
    if len(below) > 1 and (whole := _exact(above, below)) is not None:
        above, below = whole, ONE
    elif len(above) > 1 and (whole := _exact(below, above)) is not None:
        above, below = ONE, whole
    scale = _common_number(below)
    if len(below) == 1 and next(iter(below.values())) < 0:
        scale = -scale
    top, bottom = _common_number(above), scale
    ratio = top / bottom
    above = {m: c / top * ratio.numerator for m, c in above.items()}
    below = {m: c / bottom * ratio.denominator for m, c in below.items()}
    return Quotient(above, below)


def _content(above: Sum, below: Sum) -> Monomial:
    """The largest monomial that divides all terms of both, negative powers included."""
    least: dict[Atom, Fraction] = {}
    terms = [dict(monomial) for monomial in (*above, *below)]
    for atom in {atom for term in terms for atom in term}:
        least[atom] = min([term.get(atom, Fraction(0)) for term in terms])
    return tuple(sorted((atom, p) for atom, p in least.items() if p))


def primitive(terms: Sum) -> Sum:
    """``terms`` without the factors that all of them share; zero where they are zero."""
    return _divided(terms, _content(terms, terms))


def _divided(terms: Sum, by: Monomial) -> Sum:
    if not by:
        return terms
    inverse = tuple([(atom, -p) for atom, p in by])
    return {_merged(monomial, inverse): c for monomial, c in terms.items()}


def _common_number(terms: Sum) -> Fraction:
    """The largest number that divides all coefficients."""
    top, bottom = 0, 1
    for c in terms.values():
        top = gcd(top, c.numerator)
        bottom = bottom * c.denominator // gcd(bottom, c.denominator)
    return Fraction(top, bottom)


def _exact(dividend: Sum, divisor: Sum) -> Sum | None:
    """The quotient of two sums when nothing is left over."""
    lead = max(divisor)
    rest = dict(dividend)
    found: Sum = {}
    for _ in range(MAX_TERMS):
        if not rest:
            return found
        first = max(rest)
        by = _merged(first, tuple([(a, -p) for a, p in lead]))
        if any(p < 0 for _, p in by):
            return None
        factor = rest[first] / divisor[lead]
        found[by] = factor
        rest = _add(rest, _product(divisor, {by: -factor}))
        if first in rest:
            return None
    return None


def _add(a: Sum, b: Sum) -> Sum:
    found = dict(a)
    for monomial, c in b.items():
        total = found.get(monomial, Fraction(0)) + c
        if total:
            found[monomial] = total
        else:
            found.pop(monomial, None)
    return found


def _product(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > MAX_TERMS**2:
        raise ExpressionError(f"more than {MAX_TERMS} terms")
    found: Sum = {}
    for left, p in a.items():
        for right, q in b.items():
            monomial = _merged(left, right)
            total = found.get(monomial, Fraction(0)) + p * q
            if total:
                found[monomial] = total
            else:
                found.pop(monomial, None)
    return found


def _merged(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for atom, p in right:
        powers[atom] = powers.get(atom, Fraction(0)) + p
    return tuple(sorted((atom, p) for atom, p in powers.items() if p))


def _number(value: Quotient) -> Fraction | None:
    if not value.above:
        return Fraction(0)
    if set(value.above) == {()} and set(value.below) == {()}:
        return value.above[()] / value.below[()]
    return None


def coefficients(terms: Sum, atom: Atom) -> dict[Fraction, Sum]:
    """``terms`` as a polynomial of ``atom``: what multiplies each of its powers."""
    found: dict[Fraction, Sum] = {}
    for monomial, c in terms.items():
        powers = dict(monomial)
        exponent = powers.pop(atom, Fraction(0))
        rest = tuple(sorted(powers.items()))
        found.setdefault(exponent, {})[rest] = c
    return found


def text(value: Quotient) -> str:
    """The expression language's own notation, products before quotients."""
    above = _factored(value.above)
    if value.below == ONE:
        return above
    below = _factored(value.below)
    if " " in above and not above.endswith(")"):
        above = f"({above})"
    lone = not set(below) & set("*/ ")
    return f"{above}/{below}" if lone else f"{above}/({below})"


def _factored(terms: Sum) -> str:
    """A sum with what its terms share written once: ``F*K*(a + b)``."""
    if len(terms) < 2:
        return _sum_text(terms)
    shared = _content(terms, terms)
    scale = abs(_common_number(terms))
    rest = {m: c / scale for m, c in _divided(terms, shared).items()}
    if not shared and scale == 1:
        return _sum_text(terms)
    return f"{_sum_text({shared: scale})}*({_sum_text(rest)})"


def _grouped(value: Quotient) -> str:
    plain = str(value)
    return plain if plain.isalnum() else f"({plain})"


def _sum_text(terms: Sum) -> str:
    if not terms:
        return "0"
    parts: list[str] = []
    for monomial, c in sorted(terms.items(), key=lambda t: (not t[0], t[0])):
        factors = [
            a if p == 1 else f"{a}**{p if p.denominator == 1 else f'({p})'}" for a, p in monomial
        ]
        size = abs(c)
        if size != 1 or not factors:
            number = str(size) if size.denominator == 1 else f"({size})"
            factors.insert(0, number)
        sign = "-" if c < 0 else "+"
        body = "*".join(factors)
        parts.append(f"{sign} {body}" if parts else body if c > 0 else f"-{body}")
    return " ".join(parts)
