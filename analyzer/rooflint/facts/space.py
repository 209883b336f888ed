"""The iteration space of loops at numeric sizes: how often the body runs, how far it reaches.

Cost does not depend on trip counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, pairwise
from math import prod

from rooflint.facts.affine import Forms, NotAffineError, number, trip_name
from rooflint.facts.points import (
    FAULHABER,
    IndexBounds,
    TooManyPiecesError,
    count_points,
    power_sum,
)
from rooflint.ir import Loop, Poly, plain
from rooflint.ir.poly import PolyFunction
from rooflint.ir.poly_kinds import FunctionKind
from rooflint.ir.terms import Form, difference, scale_form
from rooflint.records import NamedTuple

Values = Mapping[str, int]
Triangle = frozenset[tuple[tuple[int, int], ...]]
"""Inequalities between indices, each as (stride of the index, its factor) pairs; empty: a box."""


class Space(NamedTuple):
    """Loops, outermost first, at numeric sizes.

    trips        average iterations of each loop per execution of it
    executions   of the innermost body over the whole nest; an integer when ``inexact`` is empty
    firsts       the first value of each index, 0 where it varies
    inexact      why the numbers are estimates; empty when they are exact
    ranges       per loop its first and last index values as forms over outer indices; None where
                 the loops are rectangular, or where averages have to do
    assumed      positions of loops that do not run at these sizes, whose trips are assumed
    """

    loops: tuple[Loop, ...]
    trips: tuple[float, ...]
    executions: float
    firsts: tuple[int, ...] = ()
    inexact: str = ""
    ranges: "tuple[_IndexRange, ...] | None" = None
    assumed: tuple[int, ...] = ()

    def extents(self, relevant: Sequence[bool]) -> tuple[float, ...]:
        """Distinct values of each relevant index per value of the relevant ones around it.

        ``j`` in ``x[j]`` inside ``for i < n, for j < i`` reaches n - 1 values, though it runs over
        (n - 1) / 2 on average: what lies between relevant loops is projected out.
        """
        trips = tuple(compress(self.trips, relevant))
        if self.ranges is None or not _narrow(self.ranges, relevant):
            return trips
        try:
            counts = _counts(_project(self.ranges, relevant))
        except TooManyPiecesError:
            return trips
        return tuple([now / before if before else 0 for before, now in pairwise(counts)])

    def triangle(self, relevant: Sequence[bool], strides: Sequence[int]) -> Triangle:
        """How the bounds tie relevant indices together, in terms of what they are worth in bytes.

        ``A[i][k]`` and ``A[j][k]`` over ``k < j < i`` give the same answer: both walk below the
        diagonal; ``A[k][j]`` gives another. ``strides`` are those of the relevant indices.
        """
        if self.ranges is None:
            return frozenset()
        kept = _project(self.ranges, relevant)
        worth = {span.name: stride for span, stride in zip(kept, strides, strict=True)}
        found: set[tuple[tuple[int, int], ...]] = set()
        for span in kept:
            sides = [(form, span.name, -1) for form in span.high]
            sides += [(form, span.name, 1) for form in span.low]
            for form, name, sign in sides:
                tie = {worth[name]: sign} | {worth[n]: -sign * c for n, c in form.items() if n}
                if len(tie) > 1:
                    found.add(tuple(sorted(tie.items())))
        return frozenset(found)


class _IndexRange(NamedTuple):
    """An index between the largest of ``low`` and the smallest of ``high``, both included.
    ``stride`` counts only every so many values from ``start`` on (``start`` empty: 1)."""

    name: str
    low: tuple[Form, ...]
    high: tuple[Form, ...]
    stride: int = 1
    quotients: tuple[IndexBounds, ...] = ()


class FixedLoop(NamedTuple):
    """Trip count, at least 0, and first index of a loop where no other loop decides on them."""

    trips: int
    first: int


def space_of(loops: tuple[Loop, ...], values: Values) -> Space:
    """The space of ``loops``; an estimate with its reason where it cannot be exact."""
    trips: list[float] = []
    firsts: list[int] = []
    executions = 1
    for loop in loops:
        each = fixed_loop(loop, values)
        if each is None:
            return _general(loops, values)
        trips.append(each.trips)
        firsts.append(each.first)
        executions *= each.trips
    return Space(loops=loops, trips=tuple(trips), executions=executions, firsts=tuple(firsts))


def fixed_loop(loop: Loop, values: Values) -> FixedLoop | None:
    """The trip count and first index of ``loop``; None where another loop decides on them."""
    lower, upper = number(loop.lower, values), number(loop.upper, values)
    if lower is None or upper is None:
        named = trip_name(loop)
        return FixedLoop(max(0, values[named]), lower or 0) if named in values else None
    step = number(loop.step, values)
    if step == 1:
        return FixedLoop(upper - lower if upper > lower else 0, lower)
    if not step:
        return None
    return FixedLoop(max(0, -((lower - upper) // step)), lower)


def _general(loops: tuple[Loop, ...], values: Values) -> Space:
    try:
        variants = _variants(loops, values)
        signed = [(sign, _counts(ranges)) for sign, ranges in variants]
    except NotAffineError as reason:
        return _estimate(loops, values, str(reason))
    except TooManyPiecesError:
        return _estimate(loops, values, "too many cases to count exactly")
    counts = [sum([sign * of[depth] for sign, of in signed]) for depth in range(len(loops) + 1)]
    trips = tuple([inner / outer if outer else 0.0 for outer, inner in pairwise(counts)])
    ranges = variants[0][1]
    projectable = len(variants) == 1 and all(map(_is_projectable, ranges))
    return Space(
        loops=loops,
        trips=trips,
        executions=counts[-1],
        firsts=_firsts(loops, values),
        ranges=ranges if projectable else None,
    )


def _firsts(loops: Iterable[Loop], values: Values) -> tuple[int, ...]:
    return tuple([number(loop.lower, values) or 0 for loop in loops])


def _is_projectable(span: "_IndexRange") -> bool:
    """Whether extreme values of the index are forms: no quotient, no step to an open end."""
    if span.quotients:
        return False
    return span.stride == 1 or all(not name for form in span.high for name in form)


def _variants(loops: tuple[Loop, ...], values: Values) -> list[tuple[int, tuple[_IndexRange, ...]]]:
    """Signed nests whose counts add up to that of ``loops``. ``v < max(a, b)`` holds for as many v
    as ``v < a`` plus ``v < b`` less ``v < min(a, b)``."""
    forms = Forms([loop.index for loop in loops], values)
    variants: list[tuple[int, tuple[_IndexRange, ...]]] = [(1, ())]
    for loop in loops:
        choices = _ranges(loop, forms)
        variants = [
            (sign * own, (*outer, inner)) for sign, outer in variants for own, inner in choices
        ]
    return variants


def _ranges(loop: Loop, forms: Forms) -> list[tuple[int, _IndexRange]]:
    step = number(loop.step, forms.values)
    if not step:
        raise NotAffineError(f"the step '{plain(loop.step)}' has no value")
    named = trip_name(loop)
    if named:
        return [(1, _run_time(loop, named, forms))]
    down = step < 0
    first = _bound(loop.lower, "min" if down else "max", forms)
    last = _bound(loop.upper, "max" if down else "min", forms)
    if abs(step) > 1 and (len(first) > 1 or len(first[0][1]) > 1):
        raise NotAffineError(f"'{plain(loop.lower)}' with a step of {step}")
    quotients = tuple(forms.quotients)
    forms.quotients.clear()
    spans = [
        (sign * other, _range_between(loop.index, firsts, lasts, step))
        for sign, firsts in first
        for other, lasts in last
    ]
    if abs(step) > 1:
        forms.rewritten[loop.index] = {**first[0][1][0], loop.index: step}
    return [(sign, span._replace(quotients=quotients)) for sign, span in spans]


def _range_between(
    index: str, firsts: Sequence[Form], ends: Sequence[Form], step: int
) -> _IndexRange:
    """The index from ``firsts`` to before ``ends``; of larger steps, the count of the step."""
    if step == 1:
        return _IndexRange(index, tuple(firsts), tuple([scale_form(end, 1, -1) for end in ends]))
    if step == -1:
        return _IndexRange(index, tuple([scale_form(end, 1, 1) for end in ends]), tuple(firsts))
    [start] = firsts
    spans = [difference(end, start) if step > 0 else difference(start, end) for end in ends]
    return _IndexRange(
        name=index,
        low=({},),
        high=tuple([scale_form(span, 1, -1) for span in spans]),
        stride=abs(step),
    )


def _run_time(loop: Loop, named: str, forms: Forms) -> _IndexRange:
    if named not in forms.values:
        raise NotAffineError(f"'{plain(named)}' is only known at run time")
    try:
        start = forms.form(loop.lower)
    except NotAffineError:
        start = {}
    high = scale_form(start, 1, forms.values[named] - 1)
    return _IndexRange(loop.index, (start,), (high,))


def _bound(poly: Poly, natural: FunctionKind, forms: Forms) -> list[tuple[int, list[Form]]]:
    """Signed alternatives, each a list of forms that all bind."""
    atoms = [m[0] for m, coefficient in poly.terms.items() if coefficient == 1 and len(m) == 1]
    extremes = (a for a in atoms if isinstance(a, PolyFunction) and a.kind in ("min", "max"))
    atom = next(extremes, None)
    if atom is None:
        return [(1, [forms.form(poly)])]
    rest = poly - Poly.symbol(atom)
    atom = PolyFunction(atom.kind, tuple([operand + rest for operand in atom.operands]))
    operands = [forms.form(operand) for operand in atom.operands]
    if atom.kind == natural:
        return [(1, operands)]
    if len(operands) != 2:
        raise NotAffineError(f"'{plain(atom)}' has more than two operands")
    return [(1, [operands[0]]), (1, [operands[1]]), (-1, operands)]


def _counts(ranges: tuple[_IndexRange, ...]) -> list[int]:
    """How often the body of each of the nested ranges runs, with 1 for what is around them."""
    counts = [1]
    wedge: _Wedge | None = _Wedge()
    for depth, span in enumerate(ranges):
        before = counts[-1]
        if not before:
            counts.append(0)
        elif _fixed(span):
            last = min([form.get("", 0) for form in span.high]) // span.stride
            first = max([form.get("", 0) for form in span.low])
            counts.append(before * max(0, last - first + 1))
            if wedge is not None:
                wedge.ends[span.name] = (first, last)
        else:
            sums = wedge.narrowed(span) if wedge is not None else None
            if sums is None:
                wedge = None
                counts.append(count_points(_levels(ranges[: depth + 1])))
            else:
                counts.append(before // sums[0] * sums[1])
    return counts


class _Wedge:
    """Ranges whose open ones all depend on one fixed range: triangles and shapes with two of their
    sides. The count is a sum over one index of a product of lengths that are linear in it."""

    __slots__ = ("ends", "name", "product", "total")

    def __init__(self) -> None:
        self.ends: dict[str, tuple[int, int]] = {}
        self.name = ""
        self.product = [1]
        self.total = 0

    def narrowed(self, span: _IndexRange) -> tuple[int, int] | None:
        """The count up to this range over what the fixed ones around it add, as (before, after).
        None when ``span`` is of another kind."""
        if span.quotients or (span.stride, len(span.low), len(span.high)) != (1, 1, 1):
            return None
        length = difference(span.high[0], span.low[0])
        name = next((n for n in (*span.high[0], *span.low[0]) if n), "")
        if not self._depends_on(name, length):
            return None
        first, last = self.ends[name]
        slope, constant = length.get(name, 0), length.get("", 0) + 1
        if min(slope * first, slope * last) + constant < 0 or len(self.product) == len(FAULHABER):
            return None
        before = self.total if self.name else last - first + 1
        self.name = name
        self.product = _times(self.product, slope, constant)
        self.total = sum([c * power_sum(p, first, last) for p, c in enumerate(self.product) if c])
        return (before, self.total) if before else None

    def _depends_on(self, name: str, length: Form) -> bool:
        """Whether a fixed range, the same one for all lengths, is all that decides on one."""
        alone = not length.keys() - {name, ""}
        return alone and name in self.ends and self.name in ("", name)


def _times(product: Sequence[int], slope: int, constant: int) -> list[int]:
    """A polynomial in one index, as its coefficients, times ``slope * index + constant``."""
    higher = [0, *[slope * c for c in product]]
    return [a + constant * b for a, b in zip(higher, (*product, 0), strict=True)]


def _fixed(span: _IndexRange) -> bool:
    if span.quotients:
        return False
    for form in (*span.low, *span.high):
        for name in form:
            if name:
                return False
    return True


def _narrow(ranges: tuple[_IndexRange, ...], relevant: Sequence[bool]) -> bool:
    """Whether an irrelevant range and another one depend on each other."""
    for span, used in zip(ranges, relevant, strict=True):
        if used:
            continue
        if not _fixed(span):
            return True
        for other in ranges:
            for form in (*other.low, *other.high):
                if span.name in form:
                    return True
    return False


def _levels(ranges: Iterable[_IndexRange]) -> tuple[IndexBounds, ...]:
    levels: list[IndexBounds] = []
    for span in ranges:
        levels.extend(span.quotients)
        low = tuple((1, form) for form in span.low)
        levels.append(IndexBounds(span.name, low, tuple((span.stride, form) for form in span.high)))
    return tuple(levels)


def _project(ranges: tuple[_IndexRange, ...], relevant: Sequence[bool]) -> tuple[_IndexRange, ...]:
    """The relevant ranges, the others replaced in them by their extreme values."""
    gone: dict[str, _IndexRange] = {}
    kept: list[_IndexRange] = []
    for span, used in zip(ranges, relevant, strict=True):
        low = tuple(f for form in span.low for f in _extreme(form, -1, gone))
        high = tuple(f for form in span.high for f in _extreme(form, 1, gone))
        narrowed = span._replace(low=low, high=high)
        if used:
            kept.append(narrowed)
        else:
            gone[span.name] = narrowed
    return tuple(kept)


def _extreme(form: Form, direction: int, gone: Mapping[str, _IndexRange]) -> list[Form]:
    """Bounds on ``form``, from above for direction 1, without the names in ``gone``."""
    name = next((n for n in form if n in gone), None)
    if name is None:
        return [form]
    rest = dict(form)
    coefficient = rest.pop(name)
    span = gone[name]
    ends = span.high if (coefficient > 0) == (direction > 0) else span.low
    found: list[Form] = []
    for end in ends:
        last = {n: c // span.stride for n, c in end.items()}  # a constant where stride > 1
        total = difference(rest, scale_form(last, -coefficient))
        found.extend(_extreme(total, direction, gone))
    return found


def _estimate(loops: tuple[Loop, ...], values: Values, reason: str) -> Space:
    """Trips at the middle of the outer loops."""
    middle: dict[str, int] = dict(values)
    trips: list[float] = []
    for loop in loops:
        trip, first = fixed_loop(loop, middle) or (1, number(loop.lower, middle) or 0)
        trips.append(trip)
        step = number(loop.step, middle) or 1
        middle[loop.index] = first + int(step * max(trip - 1, 0) / 2)
    executions = prod(trips, start=1.0)
    return Space(
        loops=loops,
        trips=tuple(trips),
        executions=executions,
        firsts=_firsts(loops, values),
        inexact=reason,
    )
