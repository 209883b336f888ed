"""Lines of one cache in the order of their last use."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, Protocol

from rooflint.replay.caches import LevelPolicy, ReplayLevel

_NO_LINE: Final = -(2**63)
_UNKNOWN_PLACE: Final = -1


class LineStack(Protocol):
    """A cache with LRU replacement; owners are 0 for clean lines."""

    ways: int

    def __contains__(self, line: int) -> bool:
        """Whether it holds the line."""

    def use(self, line: int) -> int | None:
        """Makes a line that it holds the most recent one; the place it had, 0 the most recent.

        ``ways`` for the line that left its set last; None for any other line. -1 for one that it
        holds at a place that it does not know.
        """

    def own(self, line: int, owner: int) -> None:
        """Sets the owner of a line that it holds."""

    def insert(self, line: int, owner: int) -> tuple[int, int] | None:
        """Takes a line that it does not hold; the line and owner that leave for it."""

    def remove(self, line: int) -> int:
        """Drops a line; its owner, 0 for one that it does not hold."""

    def dirty(self) -> Iterator[tuple[int, int]]:
        """Lines with owners."""


def new_stack(level: ReplayLevel) -> LineStack:
    """An empty cache of this shape."""
    return _HashedStack(level) if level.policy & LevelPolicy.HASHED else _SetStack(level)


class _SetStack:
    """Sets of entries, the most recent first, and behind them the line that left last."""

    def __init__(self, level: ReplayLevel) -> None:
        self.ways = level.ways
        self._number = level.sets
        self._sets: dict[int, list[list[int]]] = {}

    def __contains__(self, line: int) -> bool:
        return any(entry[0] == line for entry in self._set(line)[: self.ways])

    def use(self, line: int) -> int | None:
        entries = self._set(line)
        for place, entry in enumerate(entries):
            if entry[0] == line:
                if 0 < place < self.ways:
                    entries.insert(0, entries.pop(place))
                return place
        return None

    def own(self, line: int, owner: int) -> None:
        for entry in self._set(line)[: self.ways]:
            if entry[0] == line:
                entry[1] = owner

    def insert(self, line: int, owner: int) -> tuple[int, int] | None:
        entries = self._set(line)
        free = [place for place, entry in enumerate(entries[: self.ways]) if entry[0] == _NO_LINE]
        del entries[free[0] if free else self.ways]
        entries.insert(0, [line, owner])
        if free:
            return None
        left, dirty = entries[self.ways]
        return left, dirty

    def remove(self, line: int) -> int:
        entries = self._set(line)
        for place, entry in enumerate(entries[: self.ways]):
            if entry[0] == line:
                del entries[place]
                entries.insert(self.ways - 1, [_NO_LINE, 0])
                return entry[1]
        return 0

    def dirty(self) -> Iterator[tuple[int, int]]:
        for entries in self._sets.values():
            yield from [(line, owner) for line, owner in entries[: self.ways] if owner]

    def _set(self, line: int) -> list[list[int]]:
        entries = self._sets.get(line % self._number)
        if entries is None:
            entries = self._sets[line % self._number] = [
                [_NO_LINE, 0] for _ in range(self.ways + 1)
            ]
        return entries


class _HashedStack:
    """One set of any size; nothing is known of lines that left."""

    def __init__(self, level: ReplayLevel) -> None:
        self.ways = level.ways
        self._lines: OrderedDict[int, int] = OrderedDict()

    def __contains__(self, line: int) -> bool:
        return line in self._lines

    def use(self, line: int) -> int | None:
        if line not in self._lines:
            return None
        self._lines.move_to_end(line)
        return _UNKNOWN_PLACE

    def own(self, line: int, owner: int) -> None:
        self._lines[line] = owner

    def insert(self, line: int, owner: int) -> tuple[int, int] | None:
        left = self._lines.popitem(last=False) if len(self._lines) == self.ways else None
        self._lines[line] = owner
        return left

    def remove(self, line: int) -> int:
        return self._lines.pop(line, 0)

    def dirty(self) -> Iterator[tuple[int, int]]:
        yield from [(line, owner) for line, owner in self._lines.items() if owner]
