"""Closed forms of values that scalars hold: code computes from them, or only knows them."""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.ir import Poly
from rooflint.ir.poly import Atom, PolyFunction

MOVED: Final = "@"
"""Behind the name of the symbol of a variable that a loop changes, within it."""
_DIVIDES: Final = ("floordiv", "mod")
_EXTREMES: Final = ("min", "max")


def is_computed(context: LoweringContext, poly: Poly) -> bool:
    """Whether the code computes a closed form from what a scalar holds: more than the scalar and a
    distance from it, which addresses have at no cost."""
    moving = [monomial for monomial in poly.terms if monomial]
    if len(moving) == 1 and poly.terms[moving[0]] == 1 and len(moving[0]) == 1:
        atom = moving[0][0]
        return isinstance(atom, PolyFunction) and _works_on_scalar(context, atom)
    return any(is_scalar(context, atom) for monomial in moving for atom in monomial)


def is_scalar(context: LoweringContext, atom: Atom) -> bool:
    """Whether a scalar holds the value, from this iteration or the last one."""
    if isinstance(atom, str):
        return atom.endswith(MOVED)
    if isinstance(atom, PolyFunction):
        return _works_on_scalar(context, atom)
    return context.symbols.scalar_of(Poly.symbol(atom), context.env) is not None


def _works_on_scalar(context: LoweringContext, atom: PolyFunction) -> bool:
    """Whether it divides what a scalar holds, or is the smaller or the larger of such values."""
    if atom.kind in _EXTREMES:
        return any(_is_held(context, each) for each in atom.operands)
    top, *others = atom.operands
    by = others[0].value if others else None
    if atom.kind not in _DIVIDES or by is None:
        return False
    return any(is_scalar(context, inner) for inner in top.atoms())


def _is_held(context: LoweringContext, poly: Poly) -> bool:
    """Whether a scalar holds a value, or a part of it."""
    symbols, env = context.symbols, context.env
    if symbols.scalar_of(poly, env) is not None or symbols.part_of(poly, env) is not None:
        return True
    return any(is_scalar(context, inner) for inner in poly.atoms())
