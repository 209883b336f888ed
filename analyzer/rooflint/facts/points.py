"""Exact number of integer points of a nest of loops at numeric sizes, without walking them.

The points are those of nested affine inequalities. From the innermost variable outwards, the sum
of a polynomial over one variable between two affine bounds is a polynomial again (Faulhaber);
where several bounds compete, or a loop may not run at all, the outer space is split by further
affine inequalities, one piece per pair of active bounds; where a bound is divided (``8*t < n - i``)
the outer variables are split by residue class. W. Pugh: Counting Solutions to Presburger
Formulas. PLDI 1994, section 4.

A form is ``{name: coefficient}`` with the constant under the name "".
"""

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import NamedTuple

Form = dict[str, int]
Polynomial = dict[tuple[str, ...], Fraction]
"""Coefficient by monomial; a monomial is its sorted names, repeated for powers."""

MAX_PIECES = 4000


class Level(NamedTuple):
    """All integers v with ``a*v >= form`` for each of ``lower`` and ``a*v <= form`` of ``upper``.

    Every ``a`` is above zero; the forms are over the names of outer levels.
    """

    name: str
    lower: tuple[tuple[int, Form], ...]
    upper: tuple[tuple[int, Form], ...]


class TooManyPiecesError(ArithmeticError):
    """The exact count would need more cases than is reasonable."""


def count_points(levels: tuple[Level, ...]) -> int:
    """How many integer points ``levels`` (outermost first) hold.

    Raises TooManyPiecesError when the space falls into too many pieces.
    """
    return int(_Counter().total(levels, {(): Fraction(1)}))


def scaled(form: Form, factor: int, shift: int = 0) -> Form:
    """``factor * form + shift``."""
    result = {name: coefficient * factor for name, coefficient in form.items()}
    if shift:
        result[""] = result.get("", 0) + shift
    return result


def difference(left: Form, right: Form) -> Form:
    """``left - right`` without zero coefficients."""
    result = dict(left)
    for name, coefficient in right.items():
        total = result.get(name, 0) - coefficient
        if total:
            result[name] = total
        else:
            result.pop(name, None)
    return result


class _Counter:
    """One count; knows how many pieces it has spent."""

    def __init__(self) -> None:
        self.pieces = 0

    def total(self, levels: tuple[Level, ...], summand: Polynomial) -> Fraction:
        """The sum of ``summand`` over all points of ``levels``."""
        if not summand:
            return Fraction(0)
        if not levels:
            return summand.get((), Fraction(0))
        self.pieces += 1
        if self.pieces > MAX_PIECES:
            raise TooManyPiecesError
        outer, level = levels[:-1], levels[-1]
        lowers, uppers = _tightest(level.lower, -1), _tightest(level.upper, 1)
        divided = next(((a, f) for a, f in (*lowers, *uppers) if a > 1), None)
        if divided is not None:
            return self.split(levels, summand, *divided)
        found = Fraction(0)
        for i, (_, low) in enumerate(lowers):
            for k, (_, high) in enumerate(uppers):
                guards = [difference(high, low)]
                guards += [
                    scaled(difference(low, other), 1, -1 if j < i else 0)
                    for j, (_, other) in enumerate(lowers)
                    if j != i
                ]
                guards += [
                    scaled(difference(other, high), 1, -1 if j < k else 0)
                    for j, (_, other) in enumerate(uppers)
                    if j != k
                ]
                narrowed = _guard(outer, guards)
                if narrowed is not None:
                    found += self.total(narrowed, _summed(summand, level.name, low, high))
        return found

    def split(
        self, levels: tuple[Level, ...], summand: Polynomial, divisor: int, form: Form
    ) -> Fraction:
        """Splits the innermost outer variable whose residue decides ``form / divisor``."""
        outer = [level.name for level in levels[:-1]]
        name = next((n for n in reversed(outer) if form.get(n, 0) % divisor), None)
        if name is None:
            return self.total((*levels[:-1], _divided(levels[-1], divisor)), summand)
        found = Fraction(0)
        for residue in range(divisor):
            replaced = tuple(_replaced(level, name, divisor, residue) for level in levels)
            found += self.total(replaced, _substituted(summand, name, divisor, residue))
        return found


def _tightest(bounds: tuple[tuple[int, Form], ...], direction: int) -> list[tuple[int, Form]]:
    """The bounds without repetition, the constant ones folded into one; direction 1: upper."""
    constants: list[int] = []
    others: dict[tuple[int, frozenset[tuple[str, int]]], tuple[int, Form]] = {}
    for a, form in bounds:
        if len(form) <= ("" in form):
            value = form.get("", 0)
            constants.append(value // a if direction > 0 else -(-value // a))
        else:
            others[a, frozenset(form.items())] = (a, form)
    kept = list(others.values())
    if constants:
        best = min(constants) if direction > 0 else max(constants)
        kept.append((1, {"": best} if best else {}))
    return kept


def _guard(levels: tuple[Level, ...], guards: list[Form]) -> tuple[Level, ...] | None:
    """``levels`` with each ``form >= 0`` added to the innermost level it names; None when false."""
    extra: dict[int, tuple[list[tuple[int, Form]], list[tuple[int, Form]]]] = {}
    for form in guards:
        place = next((p for p in range(len(levels) - 1, -1, -1) if form.get(levels[p].name)), None)
        if place is None:
            if form.get("", 0) < 0:
                return None
            continue
        rest = dict(form)
        coefficient = rest.pop(levels[place].name)
        lower, upper = extra.setdefault(place, ([], []))
        if coefficient > 0:
            lower.append((coefficient, scaled(rest, -1)))
        else:
            upper.append((-coefficient, rest))
    if not extra:
        return levels
    return tuple(
        Level(v.name, (*v.lower, *extra[p][0]), (*v.upper, *extra[p][1])) if p in extra else v
        for p, v in enumerate(levels)
    )


def _divided(level: Level, divisor: int) -> Level:
    """Bounds ``divisor * v >= form`` whose form is a multiple but for its constant, divided."""

    def lower(a: int, form: Form) -> tuple[int, Form]:
        if a != divisor or any(c % a for n, c in form.items() if n):
            return a, form
        return 1, {n: c // a if n else -(-c // a) for n, c in form.items()}

    def upper(a: int, form: Form) -> tuple[int, Form]:
        if a != divisor or any(c % a for n, c in form.items() if n):
            return a, form
        return 1, {n: c // a for n, c in form.items()}

    return Level(
        level.name,
        tuple(lower(a, form) for a, form in level.lower),
        tuple(upper(a, form) for a, form in level.upper),
    )


def _replaced(level: Level, name: str, divisor: int, residue: int) -> Level:
    """``level`` with ``name`` written as ``divisor * name + residue``."""

    def form(old: Form) -> Form:
        coefficient = old.get(name)
        if not coefficient:
            return old
        new = scaled({**old, name: coefficient * divisor}, 1, coefficient * residue)
        return new

    factor, shift = (divisor, residue) if level.name == name else (1, 0)
    return Level(
        level.name,
        tuple((a * factor, scaled(form(f), 1, -a * shift)) for a, f in level.lower),
        tuple((a * factor, scaled(form(f), 1, -a * shift)) for a, f in level.upper),
    )


def _substituted(summand: Polynomial, name: str, divisor: int, residue: int) -> Polynomial:
    result: Polynomial = {}
    for monomial, coefficient in summand.items():
        power = monomial.count(name)
        rest = tuple(n for n in monomial if n != name)
        for k in range(power + 1):
            factor = comb(power, k) * divisor**k * residue ** (power - k)
            _add(result, tuple(sorted(rest + (name,) * k)), coefficient * factor)
    return result


def _summed(summand: Polynomial, name: str, low: Form, high: Form) -> Polynomial:
    """The sum of ``summand`` over ``name`` from ``low`` to ``high``, both included."""
    result: Polynomial = {}
    sums: dict[int, Polynomial] = {}
    for monomial, coefficient in summand.items():
        power = monomial.count(name)
        if power not in sums:
            above, below = _faulhaber(power, scaled(high, 1)), _faulhaber(power, scaled(low, 1, -1))
            for term, value in below.items():
                _add(above, term, -value)
            sums[power] = above
        rest = tuple(n for n in monomial if n != name)
        for term, value in sums[power].items():
            _add(result, tuple(sorted(rest + term)), coefficient * value)
    return result


def _faulhaber(power: int, top: Form) -> Polynomial:
    """``sum(v**power for v in 0..top)`` less a constant that cancels between two such sums."""
    result: Polynomial = {}
    powers = _powers(top, power + 1)
    for k, coefficient in _faulhaber_coefficients(power):
        for monomial, value in powers[k].items():
            _add(result, monomial, coefficient * value)
    return result


def _faulhaber_coefficients(power: int) -> Iterator[tuple[int, Fraction]]:
    """(exponent, coefficient) of ``1**p + 2**p + ... + n**p`` as a polynomial of n."""
    bernoulli = _bernoulli(power)
    for j in range(power + 1):
        value = Fraction(comb(power + 1, j), power + 1) * bernoulli[j]
        if value:
            yield power + 1 - j, value


def _bernoulli(last: int) -> list[Fraction]:
    """The Bernoulli numbers B_0 to B_last with B_1 = +1/2."""
    numbers = [Fraction(1)]
    for m in range(1, last + 1):
        total = sum((Fraction(comb(m + 1, k)) * numbers[k] for k in range(m)), Fraction(0))
        numbers.append(-total / (m + 1))
    if last >= 1:
        numbers[1] = Fraction(1, 2)
    return numbers


def _powers(form: Form, highest: int) -> list[Polynomial]:
    base: Polynomial = {(n,) if n else (): Fraction(c) for n, c in form.items() if c}
    powers: list[Polynomial] = [{(): Fraction(1)}]
    for _ in range(highest):
        product: Polynomial = {}
        for left, a in powers[-1].items():
            for right, b in base.items():
                _add(product, tuple(sorted(left + right)), a * b)
        powers.append(product)
    return powers


def _add(polynomial: Polynomial, monomial: tuple[str, ...], value: Fraction) -> None:
    total = polynomial.get(monomial, 0) + value
    if total:
        polynomial[monomial] = total
    else:
        polynomial.pop(monomial, None)
