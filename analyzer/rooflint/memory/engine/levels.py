"""The caches of a machine as a replay has them, and the links below them."""

from collections.abc import Sequence

from rooflint.machine import CacheLevel, Machine
from rooflint.memory.hierarchy import HASHED_FROM, MemoryLink, cache_of
from rooflint.memory.line_counts import (
    NOTHING,
    CountedLines,
    CountsByArray,
    KernelLines,
    LineCounts,
    LineInterval,
)
from rooflint.replay import ReplayLevel
from rooflint.replay.caches import LevelPolicy


def levels_of(machine: Machine, cores: int) -> tuple[ReplayLevel, ...]:
    """The caches of ``machine``; empty where it has none. One of ``cores`` uses its part."""
    if machine.local_store is not None:
        return ()
    return tuple(
        [
            _level(level, machine.line_bytes, min(cores, level.shared_by_cores), number)
            for number, level in enumerate(machine.caches)
        ]
    )


def _level(level: CacheLevel, line_bytes: int, sharing: int, number: int) -> ReplayLevel:
    policy = LevelPolicy.NONE
    for holds, flag in (
        (level.write_back, LevelPolicy.WRITE_BACK),
        (level.write_allocate, LevelPolicy.WRITE_ALLOCATE),
        (number and level.holds == "inclusive", LevelPolicy.INCLUSIVE),
        (number and level.holds == "victim", LevelPolicy.VICTIM),
        (number >= HASHED_FROM, LevelPolicy.HASHED),
    ):
        policy |= flag if holds else LevelPolicy.NONE
    shape = cache_of(level, line_bytes, sharing, hashed=number >= HASHED_FROM)
    return ReplayLevel(shape.sets, shape.ways, policy)


def without_sets(level: ReplayLevel) -> ReplayLevel:
    """A fully associative cache of the same capacity and policies."""
    return ReplayLevel(1, level.sets * level.ways, level.policy | LevelPolicy.HASHED)


def link_lines(levels: CountedLines, links: Sequence[MemoryLink]) -> CountedLines:
    """Lines over each link, from those that each level misses."""
    rows: list[tuple[KernelLines, ...]] = []
    for number, link in enumerate(links):
        own = levels.links[number]
        if link.victim is not None:
            own = tuple(map(_before_victims, own, levels.links[number + 1]))
        rows.append(own if link.allocates else tuple(map(_without_allocates, own)))
    return levels._replace(links=tuple(rows))


def _before_victims(own: KernelLines, below: KernelLines) -> KernelLines:
    """A victim cache takes every line that is dropped, and hands up those it holds."""
    arrays: CountsByArray = {}
    for array, counts in own.arrays.items():
        missed = below.arrays.get(array, NOTHING)
        arrays[array] = LineCounts(
            max(0.0, counts.load - missed.load),
            max(0.0, counts.allocate - missed.allocate),
            counts.load + counts.allocate,
        )
    interval = None
    if own.interval is not None and below.interval is not None:
        low = max(0.0, own.interval.low - below.interval.high)
        interval = LineInterval(low, max(0.0, own.interval.high - below.interval.low))
    return KernelLines(arrays=arrays, interval=interval, method=own.method or below.method)


def _without_allocates(own: KernelLines) -> KernelLines:
    incoming, interval = own.incoming, own.interval
    arrays = {name: counts._replace(allocate=0.0) for name, counts in own.arrays.items()}
    if interval is not None and incoming:
        interval = interval.times(sum([each.load for each in arrays.values()]) / incoming)
    return KernelLines(arrays=arrays, interval=interval, method=own.method)
