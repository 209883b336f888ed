"""Numbers as people read them: two digits, gains, shares, and times in one unit."""

from typing import Final


def figure(value: float) -> str:
    """``0.85``, ``4.0``, ``41``: two significant digits below 10, integers from there."""
    if value <= 0:
        return "0"
    if value >= 9.95:
        return f"{value:.0f}"
    if value >= 0.95:
        return f"{value:.1f}"
    digits = f"{value:.1e}"
    power = -int(digits.partition("e")[2])
    return f"{value:.{power + 1}f}"


def cycles_words(value: float) -> str:
    """The same, whole numbers without a point: ``3``, ``1.7``, ``41``."""
    return figure(value).removesuffix(".0")


def share_text(share: float) -> str:
    """``9 %``, ``< 1 %``."""
    return f"{round(100 * share)} %" if share >= LEAST_SHARE else "< 1 %"


LEAST_SHARE: Final = 0.005
"""Rounds to one percent."""


_UNITS: Final = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def seconds_text(*seconds: float, between: str = " → ") -> str:
    """``3.3 → 2.1 s``: all in the unit of the smallest."""
    smallest = min(seconds)
    unit, scale = next((each for each in _UNITS if smallest >= 0.1 * each[1]), _UNITS[-1])
    return f"{between.join(figure(each / scale) for each in seconds)} {unit}"


def whole_number(value: int) -> str:
    """``90 000``: groups of three digits."""
    return f"{value:,}".replace(",", " ")
