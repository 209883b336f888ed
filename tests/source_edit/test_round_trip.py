"""A nest written as C is read again as the same nest, and a changed one still does the same."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from rooflint.facts import facts_of
from rooflint.ir import Function, Loop, SourceFunction
from rooflint.ir.text import print_function
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangeRefusal
from rooflint.source_edit.c_writer import NestScope, write_nest

Read = Callable[[str], SourceFunction]
KERNELS = {
    "matrix product": """
void f(int n, double alpha, double C[n][n], double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= 0.5;
      for (int k = 0; k < n; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
}""",
    "triangle, downwards": """
void f(int n, double A[100][100], double x[100], double y[100]) {
  double w;
  int i, j;
  for (i = n - 1; i >= 0; i--) {
    w = y[i];
    for (j = i + 1; j < n; j++) w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
}""",
    "float, double and int": """
void f(int n, float *a, const float *b, const int *c, double s) {
  for (int i = 0; i < n; i++) {
    a[i] = 2.2 * b[i] + c[i] / 3 + s * (i + 1);
    a[i] += 1.5f * (float)s;
  }
}""",
    "branches": """
void f(int n, double *a, const double *b, double eps) {
  for (int i = 0; i < n; i += 2) {
    double t = b[i] <= eps ? 1.0 : b[i];
    if (t > 0.0 && i != 4) a[i] = t; else if (i == 4 || !(t < -1.0)) a[i] = -t;
    else break;
  }
}""",
    "functions": """
#include <math.h>
void f(int n, float *a, const double *b, const float *c) {
  for (int i = 0; i < n; i++)
    a[i] = expf(c[i]) + sqrtf(c[i]) + fabs(b[i]) - fmax(b[i], 2.0) + powf(c[i], 1.5f);
}""",
    "bits and quotients": """
void f(int n, unsigned *a, const unsigned *b, double *d) {
  for (int i = 0; i < n; i++) {
    a[i] = (b[i] << 3 ^ b[i] >> 2) & ~b[i] | 255u;
    d[i / 4] += d[i % 4] * (n - 1);
  }
}""",
    "gather and ranges": """
void f(int n, double *a, const double *b, const int *col) {
  for (int i = 0; i < n; i++)
    a[i] += b[col[i]] * b[i];
  for (int k = 0; k < n; k++)
    for (int j = col[k]; j < col[k + 1]; j++)
      a[k] += b[j];
}""",
    "rows by pointers": """
void f(int n, double **A, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i] += A[i][j];
}""",
    "directives": """
void f(int n, double *a, const double *b) {
  double s = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    double t = b[i] * b[i];
    s += t;
  }
#pragma GCC ivdep
  for (int i = 0; i < n; i++)
    a[i] = s;
}""",
}


@pytest.mark.parametrize("name", KERNELS)
def test_the_same_nest_is_read_again(
    source_of: Read, again: Callable[[str], str], name: str
) -> None:
    text = KERNELS[name]
    before, after = source_of(text).function, source_of(again(text)).function
    assert print_function(after) == print_function(before)
    assert facts_of(after) == facts_of(before)


def test_written_twice_is_the_same_text(again: Callable[[str], str]) -> None:
    for text in KERNELS.values():
        once = again(text)
        assert again(once) == once


coefficient = st.sampled_from([0, 0, 1, 1, 1, 2, -1])
subscript = st.tuples(coefficient, coefficient, st.integers(-2, 2))
reference = st.tuples(st.sampled_from("aab"), subscript, subscript)
statement = st.tuples(
    reference, reference, reference, st.sampled_from(["set", "add", "sum", "tmp", "if"])
)
bounds = st.sampled_from(
    [("0", "m"), ("1", "m"), ("i", "m"), ("0", "i + 1"), ("i + 1", "n"), ("n - i", "n + 1")]
)
CHANGES: dict[str, Callable[[Function], Any]] = {
    "none": lambda f: transform.ChangedFunction(f, ()),
    "interchange": lambda f: transform.interchange(f, "i", ("j", "i")),
    "tile": lambda f: transform.tile(f, "i", {"i": 2, "j": 3}),
    "unroll": lambda f: transform.unroll(f, "i.j", 3),
    "unroll outer": lambda f: transform.unroll(f, "i", 2),
    "accumulators": lambda f: transform.unroll(f, "i.j", 4, 2),
    "jam": lambda f: transform.unroll_and_jam(f, "i", 2),
    "peel first": lambda f: transform.peel(f, "i.j", "first"),
    "peel last": lambda f: transform.peel(f, "i", "last"),
    "fission": lambda f: transform.fission(f, "i.j", 1),
    "expand": lambda f: transform.expand_scalar(f, "i.j", "t"),
    "cut between": lambda f: transform.isolate(f, "i.j", 1),
    "register": lambda f: transform.in_register(f, "i.j", "a"),
}
SIZES = ({"n": 5, "m": 4}, {"n": 2, "m": 6}, {"n": 1, "m": 1})
"""No trip count is below zero: there C rounds a quotient otherwise than the front end assumes."""
AROUND = """double s;
void f(int n, int m, double a[40][40], double b[40][40]) {{
{}}}
"""


def _function(build: ModuleType, statements: list[Any], ends: tuple[str, str]) -> Function:
    arrays = {name: build.array(name, "f64", 40, 40) for name in "ab"}

    def element(spec: Any) -> Any:  # noqa: ANN401
        name, *subscripts = spec
        return arrays[name][tuple(f"{i}*i + {j}*j + {shift + 14}" for i, j, shift in subscripts)]

    body: list[Any] = []
    for target, left, right, kind in statements:
        value = element(left) * 3 + element(right)
        if kind != "if":
            body += build.update(kind, element(target), value)
        else:
            test = build.op("compare", element(left), element(right))
            test.name = "<"
            body.append(build.branch(test, [element(target).set(value)]))
    nest = build.loop("i", 0, "n", build.loop("j", *ends, *body))
    return build.function("f", arrays.values(), nest)


@pytest.mark.parametrize("change", CHANGES)
@settings(max_examples=8, deadline=None)
@given(statements=st.lists(statement, min_size=1, max_size=3), ends=bounds)
def test_a_changed_nest_still_does_the_same(
    build: ModuleType,
    interpreter: ModuleType,
    source_of: Read,
    change: str,
    statements: list[Any],
    ends: tuple[str, str],
) -> None:
    function = _function(build, statements, ends)
    result = CHANGES[change](function)
    if isinstance(result, ChangeRefusal):
        event("refused")
        return
    event("changed")
    new = result.function
    known = {array.name for array in function.arrays}
    scope = NestScope(
        declared=frozenset("s"),
        new_arrays=tuple(array for array in new.arrays if array.name not in known),
    )
    text = AROUND.format(write_nest(new, new.body, (), scope))
    read = source_of(text).function
    assert [node for node in read.body if isinstance(node, Loop)]
    for sizes in SIZES:
        expected, scalars = interpreter.run(function, sizes)
        found, its_scalars = interpreter.run(read, sizes)
        kept = {place: value for place, value in found.items() if place[0] in known}
        assert kept == expected, text
        start = interpreter.Machine(function, sizes, interpreter.FIELD).initial("s", 1)
        assert its_scalars.get("s", start) == scalars.get("s", start), text
