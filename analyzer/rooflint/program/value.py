"""Values of quantities: a few constants, and reasons why there may be others."""

from collections.abc import Collection, Iterable
from typing import Final

from rooflint.ir.equations import UnknownSource
from rooflint.records import NamedTuple

MAX_CONSTANTS: Final = 12
"""Constants that a quantity may have: beyond them it is no size that a reader would recognise
(specification of the solver, 747 loops of 23 programs)."""
LARGEST: Final = 2**40
"""Sizes beyond are overflows: arrays of 8 TiB."""
_UNLIMITED: Final = frozenset(
    largest + more for largest in (2**31 - 1, 2**32 - 1) for more in (-1, 0, 1)
)
"""The largest numbers of types, and those of loops up to them: as a size, each means no limit."""


class PossibleValues(NamedTuple):
    """``constants`` that the source shows, and the ``unknown`` sources of others.

    ``typical`` is the one of the constants to reckon with; None where there are none.
    """

    constants: frozenset[int] = frozenset()
    unknown: frozenset[UnknownSource] = frozenset()
    typical: int | None = None

    @property
    def exact(self) -> bool:
        """Whether the quantity has one value, in each run of the program."""
        return len(self.constants) == 1 and not self.unknown

    @property
    def tells_trips(self) -> bool:
        """Whether the source tells how often a loop runs, or that it does not with its defaults."""
        if self.has_no_limit:
            return False
        if self.exact or self.constants == {0}:
            return True
        return bool(self.typical) and "counter" not in self.unknown

    @property
    def tells_value(self) -> bool:
        """Whether the source gives a size, and no placeholder until input brings another."""
        if self.typical is None or self.has_no_limit:
            return False
        return self.typical > 0 or not self.unknown

    @property
    def has_no_limit(self) -> bool:
        """Whether it is the largest number of a type, such as ``INT_MAX`` steps."""
        return self.typical in _UNLIMITED

    @property
    def least_size(self) -> int:
        """The typical value as a size; 0 where the source tells none."""
        return 0 if self.typical is None or self.has_no_limit else self.typical


NOTHING: Final = PossibleValues()


def exactly(value: int) -> PossibleValues:
    """One value, and no other."""
    return PossibleValues(frozenset((value,)), typical=value)


def union_of(values: Iterable[PossibleValues]) -> PossibleValues:
    """The values of a quantity that may have any of those."""
    listed = list(values)
    if len(listed) == 1:
        return listed[0]
    return within_limits(
        frozenset[int]().union(*(each.constants for each in listed)),
        frozenset[UnknownSource]().union(*(each.unknown for each in listed)),
        [each.typical for each in listed if each.typical is not None],
    )


def within_limits(
    constants: frozenset[int], unknown: frozenset[UnknownSource], typical: Iterable[int]
) -> PossibleValues:
    """The values, without constants that overflow, and with none if they are too many.

    Of several ``typical`` ones the median counts; of two in the middle the larger one.
    """
    small = frozenset(each for each in constants if -LARGEST <= each <= LARGEST)
    if len(small) < len(constants):
        unknown |= {"overflow"}
    if len(small) > MAX_CONSTANTS or "too-many-values" in unknown:
        return PossibleValues(unknown=unknown | {"too-many-values"})
    listed = [each for each in typical if each in small]
    return PossibleValues(small, unknown, _median(listed or small))


def _median(values: Collection[int]) -> int | None:
    """The value in the middle; one that means no limit only where there is no other."""
    limited = sorted([each for each in values if each not in _UNLIMITED] or values)
    return limited[len(limited) // 2] if limited else None
