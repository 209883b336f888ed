"""Values to reckon with: those that the source decides, or ranges of roles."""

from typing import Final, TypeAlias

from rooflint.program.value import LARGEST
from rooflint.records import NamedTuple
from rooflint.scenario.roles import SizeRole

TYPICAL: Final = 2
"""Position of the typical value among the points of a range."""

RangePoints: TypeAlias = tuple[int, int, int, int, int]
"""Low end, lower quartile, typical value, upper quartile and high end."""


class TypicalValue(NamedTuple):
    """A value to reckon with, and the range around it.

    decided  by the source: a constant, or what loops count up
    shrunk_from  the value that it would have in a run of any length; 0 where it has that
    role     whose range it is, or of the sizes that it is computed from; None for a constant
    computed  from such sizes, by more than copies of one
    """

    points: RangePoints
    decided: bool
    role: SizeRole | None = None
    shrunk_from: int = 0
    computed: bool = False

    @property
    def value(self) -> int:
        """The typical one."""
        return self.points[TYPICAL]


def decided_value(value: int) -> TypicalValue:
    """A value that the source decides."""
    return TypicalValue(points=(value,) * 5, decided=True)


def copied_value(guess: TypicalValue) -> TypicalValue:
    """The value of what is set to such a quantity; none where it is no size."""
    points = [point if abs(point) <= LARGEST else 0 for point in guess.points]
    if guess.role is None:
        return decided_value(points[TYPICAL])
    return guess._replace(points=ordered_points(points), shrunk_from=0)


def role_value(role: SizeRole) -> TypicalValue:
    """The range of a role."""
    return TypicalValue(points=role.range.points, decided=False, role=role)


def counted_arguments(count: int) -> TypicalValue:
    """The number of arguments of ordinary runs, and more, as far as local variables have it."""
    _, _, typical, _, high = SizeRole.LOCAL.range.points
    points = (count, count, count, max(count, typical), max(count, high))
    return TypicalValue(points=points, decided=False, role=SizeRole.LOCAL)


def limited_value(guess: TypicalValue, largest: int) -> TypicalValue:
    """The guess, nowhere in its range above ``largest``; a constant of the source stays."""
    if guess.role is None or guess.points[-1] <= largest:
        return guess
    low, lower, typical, upper, high = [min(point, largest) for point in guess.points]
    return guess._replace(points=(low, lower, typical, upper, high))


def shrunk_value(guess: TypicalValue, largest: int) -> TypicalValue:
    """The guess within the time of a run, which remembers what it would be."""
    return limited_value(guess, largest)._replace(shrunk_from=guess.value)


def lengthened_value(guess: TypicalValue, steps: int) -> TypicalValue:
    """The guess of a longer run, which remembers what it would be."""
    low, lower, typical, upper, high = guess.points
    points = (low, lower, steps, max(upper, steps), max(high, steps))
    return guess._replace(points=points, shrunk_from=typical)


def ordered_points(values: list[int]) -> RangePoints:
    """Values at the points of ranges as points of one: a difference may fall where sizes grow."""
    typical = values.pop(TYPICAL)
    low, lower, upper, high = sorted(values)
    return min(low, typical), min(lower, typical), typical, max(upper, typical), max(high, typical)


def range_width(guess: TypicalValue) -> float:
    """The ratio of the ends of the range."""
    return guess.points[-1] / max(1, guess.points[0])
