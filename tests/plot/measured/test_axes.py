"""Axes: ends, ticks, and their labels."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.plot.measured.axes import LinearAxis, LogAxis, WholeAxis, tick_text


@given(
    low=st.floats(min_value=1, max_value=1e9),
    factor=st.floats(min_value=1.05, max_value=1e9),
    apart=st.floats(min_value=10, max_value=100),
)
def test_log_ticks_keep_their_distance(low: float, factor: float, apart: float) -> None:
    axis = LogAxis(low, low * factor, 600)
    ticks = axis.ticks(apart)
    for near, far in pairwise(ticks):
        assert axis(far) - axis(near) >= apart - 1e-6
    assert all(-1e-3 <= axis(tick) <= 600 + 1e-3 for tick in ticks)


@given(high=st.floats(min_value=1e-6, max_value=1e9))
def test_linear_ticks_start_at_zero(high: float) -> None:
    axis = LinearAxis(0.0, high, 350)
    ticks = axis.ticks(30)
    assert ticks[0] == 0
    assert 3 <= len(ticks) <= 12
    assert axis(ticks[-1]) <= 350


def test_ends() -> None:
    axis = LogAxis(10, 1000, 200)
    assert [axis(value) for value in (10, 100, 1000)] == pytest.approx([0, 100, 200])
    assert [axis(value) for value in (1, 1e6)] == pytest.approx([0, 200])
    assert LinearAxis(0, 2, 100)(3) == 100


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (100, 1e7, [100, 1e3, 1e4, 1e5, 1e6, 1e7]),
        (250, 8200, [500, 1000, 2000, 5000]),
        (1000, 2000, [1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000]),
    ],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert LogAxis(low, high, 650).ticks(40) == pytest.approx(ticks)


@pytest.mark.parametrize(("cores", "ticks"), [(2, [1, 2]), (11, list(range(1, 12)))])
def test_cores_are_whole(cores: int, ticks: list[int]) -> None:
    assert WholeAxis(0.0, cores + 0.5, 650).ticks(40) == ticks
    assert WholeAxis(0.0, 72.5, 650).ticks(40)[:2] == [1, 10]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.25, "0.25"), (99999, "99999"), (1e5, "1e5"), (1.5e6, "1.5e6"), (2e7, "2e7")],
)
def test_labels(value: float, text: str) -> None:
    assert tick_text(value) == text
