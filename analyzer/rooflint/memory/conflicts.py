"""Misses by their kind, and the padding that cures conflicts.

A miss is compulsory when its line is touched for the first time, capacity when a fully associative
cache of the same size would miss as well, else conflict (M. Hill, A. Smith: "Evaluating
Associativity in CPU Caches", IEEE Transactions on Computers 38(12), 1989).
"""

from typing import Final

from rooflint.records import NamedTuple

PAIRED: Final = 0.1
"""Of a kernel's conflict misses: what two arrays have less of is not named."""
MOST_ARRAYS: Final = 8
"""For each array of a kernel its accesses are replayed without it."""
NOTABLE: Final = 1.05
"""So many times the compulsory lines are worth a note."""


class ArrayConflict(NamedTuple):
    """Conflict misses of an array, so many ``lines``, which it would not have without ``others``.

    ``others``: one array, or several that lie in the same sets together; the array itself, where
    its own lines do.
    """

    array: str
    others: tuple[str, ...]
    lines: float


class MissKinds(NamedTuple):
    """Lines that a level misses over all iterations of a kernel, by kind.

    ``conflicts``: which arrays the conflict misses are between, most lines first; empty where they
    are few, or no replay tells.
    """

    level: str
    compulsory: int | float
    capacity: float
    conflict: float
    conflicts: tuple[ArrayConflict, ...] = ()

    @property
    def total(self) -> float:
        """All of them."""
        return self.compulsory + self.capacity + self.conflict


class Padding(NamedTuple):
    """``more_bytes`` at the end of each row of an array, and the ``misses`` that are left then."""

    array: str
    row_bytes: int
    more_bytes: int
    misses: float
