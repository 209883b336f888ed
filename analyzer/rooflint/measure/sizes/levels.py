"""Sizes that put the data of a loop into a level, found by running it.

What a function touches may differ from what its text suggests, so a size is judged by the pages
that a call touched. The number of pages only grows with the size.
"""

from collections.abc import Callable
from math import log
from typing import Final

from msgspec import Struct

from rooflint.errors import UsageError, near_miss
from rooflint.measure.sizes.host import MEMORY, Host

NEAREST_SHARE: Final = 0.6
CACHE_SHARE: Final = 0.5
"""Of a cache that data fill: room is left for the stack, for page tables and for other jobs."""
MEMORY_PER_CACHE: Final = 4
"""Data for memory are so many times as large as the last cache, which then holds a quarter."""
MEMORY_SHARE: Final = 0.5
"""Of the free memory of this computer that data take at most."""
SMALLEST: Final = 8
ALIGNED_FROM: Final = 64
ALIGNMENT: Final = 8
"""Sizes from 64 on are multiples of 8: the rest of a vector loop is another matter."""
CLOSE_ENOUGH: Final = 0.97
"""A size whose data reach this share of the target needs no better one."""
AIM: Final = (1 + CLOSE_ENOUGH) / 2
"""Share of the target that a guess aims at: a little too much would be of no use."""
SMALLEST_STEP: Final = 1 / 32
"""Two sizes that differ by this share of them are as good as one."""
MOST_GROWTH: Final = 64.0
STEEPEST: Final = 3.0
"""Data grow with the cube of a size at most, until runs show otherwise."""
MOST_PROBES: Final = 40
LARGEST: Final = (1 << 31) - ALIGNMENT
"""What an ``int`` holds."""
PATIENCE: Final = 3
"""Larger sizes in a row that touch no page more: what is touched does not depend on them."""

TouchedBytes = Callable[[int], int | None]
"""Bytes that a call touches at a size; None where they exceed the limit of the run."""


class LevelTarget(Struct, frozen=True, kw_only=True):
    """Bytes that shall lie in a level.

    limited  the memory allows no more
    whole    a figure at fewer bytes would be one of another level: nearer caches hold a large part
             of them
    """

    level: str
    data_bytes: int
    limited: bool = False
    whole: bool = False


def targets(names: str, host: Host, most_bytes: int, cores: int = 1) -> tuple[LevelTarget, ...]:
    """The targets of ``L1,L2,L3,MEM`` for the data of each of so many cores at once.

    Raises UsageError for a level this computer lacks.
    """
    wanted = [name.strip().upper() for name in names.split(",") if name.strip()]
    if not wanted:
        raise UsageError(f"--sizes: expected levels such as {','.join(host.levels)}")
    for name in wanted:
        if name not in host.levels:
            expected = f"this computer has {', '.join(host.levels)}"
            raise UsageError(
                f"--sizes: no level '{name}', {expected}{near_miss(name, host.levels)}"
            )
    return tuple([_target(name, host, most_bytes, cores) for name in dict.fromkeys(wanted)])


def _target(name: str, host: Host, most_bytes: int, cores: int) -> LevelTarget:
    most = min(most_bytes, int(host.memory_bytes * MEMORY_SHARE) // cores or most_bytes)
    if name == MEMORY:
        last = host.caches[-1].capacity_bytes if host.caches else most // MEMORY_PER_CACHE
        wanted = MEMORY_PER_CACHE * last
    else:
        nearest = name == host.levels[0]
        cache = next(each for each in host.caches if each.level == name)
        capacity = cache.capacity_bytes // min(cores, cache.cores)
        wanted = int(capacity * (NEAREST_SHARE if nearest else CACHE_SHARE))
    return LevelTarget(
        level=name,
        data_bytes=min(wanted, most),
        limited=wanted > most,
        whole=not host.is_private(name),
    )


def fitting_size(touched: TouchedBytes, target_bytes: int) -> int | None:
    """About the largest size whose data are no more than the target; None where none is."""
    return _SizeSearch(touched, target_bytes).size()


class _SizeSearch:
    """Grows by the slope of the last two runs, then halves the gap in between."""

    def __init__(self, touched: TouchedBytes, target_bytes: int) -> None:
        self.touched = touched
        self.target = target_bytes
        self.fitting: list[tuple[int, int]] = []
        self.too_large: int | None = None

    def size(self) -> int | None:
        self.probe(SMALLEST)
        for _ in range(MOST_PROBES):
            if not self.fitting or self.is_done():
                break
            if self.is_constant():
                return None
            self.probe(self.next_size())
        return self.fitting[-1][0] if self.fitting else None

    def is_constant(self) -> bool:
        last = self.fitting[-1 - PATIENCE :]
        grown = len(last) > PATIENCE and last[-1][0] >= MOST_GROWTH * last[0][0]
        return grown and self.too_large is None and last[0][1] == last[-1][1]

    def probe(self, size: int) -> None:
        found = self.touched(size)
        if found is None or found > self.target:
            self.too_large = size
        else:
            self.fitting.append((size, found))

    def is_done(self) -> bool:
        size, found = self.fitting[-1]
        if found >= CLOSE_ENOUGH * self.target or size == LARGEST:
            return True
        if self.too_large is None:
            return False
        step = ALIGNMENT if size >= ALIGNED_FROM else 1
        return self.too_large - size <= max(step, size * SMALLEST_STEP)

    def next_size(self) -> int:
        size, found = self.fitting[-1]
        growth = (AIM * self.target / found) ** (1 / self.steepness()) if found else MOST_GROWTH
        guess = min(LARGEST, size * min(MOST_GROWTH, growth))
        if self.too_large is not None:
            # what grows evenly is hit by the guess, what grows in steps by halving
            ends = (size * self.too_large) ** 0.5
            guess = guess if size * (1 + SMALLEST_STEP) < guess < self.too_large else ends
        return self.between(max(size + 1, int(guess)))

    def steepness(self) -> float:
        if len(self.fitting) < 2:
            return STEEPEST
        (size_0, found_0), (size_1, found_1) = self.fitting[-2:]
        return max(log(found_1 / max(found_0, 1)) / log(size_1 / size_0), 1.0)

    def between(self, size: int) -> int:
        """``size``, or the aligned one below it that is larger than what fits so far."""
        low = self.fitting[-1][0]
        if self.too_large is not None:
            size = max(low + 1, min(size, self.too_large - 1))
        if size < ALIGNED_FROM:
            return size
        return max(size, low + ALIGNMENT) // ALIGNMENT * ALIGNMENT
