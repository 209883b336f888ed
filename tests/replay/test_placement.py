"""Addresses of arrays, bounds of polynomials, and the work that a replay will be."""

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.ir import Poly
from rooflint.ir.poly import function
from rooflint.replay import ReplayLevel, ReplaySettings, portable
from rooflint.replay.intervals import Interval, interval_of
from rooflint.replay.lowering import lower_function
from rooflint.replay.placement import FIRST_BYTE, OPEN_BYTES, PAGE_BYTES, page_layout
from rooflint.replay.prediction import predicted_work

WITHIN = 4
"""Times too much or too little: budgets are a decade apart."""


def test_arrays_begin_at_pages_one_after_the_other(build: ModuleType) -> None:
    # 5000 B take two pages; b is reached up to element 1023 + 3, three pages; c is never reached
    a, b, c = build.array("a", "f64", 625), build.array("b", "f64", None), build.array("c", "i8", 1)
    nest = build.loop("i", 0, "n", b["i + 3"].set(a["i"]))
    layout = page_layout(build.function("f", [a, b, c], nest), {"n": 1024})
    assert {name: (place - FIRST_BYTE) // PAGE_BYTES for name, place in layout.items()} == {
        "a": 0, "b": 2, "c": 5
    }  # fmt: skip


def test_what_reaches_below_its_begin_keeps_clear_of_its_neighbour(build: ModuleType) -> None:
    # a[-512] lies 4096 B below a[0]
    b, a = build.array("b", "f64", 1), build.array("a", "f64", None)
    nest = build.loop("i", 0, 8, a["i - 512"].set(b[0]))
    layout = page_layout(build.function("f", [b, a], nest), {})
    assert layout["a"] - layout["b"] == 2 * PAGE_BYTES


def test_an_array_without_an_end_gets_room(build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", 1)
    nest = build.loop("i", 0, "n", a["i"].set(b[0]))
    layout = page_layout(build.function("f", [a, b], nest), {})
    assert layout["b"] - layout["a"] == OPEN_BYTES


@given(
    values=st.lists(st.integers(-20, 20), min_size=2, max_size=2),
    width=st.integers(0, 9),
    kind=st.sampled_from(("floordiv", "mod", "min", "max", "ceillog")),
    by=st.integers(2, 9),
    factor=st.integers(-3, 3),
)
def test_values_lie_within_their_interval(
    values: list[int], width: int, kind: str, by: int, factor: int
) -> None:
    i, j = Poly.symbol("i"), Poly.symbol("j")
    poly = function(kind, i * factor + j, Poly.constant(by)) * i - j  # type: ignore[arg-type]
    ranges = {name: Interval(v, v + width) for name, v in zip("ij", values, strict=True)}
    found = interval_of(poly, ranges)
    assert found is not None
    for step in range(width + 1):
        point = {"i": values[0] + step, "j": values[1] + width - step}
        assert found.low <= poly.evaluate(point) <= found.high


def test_a_division_by_what_may_be_zero_has_no_interval() -> None:
    poly = function("floordiv", Poly.symbol("i"), Poly.symbol("j"))
    assert interval_of(poly, {"i": Interval(0, 9), "j": Interval(0, 1)}) is None
    assert interval_of(poly, {"i": Interval(0, 9), "j": Interval(1, 2)}) == Interval(0, 9)


@pytest.mark.parametrize("name", ["copy", "triad", "sum", "jacobi", "gemm", "lu"])
def test_predicted_work_is_of_the_right_order(
    name: str, build: ModuleType, nests: ModuleType
) -> None:
    functions = {**nests.streaming(build, 2000), "jacobi": nests.jacobi2d(build, 60)}
    functions |= {"gemm": nests.gemm(build), "lu": nests.lu(build)}
    function, sizes = functions[name], dict.fromkeys(("n", "ni", "nj", "nk"), 24)
    program = lower_function(function, page_layout(function, sizes), sizes)
    assert program.left_out == ()
    counts = portable.replay(program, [ReplayLevel(64, 8)], ReplaySettings())
    predicted = predicted_work(program, 64, 8)
    assert predicted is not None
    # setting up a walk costs what several touches cost, and is not among them
    most = counts.work * WITHIN + predicted.steps
    assert counts.work / WITHIN <= predicted.total <= most
