"""What stays in a cache: layer conditions, reuse between statements and nests, conflicts."""

from itertools import pairwise
from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.line_counts import CountsByArray
from rooflint.memory.nests import KernelNest, Part
from rooflint.memory.retention import WindowLines
from rooflint.memory.reuse import CacheWalk, Reuse
from rooflint.memory.subnest_footprints import Fixed, SubnestFootprints

L1 = CacheGeometry(64, 8)
"""32 KiB in 64-byte lines."""
L2 = CacheGeometry(512, 8)
LINE = 64


def missed(function: Function, cache: CacheGeometry = L1, **values: int) -> list[CountsByArray]:
    arrays = {array.name: array for array in function.arrays}
    return Reuse(SubnestFootprints(arrays, values, LINE)).misses(facts_of(function), cache)


def loaded(rows: list[CountsByArray], array: str) -> float:
    return sum(row[array].load for row in rows if array in row)


@pytest.mark.parametrize(
    ("n", "rows_loaded"),
    [
        # one sweep of a row touches three rows of a and one of b: 4 * 8 * n bytes stay in 32 KiB
        # up to n = 1024, each row is then loaded once; beyond, once per neighbour, when the lines
        # of the fullest sets no longer are the exception
        (960, 1),
        (1600, 3),
    ],
)
def test_five_point_stencil_at_its_layer_condition(
    build: ModuleType, nests: ModuleType, n: int, rows_loaded: int
) -> None:
    rows = missed(nests.jacobi2d(build, n), L1)
    lines_per_row = n * 8 / LINE
    inner = n - 2
    expected = rows_loaded * inner * lines_per_row if rows_loaded > 1 else n * lines_per_row
    assert loaded(rows, "a") == pytest.approx(expected, rel=0.01)
    assert sum(row["b"].evict for row in rows) == pytest.approx(inner * lines_per_row, rel=0.01)
    assert loaded(rows, "b") == 0


def test_a_cache_that_holds_the_nest_loads_each_line_once(
    build: ModuleType, nests: ModuleType
) -> None:
    # gemm with n = 40: three arrays of 40 * 40 * 8 = 12 800 B, 200 lines each
    rows = missed(nests.gemm(build), L2, ni=40, nj=40, nk=40)
    assert {name: loaded(rows, name) for name in "ABC"} == pytest.approx(
        {"A": 200, "B": 200, "C": 200}
    )


def test_rows_that_stay_and_a_matrix_that_does_not(build: ModuleType, nests: ModuleType) -> None:
    # gemm i, k, j with n = 200: B has 5000 lines, ten times L1: each i reads it anew; a row of A
    # and a row of C (25 lines each) stay while it does
    rows = missed(nests.gemm(build), L1, ni=200, nj=200, nk=200)
    assert loaded(rows, "B") == pytest.approx(200 * 5000)
    assert loaded(rows, "A") == pytest.approx(5000)
    assert loaded(rows, "C") == pytest.approx(5000)


def test_columns_a_page_apart_conflict_and_padding_cures_it(build: ModuleType) -> None:
    def columns(width: int) -> Function:
        a = build.array("a", "f64", 16, width)
        s = build.assign("s", build.carried("s") + a["i", "j"])
        return build.function("f", [a], build.loop("j", 0, 8, build.loop("i", 0, 16, s)))

    # 16 rows 4096 B apart lie in one set of 8 ways: each column of 16 is loaded for all 8 j;
    # a line of padding spreads them over 16 sets, and the columns of a line share it
    assert loaded(missed(columns(512)), "a") == pytest.approx(16 * 8)
    assert loaded(missed(columns(520)), "a") == pytest.approx(16)


def test_a_second_nest_finds_what_the_first_left(build: ModuleType) -> None:
    def twice(n: int) -> Function:
        x = build.array("x", "f64", n)
        loops = [
            build.loop("i", 0, n, build.assign(s, build.carried(s) + x["i"])) for s in ("s", "t")
        ]
        return build.function("f", [x], *loops)

    # 1024 doubles are 8 KiB, 8192 are 64 KiB
    assert [row["x"].load for row in missed(twice(1024))] == [128, 0]
    assert [row["x"].load for row in missed(twice(8192))] == [1024, 1024]


def test_more_ways_never_cost_more(build: ModuleType, nests: ModuleType) -> None:
    for function, values in (
        (nests.gemm(build), {"ni": 60, "nj": 70, "nk": 80}),
        (nests.jacobi2d(build, 300), {}),
        (nests.lu(build), {"n": 60}),
    ):
        totals = [
            sum(
                g.load
                for row in missed(function, CacheGeometry(64, ways), **values)
                for g in row.values()
            )
            for ways in (1, 2, 4, 8, 16)
        ]
        assert all(more <= less * 1.02 for less, more in pairwise(totals)), totals


def test_a_loop_more_asks_for_as_many_lines_whatever_stands_before_it(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each loop finds its arrays in the loop before it: it looks no further back, and no loop adds
    # up the lines of all before it anew.
    asked: list[int] = []
    lines = CacheWalk._lines

    def counted(walk: CacheWalk, parts: tuple[Part, ...], depth: int, fixed: Fixed) -> WindowLines:
        asked.append(depth)
        return lines(walk, parts, depth, fixed)

    monkeypatch.setattr(CacheWalk, "_lines", counted)
    a, b = (build.array(name, "f64", None) for name in "ab")

    def questions(loops: int) -> int:
        nests = [build.loop("i", 0, 200, a["i"].set(b["i"] * float(n))) for n in range(loops)]
        asked.clear()
        missed(build.function("f", [a, b], *nests))
        return len(asked)

    few, more, most = questions(10), questions(20), questions(30)
    assert most - more == more - few > 0


def test_one_kernel_counts_no_more_of_the_others_than_decides_on_it(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a nest moves does not depend on what others move, only on what they touch: one of 20
    # nests is walked, each cache once, and says what it says where all are counted.
    walked: list[KernelNest] = []
    loop = CacheWalk.loop

    def counted(walk: CacheWalk, nest: KernelNest, fixed: Fixed, inside: bool) -> object:
        walked.append(nest)
        return loop(walk, nest, fixed, inside)

    monkeypatch.setattr(CacheWalk, "loop", counted)
    a, b = (build.array(name, "f64", None) for name in "ab")
    nests = [build.loop("i", 0, 5000 + n, a["i"].set(b["i"] * float(n))) for n in range(20)]
    function = build.function("f", [a, b], *nests)
    arrays, facts = {array.name: array for array in function.arrays}, facts_of(function)
    for between in (None, 0.0, 1e6):
        call = Reuse(SubnestFootprints(arrays, {}, LINE)).call(facts, L1, between)
        walked.clear()
        own = call.misses(7)
        assert len(walked) == 1
        every = Reuse(SubnestFootprints(arrays, {}, LINE)).misses(facts, L1, between)
        assert own == every[7]
