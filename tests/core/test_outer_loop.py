"""Vectors along the loop around the innermost one, as gcc 12.2 makes them for Haswell: ``OUTER LOOP
VECTORIZED`` in ``-fdump-tree-vect-details``."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler, as_compiled
from rooflint.core.plan import CorePlan, plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

HEADER = """#define N 512
extern double A[N][N], B[N][N], C[N][N], x[N], y[N];
extern float F[N][N], fx[N];
extern int I[N][N], ix[N];
"""
ROWS = "for (int i = 0; i < N; i++) { double s = 0; for (int j = 0; j < N; j++) s += "
HASWELL = find_machine("haswell-ep-e5-2695v3", (builtin_dir(),))
O3, O2 = Compiler("gcc"), Compiler("gcc", level=2)


def column_sum(outer: str = "N", inner: str = "N", element: str = "A[j][i]") -> str:
    return (
        f"for (int i = 0; i < {outer}; i++) {{ double s = 0;"
        f" for (int j = 0; j < {inner}; j++) s += {element}; x[i] = s; }}"
    )


def plan(text: str, parameters: str, compiler: Compiler) -> CorePlan:
    source = f"{HEADER}void f({parameters}) {{ {text} }}"
    (found,) = extract(Request("/nowhere/a.c", Flags("c"), source.encode())).functions
    facts = [each for each in facts_of(found.function) if each.kernel.innermost]
    (compiled,) = as_compiled(found.function, facts, compiler)
    return plan_of(found.function, compiled, HASWELL, compiler)


# loop nest, parameters, and whether gcc has vectors of the outer loop at -O3 and at -O2
@pytest.mark.parametrize(
    ("text", "parameters", "at_o3", "at_o2"),
    [
        (column_sum(), "void", True, True),
        ("for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x[i] += A[j][i];", "void", 1, 1),
        # an unknown number of iterations: the guard of both loops is one, or it is not
        (column_sum("n", "n"), "int n", True, False),
        (column_sum("n"), "int n", True, False),
        (column_sum(inner="n"), "int n", False, False),
        (column_sum(inner="i"), "void", False, False),
        # a remainder
        (column_sum("501"), "void", True, False),
        # lanes that are not side by side
        (column_sum(element="A[i][j]"), "void", False, False),
        (column_sum(element="A[j][2 * i % N]"), "void", False, False),
        (column_sum(element="A[j][N - 1 - i]"), "void", True, True),
        (column_sum(element="A[j][i] * y[j]"), "void", True, True),
        # pointers that may overlap are not compared
        (
            column_sum().replace("A", "a").replace("x", "p"),
            "double *restrict p, double (*restrict a)[N]",
            True,
            True,
        ),
        (column_sum().replace("A", "a").replace("x", "p"), "double *p, double (*a)[N]", False, 0),
        (
            "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {"
            " double s = 0; for (int k = 0; k < N; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }",
            "void",
            True,
            True,
        ),
        (
            "for (int i = 0; i < N; i++) { double s = 0;"
            " for (int j = 0; j < N; j++) s = s * x[i] + y[j]; C[0][i] = s; }",
            "void",
            True,
            True,
        ),
        # other work of the outer loop
        (column_sum().replace("x[i] = s;", "x[i] = s; y[2 * i % N] = s;"), "void", False, False),
        (
            "for (int i = 0; i < N / 2; i++) { double s = 0;"
            " for (int j = 0; j < N; j++) s += A[j][i]; x[2 * i] = s; }",
            "void",
            True,
            True,
        ),
        # a branch of the inner loop
        (column_sum().replace("s +=", "if (A[j][i] > 0) s +="), "void", False, False),
        # a store of the inner loop that the next iteration of it reads: interchanged at -O3
        (
            "for (int i = 0; i < N; i++)"
            " for (int j = 1; j < N; j++) A[j][i] = A[j - 1][i] * B[j][i];",
            "void",
            False,
            True,
        ),
        # one that another iteration of the outer loop reads
        (
            "for (int i = 1; i < N; i++)"
            " for (int j = 1; j < N; j++) A[j][i] = A[j - 1][i - 1] * x[i];",
            "void",
            False,
            False,
        ),
    ],
)
def test_outer_loops(text: str, parameters: str, at_o3: bool, at_o2: bool) -> None:
    assert [bool(plan(text, parameters, each).code.vector.outer) for each in (O3, O2)] == [
        bool(at_o3),
        bool(at_o2),
    ]


def test_lanes_keep_their_order() -> None:
    """A chain of additions in each of 4 lanes: the latency of one, 3 cycles, for 4 iterations."""
    found = plan(column_sum(), "void", O3)
    assert found.code.vector.width == 4
    assert found.code.t_core_cy == pytest.approx(3 / 4)
    assert found.scalar.t_core_cy == pytest.approx(3)
    assert "gcc -O3 vectorises the loop over i around it" in found.assumptions


def test_narrow_elements_decide_the_width() -> None:
    text = (
        "for (int i = 0; i < N; i++) { float s = 0;"
        " for (int j = 0; j < 40; j++) s += F[j][i]; fx[i] = s; }"
    )
    found = plan(text, "void", O3)
    assert (found.code.vector.outer, found.code.vector.width) == ("i", 8)


def test_short_inner_loops_fill_the_vectors_of_the_outer_one() -> None:
    """The inner loop's trips are not those that fill the vectors."""
    found = plan(column_sum(inner="20"), "void", O2)
    code, _ = found.code_for(2)
    assert code.vector.outer == "i"


def test_clang_has_none() -> None:
    assert not plan(column_sum(), "void", Compiler()).code.vector.outer
