"""Misses by their kind, and the padding that cures conflicts.

A miss is compulsory when its line is touched for the first time, capacity when a fully associative
cache of the same size would miss as well, else conflict (M. Hill, A. Smith: "Evaluating
Associativity in CPU Caches", IEEE Transactions on Computers 38(12), 1989).
"""

from typing import Final

from rooflint.records import NamedTuple

NOTABLE: Final = 1.05
"""So many times the compulsory lines are worth a note."""


class MissKinds(NamedTuple):
    """Lines that a level misses over all iterations of a kernel, by kind."""

    level: str
    compulsory: int | float
    capacity: float
    conflict: float

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
