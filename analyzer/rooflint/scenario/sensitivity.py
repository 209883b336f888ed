"""Whether a verdict rests on a guess: it is asked again at the ends of each guessed range.

A size that leaves the verdict as it is costs no confidence, however uncertain its value. One that
changes the verdict has a break-even: the size from which, or up to which, the verdict holds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from math import exp, log
from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple

MAX_BISECTIONS: Final = 12
"""Evaluations for one break-even: a range of four decades is then known to 0.2 %."""
SIGNIFICANT_DIGITS: Final = 2
"""Of a break-even in words: models are not exact enough for more."""

Evaluation: TypeAlias = Callable[[Mapping[str, int]], bool]
"""Whether the verdict holds at these values of the guessed sizes."""


class GuessedRange(NamedTuple):
    """A guessed size: ``quartiles`` enclose half of the programs measured, the ends nearly all."""

    name: str
    low: int
    quartiles: tuple[int, int]
    typical: int
    high: int


class Stability(Enum):
    """Where in the guessed ranges a verdict holds."""

    EVERYWHERE = "everywhere"
    WITHIN_QUARTILES = "within quartiles"
    PARTLY = "partly"
    NOWHERE_ELSE = "nowhere else"


class BreakEven(NamedTuple):
    """The verdict holds for ``name`` from ``size`` on, or up to it; the other sizes are typical."""

    name: str
    side: Literal["from", "up to"]
    size: int

    def __str__(self) -> str:
        """``from n >= 200``, rounded towards the sizes at which the verdict holds."""
        unit = 10 ** max(0, len(str(self.size)) - SIGNIFICANT_DIGITS)
        if self.side == "from":
            return f"from {self.name} >= {-(-self.size // unit) * unit}"
        return f"up to {self.name} <= {self.size // unit * unit}"


class Sensitivity(NamedTuple):
    """How a verdict depends on guessed sizes.

    joint  it changes only where all sizes are small, or large, together
    """

    stability: Stability
    break_evens: tuple[BreakEven, ...] = ()
    joint: bool = False


def sensitivity_of(ranges: Sequence[GuessedRange], holds: Evaluation) -> Sensitivity:
    """Where a verdict that holds at the typical values holds otherwise.

    Each size alone at both ends, the others typical; then all at their low and at their high ends.
    """
    asked = _Asked({each.name: each.typical for each in ranges}, holds)
    limits = list(_limits(ranges, asked))
    joint = [quartiles for ends, quartiles in _corners(ranges) if not asked.together(ends)]
    central = [asked.alone(each.name, quartile) for each, _, quartile in limits]
    central += map(asked.together, joint)
    if not central:
        return Sensitivity(Stability.EVERYWHERE)
    if not asked.held_elsewhere:
        return Sensitivity(Stability.NOWHERE_ELSE)
    return Sensitivity(
        stability=Stability.WITHIN_QUARTILES if all(central) else Stability.PARTLY,
        break_evens=tuple([_break_even(each, end, asked) for each, end, _ in limits]),
        joint=not limits,
    )


class _Asked:
    """Evaluations, none made twice; ``held_elsewhere``: one beside the typical values held."""

    def __init__(self, typical: Mapping[str, int], holds: Evaluation) -> None:
        self._typical, self._holds = typical, holds
        self._known: dict[tuple[int, ...], bool] = {tuple(typical.values()): True}
        self.held_elsewhere = False

    def alone(self, name: str, value: int) -> bool:
        return self.together({name: value})

    def together(self, values: Mapping[str, int]) -> bool:
        point = {**self._typical, **values}
        key = tuple(point.values())
        if key not in self._known:
            self._known[key] = self._holds(point)
            self.held_elsewhere = self.held_elsewhere or self._known[key]
        return self._known[key]


def _limits(
    ranges: Sequence[GuessedRange], asked: _Asked
) -> Iterator[tuple[GuessedRange, int, int]]:
    """Ends of ranges at which the verdict does not hold, each with its quartile."""
    for each in ranges:
        for end, quartile in ((each.low, each.quartiles[0]), (each.high, each.quartiles[1])):
            if not asked.alone(each.name, end):
                yield each, end, quartile


def _corners(
    ranges: Sequence[GuessedRange],
) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """All sizes at their low ends and at the lower quartiles; the same for the high ends."""
    low = {each.name: each.low for each in ranges}
    high = {each.name: each.high for each in ranges}
    yield low, {each.name: each.quartiles[0] for each in ranges}
    yield high, {each.name: each.quartiles[1] for each in ranges}


def _break_even(size: GuessedRange, end: int, asked: _Asked) -> BreakEven:
    """Bisects in the logarithm between the typical value, which holds, and an end that does not."""
    inside, outside = size.typical, end
    for _ in range(MAX_BISECTIONS):
        if abs(outside - inside) <= 1:
            break
        middle = round(exp((log(max(inside, 1)) + log(max(outside, 1))) / 2))
        middle = min(max(middle, min(inside, outside) + 1), max(inside, outside) - 1)
        if asked.alone(size.name, middle):
            inside = middle
        else:
            outside = middle
    return BreakEven(size.name, "from" if end < size.typical else "up to", inside)
