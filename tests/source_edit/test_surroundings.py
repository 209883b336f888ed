"""What stands around a nest: other code in its text, and what names mean there."""

from collections.abc import Callable

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, SourceFunction
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, Result
from rooflint.source_edit.c_writer import (
    ChangedPart,
    NotWrittenError,
    changed_part,
    rewrite_part,
    text_after,
)
from rooflint.source_edit.edits import EditableSource

Read = Callable[[str], SourceFunction]
Again = Callable[[str], str]
HELPERS = """
double total;
static double own(double total) { double count = total * 2.0; return count * count; }
static float half(float x) { float count = x * 0.5f; return count + count * count; }
static double added(double x) { total += x; return total; }
static double first(double x) { double t[2]; t[0] = x; t[1] = x; return t[0] * t[1]; }
"""


def loop(
    body: str, head: str = "void f(double *restrict a, const double *restrict b, int n)"
) -> str:
    return f"{HELPERS}\n{head} {{\n  for (int i = 0; i < n; i++) {{ {body} }}\n}}"


def changed(source: SourceFunction, text: str, result: Result) -> str:
    assert isinstance(result, ChangedFunction), result
    part = changed_part(source.function, result.function)
    return text_after(
        EditableSource(text),
        rewrite_part(EditableSource(text), source, part, result.function, part.new),
    )


HEADER = """
double f(const double *b, int n) {
  double s, t;
  int k;
  for (s = 3.0, t = b[0] / 5.0, k = n - 1; k >= 1; k--)
    s -= b[k] * t;
  return s;
}
"""


def test_what_else_a_header_sets_is_kept(source_of: Read) -> None:
    source = source_of(HEADER)
    shown = changed(source, HEADER, transform.vectorise(source.function, "k"))
    assert "  s = 3.0;\n  t = b[0] / 5.0;\n#pragma omp simd reduction(+ : s)\n  for (int k" in shown
    assert shown.count("s = 3.0") == 1


def test_a_statement_in_a_header_is_not_replaced_alone(source_of: Read) -> None:
    source = source_of(HEADER)
    divides = source.function.body[0]
    part = ChangedPart((), (divides,), (divides,))
    with pytest.raises(NotWrittenError, match="shares this text"):
        rewrite_part(EditableSource(HEADER), source, part, source.function, part.new)


def test_a_statement_of_a_macro_is_not_written_over_the_others(source_of: Read) -> None:
    text = """
#define BOTH(x, y) x *= 2.0; y /= 3.0; y /= z
void f(double *restrict a, double *restrict b, double z, int n) {
  for (int i = 0; i < n; i++) { BOTH(a[i], b[i]); }
}
"""
    source = source_of(text)
    [nest] = source.function.body
    assert isinstance(nest, Loop)
    part = ChangedPart((nest,), nest.body[:1], nest.body[:1])
    with pytest.raises(NotWrittenError, match="shares this text"):
        rewrite_part(EditableSource(text), source, part, source.function, part.new)


def test_an_unsigned_index_around_a_nest_does_not_make_its_bounds_unsigned(source_of: Read) -> None:
    # m - i + 2 with i = 5 is -1, not 2**64 - 1
    text = """
void f(double *restrict a, const double *restrict x, unsigned long n, int m) {
  unsigned long k, i;
  for (i = 1; i <= n; i++)
    for (long j = m - (long)i + 2; j <= 3; j++)
      a[i] += x[j + 9];
}
"""
    source = source_of(text)
    shown = changed(source, text, transform.unroll(source.function, "i.j", 2))
    assert "long j = m - (long)i + 2;" in shown


def test_variables_of_inlined_functions_are_declared(again: Again) -> None:
    shown = again(loop("a[i] = own(b[i]);"))
    # not the variable of the file, nor the parameter of another function that has its name
    assert "    double total = b[i];\n    double count = total * 2.0;\n" in shown


def test_one_that_is_inlined_twice_in_a_statement_is_declared_once(again: Again) -> None:
    shown = again(loop("a[i] = own(b[i]) + own(b[i + 1]);"))
    assert shown.count("double count =") == 2  # that of the function itself, and this
    assert shown.count("    count = ") == 1


def test_a_variable_of_the_file_is_set_not_declared(again: Again) -> None:
    shown = again(loop("a[i] = own(added(b[i]));"))
    assert "    total += x;\n" in shown
    assert "    double total_2 = added_result;\n" in shown


def test_a_name_from_a_block_that_is_over_is_declared_again(again: Again) -> None:
    text = loop("double t = b[i]; a[i] = t * t;").replace(
        "  for",
        "  { double t = b[0]; a[0] = t; }\n  for (double t = 0.0; t < 2.0;) t += a[0];\n  for",
    )
    with pytest.raises(NotWrittenError):
        again(text)  # the first t is used behind its nest, to go by the words


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("a[i] = own(b[i]); c[i] = half(c[i]);", "count stands for variables of two types"),
        ("a[i] = first(b[i]);", "t is an array of another function"),
        ("a[i] = own(b[i]); total += a[i];", "total is a variable of the file or another one"),
        ("a[i] = g(b[i]);", "a call of"),
    ],
)
def test_what_cannot_be_told_apart_has_no_text(again: Again, body: str, reason: str) -> None:
    head = (
        "void f(double *restrict a, const double *restrict b, float *c, double (*g)(double), int n)"
    )
    with pytest.raises(NotWrittenError, match=reason):
        again(loop(body, head))


def test_an_integer_that_is_set_no_longer_must_not_be_used_around(source_of: Read) -> None:
    text = """
void f(double *restrict a, const int *restrict col, int n) {
  int k;
  for (int i = 0; i < n; i++) {
    k = col[i];
    a[k] = 1.0;
  }
}
"""
    source = source_of(text)
    result = transform.expand_scalar(source.function, "i", "k")
    with pytest.raises(NotWrittenError, match="k is set in the nest and used elsewhere"):
        changed(source, text, result)


def test_what_a_sum_of_integers_begins_with_is_written_too(again: Again) -> None:
    nest = """
  for (int i = 0; i < n; i++) {
    s = i;
    for (int k = 0; k < n; k++)
      s += a[k];
    b[i] = s;
  }
"""
    text = f"void f(int n, int *restrict a, int *restrict b) {{\n  int s;{nest}}}\n"
    assert again(text) == text
    with pytest.raises(NotWrittenError, match="s changes in a way that is not modelled"):
        again(text.replace("s = i;", "if (b[i]) s = 0;"))


MEMBERS = """
struct net {{ double *out, sum; }};
void f(struct net *p, double **row, const double *b, int n) {{
  for (int i = 0; i < n; i++)
    {0} += b[i] * b[i + 1];
}}
"""


@pytest.mark.parametrize(
    ("place", "array", "name"),
    [("p->out[3]", "p->out", "out_value"), ("row[n][3]", "*row", "row_value")],
)
def test_what_is_kept_of_memory_in_a_variable_has_a_name_of_its_own(
    source_of: Read, place: str, array: str, name: str
) -> None:
    text = MEMBERS.format(place)
    source = source_of(text)
    shown = changed(source, text, transform.in_register(source.function, "i", array))
    assert f"    double {name} = {place};\n" in shown
    assert f"    {place} = {name};\n" in shown


def test_sums_in_parts_of_a_member_are_variables(source_of: Read) -> None:
    text = MEMBERS.format("p->sum")
    source = source_of(text)
    shown = changed(source, text, transform.unroll(source.function, "i", 2, accumulators=2))
    assert "double sum_1 = 0.0;" in shown
    assert "double p->" not in shown
    assert "p->sum += sum_1;" in shown


def test_a_member_of_a_class_is_no_new_variable() -> None:
    text = """
struct net {
  double sum;
  void add(const double *b, int n) {
    for (int i = 0; i < n; i++)
      sum += b[i];
  }
};
"""
    flags = read_flags(["g++", "-O2"], "/", "/page.cpp")
    [source] = extract(Request("/page.cpp", flags, text.encode())).functions
    shown = changed(source, text, transform.unroll(source.function, "i", 2, accumulators=2))
    assert "double sum;" not in shown.replace("  double sum;\n  void", "")
    assert "sum += sum_1;" in shown


@pytest.mark.parametrize(
    ("around", "parameter", "inside"),
    [
        ("int calls;", "", "calls++;"),
        ("", ", int &hits", "hits++;"),
        ("", "", "static int k; k++;"),
        ("struct s { int n; };", ", s *p", "p->n++;"),
    ],
)
def test_counts_that_outlive_the_function_are_not_lost(
    around: str, parameter: str, inside: str
) -> None:
    before, _, counts = inside.rpartition("; ")
    text = (
        f"{around}\nvoid f(double *a, int n{parameter}) {{\n  {before};\n"
        f"  for (int i = 0; i < n; i++) {{ a[i] = 1.0; {counts} }}\n}}\n"
    )
    flags = read_flags(["g++", "-O2"], "/", "/page.cpp")
    [source] = extract(Request("/page.cpp", flags, text.encode())).functions
    part = ChangedPart((), source.function.body, source.function.body)
    with pytest.raises(NotWrittenError, match="changes in the nest"):
        rewrite_part(EditableSource(text), source, part, source.function, part.new)


def test_a_directive_begins_a_line_wherever_its_loop_stands(source_of: Read) -> None:
    text = """
void f(double (*restrict a)[9], int n) {
\tfor (int i = 0; i < n; i++) for (int j = 0; j < 9; j++) a[i][j] = 0.0;
}
"""
    source = source_of(text)
    shown = changed(source, text, transform.vectorise(source.function, "i.j"))
    assert "\tfor (int i = 0; i < n; i++) \n#pragma omp simd\n\tfor (int j" in shown
