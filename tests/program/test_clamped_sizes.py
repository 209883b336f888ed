"""Sizes that a conditional expression or a branch keeps below another one."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import limited_trips, typical_trips
from rooflint.program.weights import program_weights


def trips(body: str) -> float:
    text = f"void f(double *a, int n, int k) {{ {body} }}"
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    return typical_trips(program, ProgramSolver(program)).trips()[-1]


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("n < 8 ? n : 8", 8),
        ("8 > n ? n : 8", 8),
        ("n > 8 ? 8 : n", 8),
        ("n > 8 ? n : 8", 250),
        ("n <= 8 ? 8 : n", 250),
        ("(n) >= 300 ? (n) : 300", 300),
        ("n == 0 ? 1 : n", 250),
        ("0 != n ? n : 1", 250),
        ("n == 0 ? 64 : n", 64),
    ],
)
def test_a_conditional_expression_is_the_smaller_or_larger_one(bound: str, expected: int) -> None:
    assert trips(f"int e = {bound}; for (int i = 0; i < e; i++) a[i] = 0;") == expected


@pytest.mark.parametrize(
    ("clamp", "expected"),
    [
        ("if (n > 16) n = 16;", 16),
        ("if (16 < n) { n = 16; }", 16),
        ("if (n >= 16) n = 16;", 16),
        ("if (n > 16) k = 16;", 250),
    ],
)
def test_a_clamped_size_is_no_larger(clamp: str, expected: int) -> None:
    assert trips(f"{clamp} for (int i = 0; i < n; i++) a[i] = 0;") == expected


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("static int c[17]; c[n]++;", 16),
        ("static int c[17]; c[n + 1]++;", 250),
        ("static int c[300]; c[n]++;", 250),
        ("struct { int c[1]; } *p = (void *)a; p->c[n]++;", 250),
        ("double *c = a; c[n] = 0;", 250),
    ],
)
def test_an_index_of_an_array_is_less_than_its_extent(use: str, expected: int) -> None:
    assert trips(f"{use} for (int i = 0; i < n; i++) a[i] = 0;") == expected


TWO = """
void f(double *a, int n, int k) {
    int e = n + 1;
    for (int i = 0; i < e; i++) a[i] = 0;
    for (int i = 0; i < k; i++) a[i] = 1;
}
"""


def test_a_limit_changes_what_rests_on_the_size_and_nothing_else() -> None:
    program = link_files([file_equations(Request("/a.c", Flags("c"), TWO.encode()))])
    solver = ProgramSolver(program)
    n = program.position("n", "f")
    before = typical_trips(program, solver)
    after = limited_trips(program, before, n, 10)
    assert before.trips() == [251, 32]
    assert after.trips() == [11, 32]
    assert after.trips() == typical_trips(program, solver, {n: 10}).trips()
    assert (
        program_weights(program, typical=after).operators
        < program_weights(program, typical=before).operators
    )
