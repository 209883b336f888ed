"""The counters of a replay in Python."""

from collections.abc import Iterator, Sequence

from rooflint.replay.caches import COLUMNS


class CounterRows:
    """One row for each half of the sets, level and reference; ``half``: the present one."""

    def __init__(self, halves: int, levels: int, references: int) -> None:
        self.half = 0
        self._rows = [
            [[[0] * COLUMNS for _ in range(references)] for _ in range(levels)]
            for _ in range(halves)
        ]

    def row(self, level: int, reference: int) -> list[int]:
        """The counters of a reference at a level."""
        return self._rows[self.half][level][reference]

    def column(self, column: int, level: int, reference: int) -> int:
        """One counter of all halves together."""
        return sum([rows[level][reference][column] for rows in self._rows])

    def add(self, column: int, other: "CounterRows") -> None:
        """Adds one column of counters of the same shape."""
        for own, more in zip(self._every(), other._every(), strict=True):
            own[column] += more[column]

    def add_all(self, change: Sequence[int], times: int) -> None:
        """Adds a change of all counters so often."""
        parts = iter(change)
        for row in self._every():
            row[:] = [each + times * next(parts) for each in row]

    def flat(self) -> list[int]:
        """All counters."""
        return [part for row in self._every() for part in row]

    def _every(self) -> Iterator[list[int]]:
        for levels in self._rows:
            for rows in levels:
                yield from rows
