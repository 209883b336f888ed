"""Cycles per iteration from calls at several sizes: the slope leaves out the start of a call.

Where calls take a few hundred cycles, a branch at the end of the loop that is predicted at one
size and not at the next one moves the time by as much as many iterations do. So sizes lie evenly
apart, with the same rest after the vector loop, and a step between two of them is no part of the
slope.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from msgspec import Struct

from rooflint.measure.protocol import Doubt, Figure, MeasureVerdict
from rooflint.measure.results import PointMeasurement

PARTS: Final = 4
"""Gaps between the sizes, which together take away half of the largest one."""
ALIGNMENTS: Final = (64, 32, 16, 8)
"""Elements between two sizes are a multiple: the rest after vectors, unrolled up to four times,
then takes the same time at all of them."""
LEAST_OF_ALIGNMENT: Final = 0.75
"""A gap is rounded up to an alignment if it has this share of it."""
STEP_CYCLES: Final = 8.0
"""Between two sizes, beside what the iterations take: half of the 15 to 20 cycles that a
mispredicted branch costs on current cores."""
MOST_STEPS: Final = 1
"""Of the gaps; with more of them nobody can tell steps from the slope."""
UNEVEN: Final = 0.05
"""Cycles by which sizes miss the line, as a share of what the iterations between the smallest and
the largest one take."""


class Slope(Struct, frozen=True, kw_only=True):
    """Cycles per iteration; ``uneven``: the sizes do not lie on one line, steps aside."""

    cycles: float
    uneven: bool


class SlopePoint(Struct, frozen=True):
    """The figure of a smaller size, and its iterations per call."""

    iterations: float
    figure: Figure


def gap_between(size: int) -> int | None:
    """The distance of the sizes below ``size``; None where it is too small for an aligned one."""
    for alignment in ALIGNMENTS:
        if size >= 2 * PARTS * LEAST_OF_ALIGNMENT * alignment:
            return max(1, round(size / (2 * PARTS * alignment))) * alignment
    return None


def sizes_below(sizes: Mapping[str, int]) -> list[dict[str, int]]:
    """Smaller values of all sizes, the smallest first: evenly apart; only the half of them where
    one is too small for that."""
    gaps = {name: gap_between(size) for name, size in sizes.items()}
    if None in gaps.values():
        return [{name: size // 2 for name, size in sizes.items()}]
    return [
        {name: size - (gaps[name] or 0) * part for name, size in sizes.items()}
        for part in range(PARTS, 0, -1)
    ]


def slope_through(points: Sequence[tuple[float, float]]) -> Slope:
    """The slope of cycles over iterations, from two points or more of growing iterations.

    Points between two steps are a segment; all segments have the same slope.
    """
    gaps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    usual = median([cycles / iterations for iterations, cycles in gaps])
    steps = [abs(cycles - usual * iterations) > STEP_CYCLES for iterations, cycles in gaps]
    if sum(steps) > MOST_STEPS or all(steps):
        return Slope(cycles=usual, uneven=True)
    segments = _segments(points, steps)
    cycles = _pooled(segments)
    missed = max([_residual(segment, cycles) for segment in segments])
    between = abs(cycles) * (points[-1][0] - points[0][0])
    return Slope(cycles=cycles, uneven=missed > UNEVEN * between)


def _segments(
    points: Sequence[tuple[float, float]], steps: Sequence[bool]
) -> list[list[tuple[float, float]]]:
    segments = [[points[0]]]
    for point, is_step in zip(points[1:], steps, strict=True):
        if is_step:
            segments.append([])
        segments[-1].append(point)
    return segments


def _pooled(segments: Sequence[Sequence[tuple[float, float]]]) -> float:
    """The least-squares slope with an intercept of its own for each segment."""
    products, squares = 0.0, 0.0
    for segment in segments:
        centre, height = _centre(segment)
        products += sum([(x - centre) * (y - height) for x, y in segment])
        squares += sum([(x - centre) ** 2 for x, _ in segment])
    return products / squares


def _residual(segment: Sequence[tuple[float, float]], slope: float) -> float:
    """The largest distance of a point from the line through its segment."""
    centre, height = _centre(segment)
    return max([abs(y - height - slope * (x - centre)) for x, y in segment])


def _centre(segment: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum([x for x, _ in segment]) / len(segment), sum([y for _, y in segment]) / len(segment)


def slope_of(point: PointMeasurement, smaller: Sequence[SlopePoint]) -> tuple[Slope, list[Doubt]]:
    """The slope up to a point with a figure, through the steady ones below it; doubts about it."""
    steady = [each for each in smaller if each.figure.verdict is not MeasureVerdict.DISTURBED]
    used = steady if 2 * len(steady) >= len(smaller) else smaller
    line = [(each.iterations, each.figure.cycles.p10) for each in used]
    if point.figure is not None and point.iterations:
        line.append((point.iterations, point.figure.cycles.p10))
    slope = slope_through(line)
    doubts = [] if used is steady else list(smaller[0].figure.doubts)
    return slope, [*doubts, Doubt.UNEVEN_SIZES] if slope.uneven else doubts
