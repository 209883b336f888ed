"""Cycles per iteration from several sizes, as lines and steps give them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.measure.slope import (
    ALIGNMENTS,
    PARTS,
    STEP_CYCLES,
    UNEVEN,
    gap_between,
    sizes_below,
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
    assert found.cycles == 1.0
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
