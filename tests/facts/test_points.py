"""Counting the points of nests: closed forms by hand, and brute force over random small nests."""

from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.facts import points, space_of
from rooflint.ir import Loop, Poly
from rooflint.ir.poly import function

OUTER = ("i", "j", "k")


def brute_force(loops: tuple[Loop, ...], values: dict[str, int]) -> int:
    """Walks the nest."""
    if not loops:
        return 1
    loop, *inner = loops
    lower, upper, step = (p.evaluate(values) for p in (loop.lower, loop.upper, loop.step))
    return sum(
        brute_force(tuple(inner), {**values, loop.index: value})
        for value in range(lower, upper, step)
    )


@st.composite
def affine(draw: st.DrawFn, names: tuple[str, ...], low: int, high: int) -> Poly:
    total = Poly.constant(draw(st.integers(low, high)))
    for name in names:
        total = total + Poly.symbol(name) * draw(st.sampled_from((0, 0, 0, 1, -1, 2)))
    return total


@st.composite
def nests(draw: st.DrawFn, steps: tuple[int, ...]) -> tuple[Loop, ...]:
    loops: list[Loop] = []
    for depth in range(draw(st.integers(1, 3))):
        outer = OUTER[:depth]
        lower, upper = draw(affine(outer, -3, 4)), draw(affine(outer, -2, 9))
        step = draw(st.sampled_from(steps))
        if step < 0:
            lower, upper = upper, lower
        loops.append(Loop(OUTER[depth], lower, upper, Poly.constant(step), ()))
    return tuple(loops)


@settings(max_examples=300, deadline=None)
@given(nests(steps=(1, 1, -1)))
def test_unit_steps_count_as_brute_force_does(loops: tuple[Loop, ...]) -> None:
    space = space_of(loops, {})
    assert not space.inexact
    assert space.executions == brute_force(loops, {})


@settings(max_examples=200, deadline=None)
@given(nests(steps=(1, 2, 3, -2)))
def test_other_steps_count_as_brute_force_does(loops: tuple[Loop, ...]) -> None:
    space = space_of(loops, {})
    assert space.inexact or space.executions == brute_force(loops, {})
    # few nests of this size are too ragged to count
    assert not space.inexact or "cases" in space.inexact


@pytest.mark.parametrize(
    ("upper", "expected"),
    [
        ("min(i + 3, 10)", sum(min(i + 3, 10) for i in range(20))),
        ("max(i - 3, 4)", sum(max(i - 3, 4) for i in range(20))),
        ("i // 3", sum(i // 3 for i in range(20))),
        ("min(16, i + 4) + 1", sum(min(16, i + 4) + 1 for i in range(20))),
        ("i % 5", sum(i % 5 for i in range(20))),
        ("2 * (i // 4) + i", sum(2 * (i // 4) + i for i in range(20))),
    ],
)
def test_bounds_with_functions(build: ModuleType, upper: str, expected: int) -> None:
    nest = (build.loop("i", 0, 20), build.loop("j", 0, upper))
    space = space_of(nest, {})
    assert (space.executions, space.inexact) == (expected, "")


def test_blocked_loops_cover_the_range_once(build: ModuleType) -> None:
    # for ii = 0..n step 32, for i = ii..min(ii + 32, n): each i once
    nest = (
        build.loop("ii", 0, "n", step=32),
        build.loop("i", "ii", "min(ii + 32, n)"),
    )
    assert space_of(nest, {"n": 1000}).executions == 1000


def test_triangles_and_pyramids_at_any_size(build: ModuleType) -> None:
    n = 10**9
    triangle = (build.loop("i", 0, "n"), build.loop("j", 0, "i"))
    assert space_of(triangle, {"n": n}).executions == n * (n - 1) // 2
    assert space_of(triangle, {"n": n}).trips == (n, (n - 1) / 2)
    pyramid = (*triangle, build.loop("k", 0, "j"))
    assert space_of(pyramid, {"n": n}).executions == n * (n - 1) * (n - 2) // 6


def test_a_loop_that_starts_beyond_its_end_counts_nothing(build: ModuleType) -> None:
    # j runs from 5 to i: only i = 6 .. 9 have iterations, 1 + 2 + 3 + 4
    nest = (build.loop("i", 0, 10), build.loop("j", 5, "i"))
    assert space_of(nest, {}).executions == 10


def test_extents_project_what_lies_between(build: ModuleType) -> None:
    # cholesky: for i < n, for j < i, for k < j. A[i][k]: k reaches 0 .. i - 2 for each i
    nest = (build.loop("i", 0, "n"), build.loop("j", 0, "i"), build.loop("k", 0, "j"))
    space = space_of(nest, {"n": 10})
    rows, columns = space.extents((True, False, True))
    assert rows == 10
    assert rows * columns == sum(max(0, i - 1) for i in range(10))
    # x[j] alone: j reaches 0 .. 8
    assert space.extents((False, True, False)) == (9,)


def test_unknown_bounds_are_estimated_and_say_so(build: ModuleType) -> None:
    nest = (build.loop("i", 0, 10), build.loop("j", 0, "i*i"))
    space = space_of(nest, {})
    assert space.inexact == "'i*i' is not linear in the loop indices"
    assert space.trips[1] == 16  # at the middle, i = 4


def test_run_time_trip_counts_have_a_name(build: ModuleType) -> None:
    rows = build.loop("j", build.unknown("row[i]", "i"), build.unknown("row[i+1]", "i"))
    nest = (build.loop("i", 0, "n"), rows)
    assert space_of(nest, {"n": 100, "row[i+1]-row[i]": 7}).executions == 700


@pytest.mark.parametrize("n", [9, 64, 1000, 10**6, 10**12])
def test_wedges_of_any_size_by_hand(n: int) -> None:
    """``for k < n: for i = k+1 < n: for j = k < n``: sum of (n-1-k) * (n-k) over k."""
    k, one = Poly.symbol("k"), Poly.constant(1)
    end, zero = Poly.constant(n), Poly.constant(0)
    nest = (
        Loop("k", zero, end, one, ()),
        Loop("i", k + 1, end, one, ()),
        Loop("j", k, end, one, ()),
    )
    # with m = n - k from 1 to n: sum of m*m - m = (n-1)*n*(n+1) / 3
    space = space_of(nest, {})
    assert space.executions == (n - 1) * n * (n + 1) // 3
    assert space.trips == (
        n,
        (n - 1) / 2,
        space.executions / (n * (n - 1) // 2),
    )


@pytest.mark.parametrize("n", [64, 999, 1024, 65536, 10**9])
def test_work_is_bounded_whatever_a_bound_is_divided_by(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``for i < n*n: for j < (i + n) / n: for k < (i + 7*j) / (n + 1)``."""

    class Counted(points._PointCounter):
        def __init__(self) -> None:
            super().__init__()
            counters.append(self)

    counters: list[points._PointCounter] = []
    monkeypatch.setattr(points, "_PointCounter", Counted)
    i, j, one, zero = Poly.symbol("i"), Poly.symbol("j"), Poly.constant(1), Poly.constant(0)
    nest = (
        Loop("i", zero, Poly.constant(n * n), one, ()),
        Loop("j", zero, function("floordiv", i + n, Poly.constant(n)), one, ()),
        Loop("k", zero, function("floordiv", i + j * 7, Poly.constant(n + 1)), one, ()),
    )
    space = space_of(nest, {})
    assert space.executions > 0
    spent = [counter.pieces for counter in counters]
    assert spent and max(spent) <= points.MAX_PIECES + 1
