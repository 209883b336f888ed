"""The caches of a replay in Python, nearest first, and what crosses the links below them."""

from collections.abc import Sequence
from itertools import islice

from rooflint.replay.caches import COLUMNS, PLAIN, LevelPolicy, ReplayLevel, ReplaySettings
from rooflint.replay.counter_rows import CounterRows
from rooflint.replay.stack import new_stack

MISSES, EVICTS, PASSED, AT_EDGE, BEYOND_EDGE, _ = range(COLUMNS)


class CacheLevels:
    """The state of all caches; ``counters`` of the present run, ``halves``: of chosen classes.

    ``keeps_stores``: the nearest one writes back and allocates; ``taken``: lines that an inclusive
    level took out of it.
    """

    def __init__(
        self, levels: Sequence[ReplayLevel], settings: ReplaySettings, references: int
    ) -> None:
        self._policies = [each.policy for each in levels]
        self._stacks = [new_stack(each) for each in levels]
        self._modulus = settings.modulus
        self._shape = (settings.halves, len(levels), references)
        self.halves: dict[int, int] = {}
        for number, each in enumerate(settings.classes):
            self.halves[each % settings.modulus] = number % settings.halves
        self.is_plain = all(each | LevelPolicy.HASHED == PLAIN | LevelPolicy.HASHED
                            for each in self._policies)  # fmt: skip
        self.keeps_stores = self._policies[0] | LevelPolicy.HASHED == PLAIN | LevelPolicy.HASHED
        self.taken = 0
        self.counters = self.zero_counters()

    def __len__(self) -> int:
        return len(self._stacks)

    def zero_counters(self) -> CounterRows:
        """Counters of no lines."""
        return CounterRows(*self._shape)

    def use_half(self, line: int) -> None:
        """Counters from now on are those of the half that a line belongs to."""
        self.counters.half = self.halves[line % self._modulus]

    def remaining(self) -> list[int]:
        """Lines dirty now: they cross all links from the nearest level that has them."""
        self.counters = self.zero_counters()
        seen: set[int] = set()
        for level, stack in enumerate(self._stacks):
            for line, owner in stack.dirty():
                if line not in seen:
                    seen.add(line)
                    self.use_half(line)
                    for below in range(level, len(self._stacks)):
                        self.counters.row(below, owner - 1)[EVICTS] += 1
        return self.counters.flat()

    def pass_by(self, line: int, reference: int) -> None:
        """A store past the caches; none of them has the line after it."""
        for stack in self._stacks:
            stack.remove(line)
        self.counters.row(-1, reference)[EVICTS] += 1

    def request(self, level: int, line: int, reference: int, *, modifies: bool) -> int:
        """The line is needed at a level; its owner if it comes dirty from a victim cache."""
        if level == len(self._stacks):
            return 0
        stack, policy = self._stacks[level], self._policies[level]
        depth = stack.use(line)
        if depth is not None and depth < stack.ways:
            if policy & LevelPolicy.VICTIM:
                return stack.remove(line)
            self.counters.row(level, reference)[AT_EDGE] += depth == stack.ways - 1
            if modifies and policy & LevelPolicy.WRITE_BACK:
                stack.own(line, reference + 1)
            elif modifies:
                self._pass_on(level, line, reference)
            return 0
        if modifies and not policy & LevelPolicy.WRITE_ALLOCATE:
            self._pass_on(level, line, reference)
            return 0
        self.counters.row(level, reference)[BEYOND_EDGE] += depth == stack.ways
        return self._fetch(level, line, reference, modifies=modifies)

    def _fetch(self, level: int, line: int, reference: int, *, modifies: bool) -> int:
        """A miss at a level that takes the line; a victim cache only hands it on."""
        self.counters.row(level, reference)[MISSES] += 1
        dirty = self.request(level + 1, line, reference, modifies=False)
        if self._policies[level] & LevelPolicy.VICTIM:
            return dirty
        keeps = modifies and bool(self._policies[level] & LevelPolicy.WRITE_BACK)
        self._place(level, line, reference + 1 if keeps else dirty)
        if modifies and not keeps:
            self._pass_on(level, line, reference)
        return 0

    def _pass_on(self, level: int, line: int, reference: int) -> None:
        self.counters.row(level, reference)[PASSED] += 1
        self.request(level + 1, line, reference, modifies=True)

    def _place(self, level: int, line: int, owner: int) -> None:
        left = self._stacks[level].insert(line, owner)
        if left is None:
            return
        gone, dirty = left
        if self._policies[level] & LevelPolicy.INCLUSIVE:
            self.taken += gone in self._stacks[0]
            for nearer, stack in enumerate(islice(self._stacks, level)):
                nearer_owner = stack.remove(gone)
                if nearer_owner:
                    self.counters.row(nearer, nearer_owner - 1)[EVICTS] += 1
                    dirty = nearer_owner
        below = level + 1
        if below < len(self._stacks) and self._policies[below] & LevelPolicy.VICTIM:
            if dirty:
                self.counters.row(level, dirty - 1)[EVICTS] += 1
            self._place(below, gone, dirty)
        elif dirty:
            self._write_back(level, gone, dirty)

    def _write_back(self, level: int, line: int, owner: int) -> None:
        """A dirty line goes to the next level that has it, else to memory."""
        for at in range(level, len(self._stacks)):
            self.counters.row(at, owner - 1)[EVICTS] += 1
            below = at + 1
            if below == len(self._stacks) or not self._policies[below] & LevelPolicy.WRITE_BACK:
                continue
            if line in self._stacks[below]:
                self._stacks[below].own(line, owner)
                return
