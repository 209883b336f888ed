"""Whether a verdict rests on a guess: it is asked again at the ends of each guessed range.

A size that leaves the verdict as it is costs no confidence, however uncertain its value. One that
changes the verdict has a break-even: the size from which, or up to which, the verdict holds. What
is unknown and no size, the caches' state or the flags, has one other value, which counts as an end.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from math import exp, log
from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple
from rooflint.scenario.values import GuessedRange

MAX_BISECTIONS: Final = 12
"""Evaluations for one break-even: a range of four decades is then known to 0.2 %."""
SIGNIFICANT_DIGITS: Final = 2
"""Of a break-even in words: models are not exact enough for more."""

Side: TypeAlias = Literal["from", "up to"]

Evaluation: TypeAlias = Callable[[Mapping[str, int]], bool]
"""Whether the verdict holds at these values of the guessed sizes."""


class Stability(Enum):
    """Where in the guessed ranges a verdict holds."""

    EVERYWHERE = "everywhere"
    WITHIN_QUARTILES = "within quartiles"
    PARTLY = "partly"
    NOWHERE_ELSE = "nowhere else"


class BreakEven(NamedTuple):
    """The verdict holds for ``name`` from ``size`` on, or up to it; the other sizes are typical.

    fails_at  the nearest size that was tried at which it does not
    """

    name: str
    side: Side
    size: int
    fails_at: int

    def __str__(self) -> str:
        """``from n >= 200``, rounded towards the sizes at which the verdict holds."""
        return limit_words(self.name, self.side, self.size)


def limit_words(name: str, side: Side, size: int) -> str:
    """``from n >= 200`` or ``up to n <= 200``, rounded inwards to two digits."""
    unit = 10 ** max(0, len(str(size)) - SIGNIFICANT_DIGITS)
    if side == "from":
        return f"from {name} >= {-(-size // unit) * unit}"
    return f"up to {name} <= {size // unit * unit}"


class Corner(Enum):
    """All guessed sizes at their low, or at their high ends."""

    SMALL = "small"
    LARGE = "large"


class Circumstance(Enum):
    """An unknown circumstance of a run in its other value: empty caches, plain flags."""

    COLD_CACHES = "with cold caches"
    PLAIN_FLAGS = "with -O2"


class Sensitivity(NamedTuple):
    """How a verdict depends on guessed sizes and unknown circumstances.

    corners  where it changes although no size alone changes it; ``names`` are the sizes
    unless   circumstances in which it does not hold
    """

    stability: Stability
    break_evens: tuple[BreakEven, ...] = ()
    corners: tuple[Corner, ...] = ()
    names: tuple[str, ...] = ()
    unless: tuple[Circumstance, ...] = ()

    @property
    def words(self) -> str:
        """``from n >= 200, not with -O2``; empty where it holds everywhere."""
        said = [" and ".join(map(str, self.break_evens))] if self.break_evens else []
        said += [f"not with small {', '.join(self.names)}"] if Corner.SMALL in self.corners else []
        said += [f"not with large {', '.join(self.names)}"] if Corner.LARGE in self.corners else []
        return ", ".join([*said, *[f"not {each.value}" for each in self.unless]])

    def except_in(self, unless: Sequence[Circumstance]) -> "Sensitivity":
        """The same of a verdict that does not hold in some circumstances: ends of a range."""
        stability = self.stability
        if unless and stability is Stability.EVERYWHERE:
            stability = Stability.WITHIN_QUARTILES
        return self._replace(stability=stability, unless=tuple(unless))


def joint_sensitivity(first: Sensitivity, second: Sensitivity) -> Sensitivity:
    """That of two verdicts which both have to hold."""
    order = list(Stability)
    return Sensitivity(
        stability=max(first.stability, second.stability, key=order.index),
        break_evens=tuple(dict.fromkeys((*first.break_evens, *second.break_evens))),
        corners=tuple(dict.fromkeys((*first.corners, *second.corners))),
        names=tuple(dict.fromkeys((*first.names, *second.names))),
        unless=tuple(dict.fromkeys((*first.unless, *second.unless))),
    )


def sensitivity_of(
    ranges: Sequence[GuessedRange], holds: Evaluation, bisections: int = MAX_BISECTIONS
) -> Sensitivity:
    """Where a verdict that holds at the typical values holds otherwise.

    Each size alone at both ends, the others typical; then all at their low and at their high ends.
    """
    asked = _Asked({each.name: each.typical for each in ranges}, holds)
    limits = list(_limits(ranges, asked))
    joint = [corner for corner in Corner if not asked.together(_ends(ranges, corner))]
    if not limits and not joint:
        return Sensitivity(Stability.EVERYWHERE)
    central = _holds_in_quartiles(ranges, limits, joint, asked)
    if not asked.held_elsewhere:
        return Sensitivity(Stability.NOWHERE_ELSE)
    return Sensitivity(
        stability=Stability.WITHIN_QUARTILES if central else Stability.PARTLY,
        break_evens=tuple([_break_even(each, end, asked, bisections) for each, end, _ in limits]),
        corners=() if limits else tuple(joint),
        names=tuple(asked.names),
    )


def _holds_in_quartiles(
    ranges: Sequence[GuessedRange],
    limits: Sequence[tuple[GuessedRange, int, int]],
    joint: Sequence[Corner],
    asked: "_Asked",
) -> bool:
    """Whether the verdict holds at the quartiles next to the ends at which it does not."""
    alone = [asked.alone(each.name, quartile) for each, _, quartile in limits]
    return all([*alone, *[asked.together(_quartiles(ranges, corner)) for corner in joint]])


class _Asked:
    """Evaluations, none made twice; ``held_elsewhere``: one beside the typical values held."""

    def __init__(self, typical: Mapping[str, int], holds: Evaluation) -> None:
        self.names = list(typical)
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


def _ends(ranges: Sequence[GuessedRange], corner: Corner) -> dict[str, int]:
    small = corner is Corner.SMALL
    return {each.name: each.low if small else each.high for each in ranges}


def _quartiles(ranges: Sequence[GuessedRange], corner: Corner) -> dict[str, int]:
    upper = corner is Corner.LARGE
    return {each.name: each.quartiles[upper] for each in ranges}


def _break_even(size: GuessedRange, end: int, asked: _Asked, bisections: int) -> BreakEven:
    """Bisects in the logarithm between the typical value, which holds, and an end that does not."""
    inside, outside = size.typical, end
    for _ in range(bisections):
        if abs(outside - inside) <= 1:
            break
        middle = round(exp((log(max(inside, 1)) + log(max(outside, 1))) / 2))
        middle = min(max(middle, min(inside, outside) + 1), max(inside, outside) - 1)
        if asked.alone(size.name, middle):
            inside = middle
        else:
            outside = middle
    side: Literal["from", "up to"] = "from" if end < size.typical else "up to"
    return BreakEven(name=size.name, side=side, size=inside, fails_at=outside)
