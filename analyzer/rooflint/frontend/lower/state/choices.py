"""Choices between integers in closed form: minima, maxima, and ``select`` for all others."""

from collections.abc import Collection

from rooflint.ir import Poly
from rooflint.ir.poly import PolyFunction, function


def choice(
    name: str, left: Poly, right: Poly, then: Poly, orelse: Poly, active: Collection[str]
) -> Poly | None:
    """``left name right ? then : orelse`` in closed form; None where there is none.

    ``active``: indices of the loops around. A choice that varies with them has to be a minimum or
    maximum: iterations of other choices cannot be counted as one space.
    """
    if any(poly.unknowns() for poly in (left, right, then, orelse)):
        if name[0] not in "<>" or {then, orelse} != {left, right}:
            return None
        smaller = (name[0] == "<") == (then == left)
        return function("min" if smaller else "max", left, right)
    chosen = _selection(name, left, right, then, orelse)
    selects = any(isinstance(a, PolyFunction) and a.kind == "select" for a in chosen.atoms())
    return None if selects and not chosen.names().isdisjoint(active) else chosen


def _selection(name: str, left: Poly, right: Poly, then: Poly, orelse: Poly) -> Poly:
    above = left - right
    if name in ("!=", "<", "<="):
        name = {"!=": "==", "<": ">=", "<=": ">"}[name]
        then, orelse = orelse, then
    if name == "==":
        return function("select", above, function("select", -above, then, orelse), orelse)
    return function("select", above if name == ">=" else above - 1, then, orelse)
