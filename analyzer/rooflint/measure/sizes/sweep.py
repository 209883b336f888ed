"""Sweeps: one size over a range, and another one that keeps the amount of data."""

from typing import Final

from msgspec import Struct

from rooflint.errors import UsageError

USUAL_POINTS: Final = 12
MOST_POINTS: Final = 200
EXPECTED: Final = "expected NAME=FIRST:LAST[:POINTS] such as n=1e2:1e6:12"


class Sweep(Struct, frozen=True, kw_only=True):
    """Sizes from first to last, evenly apart on a logarithmic axis."""

    name: str
    first: int
    last: int
    points: int = USUAL_POINTS

    @property
    def sizes(self) -> tuple[int, ...]:
        """Without repetition, growing."""
        if self.points == 1:
            return (self.first,)
        ratio = self.last / self.first
        raw = [self.first * ratio ** (i / (self.points - 1)) for i in range(self.points)]
        return tuple(sorted({round(each) for each in raw}))


def parse_sweep(text: str) -> Sweep:
    """``n=1e2:1e7`` or ``n=100:5000:20``; raises UsageError."""
    name, equals, span = text.partition("=")
    parts = span.split(":")
    if not name.strip() or not equals or len(parts) not in (2, 3):
        raise UsageError(f"--sweep {text}: {EXPECTED}")
    numbers = [_whole(part, text) for part in parts]
    first, last = numbers[:2]
    points = numbers[2] if len(numbers) > 2 else USUAL_POINTS
    if not 1 <= first <= last:
        raise UsageError(f"--sweep {text}: FIRST must be at least 1, and no more than LAST")
    if not 1 <= points <= MOST_POINTS:
        raise UsageError(f"--sweep {text}: POINTS must be from 1 to {MOST_POINTS}")
    return Sweep(name=name.strip(), first=first, last=last, points=points)


def _whole(text: str, given: str) -> int:
    try:
        value = float(text)
    except ValueError:
        value = 0.5
    if not value.is_integer():
        raise UsageError(f"--sweep {given}: '{text}' is no whole number; {EXPECTED}")
    return int(value)


UNITS: Final = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_bytes(text: str) -> int:
    """``512K``, ``1.5MiB`` or ``65536``; raises UsageError."""
    number = text.strip().upper().removesuffix("IB").removesuffix("B")
    unit = number[-1:] if number[-1:] in ("K", "M", "G") else ""
    try:
        value = float(number.removesuffix(unit)) * UNITS[unit]
    except ValueError:
        value = 0.0
    if not 1 <= value < 1 << 50:
        raise UsageError(f"--hold {text}: expected bytes such as 512K or 64M")
    return int(value)
