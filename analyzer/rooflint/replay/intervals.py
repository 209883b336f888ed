"""Least and greatest values of polynomials over ranges of their names."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from rooflint.ir import Poly, Unknown
from rooflint.ir.poly import Atom, PolyFunction
from rooflint.ir.poly_kinds import FunctionKind, ceil_log
from rooflint.records import NamedTuple


class Interval(NamedTuple):
    """Both ends belong to it."""

    low: int
    high: int


Ranges: TypeAlias = Mapping[str, Interval]


def interval_of(poly: Poly, ranges: Ranges) -> Interval | None:
    """Bounds of a polynomial, not always the nearest; None where a part has none."""
    low = high = 0
    for monomial, factor in poly.terms.items():
        parts = [_atom(atom, ranges) for atom in monomial]
        product = Interval(factor, factor)
        for part in parts:
            if part is None:
                return None
            product = _product(product, part)
        low, high = low + product.low, high + product.high
    return Interval(low, high)


def _product(one: Interval, other: Interval) -> Interval:
    return _hull([a * b for a in one for b in other])


def _hull(values: Iterable[int]) -> Interval:
    listed = list(values)
    return Interval(min(listed), max(listed))


def _atom(atom: Atom, ranges: Ranges) -> Interval | None:
    if isinstance(atom, str):
        return ranges.get(atom)
    if isinstance(atom, Unknown):
        return ranges.get(str(atom))
    return _function(atom, ranges)


def _function(atom: PolyFunction, ranges: Ranges) -> Interval | None:
    known = [each for operand in atom.operands if (each := interval_of(operand, ranges))]
    if len(known) < len(atom.operands):
        return None
    if atom.kind == "select":
        return _hull((*known[1], *known[2]))
    if atom.kind in ("min", "max"):
        pick = min if atom.kind == "min" else max
        return Interval(pick([each.low for each in known]), pick([each.high for each in known]))
    value, by = known
    return _division(atom.kind, value, by) if by.low > 0 else None


def _division(kind: FunctionKind, value: Interval, by: Interval) -> Interval | None:
    if kind == "mod":
        return Interval(0, by.high - 1)
    if kind == "floordiv":
        return _hull([a // b for a in value for b in by])
    return (
        Interval(ceil_log(value.low, by.high), ceil_log(value.high, by.low)) if by.low > 1 else None
    )
