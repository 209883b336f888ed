"""Compulsory lines, hand-counted, and against a walk over every address."""

import math
from types import ModuleType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rooflint.facts import ArrayLines, compulsory_lines, facts_of, space_of
from rooflint.ir import Function, Loop, Poly, Statement

LINE = 64


def lines(function: Function, kernel: int = -1, **sizes: int) -> dict[str, ArrayLines]:
    facts = facts_of(function)[kernel]
    space = space_of(facts.kernel.loops, sizes)
    arrays = {array.name: array for array in function.arrays}
    found = compulsory_lines(facts, space, sizes, LINE, arrays)
    return {each.array: each for each in found}


def walked(function: Function, **sizes: int) -> dict[str, int]:
    """Distinct lines per array by walking the first nest."""
    touched: dict[str, set[int]] = {}

    def walk(loop: Loop, values: dict[str, int]) -> None:
        bounds = (p.evaluate(values) for p in (loop.lower, loop.upper, loop.step))
        for value in range(*bounds):
            inside = {**values, loop.index: value}
            for node in loop.body:
                if isinstance(node, Loop):
                    walk(node, inside)
                elif isinstance(node, Statement):
                    for access in node.accesses:
                        first = access.offset.evaluate(inside)
                        last = first + access.bytes - 1
                        touched.setdefault(access.array, set()).update(
                            (first // LINE, last // LINE)
                        )

    nest = function.body[0]
    assert isinstance(nest, Loop)
    walk(nest, dict(sizes))
    return {array: len(found) for array, found in touched.items()}


def test_a_vector_is_its_bytes(build: ModuleType, nests: ModuleType) -> None:
    triad = nests.streaming(build)["triad"]
    # 1000 doubles are 8000 B, 125 lines each; 1001 need one more
    assert {a: x.touched for a, x in lines(triad, n=1000).items()} == dict.fromkeys("abc", 125)
    assert lines(triad, n=1001)["a"].touched == 126


@pytest.mark.parametrize(
    ("step", "expected"),
    # 4096 doubles lie on 512 lines; from 8 elements on, a line per element
    [(1, 512), (2, 512), (4, 512), (8, 512), (16, 256)],
)
def test_strides(build: ModuleType, nests: ModuleType, step: int, expected: int) -> None:
    assert lines(nests.strided_sum(build, step), n=4096)["a"].touched == expected


def test_matrix_and_vectors_of_dgemv(build: ModuleType, nests: ModuleType) -> None:
    found = lines(nests.dgemv(build), m=80, n=160)
    assert {a: x.touched for a, x in found.items()} == {"A": 80 * 160 / 8, "x": 20, "y": 10}


def test_five_points_are_three_rows_that_overlap(build: ModuleType, nests: ModuleType) -> None:
    # a is touched from (0, 1) to (n - 1, n - 2): all of it; b from (1, 1) to (n - 2, n - 2)
    n = 64
    found = lines(nests.jacobi2d(build), n=n)
    assert found["a"].touched == n * n / 8
    assert found["b"].touched == (n - 2) * n / 8


def test_a_triangle_is_half_a_square(build: ModuleType, nests: ModuleType) -> None:
    found = lines(nests.trisolv(build), n=400)
    exact = walked(nests.trisolv(build), n=400)
    assert found["L"].touched == pytest.approx(exact["L"], rel=0.02)
    assert found["x"].touched == exact["x"]


def test_the_whole_matrix_of_lu_counts_once(build: ModuleType, nests: ModuleType) -> None:
    n = 96
    found = lines(nests.lu(build), n=n)
    exact = walked(nests.lu(build), n=n)["A"]
    assert exact == n * n / 8
    assert exact * 0.5 <= found["A"].touched <= exact


def test_transposed_reads_of_one_array_are_not_counted_twice(build: ModuleType) -> None:
    a, b = build.array("a", "f64", 64, 64), build.array("b", "f64", 64, 64)
    body = b["i", "j"].set(a["i", "j"] + a["j", "i"])
    function = build.function("f", [a, b], build.loop("i", 0, 64, build.loop("j", 0, 64, body)))
    assert lines(function)["a"].touched == 64 * 64 / 8


def test_gathers_are_bounded_by_nothing_and_a_line_each(
    build: ModuleType, nests: ModuleType
) -> None:
    found = lines(nests.spmv(build), kernel=1, **{"n": 100, "row[i+1]-row[i]": 8})
    x, val = found["x"], found["val"]
    assert (x.loaded, x.loaded_most) == (0, 800)
    # 800 doubles in a row, though row starts are not known
    assert (val.loaded, val.loaded_most) == (100, 100)
    assert found["col"].loaded == 50


def test_a_gather_from_a_small_table_stays_in_it(build: ModuleType) -> None:
    table, a = build.array("table", "f64", 256), build.array("a", "f64", "n")
    index = build.unknown("idx[i]", "i") * 8
    function = build.function("f", [table, a], build.loop("i", 0, "n", a["i"].set(table.at(index))))
    # 256 doubles are 32 lines, however often they are looked up
    assert lines(function, n=10**6)["table"].loaded_most == 32


@st.composite
def affine_nests(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    depth = draw(st.integers(1, 3))
    strides = tuple(draw(st.sampled_from((-8, 8, 16, 64, 72, 96, 800, 1024))) for _ in range(depth))
    trips = tuple(draw(st.integers(1, 12)) for _ in range(depth))
    places = draw(st.lists(st.integers(0, 40), min_size=1, max_size=3, unique=True))
    return strides, trips, tuple(8 * place for place in places)


@settings(max_examples=300, deadline=None)
@given(affine_nests())
def test_lines_of_random_references_come_close_to_a_walk(
    build: ModuleType,
    nest: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]],
) -> None:
    strides, trips, places = nest
    names = "ijk"[: len(strides)]
    offset = Poly.constant(1 << 14)
    for name, stride in zip(names, strides, strict=True):
        offset = offset + Poly.symbol(name) * stride
    a = build.array("a", "f64", None)
    body = [build.assign("s", a.at(offset + place)) for place in places]
    loop: Loop | None = None
    for name, trip in reversed(list(zip(names, trips, strict=True))):
        loop = build.loop(name, 0, trip, *((loop,) if loop else body))
    function = build.function("f", [a], loop)
    assume(len(facts_of(function)) == 1 and len(facts_of(function)[0].kernel.loops) == len(names))
    found, exact = lines(function)["a"].touched, walked(function)["a"]
    accesses = math.prod(trips) * len(places)
    assert found <= accesses  # an aligned double lies on one line
    assert 0.5 * exact <= found <= 2 * exact + 1


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 300), st.integers(1, 40), st.integers(0, 63))
def test_one_dense_stream_is_exact(build: ModuleType, trips: int, stride: int, start: int) -> None:
    a = build.array("a", "u8", None)
    body = build.assign("s", a.at(build.poly("i") * stride + start))
    function = build.function("f", [a], build.loop("i", 0, trips, body))
    assert lines(function)["a"].touched == walked(function)["a"]
