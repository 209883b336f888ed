"""Elements that the next iteration reads: clang 19 -O3 keeps them in a register or does not, as its
listings of these loops show. A chain of an addition takes 3 cycles on Haswell."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

HASWELL = find_machine("haswell-ep-e5-2695v3", (builtin_dir(),))
HEADER = "#define N 512\nextern double A[N][N], B[N][N];\n"
VLA = "int n, int i, double a[restrict n][n], double b[restrict n][n]"
FLAT = "int n, double *restrict a, const double *restrict b"


@pytest.mark.parametrize(
    ("parameters", "loop", "in_register"),
    [
        ("int i", "for (int j = 1; j < N; j++) A[j][i] = A[j - 1][i] + B[j][i];", True),
        (FLAT, "for (int j = 1; j < n; j++) a[j] = a[j - 1] + b[j];", True),
        # a row whose length is computed, and elements that are three apart
        (VLA, "for (int j = 1; j < n; j++) a[j][i] = a[j - 1][i] + b[j][i];", False),
        (FLAT, "for (int j = 1; j < n; j++) a[3 * j] = a[3 * j - 3] + b[j];", False),
        # another store that may touch it
        (
            FLAT,
            "for (int j = 1; j < 9; j++) { A[j][0] = A[j - 1][0] + b[j]; A[j + n][n] = 1; }",
            False,
        ),
    ],
)
def test_rows(parameters: str, loop: str, in_register: bool) -> None:
    source = f"{HEADER}void f({parameters}) {{ {loop} }}"
    (found,) = extract(Request("/nowhere/a.c", Flags("c"), source.encode())).functions
    plan = plan_of(found.function, facts_of(found.function)[0], HASWELL, Compiler())
    assert (plan.code.recurrence_cy == 3) == in_register, plan.code.recurrence_cy
