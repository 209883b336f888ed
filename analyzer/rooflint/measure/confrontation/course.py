"""Predictions along a sweep: also between the sizes measured, and where layer conditions break.

Between two sizes measured, the other sizes and the bytes that a call touches follow powers of the
swept size. A break is found by halving the gap between two sizes whose layers lie in other levels.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log, pow
from typing import Final, TypeAlias

from msgspec import Struct

from rooflint.measure.confrontation.forecast import Forecast

FINENESS: Final = 32
"""Sizes along a course, besides those measured: a tenth of a second each at most."""
MOST_BREAKS: Final = 6
"""A picture with more breaks could not name them."""

ForecastAt: TypeAlias = Callable[[Mapping[str, int], str], Forecast]
"""The forecast at sizes, with the data in a level."""
LevelOf: TypeAlias = Callable[[int], str]
"""The level that holds so many bytes."""


class CourseKnot(Struct, frozen=True, kw_only=True):
    """A size measured: every size, and the bytes that a call touched."""

    sizes: Mapping[str, int]
    touched_bytes: int


class CourseSample(Struct, frozen=True, kw_only=True):
    """A forecast at a value of the swept size, with the data in ``level``."""

    size: int
    level: str
    forecast: Forecast


class LayerMove(Struct, frozen=True, kw_only=True):
    """A layer that a larger size puts into another level."""

    layer: str
    before: str
    after: str


class LayerBreak(Struct, frozen=True, kw_only=True):
    """``size`` is the last for which the layers stay where they are."""

    size: int
    moves: tuple[LayerMove, ...]


class Course(Struct, frozen=True, kw_only=True):
    """Forecasts over the size ``over``, growing."""

    over: str
    samples: tuple[CourseSample, ...]
    breaks: tuple[LayerBreak, ...]


def course_of(
    over: str, knots: Sequence[CourseKnot], forecast_at: ForecastAt, level_of: LevelOf
) -> Course | None:
    """The course through the knots; None where fewer than two sizes were measured."""
    ordered = sorted({knot.sizes[over]: knot for knot in knots}.items())
    if len(ordered) < 2:
        return None
    return _Course(over, [knot for _, knot in ordered], forecast_at, level_of).course()


class _Course:
    def __init__(
        self, over: str, knots: list[CourseKnot], forecast_at: ForecastAt, level_of: LevelOf
    ) -> None:
        self.over = over
        self.knots = knots
        self.forecast_at = forecast_at
        self.level_of = level_of
        self.samples: dict[int, CourseSample] = {}

    def course(self) -> Course:
        for size in self.grid():
            self.sample(size)
        self.sample_borders()
        breaks = list(self.breaks())
        samples = [self.samples[size] for size in sorted(self.samples)]
        return Course(over=self.over, samples=tuple(samples), breaks=tuple(breaks))

    def grid(self) -> list[int]:
        first, last = self.knots[0].sizes[self.over], self.knots[-1].sizes[self.over]
        steps = [first * (last / first) ** (step / FINENESS) for step in range(FINENESS + 1)]
        return sorted({knot.sizes[self.over] for knot in self.knots} | set(map(round, steps)))

    def sample(self, size: int) -> CourseSample:
        if size not in self.samples:
            knot = self.knot(size)
            level = self.level_of(knot.touched_bytes)
            forecast = self.forecast_at(knot.sizes, level)
            self.samples[size] = CourseSample(size=size, level=level, forecast=forecast)
        return self.samples[size]

    def knot(self, size: int) -> CourseKnot:
        for before, after in pairwise(self.knots):
            first, last = before.sizes[self.over], after.sizes[self.over]
            if first <= size <= last:
                share = log(size / first) / log(last / first)
                others = {
                    name: _between(value, after.sizes.get(name, value), share)
                    for name, value in before.sizes.items()
                }
                touched = _between(before.touched_bytes, after.touched_bytes, share)
                return CourseKnot(sizes={**others, self.over: size}, touched_bytes=touched)
        raise ValueError(size)

    def sample_borders(self) -> None:
        """The last size in each level, and the first in the next one."""
        for first, last in pairwise(sorted(self.samples)):
            level = self.level(first)
            if level == self.level(last):
                continue
            low, high = first, last
            while high - low > 1:
                middle = (low + high) // 2
                if self.level(middle) == level:
                    low = middle
                else:
                    high = middle
            self.sample(low)
            self.sample(high)

    def level(self, size: int) -> str:
        return self.level_of(self.knot(size).touched_bytes)

    def breaks(self) -> Iterator[LayerBreak]:
        """Both sides of every break are samples: the line has its step where it belongs."""
        sizes = sorted(self.samples)
        number = 0
        for first, last in pairwise(sizes):
            low, high = self.samples[first], self.samples[last]
            if number < MOST_BREAKS and low.forecast.layers != high.forecast.layers:
                number += 1
                yield self.narrowed(low, high)

    def narrowed(self, low: CourseSample, high: CourseSample) -> LayerBreak:
        """The first break of the gap."""
        while high.size - low.size > 1:
            middle = self.sample((low.size + high.size) // 2)
            if middle.forecast.layers == low.forecast.layers:
                low = middle
            else:
                high = middle
        return LayerBreak(size=low.size, moves=tuple(_moves(low.forecast, high.forecast)))


def _between(first: int, last: int, share: float) -> int:
    if first <= 0 or last <= 0:
        return first
    return round(first * pow(last / first, share))


def _moves(before: Forecast, after: Forecast) -> Iterator[LayerMove]:
    levels = {
        (number, layer): level
        for number, layers in enumerate(after.layers)
        for layer, level in layers.items()
    }
    for number, layers in enumerate(before.layers):
        for layer, level in layers.items():
            moved = levels.get((number, layer), level)
            if moved != level:
                yield LayerMove(layer=layer, before=level, after=moved)
