"""Executions of a loop: how many iterations each of its codes takes, and what their ends add."""

from types import ModuleType

import pytest
from rooflint.core import Compiler, LazyPlan
from rooflint.core.code import Code, RowSpace, VectorPlan
from rooflint.core.crossings import crossing_share
from rooflint.core.rows import LONG, row_parts
from rooflint.facts import facts_of, space_of
from rooflint.ir import Access, Function, Poly
from rooflint.machine import builtin_dir, find_machine

GCC, CLANG = Compiler("gcc"), Compiler("clang")


def code_of(width: int) -> Code:
    return Code(
        vector=VectorPlan(width, 1, 8 * width if width > 1 else None),
        operations=(),
        overlapping_cy=1.0,
        non_overlapping_cy=0.0,
        issue_cy=0.0,
        recurrence_cy=0.0,
        call_cy=0.0,
        critical_path_cy=0.0,
        busiest=frozenset(),
    )


@pytest.mark.parametrize(
    ("widths", "bodies", "lengths", "iterations"),
    [
        # gcc: vectors of 8, one of 4, and the last two one by one
        ((8, 4, 1), 1, [30], {8: 24, 4: 4, 1: 2}),
        ((8, 4, 1), 1, [27], {8: 24, 1: 3}),
        ((8, 4, 1), 1, [7], {4: 4, 1: 3}),
        ((8, 4, 1), 1, [8], {8: 8}),
        ((8, 4, 1), 1, [3], {1: 3}),
        # clang: four vectors of 8 together or none
        ((8, 1), 4, [40], {8: 32, 1: 8}),
        ((8, 1), 4, [32], {8: 32}),
        ((8, 1), 4, [31], {1: 31}),
        # rows of different lengths: (0 + 8) / 2 and (7 + 3) / 2
        ((8, 1), 1, [7, 11], {8: 4, 1: 5}),
        # a mean far below one, as counts have it of loops that hardly ever run
        ((8, 1), 1, [0, 0], {1: 1}),
    ],
)
def test_the_rest_of_an_execution(
    widths: tuple[int, ...], bodies: int, lengths: list[int], iterations: dict[int, float]
) -> None:
    parts = row_parts([code_of(width) for width in widths], lengths, bodies)
    assert {part.code.vector.width: part.iterations for part in parts} == iterations


def executed(function: Function, compiler: Compiler, machine: str, n: int) -> tuple[Code, Code]:
    """The code of executions, and that of vectors that never end."""
    target = find_machine(machine, (builtin_dir(),))
    facts = facts_of(function)[-1]
    lazy = LazyPlan(function, facts, target, compiler)
    space = space_of(facts.kernel.loops, {"n": n})
    return lazy.code_for(RowSpace(space, {"n": n}, 64))[0], lazy.plan.code


@pytest.mark.parametrize("compiler", [GCC, CLANG])
def test_short_rows_pay_their_ends(
    build: ModuleType, nests: ModuleType, compiler: Compiler
) -> None:
    machine = "haswell-ep-e5-2695v3"
    function = nests.jacobi2d(build)
    _, steady = executed(function, compiler, machine, 1000)
    width = steady.vector.width
    assert width == 4
    long, _ = executed(function, compiler, machine, LONG * width + 2)
    assert long == steady
    short, _ = executed(function, compiler, machine, LONG * width + 1)
    assert short.ends_cy > 0
    assert short.t_ol_cy > steady.t_ol_cy
    # rows of 38 elements: gcc makes nine vectors and one of two, clang two times four and six
    row, _ = executed(function, compiler, machine, 40)
    assert row.t_ol_cy > 1.3 * steady.t_ol_cy
    assert row.issue_cy > steady.issue_cy


def test_what_is_left_of_a_row_costs_more_than_its_iterations(
    build: ModuleType, nests: ModuleType
) -> None:
    ends = {}
    for n in (34, 36, 38, 39):  # rows of n - 2: vectors of 8, then one of 4, then one by one
        ends[n] = executed(nests.jacobi2d(build), GCC, "zen4", n)[0].ends_cy * (n - 2)
    # five pointers: 4 instructions for a row of each, 2 for each rest and 0.7 for each iteration;
    # three comparisons of addresses
    ends = {n: cycles - 3 * 8 / 6 for n, cycles in ends.items()}
    assert ends[34] == pytest.approx(5 * 4 / 6)
    assert ends[36] == pytest.approx(5 * (4 + 2 + 2 * 0.7) / 6)
    assert ends[38] == pytest.approx(5 * (4 + 2) / 6)
    assert ends[39] == pytest.approx(5 * (4 + 2 * 2 + 0.7) / 6)


def test_ends_are_of_loops_in_loops(build: ModuleType, nests: ModuleType) -> None:
    # begin and end of a call are in no model
    copy = nests.streaming(build)["copy"]
    call, steady = executed(copy, GCC, "haswell-ep-e5-2695v3", 43)
    assert call == steady
    few, _ = executed(copy, CLANG, "haswell-ep-e5-2695v3", 7)
    assert few.vector.width == 1
    assert few.ends_cy == 0


def test_crossings_cost_where_the_machine_says_so(build: ModuleType, nests: ModuleType) -> None:
    function = nests.jacobi2d(build)
    zen, zen_steady = executed(function, GCC, "zen4", 4001)
    # four loads of 64 B at any multiple of 8 B: 7 of 8 cross a line, 1.3 cycles of two ports each
    assert zen.t_ol_cy * 8 - zen_steady.t_ol_cy * 8 == pytest.approx(4 * 7 / 8 * 1.3 / 2)
    haswell, steady = executed(function, GCC, "haswell-ep-e5-2695v3", 4001)
    assert haswell == steady


@pytest.mark.parametrize(
    ("element", "n", "size", "share"),
    [
        ("i", 1, 32, 1 / 2),  # b[1], b[5]: every second of 32 B
        ("i", 1, 64, 1),
        ("i", 1, 16, 1 / 4),
        ("i - 1", 1, 32, 0),  # from the start of the array, which is that of a line
        ("i + 3", 1, 32, 0),
        ("n * j + i", 32, 64, 1),  # rows of whole lines begin alike
        ("n * j + i - 1", 32, 64, 0),
        ("n * j + i", 33, 32, 3 / 8),  # one of four rows begins at a multiple of 32 B
        ("n * j + i", 33, 64, 7 / 8),
        ("n * j + i - 1", 36, 64, 1 / 2),  # every second row of 288 B
    ],
)
def test_the_share_of_vectors_that_cross_a_line(
    build: ModuleType, element: str, n: int, size: int, share: float
) -> None:
    access = Access("a", build.poly(element) * 8, "f64", 8, False)
    loops = (build.loop("j", 0, "n"), build.loop("i", 1, "n"))
    values = {"n": n}
    space = space_of(loops, values)._replace(firsts=(0, 1))
    assert crossing_share(access, size, RowSpace(space, values, 64)) == pytest.approx(share)


def test_an_address_without_numbers_is_any_multiple_of_the_element(build: ModuleType) -> None:
    loops = (build.loop("i", 0, "n"),)
    rows = RowSpace(space_of(loops, {"n": 99}), {"n": 99}, 64)
    access = Access("a", Poly.symbol("unknown") + Poly.symbol("i") * 8, "f64", 8, False)
    assert crossing_share(access, 64, rows) == pytest.approx(7 / 8)
    assert crossing_share(access, 32, rows) == pytest.approx(3 / 8)
