"""Cycles per iteration from calls at several sizes: the slope leaves out the start of a call.

Where calls take a few hundred cycles, a branch at the end of the loop that is predicted at one
size and not at the next one moves the time by as much as many iterations do. So sizes lie evenly
apart, with the same rest after the vector loop, and a step between two of them is no part of the
slope.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import hypot
from statistics import median
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rooflint.measure.confrontation.comparison import SlopeTerm
from rooflint.measure.confrontation.forecast import Forecast
from rooflint.measure.protocol import (
    Doubt,
    Figure,
    MeasureVerdict,
    not_all_iterations,
    with_doubts,
)
from rooflint.measure.results import PointMeasurement

STEADIEST: Final = 1.1
SHAKIEST: Final = 0.5
"""A slope is used if it is at most 1.1 and at least half of the cycles of a call per iteration: the
rest of a call only adds to it."""
LEAST_CYCLES: Final = 1 / 512
"""Of an iteration: no core begins more than eight instructions a cycle, of 64 elements each."""
MOST_UNPREDICTED: Final = 256
"""Times that a loop may be faster than a model says: 64 bytes at once where one is predicted, four
additions that overlap where they wait. A function that returns early is a thousand times faster."""
LEAST_CALL_CYCLES: Final = 400
"""Of which the prologue and the fence are 100 to 200, half at most."""
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
    """Cycles per iteration; ``uneven``: the sizes do not lie on one line, steps aside.

    weights  of the cycles at each size: their sum is the slope
    """

    cycles: float
    uneven: bool
    weights: tuple[float, ...] = ()


class SlopePoint(Struct, frozen=True):
    """The figure of a size, its iterations per call, and what the models say of it."""

    iterations: float
    figure: Figure
    forecast: Forecast | None = None


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
    weights = _weights(segments)
    cycles = sum([weight * y for weight, (_, y) in zip(weights, points, strict=True)])
    missed = max([_residual(segment, cycles) for segment in segments])
    between = abs(cycles) * (points[-1][0] - points[0][0])
    return Slope(cycles=cycles, uneven=missed > UNEVEN * between, weights=tuple(weights))


def _segments(
    points: Sequence[tuple[float, float]], steps: Sequence[bool]
) -> list[list[tuple[float, float]]]:
    segments = [[points[0]]]
    for point, is_step in zip(points[1:], steps, strict=True):
        if is_step:
            segments.append([])
        segments[-1].append(point)
    return segments


def _weights(segments: Sequence[Sequence[tuple[float, float]]]) -> list[float]:
    """Of each point in the least-squares slope, with an intercept of its own for each segment."""
    apart = [x - _centre(segment)[0] for segment in segments for x, _ in segment]
    squares = sum([each**2 for each in apart])
    return [each / squares for each in apart]


def _residual(segment: Sequence[tuple[float, float]], slope: float) -> float:
    """The largest distance of a point from the line through its segment."""
    centre, height = _centre(segment)
    return max([abs(y - height - slope * (x - centre)) for x, y in segment])


def _centre(segment: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum([x for x, _ in segment]) / len(segment), sum([y for _, y in segment]) / len(segment)


def per_iteration(
    point: PointMeasurement, smaller: Sequence[SlopePoint], agreement: float, is_nest: bool
) -> PointMeasurement:
    """A point with iterations and a figure, with its cycles per iteration: by the slope where there
    is one that can be. ``agreement`` is the largest spread of a stable figure."""
    if point.figure is None or not point.iterations:
        return point
    by_call = point.figure.cycles.p10 / point.iterations
    if by_call < _least_cycles(point, point.iterations):
        return replace(point, iterations=None, figure=not_all_iterations(point.figure))
    whole = replace(point, cy_per_iteration=by_call)
    if not smaller:
        is_start = point.figure.cycles.p10 < LEAST_CALL_CYCLES and not is_nest
        why = [Doubt.START_OF_CALL] if is_start else []
        return replace(whole, figure=with_doubts(point.figure, why))
    largest = SlopePoint(point.iterations, point.figure, point.forecast)
    slope, spread, doubts = slope_of(largest, smaller, agreement)
    used = [*_steady(smaller), largest]
    if not SHAKIEST * by_call <= slope.cycles <= STEADIEST * by_call:
        early = slope.cycles < by_call
        misses = Doubt.START_OF_CALL if early else Doubt.UNEVEN_SIZES
        return replace(whole, figure=with_doubts(point.figure, [misses]))
    return replace(
        whole,
        cy_per_iteration=slope.cycles,
        per_iteration="slope",
        spread=spread,
        slope=_terms(slope, used),
        figure=with_doubts(point.figure, doubts),
    )


def _least_cycles(point: PointMeasurement, iterations: float) -> float:
    """Of an iteration, if the call ran all that the models price."""
    models = point.forecast.models if point.forecast is not None else ()
    predicted = [model.cycles for model in models if model.cycles is not None]
    return max(LEAST_CYCLES, max(predicted, default=0.0) / iterations / MOST_UNPREDICTED)


def slope_of(
    largest: SlopePoint, smaller: Sequence[SlopePoint], agreement: float
) -> tuple[Slope, float, list[Doubt]]:
    """The slope up to the largest size, through the steady ones below it; its spread, which
    ``agreement`` limits; and doubts about it."""
    used = _steady(smaller)
    sizes = [*used, largest]
    slope = slope_through([(each.iterations, each.figure.cycles.p10) for each in sizes])
    spread = _spread(slope, [each.figure for each in sizes])
    shaky = any(each.figure.verdict is MeasureVerdict.DISTURBED for each in used)
    doubts = list(smaller[0].figure.doubts) if shaky else []
    if slope.uneven:
        doubts.append(Doubt.UNEVEN_SIZES)
    elif spread > agreement:
        doubts.append(Doubt.UNSURE_SLOPE)
    return slope, spread, doubts


def _steady(smaller: Sequence[SlopePoint]) -> Sequence[SlopePoint]:
    """The sizes that nothing disturbed, or all where those are too few."""
    steady = [each for each in smaller if each.figure.verdict is not MeasureVerdict.DISTURBED]
    return steady if 2 * len(steady) >= len(smaller) else smaller


def _terms(slope: Slope, sizes: Sequence[SlopePoint]) -> tuple[SlopeTerm, ...]:
    """The weights of the sizes with their forecasts; none where one has no forecast."""
    if not slope.weights or any(each.forecast is None for each in sizes):
        return ()
    return tuple(
        [
            SlopeTerm(weight, each.forecast)
            for weight, each in zip(slope.weights, sizes, strict=True)
            if each.forecast is not None
        ]
    )


def _spread(slope: Slope, figures: Sequence[Figure]) -> float:
    """The share by which the slope may be off, if each size is by the spread of its two lowest
    processes, independently."""
    if not slope.weights or not slope.cycles:
        return 0.0
    off = [
        weight * figure.cycles.p10 * figure.spread
        for weight, figure in zip(slope.weights, figures, strict=True)
    ]
    return hypot(*off) / abs(slope.cycles)
