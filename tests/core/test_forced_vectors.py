"""Loops under ``omp simd``, which gcc vectorises by another cost model than others."""

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.compile_flags.flags import CodeGeneration
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

MACHINE = find_machine("zen4-9654", (builtin_dir(),))


def width(directive: str, body: str) -> int:
    """Iterations at once by gcc 12 ``-O2``, of a loop whose trip count is not known."""
    text = f"""float f(int n, float *restrict x, float *restrict y) {{
  float s = 0;
{directive}
  for (int i = 0; i < n; i++) {body}
  return s;
}}"""
    flags = read_flags(("gcc", "-O2", "-fopenmp-simd"), "/", "/nowhere/a.c")
    (source,) = extract(Request("/nowhere/a.c", flags, text.encode())).functions
    (facts,) = facts_of(source.function)
    compiler = compiler_of(CodeGeneration(opt_level="2"), "gcc-12")
    return plan_of(source.function, facts, MACHINE, compiler).code.vector.width


@pytest.mark.parametrize(
    ("directive", "body", "expected"),
    [
        ("", "x[i] = 2 * y[i];", 1),
        ("#pragma omp simd", "x[i] = 2 * y[i];", 4),
        ("#pragma omp simd reduction(+ : s)", "s += x[i] * y[i];", 4),
    ],
)
def test_level_2_leaves_a_remainder_where_simd_asks_for_vectors(
    directive: str, body: str, expected: int
) -> None:
    """As gcc 12.2 compiles the three; ``-fsimd-cost-model`` is unlimited by default."""
    assert width(directive, body) == expected
