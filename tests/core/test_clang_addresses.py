"""What clang makes of addresses: loads kept for the next iteration, and the vectors in flight that
the general registers allow. Loads and interleave counts are those of clang 19's code and remarks.
"""

from collections.abc import Callable

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.code import Code, CorePlan
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request

SKX, HSW = "skylake-sp-6148", "haswell-ep-e5-2695v3"
Plan = Callable[..., CorePlan]
FLAT = "(int n, int m, double *restrict a, double *restrict b, double *restrict c)"
ROWS = "(int n, int m, double (*restrict a)[n], double (*restrict b)[n], double (*restrict c)[n])"
NEST = "for (int j = 1; j < m - 1; j++) for (int i = 1; i < n - 1; i++) "


def planned(
    plan: Plan, parameters: str, body: str, machine: str = SKX, compiler: Compiler | None = None
) -> Code:
    source = f"void f{parameters} {{ {body} }}".encode()
    [found] = extract(Request("/nowhere/f.c", Flags("c"), source)).functions
    return plan(found.function, machine, compiler or Compiler()).code


def loads(code: Code) -> float:
    return sum(op.times for op in code.operations if op.role == "load")


@pytest.mark.parametrize(
    ("parameters", "body", "bodies"),
    [
        # the starts of four rows and the end stand in registers; ten others, and two values beside
        # the index: ten by two leave four
        (ROWS, "b[j][i] = a[j][i-1] + a[j][i+1] + a[j-1][i] + a[j+1][i];", 4),
        # seven rows and the end: seven by two
        (ROWS, "b[j][i] = a[j][i-1] + a[j][i+1] + a[j-1][i] + a[j+1][i] + c[j-1][i] + c[j+1][i];",
         2),
        # i - 1 and i + 1 are of two rows each: four values
        (ROWS, "b[j][i] = a[j-1][i-1] + a[j+1][i+1] + a[j-1][i+1] + a[j+1][i-1];", 2),
        (ROWS, "b[j][i] = a[j-1][i] + a[j+1][i] + c[j-1][i] + c[j+1][i];", 4),
        # the sum j * n + i is a value of its own for two arrays, and so is its address in a
        (FLAT, "b[j*n+i] = a[j*n+i-1] + a[j*n+i+1] + a[(j-1)*n+i] + a[(j+1)*n+i];", 2),
        (FLAT, "b[j*n+i] = a[j*n+i-1] + a[j*n+i+1] + c[j*n+i-1] + c[j*n+i+1];", 2),
        (FLAT, "b[j*n+i] = a[j*n+i-2] + a[j*n+i-1] + a[j*n+i] + a[j*n+i+1];", 4),
        (FLAT, "b[j*n+i] = a[j*n+i] + c[j*n+i];", 4),
    ],
)  # fmt: skip
def test_general_registers_limit_vectors_in_flight(
    plan: Plan, parameters: str, body: str, bodies: int
) -> None:
    assert planned(plan, parameters, NEST + body).vector.unroll == bodies


ROW = "(int n, double *restrict a, double *restrict b)"


@pytest.mark.parametrize(
    ("parameters", "body", "expected"),
    [
        (ROW, "for (int i = 1; i < n - 1; i++) b[i] = a[i] + a[i+1];", 1),
        (ROW, "for (int i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i] + a[i+1];", 2),
        # the address of a[i - 1] with the next index is no expression of the loop
        (ROW, "for (int i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i];", 2),
        (ROW, "for (int i = 1; i < n - 1; i++) b[i] = a[i+1] + a[i+2];", 2),
        (FLAT, NEST + "b[j*n+i] = a[j*n+i] + a[j*n+i+1];", 2),
        (ROWS, NEST + "b[j][i] = a[j][i] + a[j][i+1] + a[j-1][i] + a[j-1][i+1];", 2),
        # a store may change the element between two iterations, or changes another one
        ("(int n, double *a, double *b)", "for (int i = 1; i < n - 1; i++) b[i] = a[i] + a[i+1];",
         2),
        (ROW, "for (int i = 1; i < n - 1; i++) { b[i] = a[i] + a[i+1]; a[i] = 2 * b[i]; }", 1),
        # backwards
        (ROW, "for (int i = n - 1; i > 0; i--) b[i] = a[i] + a[i-1];", 2),
    ],
)  # fmt: skip
def test_the_next_element_stays_in_a_register(
    plan: Plan, parameters: str, body: str, expected: int
) -> None:
    assert loads(planned(plan, parameters, body)) == expected


def test_vectors_of_the_next_element_are_put_together(plan: Plan) -> None:
    body = "for (int i = 1; i < n - 1; i++) b[i] = a[i] + a[i+1];"
    for machine, shuffles in ((SKX, 1), (HSW, 2)):
        code = planned(plan, ROW, body, machine, Compiler(register_bytes=64))
        found = [op.times for op in code.operations if op.role == "shuffle"]
        assert code.vector.width > 1
        assert sum(found) == shuffles, machine


def test_gcc_loads_both(plan: Plan) -> None:
    body = "for (int i = 1; i < n - 1; i++) b[i] = a[i] + a[i+1];"
    assert loads(planned(plan, ROW, body, compiler=Compiler("gcc"))) == 2
    assert loads(planned(plan, ROW, body, compiler=Compiler(level=1))) == 2
