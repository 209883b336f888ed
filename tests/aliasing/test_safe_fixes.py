"""Every rule with fixes that are safe edits: programs compiled and run before and after.

Arguments lie apart and on one another, wherever the language allows that.
"""

import json
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

N = 12
STEP = 8 * N * N
APART = tuple(STEP * k for k in range(4))
OVERLAPPING = ((0, 8, 16, 24), (0, 0, 0, 0), (8 * N, 0, 8, 8 * N), (STEP // 2, 0, 8, STEP))


class Case(NamedTuple):
    """``safe``: the fix is one, so that it has to be made; else it may not be."""

    rule: str
    text: str
    safe: bool = True
    flags: str = "-O2 -march=x86-64-v3"
    layouts: Sequence[Sequence[int]] = (APART,)


SUMS = """void k0(int n, const double *restrict A, double *restrict B) {
  // rooflint: n=4000
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      B[i * n + j] = 2.0 * A[i * n + j];
}
"""
PRODUCT = """
void k0(int n, const double *restrict A, const double *restrict B, double *restrict C) {
  // rooflint: n=500
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i * n + j] = 0.0;
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
    }
}
"""
PASSES = """void k0(int n, double *restrict a, double *restrict b, const double *restrict c) {
  // rooflint: n=20000000
  for (int i = 0; i < n; i++)
    a[i] = c[i] * 2.0;
  for (int i = 0; i < n; i++)
    b[i] += a[i] * c[i];
}
"""
SHORT = """void k0(int n, float *restrict a, const float *restrict b) {
  // rooflint: n=10000
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++)
      a[j * n + i] += b[j * n + i];
}
"""
CONFLICT = """static double g[64][4096];
void k0(int n, const double *a, double *h) {
  // rooflint: n=32
  for (int i = 0; i < n; i++)
    g[i][0] = a[i];
  for (int t = 0; t < 1000; t++)
    for (int i = 0; i < n; i++)
      h[i] += g[i][0];
}
"""
SCHEDULE = """void k0(int n, double *restrict a, const double *restrict b) {
  // rooflint: n=4000
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i * n + j] = 2.0 * b[j];
}
"""
REDUCED = """void k0(int n, double *restrict a, const double *restrict b) {
  // rooflint: n=4000
  double s = 0.0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s += 2.0 / b[j];
  a[0] = s;
}
"""
KEPT = """static double kept[4];
#pragma omp threadprivate(kept)
void k0(int n, double *restrict a, const double *restrict b) {
  // rooflint: n=4000
  double s = 1.0;
#pragma omp parallel for firstprivate(s)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      a[i * n + j] = 2.0 * b[j] + KEEPS;
    KEEPS += 1.0;
  }
}
"""
CASES = {
    "columns": Case("RL101", SUMS),
    "columns of what may overlap": Case(
        "RL101", SUMS.replace("restrict ", ""), False, layouts=(APART, *OVERLAPPING)
    ),
    "columns of other types": Case(
        "RL101",
        SUMS.replace("restrict ", "").replace("const double", "const char"),
        False,
        layouts=(APART, *OVERLAPPING),
    ),
    "columns behind pointers": Case(
        "RL101",
        """double rows[12][12], *A[12], *B[12];
static void work(int n, double **A, double **B);
void k0(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) { A[i] = a + 12 * i; B[i] = b + 12 * (i / 2); }
  work(n, A, B);
}
static void work(int n, double **A, double **restrict B) {
  // rooflint: n=4000
  for (int j = 1; j < n; j++)
    for (int i = 1; i < n; i++)
      B[i][j] = 0.5 * B[i][j - 1] + A[i][j];
}
""",
        False,
        layouts=(APART, *OVERLAPPING),
    ),
    "product": Case("RL102", PRODUCT),
    "product of what may overlap": Case(
        "RL102", PRODUCT.replace("restrict ", ""), False, layouts=(APART, *OVERLAPPING)
    ),
    "passes": Case("RL104", PASSES),
    "passes over what may overlap": Case(
        "RL104", PASSES.replace("restrict ", ""), False, layouts=(APART, *OVERLAPPING)
    ),
    "short inner loop": Case("RL306", SHORT, flags="-O3 -march=icelake-server"),
    "short inner loop over what may overlap": Case(
        "RL306",
        SHORT.replace("restrict ", ""),
        False,
        flags="-O3 -march=icelake-server",
        layouts=(APART, *OVERLAPPING),
    ),
    "rows in one set": Case("RL107", CONFLICT, layouts=(APART, *OVERLAPPING)),
    "triangle": Case("RL407", SCHEDULE, flags="-O2 -march=x86-64-v3 -fopenmp"),
    "triangle with a number of each thread": Case(
        "RL407", KEPT.replace("KEEPS", "s"), False, flags="-O2 -march=x86-64-v3 -fopenmp"
    ),
    "triangle with an array of each thread": Case(
        "RL407", KEPT.replace("KEEPS", "kept[0]"), False, flags="-O2 -march=x86-64-v3 -fopenmp"
    ),
    "triangle summed": Case(
        "RL407", REDUCED, False, flags="-O2 -march=x86-64-v3 -fopenmp", layouts=(APART,)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_come_out(fixed: Callable[..., Any], name: str) -> None:
    case = CASES[name]
    result = fixed("c", case.text, case.flags, case.rule)
    everything = [each for found in result.findings.values() for each in found]
    found = [each for each in everything if each["code"] == case.rule]
    assert found, name
    safe = [each["fix"]["safety"] == "safe" and bool(each["fix"]["edits"]) for each in found]
    assert any(safe) == case.safe, json.dumps(found)
    assert (result.text != case.text) == case.safe
    memory = struct.pack(f"{5 * N * N}d", *[1 + k * k % 17 for k in range(5 * N * N)])
    for offsets in case.layouts:
        before, after = result.call("k0", N, memory, offsets)
        assert before == after, offsets
