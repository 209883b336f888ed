"""Exact number of integer points of a nest of loops at numeric sizes, without walking them.

The points are those of nested affine inequalities. From the innermost variable outwards, the sum
of a polynomial over one variable between two affine bounds is a polynomial again (Faulhaber);
where several bounds compete, or a loop may not run at all, the outer space is split by further
affine inequalities, one piece per pair of active bounds; where a bound is divided (``8*t < n - i``)
the outer variables are split by residue class. W. Pugh: Counting Solutions to Presburger
Formulas. PLDI 1994, section 4.
"""

from itertools import product
from math import comb, lcm

from rooflint.ir.terms import Form, add_term, difference, scale_form
from rooflint.records import NamedTuple

Polynomial = dict[tuple[str, ...], int]
"""Coefficient by monomial; a monomial is its sorted names, repeated for powers."""

MAX_PIECES = 1000
"""A piece takes some 20 microseconds, and a search for a size counts several times."""

FAULHABER = (
    (1, ((1, 1),)),
    (2, ((2, 1), (1, 1))),
    (6, ((3, 2), (2, 3), (1, 1))),
    (4, ((4, 1), (3, 2), (2, 1))),
    (30, ((5, 6), (4, 15), (3, 10), (1, -1))),
    (12, ((6, 2), (5, 6), (4, 5), (2, -1))),
    (42, ((7, 6), (6, 21), (5, 21), (3, -7), (1, 1))),
    (24, ((8, 3), (7, 12), (6, 14), (4, -7), (2, 2))),
    (90, ((9, 10), (8, 45), (7, 60), (5, -42), (3, 20), (1, -3))),
)
"""Of each power p: (divisor, (exponent, factor) ...) of ``1**p + ... + n**p`` in n."""


def power_sum(power: int, first: int, last: int) -> int:
    """``first**power + ... + last**power``; 0 when ``last`` is ``first - 1``."""
    divisor, terms = FAULHABER[power]
    below = first - 1
    total: int = sum([f * (last**e - below**e) for e, f in terms])
    return total // divisor


class IndexBounds(NamedTuple):
    """All integers v with ``a*v >= form`` for each of ``lower`` and ``a*v <= form`` of ``upper``.

    Every ``a`` is above zero; the forms are over the names of outer levels.
    """

    name: str
    lower: tuple[tuple[int, Form], ...]
    upper: tuple[tuple[int, Form], ...]


class TooManyPiecesError(ArithmeticError):
    """The exact count would need more cases than is reasonable."""


def count_points(levels: tuple[IndexBounds, ...]) -> int:
    """How many integer points ``levels`` (outermost first) hold.

    Raises TooManyPiecesError when the space falls into too many pieces.
    """
    tied = {name for level in levels for _, form in (*level.lower, *level.upper) for name in form}
    factor = 1
    ragged: list[IndexBounds] = []
    for level in levels:
        if level.name in tied or not _constant(level):
            ragged.append(level)
            continue
        (_, low), (_, high) = _tightest(level.lower, -1)[0], _tightest(level.upper, 1)[0]
        factor *= max(0, high.get("", 0) - low.get("", 0) + 1)
    if not (ragged and factor):
        return factor
    return factor * _PointCounter().total(tuple(ragged), {(): 1}, 1)


def _constant(level: IndexBounds) -> bool:
    return all(len(form) <= ("" in form) for _, form in (*level.lower, *level.upper))


class _PointCounter:
    def __init__(self) -> None:
        self.pieces = 0

    def total(self, levels: tuple[IndexBounds, ...], summand: Polynomial, divisor: int) -> int:
        """The sum of ``summand / divisor`` over all points of ``levels``. A whole number, because
        each piece is a set of points of the nest."""
        if not summand:
            return 0
        if not levels:
            return summand.get((), 0) // divisor
        self.pieces += 1
        if self.pieces > MAX_PIECES:
            raise TooManyPiecesError
        outer, level = levels[:-1], levels[-1]
        lowers, uppers = _tightest(level.lower, -1), _tightest(level.upper, 1)
        divided = next(((a, f) for a, f in (*lowers, *uppers) if a > 1), None)
        if divided is not None:
            return self.split(levels, summand, divisor, divided)
        found = 0
        for i, k in product(range(len(lowers)), range(len(uppers))):
            narrowed = _guard(outer, _conditions(lowers, uppers, i, k))
            if narrowed is not None:
                low, high = lowers[i][1], uppers[k][1]
                inner, multiple = _summed(summand, level.name, low, high)
                found += self.total(narrowed, inner, divisor * multiple)
        return found

    def split(
        self,
        levels: tuple[IndexBounds, ...],
        summand: Polynomial,
        divisor: int,
        divided: tuple[int, Form],
    ) -> int:
        """Splits the innermost outer variable whose residue decides how a bound is rounded."""
        modulus, form = divided
        outer = [level.name for level in levels[:-1]]
        name = next((n for n in reversed(outer) if form.get(n, 0) % modulus), None)
        if name is None:
            return self.total((*levels[:-1], _divided(levels[-1], modulus)), summand, divisor)
        if self.pieces + modulus > MAX_PIECES:
            raise TooManyPiecesError
        found = 0
        before = self.pieces
        for residue in range(modulus):
            # the first residue tells what all of them will take
            if residue == 1 and (self.pieces - before) * modulus > 2 * MAX_PIECES:
                raise TooManyPiecesError
            replaced = tuple(_replaced(level, name, modulus, residue) for level in levels)
            inner = _substituted(summand, name, modulus, residue)
            found += self.total(replaced, inner, divisor)
        return found


def _conditions(
    lowers: list[tuple[int, Form]], uppers: list[tuple[int, Form]], i: int, k: int
) -> list[Form]:
    """The forms that are at least zero where the i-th lower and the k-th upper bound bind. Of equal
    bounds the first does. All bounds are of the variable itself."""
    low, high = lowers[i][1], uppers[k][1]
    return [
        difference(high, low),
        *[
            scale_form(difference(low, other), 1, -1 if j < i else 0)
            for j, (_, other) in enumerate(lowers)
            if j != i
        ],
        *[
            scale_form(difference(other, high), 1, -1 if j < k else 0)
            for j, (_, other) in enumerate(uppers)
            if j != k
        ],
    ]


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


def _guard(levels: tuple[IndexBounds, ...], guards: list[Form]) -> tuple[IndexBounds, ...] | None:
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
            lower.append((coefficient, scale_form(rest, -1)))
        else:
            upper.append((-coefficient, rest))
    if not extra:
        return levels
    return tuple(
        IndexBounds(v.name, (*v.lower, *extra[p][0]), (*v.upper, *extra[p][1])) if p in extra else v
        for p, v in enumerate(levels)
    )


def _divided(level: IndexBounds, divisor: int) -> IndexBounds:
    """Bounds ``divisor * v >= form`` whose form is a multiple but for its constant, divided."""

    def bound(a: int, form: Form, up: bool) -> tuple[int, Form]:
        if a != divisor or any(c % a for n, c in form.items() if n):
            return a, form
        divided = {n: c // a for n, c in form.items()}
        if up and "" in form:
            divided[""] = -(-form[""] // a)
        return 1, divided

    return IndexBounds(
        level.name,
        tuple([bound(a, form, up=True) for a, form in level.lower]),
        tuple([bound(a, form, up=False) for a, form in level.upper]),
    )


def _replaced(level: IndexBounds, name: str, divisor: int, residue: int) -> IndexBounds:
    """``level`` with ``name`` written as ``divisor * name + residue``."""

    def form(old: Form) -> Form:
        coefficient = old.get(name)
        if not coefficient:
            return old
        return scale_form({**old, name: coefficient * divisor}, 1, coefficient * residue)

    factor, shift = (divisor, residue) if level.name == name else (1, 0)
    return IndexBounds(
        level.name,
        tuple((a * factor, scale_form(form(f), 1, -a * shift)) for a, f in level.lower),
        tuple((a * factor, scale_form(form(f), 1, -a * shift)) for a, f in level.upper),
    )


def _substituted(summand: Polynomial, name: str, divisor: int, residue: int) -> Polynomial:
    result: Polynomial = {}
    for monomial, coefficient in summand.items():
        power = monomial.count(name)
        rest = tuple(n for n in monomial if n != name)
        for k in range(power + 1):
            factor = comb(power, k) * divisor**k * residue ** (power - k)
            add_term(result, tuple(sorted(rest + (name,) * k)), coefficient * factor)
    return result


def _summed(summand: Polynomial, name: str, low: Form, high: Form) -> tuple[Polynomial, int]:
    """The sum of ``summand`` over ``name`` from ``low`` to ``high``, both included, and the number
    that it has been multiplied by.
    """
    highest = max(monomial.count(name) for monomial in summand)
    if highest >= len(FAULHABER):
        raise TooManyPiecesError
    multiple = lcm(*(divisor for divisor, _ in FAULHABER[: highest + 1]))
    above, below = _powers(high, highest + 1), _powers(scale_form(low, 1, -1), highest + 1)
    result: Polynomial = {}
    sums: dict[int, Polynomial] = {}
    for monomial, coefficient in summand.items():
        power = monomial.count(name)
        if power not in sums:
            sums[power] = _power_sum_between(power, above, below, multiple)
        rest = tuple([n for n in monomial if n != name])
        for term, value in sums[power].items():
            add_term(result, tuple(sorted(rest + term)), coefficient * value)
    return result, multiple


def _power_sum_between(
    power: int, above: list[Polynomial], below: list[Polynomial], multiple: int
) -> Polynomial:
    """``multiple`` times Faulhaber's sum between two bounds, whose powers are given."""
    divisor, terms = FAULHABER[power]
    total: Polynomial = {}
    for exponent, factor in terms:
        weight = factor * (multiple // divisor)
        for term, value in above[exponent].items():
            add_term(total, term, weight * value)
        for term, value in below[exponent].items():
            add_term(total, term, -weight * value)
    return total


def _powers(form: Form, highest: int) -> list[Polynomial]:
    base: Polynomial = {(n,) if n else (): c for n, c in form.items() if c}
    powers: list[Polynomial] = [{(): 1}]
    for _ in range(highest):
        power: Polynomial = {}
        for left, a in powers[-1].items():
            for right, b in base.items():
                add_term(power, tuple(sorted(left + right)), a * b)
        powers.append(power)
    return powers
