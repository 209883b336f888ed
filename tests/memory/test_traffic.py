"""Bytes per iteration against hand counts: specs of the Roofline report's kernels and STREAM's."""

from collections.abc import Callable
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, LineTotals, Rates, Traffic
from rooflint.memory.rates import level_bytes
from rooflint.scenario.sizes import Size, Sizes

BIG = 1 << 20


def machine(name: str = "generic-2level") -> Machine:
    return find_machine(name, (builtin_dir(),))


def without_allocate(given: Machine) -> Machine:
    caches = tuple(cache._replace(write_allocate=False) for cache in given.caches)
    return replace(given, caches=caches)


def sizes(**values: int) -> Sizes:
    return Sizes({name: Size(value, "command line") for name, value in values.items()}, values)


def moved(function: Function, kernel: int = -1, allocate: bool = True, **values: int) -> Traffic:
    arrays = {array.name: array for array in function.arrays}
    target = machine() if allocate else without_allocate(machine())
    facts = facts_of(function)
    movement = FunctionTraffic(facts, arrays, sizes(**values), target.line_bytes)
    return movement.traffic(kernel % len(facts), Rates(target, 1))


@pytest.mark.parametrize(
    ("name", "flops", "bytes_wa", "bytes_nt"),
    [
        # 8 B per double loaded, 8 stored, 8 for the line a store fetches first
        ("copy", 0, 24, 16),
        ("scale", 1, 24, 16),
        ("add", 1, 32, 24),
        ("triad", 2, 32, 24),
        ("schoenauer", 2, 40, 32),
        # what is loaded before it is stored needs no fetch of its own
        ("daxpy", 2, 24, 24),
        ("update", 1, 24, 24),
        ("sum", 1, 8, 8),
        ("dot", 2, 16, 16),
        ("squares", 2, 8, 8),
    ],
)
def test_streaming_loops(
    build: ModuleType, nests: ModuleType, name: str, flops: int, bytes_wa: int, bytes_nt: int
) -> None:
    function = nests.streaming(build)[name]
    assert facts_of(function)[0].work.flops == flops
    far = moved(function, n=BIG).links[-1]
    assert far.link == "L2-MEM"
    assert far.total_bytes == pytest.approx(bytes_wa)
    assert moved(function, allocate=False, n=BIG).links[-1].total_bytes == pytest.approx(bytes_nt)


def test_update_of_the_spec_loads_a_second_vector(build: ModuleType, nests: ModuleType) -> None:
    # x[i] += y[i]: 8 B of x in, 8 B of x out, 8 B of y in: 1 flop over 24 B = 0.0417
    links = moved(nests.streaming(build)["update"], n=BIG).links
    assert (links[-1].load_bytes, links[-1].evict_bytes) == (16, 8)


@pytest.mark.parametrize(("step", "expected"), [(1, 8), (2, 16), (4, 32), (8, 64), (16, 64)])
def test_strided_sums(build: ModuleType, nests: ModuleType, step: int, expected: int) -> None:
    far = moved(nests.strided_sum(build, step), n=BIG).links[-1]
    assert far.total_bytes == pytest.approx(expected)


def test_dgemv_reads_its_matrix(build: ModuleType, nests: ModuleType) -> None:
    # 8 B of A; x and y add 8/m + 16/n
    far = moved(nests.dgemv(build), m=4000, n=4000).links[-1]
    assert far.total_bytes == pytest.approx(8 + 8 / 4000 + 16 / 4000)


@pytest.mark.parametrize(("allocate", "expected"), [(True, 24), (False, 16)])
def test_stencils(build: ModuleType, nests: ModuleType, allocate: bool, expected: int) -> None:
    # every element of a is loaded once, every element of b stored (and fetched) once
    flat = moved(nests.jacobi2d(build), allocate=allocate, n=4000).links[-1]
    assert flat.total_bytes == pytest.approx(expected, rel=0.002)
    # three planes of a and one of b have to stay in L2: 4 * 8 n^2 <= 256 KiB up to n = 90
    deep = moved(nests.heat3d(build), allocate=allocate, n=80).links[-1]
    assert deep.total_bytes == pytest.approx(expected, rel=0.08)
    # beyond, each of the three planes is loaded anew
    deep = moved(nests.heat3d(build), allocate=allocate, n=1000).links[-1]
    assert deep.total_bytes == pytest.approx(expected + 16, rel=0.01)
    assert facts_of(nests.heat3d(build))[0].work.flops == 8


def test_sparse_rows_are_bounded(build: ModuleType, nests: ModuleType) -> None:
    # 8 B of val and 4 B of col per nonzero; x costs nothing or a line
    found = moved(nests.spmv(build), 1, True, n=BIG, **{"row[i+1]-row[i]": 16})
    far = found.links[-1]
    assert far.total_bytes == pytest.approx(12)
    assert far.bounds == pytest.approx((12, 12 + 64))


def test_a_product_of_matrices_moves_each_once(build: ModuleType, nests: ModuleType) -> None:
    n = 80
    arrays = nests.gemm(build)
    # A and B in; C is there from the scaling loop, which has taken it in and out
    far = moved(arrays, ni=n, nj=n, nk=n).links[-1]
    assert far.total_bytes == pytest.approx(16 / n)
    scaled = moved(arrays, 0, ni=n, nj=n, nk=n).links[-1]
    assert scaled.total_bytes == pytest.approx(16)
    # a B of 8 MB does not stay in L2: every row of A brings it again
    assert moved(arrays, ni=1000, nj=1000, nk=1000).links[-1].total_bytes > 8


def test_registers_get_what_is_asked_for_and_moves(build: ModuleType, nests: ModuleType) -> None:
    near = moved(nests.dgemv(build), m=100, n=100).links[0]
    # A[i][j] and x[j]; y[i] stays in a register through the loop over j
    assert (near.link, near.load_bytes, near.evict_bytes) == ("REG-L1", 16, 0)
    # a[i] * a[i] is one load
    squares = moved(nests.streaming(build)["squares"], n=100).links[0]
    assert squares.load_bytes == 8


def test_patterns(build: ModuleType, nests: ModuleType) -> None:
    loops = nests.streaming(build)
    patterns = {name: moved(loop, n=800).pattern for name, loop in loops.items()}
    assert patterns == {
        "copy": "copy",
        "scale": "copy",
        "add": "triad",
        "triad": "triad",
        "schoenauer": "triad",
        "daxpy": "triad",
        "update": "triad",
        "sum": "load",
        "dot": "load",
        "squares": "load",
    }
    a = build.array("a", "f64", "n")
    scale = build.function("f", [a], build.loop("i", 0, "n", a["i"].set(a["i"] * 2.0)))
    fill = build.function("f", [a], build.loop("i", 0, "n", a["i"].set(build.number(0.0))))
    assert (moved(scale, n=8).pattern, moved(fill, n=8).pattern) == ("update", "store")


def test_a_loop_without_iterations_still_has_rates(build: ModuleType, nests: ModuleType) -> None:
    found = moved(nests.streaming(build)["copy"], n=0)
    assert found.assumptions == ("the loop does not run at these sizes: assumed 1024 iterations",)
    assert found.links[-1].total_bytes == pytest.approx(24)


def test_cell_has_local_stores_and_no_fetch(build: ModuleType, nests: ModuleType) -> None:
    cell = machine("cell")
    function = nests.streaming(build)["triad"]
    arrays = {array.name: array for array in function.arrays}
    found = FunctionTraffic(facts_of(function), arrays, sizes(n=BIG), 128).traffic(
        0, Rates(cell, 1)
    )
    assert [link.link for link in found.links] == ["REG-LS", "LS-MEM"]
    assert found.links[-1].total_bytes == pytest.approx(24)
    assert level_bytes(cell, 4) == (4 * 256 * 1024,)


Totals = Callable[[Function, dict[str, int]], tuple[LineTotals, ...]]


def totals(function: Function, **values: int) -> LineTotals:
    arrays = {array.name: array for array in function.arrays}
    rates = Rates(machine(), 1)
    return FunctionTraffic(facts_of(function), arrays, sizes(**values), 64).totals(rates)[-1]


def test_totals_count_a_line_of_several_loops_once(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    fill = build.loop("i", 0, "n", a["i"].set(build.number(0.0)))
    use = build.loop("i", 0, "n", b["i"].set(a["i"] + 1.0))
    # 100 lines each of a and b are stored and fetched; a is not loaded again
    assert totals(build.function("f", [a, b], fill, use), n=800) == ("L2-MEM", 0, 200, 200)
    # the other way round a is loaded first, and its store fetches nothing
    assert totals(build.function("f", [a, b], use, fill), n=800) == ("L2-MEM", 100, 100, 200)


def test_totals_of_separate_halves_add_up(build: ModuleType) -> None:
    a = build.array("a", "f64", "2*n")
    left = build.loop("i", 0, "n", a["i"].add(a["i"]))
    right = build.loop("i", "n", "2*n", a["i"].add(a["i"]))
    assert totals(build.function("f", [a], left, right), n=800) == ("L2-MEM", 200, 0, 200)


def test_totals_of_gemm(build: ModuleType, nests: ModuleType) -> None:
    # C is loaded by the scaling loop, A and B by the product; C leaves once
    found = totals(nests.gemm(build), ni=80, nj=80, nk=120)
    assert found == ("L2-MEM", 80 * 120 // 8 + 120 * 80 // 8 + 80 * 80 // 8, 0, 80 * 80 // 8)
