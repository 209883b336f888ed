"""Axes of a chart: logarithmic ones for sizes, linear ones from zero for times."""

from collections.abc import Iterator
from math import ceil, floor, log10
from typing import Final, TypeAlias

from rooflint.records import NamedTuple

STEPS: Final = (
    (1,),
    (1, 3),
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    tuple(n / 10 for n in range(10, 100)),
)
"""Ticks of a decade, from few to many."""
FEWEST_TICKS: Final = 4
ROUNDING: Final = 1e-9


class LinearAxis(NamedTuple):
    """From ``low`` to ``high`` over ``length`` pixels."""

    low: float
    high: float
    length: float

    def __call__(self, value: float) -> float:
        """Pixels from the low end, on an end where the value lies outside."""
        inside = min(max(value, self.low), self.high)
        return (inside - self.low) / (self.high - self.low) * self.length

    def ticks(self, apart_px: float) -> list[float]:
        """Multiples of 1, 2 or 5 times a power of ten, at least ``apart_px`` from each other."""
        least = (self.high - self.low) * apart_px / self.length
        power = 10.0 ** floor(log10(least))
        step = next(power * part for part in (1, 2, 5, 10) if power * part >= least)
        first, last = ceil(self.low / step - ROUNDING), floor(self.high / step + ROUNDING)
        return [step * number for number in range(first, last + 1)]


class WholeAxis(NamedTuple):
    """The same for whole numbers from 1 on, such as cores; ``low`` leaves room for a point at 1."""

    low: float
    high: float
    length: float

    def __call__(self, value: float) -> float:
        """Pixels from the low end, on an end where the value lies outside."""
        return LinearAxis(self.low, self.high, self.length)(value)

    def ticks(self, apart_px: float) -> list[float]:
        """1, and whole ones of a linear axis."""
        ticks = LinearAxis(self.low, self.high, self.length).ticks(apart_px)
        room = apart_px / self.length * (self.high - self.low)
        return [1.0, *[tick for tick in ticks if tick == round(tick) and tick - 1 >= room]]


class LogAxis(NamedTuple):
    """From ``low`` above 0 to ``high``; as many pixels for each factor."""

    low: float
    high: float
    length: float

    def __call__(self, value: float) -> float:
        """Pixels from the low end, on an end where the value lies outside."""
        inside = min(max(value, self.low), self.high)
        return log10(inside / self.low) / log10(self.high / self.low) * self.length

    def ticks(self, apart_px: float) -> list[float]:
        """Round numbers: the coarsest kind of which there are enough."""
        found: list[float] = []
        for parts in STEPS:
            found = self._apart(apart_px, self._rounded(parts))
            if len(found) >= FEWEST_TICKS:
                break
        return found

    def _rounded(self, parts: tuple[float, ...]) -> Iterator[float]:
        for power in range(floor(log10(self.low)), ceil(log10(self.high)) + 1):
            for part in parts:
                value = part * 10.0**power
                if self.low * (1 - ROUNDING) <= value <= self.high * (1 + ROUNDING):
                    yield value

    def _apart(self, apart_px: float, values: Iterator[float]) -> list[float]:
        found: list[float] = []
        for value in values:
            if not found or self(value) - self(found[-1]) >= apart_px:
                found.append(value)
        return found


ChartAxis: TypeAlias = LinearAxis | WholeAxis | LogAxis


def tick_text(value: float) -> str:
    """``0.25``, ``1500``, ``20000``, and ``2e5`` from a hundred thousand on."""
    if abs(value) < 1e5:
        return f"{value:.6g}"
    power = floor(log10(abs(value)) + ROUNDING)
    return f"{value / 10.0**power:.3g}e{power}"
