"""Set-associative LRU caches, simulated access by access, one level behind the other.

Kinds of misses after Hill and Smith, "Evaluating associativity in CPU caches" (1989), taken per
access: compulsory, the first use of a line at this level; capacity, a miss also in a fully
associative LRU cache of the same size fed with the same requests; conflict, the rest.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from .trace import Pass

Holds = Literal["inclusive", "noninclusive", "victim"]


class Level(NamedTuple):
    """One cache.

    holds   of what the nearer levels hold. ``noninclusive``: filled by every miss, nothing more.
            ``inclusive``: as well, and a line that leaves here leaves the nearer levels too.
            ``victim``: filled only by what the next nearer level replaces, clean or dirty; a hit
            moves the line there and removes it here (exclusive).
    """

    name: str
    sets: int
    ways: int
    line_bytes: int = 64
    write_allocate: bool = True
    write_back: bool = True
    holds: Holds = "noninclusive"

    @classmethod
    def of_kib(cls, name: str, kib: int, ways: int, holds: Holds = "noninclusive") -> "Level":
        """A write-back cache with lines of 64 bytes."""
        return cls(name, kib * 1024 // 64 // ways, ways, holds=holds)

    @property
    def lines(self) -> int:
        return self.sets * self.ways


class LevelCounts(NamedTuple):
    """Lines over one simulation; all but the first two count what crosses the link beyond.

    requests          that arrived: accesses to lines; beyond the first level, misses of the nearer
    hits              of them
    loads             lines asked for further out because of a load
    write_allocates   the same because of a store
    evicts            dirty lines sent further out, by replacement or by the final flush; dirty
                      lines of a nearer level that are no longer here pass through and count too
    clean_evicts      clean lines handed to a victim cache
    passed_stores     single stores sent on: write-through, or a store miss without write-allocate
    compulsory, capacity, conflict   kinds of ``misses``; 0 where not classified
    by_owner          misses per owner of the line
    """

    name: str
    requests: int
    hits: int
    loads: int
    write_allocates: int
    evicts: int
    clean_evicts: int
    passed_stores: int
    compulsory: int
    capacity: int
    conflict: int
    by_owner: dict[str, int]

    @property
    def misses(self) -> int:
        return self.loads + self.write_allocates


class _Cache:
    """One level's state: per set the lines from least to most recently used, and whether dirty."""

    def __init__(self, level: Level) -> None:
        if level.sets < 1 or level.ways < 1:
            raise ValueError(f"{level.name}: {level.sets} sets of {level.ways} ways")
        self.level = level
        self.sets: list[OrderedDict[int, bool]] = [OrderedDict() for _ in range(level.sets)]
        self.number, self.ways = level.sets, level.ways
        self.write_back, self.write_allocate = level.write_back, level.write_allocate
        self.victim = level.holds == "victim"
        self.inclusive = level.holds == "inclusive"
        self.requests = self.loads = self.write_allocates = 0
        self.evicts = self.clean_evicts = self.passed = 0
        self.missed_requests = 0
        self.shadow: OrderedDict[int, None] = OrderedDict()
        self.seen: set[int] = set()
        self.compulsory = self.capacity = self.conflict = 0
        self.owners: Counter[str] = Counter()

    def set_of(self, line: int) -> OrderedDict[int, bool]:
        return self.sets[line % self.number]

    def reference(self, line: int) -> bool:
        """Follows one request in the fully associative cache; whether it hits there."""
        if line in self.shadow:
            self.shadow.move_to_end(line)
            return True
        self.shadow[line] = None
        if len(self.shadow) > self.level.lines:
            self.shadow.popitem(last=False)
        return False

    def classify(self, line: int, shadow_hit: bool) -> None:
        """Counts one miss."""
        if line not in self.seen:
            self.compulsory += 1
            self.seen.add(line)
        elif shadow_hit:
            self.conflict += 1
        else:
            self.capacity += 1

    def counts(self) -> LevelCounts:
        return LevelCounts(
            self.level.name,
            self.requests,
            self.requests - self.missed_requests,
            self.loads,
            self.write_allocates,
            self.evicts,
            self.clean_evicts,
            self.passed,
            self.compulsory,
            self.capacity,
            self.conflict,
            dict(self.owners),
        )


class Hierarchy:
    """Caches nearest first, cold at the start. ``owner`` names the array of a line, for reports."""

    def __init__(
        self,
        levels: Iterable[Level],
        classify: bool = False,
        owner: Callable[[int], str] | None = None,
    ) -> None:
        self.caches = [_Cache(level) for level in levels]
        self.classified = classify
        self.owner = owner
        first = self.caches[0].level
        if first.holds == "victim" or any(
            cache.level.line_bytes != first.line_bytes for cache in self.caches
        ):
            raise ValueError("the first level is no victim cache, and all lines are equally long")
        for nearer, cache in zip(self.caches, self.caches[1:], strict=False):
            if cache.victim and not (nearer.level.write_back and nearer.level.write_allocate):
                raise ValueError(
                    f"{cache.level.name}: a victim cache needs a write-back one before"
                )
        self.plain = first.write_back and first.write_allocate
        self.independent = all(cache.level.holds != "inclusive" for cache in self.caches[1:])

    def access(self, line: int, write: bool) -> None:
        """One access of the processor."""
        self.caches[0].requests += 1
        self._request(0, line, write, write)

    def replay(self, passes: Iterable[Pass]) -> None:
        """All accesses of ``passes``, each pass as often as it says.

        A pass without a miss leaves the same lines in the same order, so those after it are hits;
        and no pass over fewer lines than a set has ways evicts what it needs itself.
        """
        first = self.caches[0]
        sets, number = first.sets, first.level.sets
        fast = self.plain and not self.classified
        for codes, times in passes:
            first.requests += len(codes) * times
            settles = self.plain and (not self.classified or len(codes) <= first.level.lines)
            at_once = settles and self.independent and len(codes) <= first.level.ways
            for _ in range(1 if at_once else times):
                before = first.missed_requests
                for code in codes if fast else ():
                    line = code >> 1
                    lines = sets[line % number]
                    if line in lines:
                        lines.move_to_end(line)
                        if code & 1:
                            lines[line] = True
                    else:
                        self._request(0, line, code & 1 == 1, code & 1 == 1)
                for code in () if fast else codes:
                    self._request(0, code >> 1, code & 1 == 1, code & 1 == 1)
                if settles and first.missed_requests == before:
                    break

    def flush(self) -> None:
        """Writes every dirty line back to memory and leaves all caches empty."""
        for position, cache in enumerate(self.caches):
            for lines in cache.sets:
                for line, dirty in lines.items():
                    if dirty:
                        self._write_back(position, line)
                lines.clear()

    def counts(self) -> tuple[LevelCounts, ...]:
        return tuple(cache.counts() for cache in self.caches)

    def _request(self, position: int, line: int, store: bool, modify: bool) -> bool:
        """The line is needed at level ``position``; whether it comes dirty from a victim cache.

        ``store``: a store is the reason. ``modify``: it is done here, not at a nearer level.
        """
        if position == len(self.caches):
            return False
        cache = self.caches[position]
        if position:
            cache.requests += 1
        shadow_hit = self.classified and not cache.victim and cache.reference(line)
        lines = cache.sets[line % cache.number]
        if line in lines:
            if cache.victim:
                return lines.pop(line)
            lines.move_to_end(line)
            if modify and cache.write_back:
                lines[line] = True
            elif modify:
                self._pass_on(position, line)
            return False
        cache.missed_requests += 1
        if modify and not cache.write_allocate:
            self._pass_on(position, line)
            return False
        if self.classified and not cache.victim:
            cache.classify(line, shadow_hit)
        if self.owner is not None:
            cache.owners[self.owner(line)] += 1
        if store:
            cache.write_allocates += 1
        else:
            cache.loads += 1
        dirty = self._request(position + 1, line, store, False)
        if cache.victim:
            return dirty
        self._insert(position, line, dirty or (modify and cache.write_back))
        if modify and not cache.write_back:
            self._pass_on(position, line)
        return False

    def _pass_on(self, position: int, line: int) -> None:
        self.caches[position].passed += 1
        self._request(position + 1, line, True, True)

    def _insert(self, position: int, line: int, dirty: bool) -> None:
        cache = self.caches[position]
        lines = cache.sets[line % cache.number]
        lines[line] = dirty
        if len(lines) <= cache.ways:
            return
        oldest, oldest_dirty = lines.popitem(last=False)
        if cache.inclusive:
            for nearer in self.caches[:position]:
                if nearer.set_of(oldest).pop(oldest, False):
                    nearer.evicts += 1
                    oldest_dirty = True
        below = position + 1
        if below < len(self.caches) and self.caches[below].victim:
            if oldest_dirty:
                cache.evicts += 1
            else:
                cache.clean_evicts += 1
            self._insert(below, oldest, oldest_dirty)
        elif oldest_dirty:
            self._write_back(position, oldest)

    def _write_back(self, position: int, line: int) -> None:
        """A dirty line leaves ``position``: to the next level that has it, else to memory.

        Its arrival does not count as a use there.
        """
        self.caches[position].evicts += 1
        if position + 1 == len(self.caches):
            return
        below = self.caches[position + 1]
        lines = below.sets[line % below.number]
        if line in lines and below.write_back:
            lines[line] = True
        else:
            self._write_back(position + 1, line)


def simulate(
    passes: Iterable[Pass],
    levels: Iterable[Level],
    classify: bool = False,
    flush: bool = True,
    owner: Callable[[int], str] | None = None,
) -> tuple[LevelCounts, ...]:
    """What a program does to cold caches; ``flush`` counts the dirty lines left at its end."""
    caches = Hierarchy(levels, classify, owner)
    caches.replay(passes)
    if flush:
        caches.flush()
    return caches.counts()


def stack_distances(lines: Iterable[int]) -> Iterator[int | None]:
    """Per access the distinct other lines since the last use of its line; None at the first use.

    Mattson et al., "Evaluation techniques for storage hierarchies" (1970): a fully associative LRU
    cache of C lines hits exactly where the distance is below C.
    """
    recent: list[int] = []
    for line in lines:
        if line in recent:
            place = recent.index(line)
            yield place
            del recent[place]
        else:
            yield None
        recent.insert(0, line)
