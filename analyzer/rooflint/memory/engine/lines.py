"""Lines of a function's kernels over every link, from a replay of its accesses.

Exact for what it is given: sizes, addresses (arrays page after page) and the order of accesses.
One line more or less in each set is what it cannot know: code and stack lines, other addresses. A
page more between two arrays at the edge of a cache has moved a fifth of all lines. So what one way
less or more changes, half a per cent, the lines of a call, and a standard error where some sets
stand for all, bound every count: that of cachegrind in 103 of 103 rows of PolyBench, and in 198 of
198 others.
"""

from collections.abc import Sequence
from itertools import repeat
from math import hypot, sqrt
from typing import TypeAlias

from rooflint.memory.engine.budget import FEWEST_CLASSES
from rooflint.memory.engine.samples import SetSamples
from rooflint.memory.line_counts import (
    CALL_LINES,
    MARGIN,
    CountedLines,
    CountMethod,
    KernelLines,
    LineCounts,
    LineInterval,
)
from rooflint.replay import AccessProgram, ReplayCounts
from rooflint.replay.caches import COLUMNS
from rooflint.replay.program import ReferenceKind


def doubt(totals: Sequence[float], factor: float) -> float:
    """How far the sum of samples, of which there are ``factor`` times as many, may be off.

    The standard error of eight of them and more; two only tell by how much they differ.
    """
    if len(totals) < FEWEST_CLASSES:
        return max(totals) - min(totals)
    mean = sum(totals) / len(totals)
    variance = sum([(each - mean) ** 2 for each in totals]) / (len(totals) - 1)
    return sqrt(variance * len(totals) * (1 - 1 / factor))


class _Edge:
    """Lines that one way less would lose, and one more would save, and others that are in doubt."""

    __slots__ = ("lost", "saved", "total", "unsure")

    def __init__(self) -> None:
        self.total = self.lost = self.saved = self.unsure = 0.0


class _Sum:
    """The lines of an array, added up."""

    __slots__ = ("allocate", "evict", "load")

    def __init__(self) -> None:
        self.load = self.allocate = self.evict = 0.0

    def times(self, factor: float) -> LineCounts:
        return LineCounts(self.load * factor, self.allocate * factor, self.evict * factor)


_Sums: TypeAlias = dict[str, _Sum]


class LineSums:
    """Adds up the counters of references, by kernel and array."""

    def __init__(
        self, program: AccessProgram, kernels: Sequence[int | None], number: int, run: int
    ) -> None:
        """``kernels``: the one of each reference; ``number`` of all kernels."""
        self._references = [
            (each.array, bool(each.kind & ReferenceKind.WRITES), kernel)
            for each, kernel in zip(program.references, kernels, strict=True)
        ]
        self._number = number
        self._run = run

    def counted(self, samples: SetSamples, levels: int) -> CountedLines:
        """The lines that each level misses."""
        method = CountMethod.EXACT if samples.factor == 1 else CountMethod.SAMPLED_SETS
        if samples.coarse:
            method = CountMethod.WINDOWS
        links = [self._level(samples, level) for level in range(levels)]
        return CountedLines(method=method, links=tuple(links), work=samples.work)

    def _level(self, samples: SetSamples, level: int) -> tuple[KernelLines, ...]:
        rows, edges = self._summed(samples.counts, level)
        others = self._summed(samples.coarse, level)[1] if samples.coarse else edges
        return tuple(
            [
                self._kernel(row, own, other, samples.factor)
                for row, own, other in zip(rows, edges, others, strict=True)
            ]
        )

    def _summed(
        self, halves: Sequence[ReplayCounts], level: int
    ) -> tuple[list[_Sums], list[tuple[_Edge, ...]]]:
        """By kernel the lines of all halves, and what is in doubt in each of them."""
        rows: list[_Sums] = [{} for _ in range(self._number)]
        edges: list[list[_Edge]] = []
        for counts in halves:
            own = [_Edge() for _ in rows]
            self._add(counts, level, rows, own)
            edges.append(own)
        return rows, list(zip(*edges, strict=True))

    def _add(self, counts: ReplayCounts, level: int, rows: list[_Sums], edges: list[_Edge]) -> None:
        """One sample. What the first run leaves dirty leaves for it, too."""
        columns = iter(counts.columns(self._run, level))
        remaining = repeat(0.0) if self._run else counts.all_remaining(level)
        every = zip(*[columns] * COLUMNS, strict=True)
        for (array, writes, kernel), lines, left in zip(
            self._references, every, remaining, strict=False
        ):
            if kernel is None:
                continue
            misses, evicts, _, at_edge, beyond_edge, unsure = lines
            row, edge = rows[kernel], edges[kernel]
            added = row.get(array)
            if added is None:
                added = row[array] = _Sum()
            if writes:
                added.allocate += misses
            else:
                added.load += misses
            added.evict += evicts + left
            edge.total += misses
            edge.lost += at_edge
            edge.saved += beyond_edge
            edge.unsure += unsure

    def _kernel(
        self, row: _Sums, edges: Sequence[_Edge], others: Sequence[_Edge], factor: float
    ) -> KernelLines:
        """All sets from samples of them; samples that differ widen the interval."""
        totals = [each.total for each in edges]
        total = sum(totals) * factor
        # the margin is of order and placement, the doubt of sampling: they do not add up
        spread = hypot(MARGIN * total, doubt(totals, factor) * factor)
        spread += abs(sum([each.total for each in others]) * factor - total)
        saved = sum([each.saved for each in edges]) * factor
        lost = sum([each.lost for each in edges]) * factor
        unsure = sum([each.unsure for each in edges]) * factor
        call_lines = 0 if self._run else CALL_LINES
        return KernelLines(
            arrays={name: counts.times(factor) for name, counts in row.items()},
            interval=LineInterval(
                max(0.0, total - saved - unsure - spread),
                total + lost + spread + call_lines,
            ),
            unsure=unsure,
        )
