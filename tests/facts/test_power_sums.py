"""Sums of powers, and the counts of nests that are made of them, by formulas of their own."""

from math import comb
from types import ModuleType

import pytest
from rooflint.facts import space_of
from rooflint.facts.points import FAULHABER, power_sum
from rooflint.ir import Loop, Poly

N = Poly.symbol("n")
ONE = Poly.constant(1)


@pytest.mark.parametrize("power", range(len(FAULHABER)))
@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 7), (3, 8), (-4, 5), (6, 5)])
def test_powers_add_up(power: int, first: int, last: int) -> None:
    assert power_sum(power, first, last) == sum([v**power for v in range(first, last + 1)])


@pytest.mark.parametrize("depth", range(1, len(FAULHABER) + 1))
def test_a_simplex_has_a_binomial_number_of_points(depth: int) -> None:
    # n > i0 >= i1 >= … >= 0: multisets of ``depth`` numbers below n; the loop around m others
    # sums a polynomial of degree m
    loops = []
    bound = N
    for place in range(depth):
        loops.append(Loop(f"i{place}", Poly.constant(0), bound, ONE, ()))
        bound = Poly.symbol(f"i{place}") + 1
    space = space_of(tuple(loops), {"n": 5})
    assert (space.executions, space.inexact) == (comb(5 + depth - 1, depth), "")


@pytest.mark.parametrize(
    ("lower", "upper", "values"),
    [
        # j of x[j] inside for i < 10: from the lowest beginning to the highest end, whichever i has
        ("i", "n", 10),  # i = 0 begins at 0
        ("0", "i + 1", 10),  # i = 9 ends at 9
        ("n - i", "n", 9),  # i = 9 begins at 1; i = 0 has none
        ("0", "n - i", 10),  # i = 0 ends at 9
        ("i", "i + 3", 12),  # 0 up to 9 + 2
    ],
)
def test_what_lies_around_is_projected_out_by_its_extremes(
    build: ModuleType, lower: str, upper: str, values: int
) -> None:
    poly = build.poly
    outer = Loop("i", Poly.constant(0), N, ONE, ())
    inner = Loop("j", poly(lower), poly(upper), ONE, ())
    space = space_of((outer, inner), {"n": 10})
    assert space.extents((False, True)) == (values,)
