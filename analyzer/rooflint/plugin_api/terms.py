"""The parts that a model's time is made of: by kind, so that a verdict can compare models.

A term takes part in the estimate of a loop's time; a floor is a resource that is busy for so long
whatever else happens. Kinds and units are data; their words are made where people read them.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from rooflint.records import NamedTuple


class LimiterKind(Enum):
    """A kind of resource or event that can set the time of a loop."""

    CHAIN = "chain"
    PORT = "port"
    ISSUE = "issue"
    WINDOW = "window"
    LINK = "link"
    MISSES = "misses"
    PAGE_WALKS = "page_walks"
    MISPREDICTIONS = "mispredictions"
    CALL = "call"
    OVERHEAD = "overhead"
    UNKNOWN = "unknown"


class LimitSide(Enum):
    """The part of the machine that a limiter belongs to: terms of the core overlap each other."""

    CORE = "core"
    DATA = "data"


SIDES: Final[Mapping[LimiterKind, LimitSide]] = MappingProxyType(
    {
        kind: LimitSide.DATA
        if kind in (LimiterKind.LINK, LimiterKind.MISSES, LimiterKind.PAGE_WALKS)
        else LimitSide.CORE
        for kind in LimiterKind
    }
)


class CoreUnit(Enum):
    """The units behind a set of ports."""

    MULTIPLY_ADD = "multiply-add"
    INTEGER = "integer"
    DIVIDER = "divider"
    SHUFFLE = "shuffle"
    LOAD = "load"
    STORE = "store"
    BRANCH = "branch"
    OTHER = "other"


class Limiter(NamedTuple):
    """A resource of the machine.

    unit   of a port
    level  of a link, the level that it comes from: ``L1``, ``MEM``
    array  of random reads, whose elements are read
    """

    kind: LimiterKind
    unit: CoreUnit | None = None
    level: str = ""
    array: str = ""

    @property
    def side(self) -> LimitSide:
        """Whether the core or its data decide."""
        return SIDES[self.kind]


class TimeTerm(NamedTuple):
    """A part of the time of one iteration, in core cycles, all active cores together.

    high      where each access to an unknown address takes a line of its own, and each branch on
              data is guessed wrong as often as can be; None: as ``cycles``
    overlaps  data that wait for no other data
    """

    resource: Limiter
    cycles: float
    high: float | None = None
    overlaps: bool = False


class TimeTerms(NamedTuple):
    """Terms and floors that a model gives, in cycles of a core at ``clock_ghz``.

    Terms of the core overlap each other, but calls wait for ports and issue, and nothing overlaps
    wrong guesses. Terms of data add up where they do not overlap.

    second_cy         another estimate of the whole; verdicts compare it, and it raises nothing
    saturation_cores  cores that saturate the memory of their domain; None: none do, or unknown
    """

    clock_ghz: float
    terms: tuple[TimeTerm, ...] = ()
    floors: tuple[TimeTerm, ...] = ()
    second_cy: float | None = None
    saturation_cores: int | None = None


def link_resource(link: str) -> Limiter:
    """The resource of ``L2-L3``: named by the farther level."""
    return Limiter(LimiterKind.LINK, level=link.rpartition("-")[2])
