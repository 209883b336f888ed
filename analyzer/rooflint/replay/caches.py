"""Caches that programs are replayed through, and what comes out of a replay."""

from collections.abc import Sequence
from enum import Enum, IntFlag
from typing import Final

from rooflint.records import NamedTuple

COLUMNS: Final = 5
"""Counters of a reference at a level: misses, evicts, passed, at_edge, beyond_edge."""


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


class ReplaySettings(NamedTuple):
    """How to replay.

    line_bytes     a power of two
    limit          work that may be done: touches of lines, and steps of loops
    runs           of the function; caches are empty before the first one
    between_lines  lines that other code touches between two runs
    modulus        of the classes of sets that ``classes`` picks; 1: all sets
    """

    line_bytes: int = 64
    limit: int = 50_000_000
    runs: int = 1
    between_lines: int = 0
    modulus: int = 1
    classes: tuple[int, ...] = (0,)


class ReplayStatus(Enum):
    """How a replay ended."""

    OK = 0
    LIMIT = 1
    NO_MEMORY = 2
    INVALID = 3
    UNDEFINED = 4
    """A division by zero, or a loop with step zero."""


class LevelLines(NamedTuple):
    """The lines that one reference moves over the link below one level, in one run.

    misses       lines that it asks for
    evicts       dirty lines that leave; the last store to a line counts for it
    passed       stores that go down as they are
    at_edge      hits that one way less would lose
    beyond_edge  misses that one way more would save
    """

    misses: int
    evicts: int
    passed: int
    at_edge: int
    beyond_edge: int


class ReplayCounts(NamedTuple):
    """Counters of all runs; ``work`` as the limit counts it."""

    status: ReplayStatus
    work: int
    levels: int
    references: int
    counters: Sequence[int]

    def lines(self, run: int, level: int, reference: int) -> LevelLines:
        """The lines that a reference moved over the link below ``level`` in a run."""
        at = ((run * self.levels + level) * self.references + reference) * COLUMNS
        misses, evicts, passed, at_edge, beyond = self.counters[at : at + COLUMNS]
        return LevelLines(
            misses=misses, evicts=evicts, passed=passed, at_edge=at_edge, beyond_edge=beyond
        )

    def remaining(self, level: int, reference: int) -> int:
        """Lines still dirty after the first run that will cross the link below ``level``."""
        runs = len(self.counters) // (self.levels * self.references * COLUMNS) - 1
        return self.lines(runs, level, reference).evicts
