"""What the text looks like, and what has none."""

import struct
from collections.abc import Callable
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.ir import Const, SourceFunction
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, Result
from rooflint.source_edit.c_writer import (
    NestScope,
    NotWrittenError,
    changed_part,
    rewrite_part,
    text_after,
    write_nest,
)
from rooflint.source_edit.c_writer.words import literal
from rooflint.source_edit.edits import EditableSource
from rooflint.transform.nest.scalars import scalars_of

Read = Callable[[str], SourceFunction]
COLUMNS = """
void f(int n, double *restrict b, double A[n][n]) {
  int i, j;
  double s;
  for (j = 0; j < n; j++) {  // each column
    s = 0.0;
    for (i = 0; i < n; i++)
      s += A[i][j];
    b[j] = 0.1 * s;
  }
  b[0] = 1.0;
}
"""


def changed(source_of: Read, text: str, result: Result) -> str:
    source = source_of(text)
    assert isinstance(result, ChangedFunction), result
    part = changed_part(source.function, result.function)
    return text_after(
        EditableSource(text),
        rewrite_part(EditableSource(text), source, part, result.function, part.new),
    )


def test_an_expanded_scalar_and_loops_in_another_order(source_of: Read) -> None:
    result = transform.swap_inner(source_of(COLUMNS).function, "j", 1)
    assert (
        changed(source_of, COLUMNS, result)
        == """
void f(int n, double *restrict b, double A[n][n]) {
  int i, j;
  double s;
  {
    double s_of_j[n];
    for (int j = 0; j < n; j++)
      s_of_j[j] = 0.0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        s_of_j[j] += A[i][j];
    for (int j = 0; j < n; j++)
      b[j] = 0.1 * s_of_j[j];
  }
  b[0] = 1.0;
}
"""
    )


SUM = """
double f(int n, const double *a) {
  double s = 0.0;
  for (int i = 1; i < n; i++)
    s += a[i];
  return s;
}
"""


def test_four_sums_and_what_is_left_over(source_of: Read) -> None:
    # n - 1 iterations: whole fours from 1 on, the others behind them
    result = transform.unroll(source_of(SUM).function, "i", 4, 2)
    text = changed(source_of, SUM, result)
    assert (
        """
  {
    double s_1 = 0.0;
    for (int i = 1; i <= (n - 1) / 4 * 4; i += 4) {
      s += a[i];
      s_1 += a[i + 1];
      s += a[i + 2];
      s_1 += a[i + 3];
    }
    s += s_1;
    for (int i = (n - 1) / 4 * 4 + 1; i < n; i++)
      s += a[i];
  }
"""
        in text
    )


def test_blocks_and_directives(source_of: Read) -> None:
    function = source_of(SUM).function
    blocks = transform.strip_mine(function, "i", 8)
    head = "for (int i = i_block; i < (i_block + 8 < n ? i_block + 8 : n); i++)"
    assert head in changed(source_of, SUM, blocks)
    simd = changed(source_of, SUM, transform.vectorise(function, "i"))
    assert "  double s = 0.0;\n#pragma omp simd reduction(+ : s)\n  for (int" in simd


def test_a_private_scalar_is_declared_where_it_is_set(source_of: Read) -> None:
    text = """
void f(int n, double *a) {
  for (int i = 0; i < n; i++) {
    double t = a[i];
    a[i] = t * t;
  }
}
"""
    result = transform.parallelise(source_of(text).function, "i")
    shown = changed(source_of, text, result)
    assert "#pragma omp parallel for\n" in shown
    assert "    double t = a[i];\n" in shown


def test_a_walking_pointer_is_written_with_subscripts(
    source_of: Read, again: Callable[[str], str]
) -> None:
    walk = "void f(int n, double *a, const double *b) { for (; n > 0; n--) *a++ = 2.0 * *b++; }"
    with pytest.raises(NotWrittenError, match="n is set in several places"):
        again(walk)
    loop = "for (int i = 0; i < n; i++) *p++ *= 2.0;"
    text = again(f"void f(int n, double *a) {{\n  double *p = a;\n  {loop}\n}}")
    assert "  for (int i = 0; i < n; i++)\n    a[i] *= 2.0;\n" in text


def test_names_that_the_ir_tells_apart_by_a_prime(source_of: Read) -> None:
    # the inner t hides the outer one, so the IR calls it t'2
    text = """
void f(int n, double *restrict a, const double *restrict b, double t) {
  for (int i = 0; i < n; i++) {
    double t = b[i];
    a[i] = t * t;
  }
}
"""
    function = source_of(text).function
    scalar = next(iter(scalars_of(function.body[0].body)))  # type: ignore[union-attr]
    result = transform.expand_scalar(function, "i", scalar)
    assert f"double {scalar.replace(chr(39), '_')}_of_i[n];" in changed(source_of, text, result)


def test_rounding_down_is_written_out_where_a_number_may_be_negative(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    nest = build.loop("i", "(k - 5) // 2", "n", a["i"].set(build.number(1.0)))
    text = write_nest(build.function("f", [a], nest), (nest,), (), NestScope())
    assert "int i = k - 5 < 0 ? -1 - (4 - k) / 2 : (k - 5) / 2;" in text


def test_a_value_that_is_changed_before_it_is_used_gets_a_name(build: ModuleType) -> None:
    # t = a[i]; a[i] = b[i]; b[i] = t in one statement
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    first, second = a["i"].set(b["i"] + 0), b["i"].set(a["i"] + 0)
    load = replace(second.values[0], access=2)
    store = replace(second.values[-1], args=(0,), access=3)
    values = (load, replace(first.values[0], access=0), replace(first.values[-1], args=(1,)), store)
    swap = first.__class__((*values,), (*first.accesses, *second.accesses))
    nest = build.loop("i", 0, "n", swap)
    text = write_nest(build.function("f", [a, b], nest), (nest,), (), NestScope())
    assert text == (
        "for (int i = 0; i < n; i++) {\n"
        "  double a_value = a[i];\n"
        "  a[i] = b[i];\n"
        "  b[i] = a_value;\n"
        "}\n"
    )


def test_code_of_another_function_is_not_written_over(source_of: Read) -> None:
    text = """
static void twice(double *a, int n);
void f(int n, double *a) { for (int t = 0; t < 10; t++) twice(a, n); }
static void twice(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2.0; }
"""
    result = transform.unroll(source_of(text).function, "t.i", 2)
    with pytest.raises(NotWrittenError, match="code of another function"):
        changed(source_of, text, result)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("g(a, i);", "a call of g, whose arguments are not kept"),
        ("if (a[i] < 0.0) return;", "return, whose value or target is not kept"),
        ("p[i].x = 1.0;", "a member of the structures in p"),
        ("switch (i) { case 3: a[i] = 0.0; }", "a branch on a value, which may be a switch"),
        ("if (a[i] > 0.0) k = i;\n a[k] = 1.0;", "k: k is set in a branch"),
    ],
)
def test_what_the_ir_does_not_keep_is_said(source_of: Read, body: str, reason: str) -> None:
    text = f"""
struct point {{ double x, y; }};
void g(double *, int);
void f(int n, double *a, struct point *p) {{
  int k = 0;
  for (int i = 0; i < n; i++) {{
    {body}
  }}
}}
"""
    source = source_of(text)
    with pytest.raises(NotWrittenError, match=reason):
        write_nest(source.function, source.function.body[-1:], (), NestScope())


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        # a float has 24 bits: 2^24 - 1 is one, 2^24 + 1 would round; 1.5 * 2^-1 is one, 0.1 is none
        ("16777215.0", "f32", "16777215.0f"),
        ("16777217.0", "f32", "(float)16777217.0"),
        ("0.75", "f32", "0.75f"),
        ("0.1", "f32", "(float)0.1"),
        # 2^53 - 1 and 2^-24 * 3 are doubles of more than 24 bits above or below the point
        ("9007199254740991.0", "f32", "(float)9007199254740991.0"),
        ("0.1", "f64", "0.1"),
        ("0.1f", "f64", "(double)0.1f"),
        ("0.5f", "f64", "0.5"),
        ("3", "f64", "3.0"),
    ],
)
def test_a_literal_has_the_value_of_its_own_type(text: str, kind: str, expected: str) -> None:
    number = float(text.rstrip("f"))
    if text.endswith("f"):
        (number,) = struct.unpack("f", struct.pack("f", number))
    assert literal(Const(type=kind, spelling=text, number=number)).text == expected
