"""Cycles per iteration from several sizes, as lines and steps give them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.measure.protocol import Doubt, Figure, MeasureVerdict, Quantiles
from rooflint.measure.survey.slope import (
    ALIGNMENTS,
    PARTS,
    STEP_CYCLES,
    UNEVEN,
    SlopePoint,
    gap_between,
    sizes_below,
    slope_of,
    slope_through,
)

SIZES = (256.0, 320.0, 384.0, 448.0, 512.0)
COPY = (103.8, 141.5, 149.6, 157.5, 165.4)
"""Cycles a call of a copy in L1 at these sizes: the exit is predicted at the first one only."""


@given(st.floats(0.05, 50), st.floats(0, 1000))
def test_a_line_has_its_slope(cycles: float, start: float) -> None:
    found = slope_through([(size, start + cycles * size) for size in SIZES])
    assert found.cycles == pytest.approx(cycles)
    assert not found.uneven


@given(st.integers(1, 4), st.floats(STEP_CYCLES * 1.1, 60), st.floats(0.05, 5))
def test_one_step_is_no_part_of_it(place: int, step: float, cycles: float) -> None:
    points = [(x, cycles * x + (step if n >= place else 0)) for n, x in enumerate(SIZES)]
    found = slope_through(points)
    assert found.cycles == pytest.approx(cycles)
    assert not found.uneven


def test_two_steps_leave_no_slope() -> None:
    points = [(x, 0.1 * x + 20 * (n > 0) + 20 * (n > 2)) for n, x in enumerate(SIZES)]
    assert slope_through(points).uneven


def test_a_copy_whose_first_exit_is_predicted() -> None:
    found = slope_through(list(zip(SIZES, COPY, strict=True)))
    assert found.cycles == pytest.approx(0.125, rel=0.01)
    assert not found.uneven


def test_two_sizes_are_a_line() -> None:
    found = slope_through([(500.0, 600.0), (1000.0, 1100.0)])
    assert found.cycles == pytest.approx(1.0)
    assert not found.uneven


@pytest.mark.parametrize(("share", "uneven"), [(0.9, False), (1.4, True)])
def test_points_beside_the_line_are_uneven(share: float, uneven: bool) -> None:
    moved = share * UNEVEN * 0.1 * (SIZES[-1] - SIZES[0])
    points = [(x, 0.1 * x + (moved if n == 2 else 0.0)) for n, x in enumerate(SIZES)]
    assert slope_through(points).uneven is uneven


@given(st.integers(48, 1 << 20))
def test_sizes_below_are_apart_by_an_alignment_and_end_near_the_half(size: int) -> None:
    gap = gap_between(size)
    assert gap is not None
    assert any(gap % alignment == 0 for alignment in ALIGNMENTS)
    assert 0.3 * size <= size - PARTS * gap <= 0.7 * size


@pytest.mark.parametrize(("size", "gap"), [(47, None), (48, 8), (504, 64), (384, 64), (383, 32)])
def test_the_largest_alignment_that_fits(size: int, gap: int | None) -> None:
    assert gap_between(size) == gap


def test_sizes_below_another() -> None:
    assert sizes_below({"n": 512}) == [{"n": n} for n in (256, 320, 384, 448)]
    assert sizes_below({"n": 512, "m": 40}) == [{"n": 256, "m": 20}]


def figure_of(cycles: float, spread: float) -> Figure:
    quantiles = Quantiles(least=cycles, p10=cycles, median=cycles, p90=cycles)
    processes = (cycles * 1.5, cycles * (1 + spread), cycles)
    return Figure(
        cycles=quantiles, seconds=1e-6, clock_ghz=1.0, processes=processes, batches=3, clean=3,
        touched_bytes=0, verdict=MeasureVerdict.STABLE,
    )  # fmt: skip


@pytest.mark.parametrize(("agreement", "unsure"), [(0.029, True), (0.0291, False)])
def test_a_slope_multiplies_the_spread_of_its_ends(agreement: float, unsure: bool) -> None:
    """100 cycles a call and 1 an iteration: 600 and 1100 cycles, each 1.16 % off, leave 6.96 and
    12.76 for 500 iterations, together 14.53, which is 2.907 % of the 500 cycles between."""
    small = SlopePoint(iterations=500.0, figure=figure_of(600.0, 0.0116))
    largest = SlopePoint(iterations=1000.0, figure=figure_of(1100.0, 0.0116))
    slope, spread, doubts = slope_of(largest, [small], agreement)
    assert slope.cycles == pytest.approx(1.0)
    assert spread == pytest.approx(0.02907, abs=1e-5)
    assert doubts == ([Doubt.UNSURE_SLOPE] if unsure else [])


def test_more_sizes_and_steady_ones_make_a_slope_surer() -> None:
    def spread_of(count: int, share: float) -> float:
        smaller = [SlopePoint(iterations=x, figure=figure_of(x, share)) for x in SIZES[:-1][:count]]
        largest = SlopePoint(iterations=512.0, figure=figure_of(512.0, share))
        return slope_of(largest, smaller, 1.0)[1]

    assert spread_of(4, 0.0) == 0.0
    assert spread_of(4, 0.01) < spread_of(1, 0.01)
    assert spread_of(4, 0.02) == pytest.approx(2 * spread_of(4, 0.01))
