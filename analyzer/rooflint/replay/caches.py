"""Caches that programs are replayed through, and what comes out of a replay."""

from array import array
from collections.abc import Sequence
from enum import Enum, IntFlag
from typing import Final

from rooflint.records import NamedTuple

COLUMNS: Final = 6
"""Counters of a reference at a level: misses, evicts, passed, at_edge, beyond_edge, unsure."""
EVICTS: Final = 1
"""The place of evicts among them."""


class LevelPolicy(IntFlag):
    """Policies of a cache; without any, it writes through and allocates nothing for stores.

    ``INCLUSIVE``: a line that leaves also leaves the nearer levels. ``VICTIM``: filled by what the
    level before drops, and a hit moves the line back. ``HASHED``: fully associative, since a hash
    picks the set.
    """

    NONE = 0
    WRITE_BACK = 1
    WRITE_ALLOCATE = 2
    INCLUSIVE = 4
    VICTIM = 8
    HASHED = 16


PLAIN: Final = LevelPolicy.WRITE_BACK | LevelPolicy.WRITE_ALLOCATE


class ReplayLevel(NamedTuple):
    """One cache with LRU replacement, in lines."""

    sets: int
    ways: int
    policy: LevelPolicy = PLAIN


class LoopPiece(NamedTuple):
    """Some iterations of a loop that are played in place of all, from trip ``begin`` to ``end``.

    bank     of the counters that they add to; ``DISCARDED``: they only fill the levels
    empties  whether nothing is known of what the levels hold before them
    """

    begin: int
    end: int
    bank: int
    empties: bool = False


class LoopPieces(NamedTuple):
    """A loop or walk at position ``node``, of so many trips, that is played in pieces."""

    node: int
    trips: int
    pieces: tuple[LoopPiece, ...]


DISCARDED: Final = 1


class ReplaySettings(NamedTuple):
    """How to replay.

    line_bytes     a power of two
    limit          work that may be done: touches of lines, and steps of loops
    runs           of the function; caches are empty before the first one
    between_lines  lines that other code touches between two runs
    modulus        of the classes of sets that ``classes`` picks; 1: all sets
    halves         parts that the classes belong to in turns, each with counters of its own
    windows        loops that are played in pieces; the compiled replay alone does that
    banks          of counters that their pieces add to; all else adds to the first one
    """

    line_bytes: int = 64
    limit: int = 50_000_000
    runs: int = 1
    between_lines: int = 0
    modulus: int = 1
    classes: tuple[int, ...] = (0,)
    halves: int = 1
    windows: tuple[LoopPieces, ...] = ()
    banks: int = 1


class ReplayStatus(Enum):
    """How a replay ended."""

    OK = 0
    LIMIT = 1
    NO_MEMORY = 2
    INVALID = 3
    UNDEFINED = 4
    """A division by zero, or a loop with step zero."""
    VARYING = 5
    """A loop that is played in pieces has other trips, or ends early."""


class LevelLines(NamedTuple):
    """The lines that one reference moves over the link below one level, in one run.

    misses       lines that it asks for
    evicts       dirty lines that leave; the last store to a line counts for it
    passed       stores that go down as they are
    at_edge      hits that one way less would lose
    beyond_edge  misses that one way more would save
    unsure       misses that may be hits: their set has room, and what it held is not known
    """

    misses: float
    evicts: float
    passed: float
    at_edge: float
    beyond_edge: float
    unsure: float


class ReplayCounts(NamedTuple):
    """Counters of all runs; ``work`` as the limit counts it."""

    status: ReplayStatus
    work: int
    levels: int
    references: int
    counters: Sequence[float]
    halves: int = 1
    banks: int = 1

    def lines(self, run: int, level: int, reference: int) -> LevelLines:
        """The lines that a reference moved over the link below ``level`` in a run.

        With several halves or banks, those of the first.
        """
        at = self._begin(run, 0, 0) + (level * self.references + reference) * COLUMNS
        return _level_lines(self.counters[at : at + COLUMNS])

    def columns(self, run: int, level: int) -> Sequence[float]:
        """The fields of ``lines`` of every reference, one after the other."""
        begin = self._begin(run, 0, 0) + level * self.references * COLUMNS
        return self.counters[begin : begin + self.references * COLUMNS]

    def all_remaining(self, level: int) -> Sequence[float]:
        """``remaining`` of every reference, in order."""
        return self.columns(self._runs, level)[EVICTS::COLUMNS]

    def remaining(self, level: int, reference: int) -> float:
        """Lines still dirty after the first run that will cross the link below ``level``."""
        return self.lines(self._runs, level, reference).evicts

    def half(self, half: int, weights: Sequence[float] = (1.0,)) -> "ReplayCounts":
        """The counters of one half of the sets; ``weights`` of the banks that are summed."""
        counters: list[float] = []
        for run in range(self._runs):
            parts = [
                (weight, self._part(run, bank, half))
                for bank, weight in enumerate(weights)
                if weight
            ]
            counters += _weighted(parts, self.references * COLUMNS)
        counters += self._part(self._runs, 0, half)
        return self._replace(counters=counters, halves=1, banks=1)

    @property
    def _size(self) -> int:
        return self.levels * self.references * COLUMNS

    @property
    def _runs(self) -> int:
        return (len(self.counters) // (self._size * self.halves) - 1) // self.banks

    def _begin(self, run: int, bank: int, half: int) -> int:
        return ((run * self.banks + bank) * self.halves + half) * self._size

    def _part(self, run: int, bank: int, half: int) -> Sequence[float]:
        begin = self._begin(run, bank, half)
        return self.counters[begin : begin + self._size]


def _level_lines(columns: Sequence[float]) -> LevelLines:
    misses, evicts, passed, at_edge, beyond_edge, unsure = columns
    return LevelLines(
        misses=misses,
        evicts=evicts,
        passed=passed,
        at_edge=at_edge,
        beyond_edge=beyond_edge,
        unsure=unsure,
    )


def _weighted(parts: Sequence[tuple[float, Sequence[float]]], level: int) -> Sequence[float]:
    """The weighted sum of equally long rows, which have so many counters a ``level``.

    A bank has counters of the references inside its loop alone: what is zero around them is left
    out, as a function has as many banks as loops.
    """
    if len(parts) == 1 and parts[0][0] == 1:
        return parts[0][1]
    total = [0.0] * len(parts[0][1])
    for weight, row in parts:
        for first in range(0, len(row), level):
            own = row[first : first + level]
            begin, end = _not_zero(own)
            at = slice(first + begin, first + end)
            total[at] = [
                one + weight * more for one, more in zip(total[at], own[begin:end], strict=True)
            ]
    return total


def _not_zero(row: Sequence[float]) -> tuple[int, int]:
    """Begin and end of what is left of a row without the zeros at its ends."""
    if not isinstance(row, array):
        return 0, len(row)
    text = row.tobytes()
    begin = (len(text) - len(text.lstrip(b"\0"))) // row.itemsize
    end = -(-len(text.rstrip(b"\0")) // row.itemsize)
    return begin, max(begin, end)
