"""Core plans against sums by hand: cycles of eight iterations, a cache line of doubles.

sandybridge-ep-e5-2680 (AVX, no FMA): an add port (1), a multiply port (0), 32 B loads that hold one
of two load ports for two cycles, 32 B stores that hold port 4 for two; add 3 cycles of latency,
multiply 5; a divider that takes 42 cycles for four quotients.
generic-2level (AVX2, FMA): two ports for arithmetic with 4 cycles of latency each, two load ports,
one store port, one cycle each; four micro-operations issued a cycle.
Both take vectors of four doubles: a line is two vectors.
"""

from collections.abc import Callable

import pytest
from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.ir import Function, Reason

SNB, TOY, NEOVERSE = "sandybridge-ep-e5-2680", "generic-2level", "graviton4-c8g"
FAST = Compiler().fast
NO_ERRNO = Compiler(math_errno=False)

# kernel, machine, compiler, vector width, T_OL, T_nOL; per cache line of eight doubles
HAND: list[tuple[str, str, Compiler, int, float, float]] = [
    # store: 2 vectors x 2 cy on port 4; loads: 2 x 2 x 2 cy over 2 ports
    ("daxpy", SNB, Compiler(), 4, 4.0, 4.0),
    # per vector 2 loads, 1 fma, 1 store = 4; 4 vectors a turn share add and branch:
    # 2 x (4 + 2/4) / 4 = 2.25 cy of issue; loads 4 over 2 ports
    ("daxpy", TOY, Compiler(), 4, 2.25, 2.0),
    # a chain of 8 adds of 3 cy; 8 scalar loads of 8 B over 2 ports, twice as many for two arrays
    ("sum", SNB, Compiler(), 1, 24.0, 4.0),
    ("dot", SNB, Compiler(), 1, 24.0, 8.0),
    ("sum", TOY, Compiler(), 1, 32.0, 4.0),
    ("dot", TOY, Compiler(), 1, 32.0, 8.0),
    # reordered: 4 vectors x 4 lanes of partial sums, 8 x 3 / 16 = 1.5 cy of latency; two adds on
    # port 1; loads 2 x 2 cy over 2 ports
    ("sum", SNB, FAST, 4, 2.0, 2.0),
    # issue: per vector 2 loads, mul, add, and 2/4 of overhead: 2 x 4.5 / 4
    ("dot", SNB, FAST, 4, 2.25, 4.0),
    # 8 x 4 / 16 = 2 cy of latency
    ("dot", TOY, FAST, 4, 2.0, 2.0),
    # four dependent adds an iteration: y, t, t - s, - y
    ("kahan", SNB, Compiler(), 1, 8 * 4 * 3.0, 4.0),
    ("kahan", TOY, Compiler(), 1, 8 * 4 * 4.0, 4.0),
    # as daxpy: b, c loaded, a stored
    ("triad", SNB, Compiler(), 4, 4.0, 4.0),
    ("triad", TOY, Compiler(), 4, 2.25, 2.0),
    # three loads: 2 x 3 x 2 / 2; and 2 x (3 + 1 + 1 + 2/4) / 4 = 2.75 of issue, 2 x 3 / 2 of loads
    ("schoenauer", SNB, Compiler(), 4, 4.0, 6.0),
    ("schoenauer", TOY, Compiler(), 4, 2.75, 3.0),
    # the published example: 3 adds x 2 vectors on port 1, 4 loads x 2 x 2 cy over 2 ports
    ("jacobi2d", SNB, Compiler(), 4, 6.0, 8.0),
    # 4 loads, 3 adds, mul, store, 2/4: 2 x 9.5 / 4
    ("jacobi2d", TOY, Compiler(), 4, 4.75, 4.0),
    # 6 adds x 2 vectors on port 1; 7 loads x 2 x 2 cy over 2 ports
    ("heat3d", SNB, Compiler(), 4, 12.0, 14.0),
    # 7 loads, 5 adds, mul, fma, store, 2/2, as six rows leave general registers for addresses of
    # two vectors: 2 x 16 / 4
    ("heat3d", TOY, Compiler(), 4, 8.0, 7.0),
    # A[i][k] stays in a register: the inner loop is daxpy
    ("matmul ikj", SNB, Compiler(), 4, 4.0, 4.0),
    ("matmul ikj", TOY, Compiler(), 4, 2.25, 2.0),
    # C[i][j] is added to in order; clang keeps it in a register and stores it every time
    ("matmul ijk", SNB, Compiler(), 1, 24.0, 8.0),
    ("matmul ijk", TOY, Compiler(), 1, 32.0, 8.0),
    # the divider: 2 x 42; 2 x 8 (loads of b and c: 4 vectors)
    ("divide", SNB, Compiler(), 4, 84.0, 4.0),
    ("divide", TOY, Compiler(), 4, 16.0, 2.0),
    # 2 x 44; 2 x 10; with errno to set the loop stays scalar: 8 x 21, 8 x 10
    ("sqrt", SNB, NO_ERRNO, 4, 88.0, 2.0),
    ("sqrt", TOY, NO_ERRNO, 4, 20.0, 1.0),
    ("sqrt", SNB, Compiler(), 1, 168.0, 4.0),
    ("sqrt", TOY, Compiler(), 1, 80.0, 4.0),
    # mul 5 + add 3 after one another; one fma of 4
    ("recurrence", SNB, Compiler(), 1, 64.0, 4.0),
    ("recurrence", TOY, Compiler(), 1, 32.0, 4.0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "machine", "compiler", "width", "t_ol", "t_nol"),
    HAND,
    ids=[f"{row[0]}-{row[1][:3]}-{'fast' if row[2].reassociate else row[3]}" for row in HAND],
)
def test_cycles_of_a_line(
    plan: Callable[..., CorePlan],
    loops: dict[str, Function],
    name: str,
    machine: str,
    compiler: Compiler,
    width: int,
    t_ol: float,
    t_nol: float,
) -> None:
    code = plan(loops[name], machine, compiler).code
    assert code.vector.width == width
    assert 8 * code.t_ol_cy == pytest.approx(t_ol)
    assert 8 * code.non_overlapping_cy == pytest.approx(t_nol)


@pytest.mark.parametrize("name", ["sum", "dot", "kahan", "recurrence", "matmul ijk"])
@pytest.mark.parametrize("machine", [SNB, TOY])
def test_chains_of_results_are_bound_by_latency(
    plan: Callable[..., CorePlan], loops: dict[str, Function], name: str, machine: str
) -> None:
    code = plan(loops[name], machine).code
    assert code.limit == "latency of the loop-carried path"
    assert code.recurrence_cy == code.t_ol_cy > code.overlapping_cy


@pytest.mark.parametrize(
    ("name", "compiler", "cycles"),
    [
        # Neoverse V2 hands a sum from one fma to the next in 2 cycles; its factors take 4
        ("dot", Compiler(), 8 * 2),
        ("matmul ijk", Compiler(), 8 * 2),
        ("recurrence", Compiler(), 8 * 4),
        # two registers of two doubles take turns
        ("dot", FAST, 8 * 2 / 4),
        # an addition of its own takes 2 from either side
        ("sum", Compiler(), 8 * 2),
    ],
)
def test_sums_of_products_pass_from_one_fma_to_the_next(
    plan: Callable[..., CorePlan],
    loops: dict[str, Function],
    name: str,
    compiler: Compiler,
    cycles: float,
) -> None:
    assert 8 * plan(loops[name], NEOVERSE, compiler).code.recurrence_cy == pytest.approx(cycles)


def test_ports_are_levelled(plan: Callable[..., CorePlan], loops: dict[str, Function]) -> None:
    ports = plan(loops["jacobi2d"], SNB).code.ports
    # per iteration: 3 adds / 4 lanes on port 1, one multiply on 0, loads 4 x 2 cy / 4 / 2 ports
    assert ports["1"] == pytest.approx(0.75)
    assert ports["2"] == ports["3"] == pytest.approx(1.0)
    assert ports["4"] == pytest.approx(0.5)


def test_the_critical_path_is_that_of_one_iteration(
    plan: Callable[..., CorePlan], loops: dict[str, Function]
) -> None:
    # load 7, three adds of 3, multiply 5
    assert plan(loops["jacobi2d"], SNB).code.critical_path_cy == pytest.approx(21)


def test_a_call_costs_its_time(plan: Callable[..., CorePlan], loops: dict[str, Function]) -> None:
    code = plan(loops["exp"], TOY).code
    assert code.call_cy == 17
    assert code.limit == "library calls"
    assert code.vector.reason == Reason("call", ("exp",))
