"""Comparisons of floating-point numbers that set flags, and chains that they read."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler, LazyPlan
from rooflint.core.code import Code, RowSpace
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of, space_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine

MACHINE = find_machine("zen4-9654", (builtin_dir(),))
HEADER = "void f(int n, float *y, const float *x, int *k, float top)\n{{ int at = 0, b = 0; {} }}"
ROWS = (
    "for (int j = 0; j < 500; j++) { for (int i = 0; i < 256; i++) { %s } } k[0] = at; y[0] = top;"
)


def read(text: str) -> Function:
    (source,) = extract(Request("/nowhere/a", Flags("c"), HEADER.format(text).encode())).functions
    return source.function


def scalar_code(body: str) -> Code:
    function = read(f"for (int i = 0; i < n; i++) {{ {body} }} k[0] = at + b; y[0] = top;")
    return plan_of(function, facts_of(function)[-1], MACHINE, Compiler("gcc")).scalar


def comparisons_in(code: Code) -> list[tuple[str, float, float]]:
    """Name, number and micro-operations of the comparisons for flags."""
    return [(op.kind, op.times, op.uops) for op in code.operations if op.kind[:4] == "test"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # a jump, or a conditional move, on a float: two micro-operations
        ("if (x[i] < 0) at = i;", [("test.f32", 1, 2)]),
        ("if (x[i] > 0) { at++; y[at] = x[i]; }", [("test.f32", 1, 2)]),
        # a mask selects between floats, and integers are compared by the jump
        ("y[i] = x[i] < top ? 1.0f : x[i];", []),
        ("if (k[i + 1] < 0) at = i;", []),
    ],
)
def test_jumps_and_integers_need_flags(body: str, expected: list[tuple[str, float, float]]) -> None:
    assert comparisons_in(scalar_code(body)) == expected


def test_one_comparison_a_cycle_sets_flags() -> None:
    code = scalar_code("if (x[i] < 0) at = i; if (y[i] < 0) b = i;")
    assert code.overlapping_cy == 2.0


@pytest.mark.parametrize(
    ("body", "cycles"),
    [
        # vmaxss alone: 2; a vcomiss that reads the maximum too: one cycle more
        ("if (x[i] > top) top = x[i];", 2.0),
        ("if (x[i] > top) { top = x[i]; at = i; }", 3.0),
    ],
)
def test_a_maximum_waits_where_its_place_is_kept(body: str, cycles: float) -> None:
    assert scalar_code(body).recurrence_cy == cycles


def test_a_maximum_of_all_rows_does_not_begin_anew_in_each() -> None:
    # its value is the first node of the graph, a number that is no truth
    function = read(ROWS % "if (x[256 * j + i] > top) { top = x[256 * j + i]; at = i; }")
    facts = facts_of(function)[-1]
    lazy = LazyPlan(function, facts, MACHINE, Compiler("gcc"))
    rows = RowSpace(space_of(facts.kernel.loops, {}), {}, 64)
    assert lazy.with_overlap(lazy.plan.scalar, rows).recurrence_cy == 3.0
