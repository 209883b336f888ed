"""Loops as gcc runs them: ``-O3 -fopt-info-loop`` of gcc 12.2 says which nests it interchanges."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler, as_compiled
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function

HEADER = "#define N 512\nextern double A[N][N], B[N][N], C[N][N], x[N], y[N];\n"
GCC = Compiler("gcc")


def function_of(text: str, parameters: str = "void") -> Function:
    source = f"{HEADER}void f({parameters}) {{ {text} }}"
    (found,) = extract(Request("/nowhere/a.c", Flags("c"), source.encode())).functions
    return found.function


def order(function: Function, compiler: Compiler = GCC) -> str:
    (facts,) = as_compiled(function, facts_of(function), compiler)
    return ".".join([loop.index for loop in facts.kernel.loops])


I_J = "for (int i = 0; i < N; i++) for (int j = 1; j < N; j++) "
POINTERS = "double (*restrict a)[N], double (*restrict b)[N]"
STAYS, SWAPPED = "i.j", "j.i"


@pytest.mark.parametrize(
    ("parameters", "text", "expected"),
    [
        ("void", I_J + "A[j][i] = A[j-1][i] + B[j][i];", SWAPPED),
        ("void", I_J + "A[j][i] = B[j][i] * 2;", SWAPPED),
        ("void", I_J + "{ A[j][i] = B[j][i] * 2; C[j][i] = B[j][i] + 1; }", SWAPPED),
        (POINTERS, I_J + "a[j][i] = a[j-1][i] + b[j][i];", SWAPPED),
        # pointers that may meet, and trip counts or extents of the run
        ("double (*a)[N], double (*b)[N]", I_J + "a[j][i] = a[j-1][i] + b[j][i];", STAYS),
        (
            "int n",
            "for (int i = 0; i < n; i++) for (int j = 1; j < n; j++) A[j][i] = B[j][i] * 2;",
            STAYS,
        ),
        (
            "int n, double a[restrict n][n], double b[restrict n][n]",
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j][i] = b[j][i] * 2;",
            STAYS,
        ),
        # 8 and 4096 B either way: 4096 + 8 is not twice 8 + 4096
        ("void", I_J + "A[i][j] = B[j][i];", STAYS),
        # a dependence would go backwards
        ("void", I_J + "A[j][i] = A[j-1][i+1] + B[j][i];", STAYS),
        # a sum of the inner loop; y would not move any more in it
        ("void", I_J + "x[i] += A[j][i];", STAYS),
        ("void", I_J + "y[j] += A[j][i] * x[i];", STAYS),
        ("void", I_J + "A[i][j] = B[i][j] * 2;", STAYS),
        # a variable besides the indices counts the iterations
        ("int k", I_J + "{ A[j][i] = x[k] * B[j][i]; k++; }", STAYS),
    ],
)
def test_nests_that_gcc_interchanges(parameters: str, text: str, expected: str) -> None:
    assert order(function_of(text, parameters)) == expected


@pytest.mark.parametrize("compiler", [Compiler("clang"), Compiler("gcc", level=2)])
def test_other_compilers_leave_the_order(compiler: Compiler) -> None:
    assert order(function_of(I_J + "A[j][i] = B[j][i] * 2;"), compiler) == STAYS


def test_the_identifier_stays_and_the_report_says_it() -> None:
    function = function_of(I_J + "A[j][i] = B[j][i] * 2;")
    (source,) = facts_of(function)
    (compiled,) = as_compiled(function, (source,), GCC)
    assert (compiled.kernel.id, compiled.kernel.origin) == (source.kernel.id, source.kernel.origin)
    assert "gcc -O3 interchanges i and j itself" in compiled.kernel.assumptions


def test_loops_around_are_those_of_all_kernels_in_the_nest() -> None:
    text = f"for (int t = 0; t < 9; t++) {{ y[t] = 1; {I_J} A[j][i] = A[j-1][i] + B[j][i]; }}"
    function = function_of(text)
    outer, inner = as_compiled(function, facts_of(function), GCC)
    assert [loop.index for loop in inner.kernel.loops] == ["t", "j", "i"]
    assert outer.kernel.loops[0] is inner.kernel.loops[0]
    assert inner.kernel.loops[0].body[1] is inner.kernel.loops[1]
    assert inner.kernel.loops[1].body == (inner.kernel.loops[2],)
