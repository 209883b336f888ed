"""Which term of a model is off, fitted to measurements with the data in several levels.

A gap is measured minus predicted cycles. One that is there with the data in L1 and stays the same
farther out belongs to the core; one that appears with a level belongs to the link in front of it.
"""

from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import filterfalse
from operator import attrgetter
from statistics import median
from typing import Final

from msgspec import Struct

RIGHT: Final = 1.25
"""Predictions within this factor of the measurement are right: the first of the shares that tables
of accuracy count."""
SAME_GAP: Final = 0.2
"""Gaps that differ by no more than this share of the smaller measurement are one gap."""


class SuspectTerm(Enum):
    """The part of a prediction that explains a gap best."""

    CORE = "core"
    LINK = "link"
    LAYER_CONDITION = "layer condition"
    CONFLICTS = "conflict misses"
    MEASUREMENT = "measurement"
    UNDECIDED = "undecided"


class Suspect(Struct, frozen=True, kw_only=True):
    """``link`` names the path of data where one is suspected: ``L1-L2``."""

    term: SuspectTerm
    link: str = ""


class Observation(Struct, frozen=True, kw_only=True):
    """A stable measurement and a model's answer, both in cycles per iteration.

    level          that held the data
    is_disturbed   a reference ran below its figure
    near_limit     a neighbouring size lies behind a layer condition
    is_power       sizes are powers of two
    """

    level: str
    measured: float
    predicted: float
    is_disturbed: bool = False
    near_limit: bool = False
    is_power: bool = False

    @property
    def gap(self) -> float:
        """Cycles that the model lacks; negative where it has too many."""
        return self.measured - self.predicted

    @property
    def is_right(self) -> bool:
        """Whether measurement and prediction agree within ``RIGHT``."""
        return self.measured <= RIGHT * self.predicted and self.predicted <= RIGHT * self.measured


def suspects(
    observations: Sequence[Observation], levels: Sequence[str]
) -> tuple[Suspect | None, ...]:
    """The suspect of each observation; None where the model is right.

    ``levels`` of the machine, nearest first.
    """
    ordered = sorted(observations, key=lambda each: _rank(each.level, levels))
    return tuple([_suspect(each, ordered, levels) for each in observations])


def _suspect(
    at: Observation, ordered: Sequence[Observation], levels: Sequence[str]
) -> Suspect | None:
    if at.is_right:
        return None
    others = [each for each in ordered if each is not at]
    if at.is_disturbed and all(each.is_right for each in others if each.level != at.level):
        return Suspect(term=SuspectTerm.MEASUREMENT)
    special = _special(at, others)
    if special is not None:
        return Suspect(term=special)
    return _fitted(at, ordered, levels)


def _special(at: Observation, others: Sequence[Observation]) -> SuspectTerm | None:
    """A term that only sizes of a kind bring in: other sizes in the same level must be right."""
    level = [each for each in others if each.level == at.level]
    if at.is_power and _are_right(filterfalse(attrgetter("is_power"), level)):
        return SuspectTerm.CONFLICTS
    if at.near_limit and _are_right(filterfalse(attrgetter("near_limit"), level)):
        return SuspectTerm.LAYER_CONDITION
    return None


def _are_right(observations: Iterable[Observation]) -> bool:
    verdicts = [each.is_right for each in observations]
    return bool(verdicts) and all(verdicts)


def _fitted(at: Observation, ordered: Sequence[Observation], levels: Sequence[str]) -> Suspect:
    nearest = levels[0] if levels else ""
    core = [each for each in ordered if each.level == nearest]
    if not core:
        return Suspect(term=SuspectTerm.UNDECIDED)
    offset = median([each.gap for each in core])
    link = _first_step(at, ordered, levels, offset)
    return Suspect(term=SuspectTerm.LINK, link=link) if link else Suspect(term=SuspectTerm.CORE)


def _first_step(
    at: Observation, ordered: Sequence[Observation], levels: Sequence[str], offset: float
) -> str:
    """The link in front of the first level up to this one whose gap exceeds the core's."""
    last = _rank(at.level, levels)
    for rank in range(1, last + 1):
        gaps = [each for each in ordered if _rank(each.level, levels) == rank]
        if gaps and not _is_same(
            median([e.gap for e in gaps]), offset, min([e.measured for e in gaps])
        ):
            return f"{levels[rank - 1]}-{levels[rank]}"
    return ""


def _is_same(gap: float, other: float, measured: float) -> bool:
    return abs(gap - other) <= SAME_GAP * measured


def _rank(level: str, levels: Sequence[str]) -> int:
    return levels.index(level) if level in levels else len(levels)
