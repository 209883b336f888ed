"""Lines that kernels add to those that others touched before them."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

from rooflint.facts import ArrayLines, ByteBox
from rooflint.records import NamedTuple

CALL_LINES: Final = 16
"""Lines of stack and code that a call leaves beside its data."""
MARGIN: Final = 0.005
"""An interval is at least so much of a count wide to both sides."""


class CountMethod(Enum):
    """How lines were counted.

    EXACT         by a replay of all accesses, or by the accesses themselves
    SAMPLED_SETS  by a replay through some of the sets
    WINDOWS       by a replay of some iterations of long loops
    CLOSED_FORM   in closed form
    """

    EXACT = "exact"
    SAMPLED_SETS = "sampled sets"
    WINDOWS = "windows"
    CLOSED_FORM = "closed form"


class LineCounts(NamedTuple):
    """Lines of one array that a kernel adds to what was touched before it in a window."""

    load: float
    allocate: float
    evict: float

    def plus(self, other: "LineCounts") -> "LineCounts":
        """Both together."""
        return LineCounts(
            self.load + other.load, self.allocate + other.allocate, self.evict + other.evict
        )

    def times(self, factor: float) -> "LineCounts":
        """So often."""
        return LineCounts(self.load * factor, self.allocate * factor, self.evict * factor)

    def less(self, all_: "LineCounts", new: "LineCounts", share: float) -> "LineCounts":
        """Without ``share`` of the lines in ``all_`` that are not ``new``."""
        if not share:
            return self
        return LineCounts(
            max(0.0, self.load - share * max(0.0, all_.load - new.load)),
            max(0.0, self.allocate - share * max(0.0, all_.allocate - new.allocate)),
            max(0.0, self.evict - share * max(0.0, all_.evict - new.evict)),
        )

    def part(self, some: "LineCounts", all_: "LineCounts") -> "LineCounts":
        """Of this, the part that ``some`` is of ``all_``."""
        return LineCounts(
            self.load * (some.load / all_.load if all_.load else 1.0),
            self.allocate * (some.allocate / all_.allocate if all_.allocate else 1.0),
            self.evict * (some.evict / all_.evict if all_.evict else 1.0),
        )

    def at_least(self, least: "LineCounts") -> "LineCounts":
        """The factor that gives this as many lines in and out as ``least``."""
        come, enough = self.load + self.allocate, least.load + least.allocate
        lines = enough / come if 0 < come < enough else 1.0
        evict = least.evict / self.evict if 0 < self.evict < least.evict else 1.0
        return LineCounts(lines, lines, evict)

    def scaled(self, factors: "LineCounts") -> "LineCounts":
        """Each number times its factor."""
        return LineCounts(
            self.load * factors.load, self.allocate * factors.allocate, self.evict * factors.evict
        )


NOTHING = LineCounts(0.0, 0.0, 0.0)
EQUAL = LineCounts(1.0, 1.0, 1.0)
CountsByArray: TypeAlias = dict[str, LineCounts]
"""By array."""


def incoming_lines(rows: Iterable[CountsByArray]) -> float:
    """Loads and write-allocates of all arrays together."""
    return sum([counts.load + counts.allocate for row in rows for counts in row.values()])


def rows_with_least(
    rows: list[CountsByArray], whole: Iterable[CountsByArray]
) -> list[CountsByArray]:
    """``rows``, none of the arrays with fewer lines than there are in ``whole``."""
    moved, least = _by_array(rows), _by_array(whole)
    short = {a: growth.at_least(least[a]) for a, growth in moved.items() if a in least}
    short = {array: factors for array, factors in short.items() if factors != EQUAL}
    if not short:
        return rows
    return [{a: g.scaled(short[a]) if a in short else g for a, g in row.items()} for row in rows]


def _by_array(rows: Iterable[CountsByArray]) -> CountsByArray:
    found: CountsByArray = {}
    for row in rows:
        for array, growth in row.items():
            found[array] = found.get(array, NOTHING).plus(growth)
    return found


class LineInterval(NamedTuple):
    """Lines of loads and write-allocates together lie between the two."""

    low: float
    high: float

    def times(self, factor: float) -> "LineInterval":
        """So often."""
        return LineInterval(self.low * factor, self.high * factor)


class KernelLines(NamedTuple):
    """Lines of a kernel over one link; ``interval`` of those that come in, None: not known.

    ``unsure`` of those that come in may stay away: windows do not tell. ``method``: another one
    than that of all other lines.
    """

    arrays: CountsByArray
    interval: LineInterval | None = None
    unsure: float = 0.0
    method: CountMethod | None = None

    @property
    def incoming(self) -> float:
        """Loads and write-allocates."""
        return sum([each.load + each.allocate for each in self.arrays.values()])


class CountedLines(NamedTuple):
    """By level or link, nearest first, the lines of each kernel; ``work`` that a replay took."""

    method: CountMethod
    links: tuple[tuple[KernelLines, ...], ...]
    work: int = 0


class _Region(NamedTuple):
    """Boxes of one kernel and array, None where places are unknown, with its lines in them."""

    boxes: Sequence[ByteBox] | None
    touched: float
    stored: float


class TouchedLines:
    """Lines that the kernels so far touched."""

    def __init__(self, line_bytes: int) -> None:
        self._line_bytes = line_bytes
        self._regions: dict[str, list[_Region]] = {}

    def add(
        self, lines: Iterable[ArrayLines], boxes: Mapping[str, Sequence[ByteBox]]
    ) -> CountsByArray:
        """Another kernel: what is new in it."""
        found: CountsByArray = {}
        for array in lines:
            region = _Region(boxes.get(array.array), array.touched, array.stored)
            earlier = self._regions.setdefault(array.array, [])
            touched = stored = 0.0
            for other in earlier:
                if touched >= array.touched and stored >= array.stored:
                    break  # nothing is new in it, whatever else there was
                common = self._common(region, other)
                touched += common
                stored += common * (other.stored / other.touched if other.touched else 0.0)
            earlier.append(region)
            fresh = max(0.0, array.touched - touched)
            loaded = min(array.loaded, fresh)
            evict = array.stored - min(array.stored, stored) if stored else array.stored
            found[array.array] = LineCounts(loaded, fresh - loaded, evict)
        return found

    def _common(self, one: _Region, other: _Region) -> float:
        """Lines in both; what is unknown lies within what is larger."""
        most = min(one.touched, other.touched)
        if one.boxes is None or other.boxes is None:
            return most
        size = self._line_bytes
        common = sum(
            box.common_lines(another, size) for box in one.boxes for another in other.boxes
        )
        return min(most, common)
