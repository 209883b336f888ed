"""Misses of kernels by their kind, and paddings that cure conflicts."""

from collections.abc import Iterator, Mapping, Sequence

from rooflint.facts.affine import number
from rooflint.ir import Array
from rooflint.memory.closed_form import ClosedForm
from rooflint.memory.conflicts import (
    MOST_ARRAYS,
    NOTABLE,
    PAIRED,
    ArrayConflict,
    MissKinds,
    Padding,
)
from rooflint.memory.engine.budget import ClosedFormReason
from rooflint.memory.engine.levels import without_sets
from rooflint.memory.engine.replays import NestReplays
from rooflint.memory.hierarchy import CacheGeometry, MemoryLink
from rooflint.memory.line_counts import CountedLines, CountsByArray
from rooflint.memory.subnest_footprints import SubnestFootprints
from rooflint.replay import ReplayLevel, RowPadding


class MissCounter:
    """Misses of kernels in closed form."""

    def __init__(self, closed: ClosedForm, links: Sequence[MemoryLink]) -> None:
        self._closed, self._links = closed, links

    def misses(self, position: int, level: int) -> float:
        """Lines that one of the kernels brings to a level."""
        return _lines(self._closed.kernel_misses(self._links[level].above, position))

    def without_sets(self, position: int, level: int) -> float:
        """The same of a fully associative cache of the same capacity."""
        one_set = CacheGeometry(1, self._links[level].above.lines)
        return _lines(self._closed.kernel_misses(one_set, position))

    def padded(self, position: int, level: int, padding: RowPadding) -> tuple[float, float]:
        """Misses without and with longer rows."""
        cache = self._links[level].above
        now = self.misses(position, level)
        return now, _lines(self._closed.padded(position, cache, padding))

    def conflicts(
        self, _position: int, _level: int, _omitted: frozenset[str] = frozenset()
    ) -> Mapping[str, float]:
        """None: the closed form does not tell whose lines lie in whose sets."""
        return {}


class ReplayedMisses:
    """The same from replays of all accesses."""

    def __init__(
        self, replays: NestReplays, levels: tuple[ReplayLevel, ...], between_bytes: float | None
    ) -> None:
        self._replays, self._levels, self._between = replays, levels, between_bytes

    def misses(self, position: int, level: int) -> float:
        """Lines that one of the kernels brings to a level."""
        return self._of(self._replays, self._levels, position, level)

    def without_sets(self, position: int, level: int) -> float:
        """The same of fully associative caches of the same capacities."""
        return self._of(self._replays, tuple(map(without_sets, self._levels)), position, level)

    def padded(self, position: int, level: int, padding: RowPadding) -> tuple[float, float]:
        """Misses without and with longer rows."""
        longer = self._replays.padded(padding)
        now = self.misses(position, level)
        return now, self._of(longer, self._levels, position, level)

    def conflicts(
        self, position: int, level: int, omitted: frozenset[str] = frozenset()
    ) -> Mapping[str, float]:
        """Lines of each array that one of the kernels brings to a level, beyond those that a fully
        associative cache misses; without the arrays ``omitted``."""
        replays = self._replays.without(omitted) if omitted else self._replays
        found: dict[str, float] = {}
        for sign, levels in ((1, self._levels), (-1, tuple(map(without_sets, self._levels)))):
            counted = replays.lines(levels, self._between)
            if isinstance(counted, ClosedFormReason):
                return {}
            for array, each in counted.links[level][position].arrays.items():
                found[array] = found.get(array, 0.0) + sign * (each.load + each.allocate)
        return found

    def _of(
        self, replays: NestReplays, levels: tuple[ReplayLevel, ...], position: int, level: int
    ) -> float:
        """Without an answer, as many as there are now: no advice rests on what is not known."""
        counted = replays.lines(levels, self._between)
        if isinstance(counted, ClosedFormReason):
            counted = self._replays.lines(self._levels, self._between)
        assert isinstance(counted, CountedLines)
        return counted.links[level][position].incoming


class MissAnalysis:
    """Misses of the kernels of a function by their kind; ``numbers`` of the kernels."""

    def __init__(
        self,
        footprints: SubnestFootprints,
        numbers: Sequence[int],
        links: Sequence[MemoryLink],
        counter: MissCounter | ReplayedMisses,
    ) -> None:
        self._footprints, self._numbers = footprints, numbers
        self._links, self._counter = links, counter

    def kinds(self, position: int) -> tuple[MissKinds, ...]:
        """Per level, how many lines it misses for which reason."""
        number = self._numbers[position]
        touched = sum([array.touched for array in self._footprints.lines(number, 0, ())])
        return tuple([self._kind(position, level, touched) for level, _ in enumerate(self._links)])

    def _kind(self, position: int, level: int, touched: float) -> MissKinds:
        missed, link = self._counter.misses(position, level), self._links[level]
        least, lost = min(missed, touched), max(0.0, missed - touched)
        capacity = lost
        if lost > touched * (NOTABLE - 1) and self._may_conflict(position, link.above):
            spread = self._counter.without_sets(position, level)
            capacity = min(lost, max(0.0, spread - touched))
        return MissKinds(
            level=link.near, compulsory=least, capacity=capacity, conflict=lost - capacity
        )

    def conflicts(self, position: int, level: int) -> tuple[ArrayConflict, ...]:
        """Which arrays the conflict misses of a kernel are between, most lines first."""
        now = self._counter.conflicts(position, level)
        if not 0 < len(now) <= MOST_ARRAYS:
            return ()
        least = PAIRED * sum([lines for lines in now.values() if lines > 0])
        found = [each for each in self._between(position, level, now) if each.lines > least]
        return tuple(sorted(found, key=lambda each: (-each.lines, each.array, each.others)))

    def _between(
        self, position: int, level: int, now: Mapping[str, float]
    ) -> Iterator[ArrayConflict]:
        """Each array with itself, with every other one, and what takes several others."""
        names = frozenset(now)
        without = {
            name: self._counter.conflicts(position, level, frozenset((name,)))
            for name in names
            if len(names) > 1
        }
        for array, lines in now.items():
            alone = self._counter.conflicts(position, level, names - {array}) if without else now
            own = max(0.0, alone.get(array, 0.0))
            yield ArrayConflict(array=array, others=(array,), lines=own)
            cured = {
                other: max(0.0, lines - kept.get(array, 0.0)) for other, kept in without.items()
            }
            yield from _with_others(array, lines - own, cured)

    def _may_conflict(self, position: int, cache: CacheGeometry) -> bool:
        return cache.sets > 1 and self._footprints.may_conflict(self._numbers[position], cache)

    def padding(self, position: int, level: int) -> Padding | None:
        """Rows longer by one line that leave a level fewer misses in a kernel; None: none do.

        Tried are the arrays of the kernel whose strides reach few sets.
        """
        best: Padding | None = None
        footprints, cache = self._footprints, self._links[level].above
        line = footprints.line_bytes
        for name in footprints.crowding(self._numbers[position], cache):
            row = row_bytes(footprints.arrays[name], footprints.values)
            if row is None:
                continue
            padding = RowPadding(array=name, row_bytes=row, more_bytes=line)
            now, left = self._counter.padded(position, level, padding)
            if left * NOTABLE < now and (best is None or left < best.misses):
                best = Padding(array=name, row_bytes=row, more_bytes=line, misses=left)
        return best


def _with_others(array: str, lines: float, cured: Mapping[str, float]) -> Iterator[ArrayConflict]:
    """``lines`` of an array by every other one, and what takes several. ``cured``: those that it
    keeps without one of them; where each is one too many, they share the lines."""
    others = sorted(cured.keys() - {array})
    whole = sum([cured[other] for other in others])
    part = min(1.0, lines / whole) if whole > 0 else 0.0
    for other in others:
        yield ArrayConflict(array=array, others=(other,), lines=part * cured[other])
    yield ArrayConflict(array=array, others=tuple(others), lines=lines - part * whole)


def _lines(counts: CountsByArray) -> float:
    return sum([each.load + each.allocate for each in counts.values()])


def row_bytes(array: Array, values: Mapping[str, int]) -> int | None:
    """Bytes of the innermost dimension of an array with several; None for others."""
    if len(array.extents) < 2:
        return None
    extent = array.extents[-1]
    value = None if extent is None else number(extent, values)
    return value * array.element_bytes if value else None
