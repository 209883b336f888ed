"""Lines of a function's kernels over every link, from a replay of its accesses.

Exact for what it is given: sizes, addresses (arrays page after page) and the order of accesses.
One line more or less in each set is what it cannot know: code and stack lines, other addresses. A
page more between two arrays at the edge of a cache has moved a fifth of all lines. So what one way
less or more changes, half a per cent, the lines of a call, and a standard error where some sets
stand for all, bound every count: that of cachegrind in 103 of 103 rows of PolyBench, and in 198 of
198 others.
"""

from collections.abc import Sequence
from math import hypot, sqrt

from rooflint.memory.engine.budget import FEWEST_CLASSES
from rooflint.memory.engine.samples import SetSamples
from rooflint.memory.line_counts import (
    CALL_LINES,
    MARGIN,
    NOTHING,
    CountedLines,
    CountMethod,
    CountsByArray,
    KernelLines,
    LineCounts,
    LineInterval,
)
from rooflint.replay import AccessProgram, ReplayCounts
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

    def __init__(self) -> None:
        self.total = self.lost = self.saved = self.unsure = 0.0


class LineSums:
    """Adds up the counters of references, by kernel and array."""

    def __init__(
        self, program: AccessProgram, kernels: Sequence[int | None], number: int, run: int
    ) -> None:
        """``kernels``: the one of each reference; ``number`` of all kernels."""
        self._references = [
            (each.array, bool(each.kind & ReferenceKind.WRITES)) for each in program.references
        ]
        self._kernels = kernels
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
        _, others = self._summed(samples.coarse or samples.counts, level)
        return tuple(
            [
                self._kernel(row, own, other, samples.factor)
                for row, own, other in zip(rows, edges, others, strict=True)
            ]
        )

    def _summed(
        self, halves: Sequence[ReplayCounts], level: int
    ) -> tuple[list[CountsByArray], list[tuple[_Edge, ...]]]:
        """By kernel the lines of all halves, and what is in doubt in each of them."""
        rows: list[CountsByArray] = [{} for _ in range(self._number)]
        edges: list[list[_Edge]] = []
        for counts in halves:
            own = [_Edge() for _ in rows]
            self._add(counts, level, rows, own)
            edges.append(own)
        return rows, list(zip(*edges, strict=True))

    def _add(
        self, counts: ReplayCounts, level: int, rows: list[CountsByArray], edges: list[_Edge]
    ) -> None:
        """One sample. What the first run leaves dirty leaves for it, too."""
        all_lines = counts.all_lines(self._run, level)
        remaining = [0.0] * len(all_lines) if self._run else counts.all_remaining(level)
        for (array, writes), kernel, lines, left in zip(
            self._references, self._kernels, all_lines, remaining, strict=True
        ):
            if kernel is None:
                continue
            evict = lines.evicts + left
            row, edge = rows[kernel], edges[kernel]
            row[array] = row.get(array, NOTHING).plus(
                LineCounts(0, lines.misses, evict) if writes else LineCounts(lines.misses, 0, evict)
            )
            edge.total += lines.misses
            edge.lost += lines.at_edge
            edge.saved += lines.beyond_edge
            edge.unsure += lines.unsure

    def _kernel(
        self, row: CountsByArray, edges: Sequence[_Edge], others: Sequence[_Edge], factor: float
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
