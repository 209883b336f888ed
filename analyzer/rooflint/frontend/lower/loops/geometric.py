"""Loops whose counter is multiplied or divided by a constant: ``i *= 2``, ``i >>= 1``."""

from rooflint.frontend.lower.state.operands import Binding
from rooflint.ir import Poly
from rooflint.ir.poly import PolyFunction, function
from rooflint.records import NamedTuple


class GeometricStep(NamedTuple):
    """Each iteration multiplies by ``factor``, or divides by it and rounds down."""

    factor: int
    grows: bool


def geometric_trips(
    symbol: str, before: Binding | None, after: Binding | None, name: str, bound: Poly
) -> Poly | None:
    """The iterations while ``symbol name bound`` holds; None for a counter of other steps.

    ``before`` is what the counter is before the loop, ``after`` that after an iteration.
    """
    step = _step(symbol, after)
    if step is None or not isinstance(before, Poly):
        return None
    if bound.unknowns() or before.unknowns():
        return None
    ends = _growing(name, before, bound) if step.grows else _shrinking(name, before, bound)
    return None if ends is None else function("ceillog", ends, Poly.constant(step.factor))


def _step(symbol: str, after: Binding | None) -> GeometricStep | None:
    if not isinstance(after, Poly) or len(after.terms) != 1:
        return None
    [(monomial, factor)] = after.terms.items()
    if monomial == (symbol,):
        return GeometricStep(factor, grows=True) if factor > 1 else None
    atom = monomial[0] if len(monomial) == 1 and factor == 1 else None
    divisor = _divisor(symbol, atom) if isinstance(atom, PolyFunction) else 0
    return GeometricStep(divisor, grows=False) if divisor > 1 else None


def _divisor(symbol: str, quotient: PolyFunction) -> int:
    """The constant that ``symbol`` is divided by, alone; 0 for any other function."""
    dividend, divisor = quotient.operands[:2]
    alone = quotient.kind == "floordiv" and dividend == Poly.symbol(symbol)
    return divisor.value or 0 if alone else 0


def _growing(name: str, before: Poly, bound: Poly) -> Poly | None:
    """The least factor that takes ``before`` to the bound: ``ceil(bound / before)``."""
    first = before.value
    if first is None or first < 1 or name not in ("<", "<="):
        return None
    reached = bound + 1 if name == "<=" else bound
    return function("floordiv", reached + (first - 1), Poly.constant(first))


def _shrinking(name: str, before: Poly, bound: Poly) -> Poly | None:
    """The least divisor that takes ``before`` down to ``last``: ``before // (last + 1) + 1``."""
    last = (bound - 1 if name == ">=" else bound).value
    if name not in (">", ">=", "!=") or last is None or last < 0 or (name == "!=" and last):
        return None
    return function("floordiv", before, Poly.constant(last + 1)) + 1
