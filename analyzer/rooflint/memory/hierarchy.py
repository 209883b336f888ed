"""The memory hierarchy as one core sees it: which cache decides what crosses which link."""

from rooflint.machine import CacheLevel, Machine
from rooflint.records import NamedTuple


class CacheGeometry(NamedTuple):
    """A set-associative cache with LRU replacement; one set: fully associative. In lines."""

    sets: int
    ways: int

    @property
    def lines(self) -> int:
        """Capacity in lines."""
        return self.sets * self.ways


class MemoryLink(NamedTuple):
    """A path between two levels.

    name      ``L1-L2``
    near      the level above the path: ``L1``
    above     what it misses comes over this path; with a victim cache at ``near``, the caches above
              that one as well
    victim    with a victim cache below, that one and all above it together; else None
    allocates whether a store that misses fetches its line over this path
    through   whether every store goes down as it is made
    last      whether it leads to memory
    """

    name: str
    near: str
    above: CacheGeometry
    victim: CacheGeometry | None
    allocates: bool
    through: bool
    last: bool = False


HASHED_FROM = 2
"""Caches from the third level on are sliced: a hash of the address picks the set, so strides do not
pile up in few of them. Such a cache is taken to be fully associative."""


def links_of(machine: Machine, cores: int) -> tuple[MemoryLink, ...]:
    """All links below the nearest, nearest first, for one of ``cores`` active cores.

    A shared cache is divided among the cores that use it. A victim cache and the caches it takes
    lines from hold different lines: seen from below they are one cache.
    """
    names = machine.links[1:]
    if machine.local_store is not None:
        lines = machine.local_store.size_bytes // machine.line_bytes
        return (
            MemoryLink(
                name=names[0],
                near="LS",
                above=CacheGeometry(1, lines),
                victim=None,
                allocates=False,
                through=False,
                last=True,
            ),
        )
    seen: list[CacheGeometry] = []
    for number, level in enumerate(machine.caches):
        sharing = min(cores, level.shared_by_cores)
        own = cache_of(level, machine.line_bytes, sharing, hashed=number >= HASHED_FROM)
        if level.holds == "victim" and seen:
            own = own._replace(ways=own.ways + seen[-1].lines // own.sets)
        seen.append(own)
    found: list[MemoryLink] = []
    allocates = False
    for number, (level, name) in enumerate(zip(machine.caches, names, strict=True)):
        allocates = allocates or level.write_allocate
        last = number + 1 == len(names)
        victim = not last and machine.caches[number + 1].holds == "victim"
        below = seen[number + 1] if victim else None
        fetches = machine.write_allocates(cores) if last else allocates
        found.append(
            MemoryLink(
                name=name,
                near=level.level,
                above=seen[number],
                victim=below,
                allocates=fetches,
                through=not level.write_back,
                last=last,
            )
        )
    return tuple(found)


def cache_of(
    level: CacheLevel, line_bytes: int, sharing: int = 1, hashed: bool = False
) -> CacheGeometry:
    """One core's part of a cache that ``sharing`` cores use."""
    lines = max(1, level.size_bytes // line_bytes // sharing)
    if hashed:
        return CacheGeometry(1, lines)
    ways = min(level.ways, lines)
    return CacheGeometry(lines // ways, ways)
