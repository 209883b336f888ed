"""How many lines fall into each set of a cache, for all sets at once.

The counts stand side by side in one integer, a field of 64 bits per set: a sum over all sets is one
addition, a walk that repeats is doubled by turning the sets, and cost hardly grows with either.
"""

from collections.abc import Sequence
from functools import cache
from math import gcd
from sys import byteorder
from typing import TypeAlias

from rooflint.facts.footprint import RunShape
from rooflint.records import NamedTuple

Packed: TypeAlias = int
"""Lines in each set, in units of 1 / SCALE, the first set in the lowest bits."""

FIELD = 64
FIELD_BYTES = FIELD // 8
TOP = 1 << (FIELD - 1)
SCALE = 1 << 16
ADDED = 32
"""So many fields that are not ``heavy`` add up to one without a carry."""
MOST_LINES = 1 << 40
"""More lines in a set than any cache has ways; keeps sums within their fields."""


class Sets(NamedTuple):
    """The sets of a cache, so many, and the integers that counts of all of them are made with.

    ones, tops   the lowest and the highest bit of every field
    heavy        the bits of counts that are not far below the top
    all          the mask of all sets: all bits below those at the top
    full         all bits
    """

    number: int
    ones: Packed
    tops: Packed
    heavy: Packed
    all: Packed
    full: Packed

    def even(self, lines: float) -> Packed:
        """``lines`` spread evenly over all sets."""
        return self.ones * int(min(lines / self.number, MOST_LINES) * SCALE)

    def lines_of(self, start: int, shape: RunShape, line_bytes: int) -> Packed:
        """Whole lines of a run of bytes and its repetitions, from the byte ``start`` on."""
        if not shape.repeats:
            return self._run(start // line_bytes, int(start + shape.width - 1) // line_bytes)
        *inner, (stride, times) = shape.repeats
        each = RunShape(shape.width, tuple(inner))
        count = max(1, round(times))
        # after so many repetitions lines begin at the same byte again
        phases = line_bytes // gcd(stride, line_bytes)
        apart = stride * phases // line_bytes
        total = 0
        for phase in range(min(phases, count)):
            once = self.lines_of(start + phase * stride, each, line_bytes)
            total += self._repeated(once, apart, (count - phase + phases - 1) // phases)
        return total

    def _run(self, first: int, last: int) -> Packed:
        rounds, rest = divmod(last - first + 1, self.number)
        some = self.ones & ((1 << rest * FIELD) - 1)
        return self.ones * min(rounds, MOST_LINES) + self.turned(some, first)

    def _repeated(self, once: Packed, apart: int, times: int) -> Packed:
        """``once`` and its repetitions so many sets further each, ``times`` in all."""
        rounds, times = divmod(times, self.number // gcd(apart, self.number))
        found = self._progression(once, apart, times)
        if rounds:
            whole = self._progression(once, apart, self.number // gcd(apart, self.number))
            found += whole * min(rounds, MOST_LINES)
        return found

    def _progression(self, once: Packed, apart: int, times: int) -> Packed:
        found, place, doubled = 0, 0, 1
        while times:
            if times & 1:
                found += self.turned(once, place)
                place += apart * doubled
            times >>= 1
            if times:
                once += self.turned(once, apart * doubled)
                doubled *= 2
        return found

    def turned(self, counts: Packed, places: int) -> Packed:
        """The same so many sets further on; from the last set on to the first."""
        bits = places % self.number * FIELD
        if not bits:
            return counts
        return (counts << bits & self.full) | (counts >> (self.number * FIELD - bits))

    def larger(self, one: Packed, other: Packed) -> Packed:
        """The larger count of each set."""
        chosen = self._ones_below(self._not_less(one, other))
        return (one & chosen) | (other & (self.all ^ chosen))

    def at_most(self, counts: Packed, lines: int) -> Packed:
        """A mask of the sets with no more than so many ``lines``: what is in the others vanishes
        under ``&``.
        """
        return self._ones_below(self._not_less(self.ones * (lines * SCALE), counts))

    def fields(self, counts: Packed) -> Sequence[int]:
        """The counts set by set, in units of 1 / SCALE."""
        return _fields(counts, self.number)

    def total(self, counts: Packed) -> float:
        """The lines of all sets together."""
        number = self.number
        if not counts & self.heavy:
            while number * ADDED > self.number and number % 2 == 0:
                number //= 2
                half = number * FIELD
                counts = (counts >> half) + (counts & ((1 << half) - 1))
        return sum(_fields(counts, number)) / SCALE

    def _not_less(self, one: Packed, other: Packed) -> Packed:
        """The top bit of each field where ``one`` is at least ``other``."""
        return ((one | self.tops) - other) & self.tops

    def _ones_below(self, tops: Packed) -> Packed:
        """All bits under those at the top of some fields."""
        return tops - (tops >> (FIELD - 1))


def _fields(counts: Packed, number: int) -> Sequence[int]:
    data = counts.to_bytes(number * FIELD_BYTES, byteorder)
    return memoryview(data).cast("Q")


def thin_out(counts: Packed, density: float) -> Packed:
    """Every count, of whole lines, times ``density``, at most 1."""
    return counts // SCALE * int(density * SCALE)


@cache
def sets_of(number: int) -> Sets:
    """So many sets."""
    full = (1 << number * FIELD) - 1
    ones = full // ((1 << FIELD) - 1)
    return Sets(
        number=number,
        ones=ones,
        tops=ones * TOP,
        heavy=ones * (TOP - TOP // ADDED),
        all=ones * (TOP - 1),
        full=full,
    )
