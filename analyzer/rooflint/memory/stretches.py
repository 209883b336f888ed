"""Traffic of a whole loop, extrapolated from a few of its iterations."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, TypeAlias, TypeVar

from rooflint.memory.line_counts import NOTHING, CountsByArray
from rooflint.records import NamedTuple

Kept: TypeAlias = Mapping[tuple[int, str], float]
"""Per part of a loop and array, the share of lines still cached from before; absent: none."""

Value = TypeVar("Value")


class Looks(NamedTuple):
    """How many iterations are looked at: at first, and where the value changes."""

    first: int
    further: int


class LookPlan(NamedTuple):
    """Looks at an outermost loop whose iterations differ, and at one inside another."""

    outer: Looks
    inner: Looks


THOROUGH = LookPlan(outer=Looks(5, 2), inner=Looks(5, 0))
BRIEF = LookPlan(outer=Looks(2, 0), inner=Looks(1, 0))
"""For somebody who waits: a fifth of the work where triangles and columns nest."""


SPREAD = 0.6180339887498949
"""Golden section: places this far apart fall into all positions within a line and a set."""
GAUSS_CELLS = (
    (0.0, 5 / 18, 0.1127016653792583),
    (5 / 18, 13 / 18, 0.5),
    (13 / 18, 1.0, 0.8872983346207417),
)
"""Widths are the weights of Gauss' rule, places its nodes."""
TWO_GAUSS_CELLS = ((0.0, 0.5, 0.21132486540518713), (0.5, 1.0, 0.7886751345948129))
"""The rule with two nodes, exact for polynomials of the third degree."""
PROBE = 0.3
"""A place that tells whether three were enough."""
SMOOTH = 0.05
NEGLIGIBLE = 0.01
"""Changes not worth another look, as shares of the largest value."""
SHARP = 0.4
"""Neighbours that differ by more than this lie on two sides of a border."""
MOST_STRETCHES = 3


class LoopStretch(NamedTuple, Generic[Value]):
    """The iterations between two fractions of a loop's way, and what was seen in one of them."""

    begin: float
    end: float
    value: Value

    @property
    def width(self) -> float:
        """The share of the loop's iterations."""
        return self.end - self.begin


def sample_stretches(
    trips: int,
    period: int,
    value_at: Callable[[int], Value],
    size: Callable[[Value], float],
    looks: Looks,
) -> list[LoopStretch[Value]]:
    """Stretches that cover ``trips`` iterations, shorter where the value changes.

    ``value_at`` looks at one iteration, ``size`` says how large a value is. Three iterations do
    where values grow as a polynomial of the second degree (Gauss' rule is exact then), and two
    where no more are asked for. Iterations
    a ``period`` apart lie alike in lines and sets: those looked at are spread over it.
    """
    samples = _Samples(trips, period, value_at)
    if period == 1 and looks.first == len(TWO_GAUSS_CELLS) < trips:
        return [samples.cell(*each) for each in TWO_GAUSS_CELLS]
    if period == 1 and trips > len(GAUSS_CELLS) and looks.first > len(TWO_GAUSS_CELLS):
        cells = [samples.cell(*each) for each in GAUSS_CELLS]
        sizes = [size(each.value) for each in cells]
        tolerance = SMOOTH * max(sizes)
        flat = max(sizes) - min(sizes) <= tolerance
        if flat or abs(_parabola(sizes) - size(samples.cell(0.0, 1.0, PROBE).value)) <= tolerance:
            return cells
    else:
        many = min(trips, looks.first)
        cells = [samples.cell(number / many, (number + 1) / many) for number in range(many)]
    for _ in range(looks.further if len(cells) > 1 else 0):
        sizes = [size(each.value) for each in cells]
        steps = zip(pairwise(cells), pairwise(sizes), strict=True)
        costs = [abs(m - n) * max(a.width, b.width) for (a, b), (m, n) in steps]
        largest = max(costs)
        at = costs.index(largest)
        at += cells[at + 1].width > cells[at].width
        if largest <= NEGLIGIBLE * max(sizes) or cells[at].width * trips < 2:
            break
        begin, end, _ = cells[at]
        middle = (begin + end) / 2
        cells[at : at + 1] = [samples.cell(begin, middle), samples.cell(middle, end)]
    return cells


class _Samples(Generic[Value]):
    """Iterations of a loop that are looked at, spread over the period in which they lie alike."""

    def __init__(self, trips: int, period: int, value_at: Callable[[int], Value]) -> None:
        self.trips, self.period, self.value_at = trips, period, value_at
        self.taken = 0

    def cell(self, begin: float, end: float, at: float | None = None) -> LoopStretch[Value]:
        """The stretch with the value of one of its iterations; ``at``: which, as a fraction."""
        self.taken += 1
        if at is None:
            at = (begin + end) / 2
        shift = self.taken * SPREAD % 1
        if self.period == 1:
            place = int(at * self.trips)
        elif self.period * 2 > self.trips:
            place = int((begin + (end - begin) * shift) * self.trips)
        else:
            place = int(at * self.trips / self.period) * self.period + int(shift * self.period)
        return LoopStretch(begin, end, self.value_at(min(place, self.trips - 1)))


def _parabola(values: Sequence[float]) -> float:
    """At ``PROBE``, the parabola through the values at the three places of Gauss' rule."""
    places = [place for _, _, place in GAUSS_CELLS]
    found = 0.0
    for value, own in zip(values, places, strict=True):
        factor = 1.0
        for other in places:
            if other != own:
                factor *= (PROBE - other) / (own - other)
        found += value * factor
    return found


def difference(one: Kept, other: Kept) -> float:
    """The largest difference in any share."""
    keys = {*one, *other}
    return max([abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in keys], default=0.0)


def merge_stretches(cells: list[LoopStretch[Kept]]) -> list[LoopStretch[Kept]]:
    """Neighbours that keep much the same become one, the most alike first."""
    kept = list(cells)
    while len(kept) > 1:
        changes = [difference(a.value, b.value) for a, b in pairwise(kept)]
        least = min(changes)
        if least > SHARP and len(kept) <= MOST_STRETCHES:
            break
        at = changes.index(least)
        kept[at : at + 2] = [_joined(kept[at], kept[at + 1])]
    return kept


def _joined(one: LoopStretch[Kept], other: LoopStretch[Kept]) -> LoopStretch[Kept]:
    share = one.width / (one.width + other.width)
    both = {
        key: share * one.value.get(key, 0.0) + (1 - share) * other.value.get(key, 0.0)
        for key in (*one.value, *other.value)
    }
    return LoopStretch(one.begin, other.end, both)


class LoopLook(NamedTuple):
    """An iteration: what it moves with caches cold, the lines it touches, the shares of those that
    are there from the one before."""

    each: list[CountsByArray]
    lines: list[CountsByArray]
    shares: list[dict[str, float]]


def fetched_lines(look: LoopLook) -> float:
    """About the lines that such an iteration moves after others."""
    total = 0.0
    for moved, lines, shares in zip(*look, strict=True):
        for array, growth in moved.items():
            found = lines.get(array, NOTHING)
            least = shares.get(array, 0.0) * (found.load + found.allocate)
            total += max(0.0, growth.load + growth.allocate - least)
    return total


def lines_of_looks(
    looks: Sequence[tuple[float, LoopLook]], whole: list[CountsByArray], trips: int
) -> list[CountsByArray]:
    """Lines that ``trips`` iterations move, of which shares are like the ``looks``."""
    average: list[CountsByArray] = [{} for _ in whole]
    for share, look in looks:
        _add(average, look.lines, share)
    result: list[CountsByArray] = [{} for _ in whole]
    for share, look in looks:
        _add(result, _lines_of_trips(look, whole, average, trips), share)
    return result


def _lines_of_trips(
    look: LoopLook, whole: list[CountsByArray], average: list[CountsByArray], trips: int
) -> list[CountsByArray]:
    """Lines that ``trips`` such iterations move.

    All of them together touch only ``whole``: of its lines, an iteration brings in as many as its
    part in the ``average`` iteration's lines, and finds the rest as far as they are kept.
    """
    result: list[CountsByArray] = []
    for each, lines, shares, all_, mean in zip(*look, whole, average, strict=True):
        row: CountsByArray = {}
        for array, growth in all_.items():
            moved = each.get(array, NOTHING).times(trips)
            touched = lines.get(array, NOTHING).times(trips)
            new = growth.part(touched, mean.get(array, NOTHING).times(trips))
            row[array] = moved.less(touched, new, shares.get(array, 0.0))
        result.append(row)
    return result


def _add(result: list[CountsByArray], moved: list[CountsByArray], times: float) -> None:
    for sums, row in zip(result, moved, strict=True):
        for array, growth in row.items():
            sums[array] = sums.get(array, NOTHING).plus(growth.times(times))


def share_kept(kept: Kept) -> float:
    """The shares of all parts and arrays together."""
    return sum(kept.values())
