"""How often a loop runs, with sizes that are not known yet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.ir import Loop, Poly

N = Poly.symbol("n")


def loop(lower: Poly, upper: Poly, step: int) -> Loop:
    return Loop("i", lower, upper, Poly.constant(step), ())


@pytest.mark.parametrize(
    ("n", "trips"),
    # for (i = 0; i < n; i += 3): 0, 3, 6 up to n = 9; n = 10 adds the iteration of 9
    [(8, 3), (9, 3), (10, 4), (12, 4), (13, 5), (1, 1), (0, 0)],
)
def test_a_last_step_that_is_not_whole_counts(n: int, trips: int) -> None:
    assert loop(Poly.constant(0), N, 3).trip_count.evaluate({"n": n}) == trips
    # for (i = n; i > 0; i -= 3) runs as often
    assert loop(N, Poly.constant(0), -3).trip_count.evaluate({"n": n}) == trips


@given(st.integers(-9, 9), st.integers(0, 40), st.integers(1, 7), st.booleans())
def test_trips_are_those_of_a_range(first: int, length: int, size: int, down: bool) -> None:
    end, step = (first - length, -size) if down else (first + length, size)
    found = loop(Poly.symbol("n"), Poly.symbol("m"), step).trip_count
    assert found.evaluate({"n": first, "m": end}) == len(range(first, end, step))
