"""Rules about arithmetic: the same edit is worth much, nothing or harm, depending on the flags."""

from collections.abc import Callable

import pytest
from rooflint.lint.functions import LintOutcome

DIVIDE = """
void f(double *restrict a, const double *restrict x, double b, int n) {
  // rooflint: n=SIZE
  for (int i = 0; i < n; i++) a[i] = x[i] / b;
}
"""


def gain(outcome: LintOutcome) -> float:
    [finding] = outcome.findings
    assert finding.gain is not None
    return finding.gain.low


def guards(outcome: LintOutcome) -> list[str]:
    assert not outcome.findings
    return [each.guard for each in outcome.silent]


def test_a_reciprocal_in_cache_frees_the_divider(lint: Callable[..., LintOutcome]) -> None:
    text = DIVIDE.replace("SIZE", "2000")
    # a divsd takes the divider for 4 cycles; load, multiply and store leave in one
    assert gain(lint("RL202", text, "gcc -O2")) == pytest.approx(4.0, rel=2e-3)
    # on Zen 4 it is 5, against 6 instructions that leave in one cycle: one loop branch a cycle
    assert gain(lint("RL202", text, "gcc -O2", "zen4-9654")) == pytest.approx(5.0, rel=2e-3)
    # a vdivpd of 4 for 8 cycles against a load and a store per cycle
    wide = gain(lint("RL202", text, "gcc -O3 -march=icelake-server"))
    assert wide == pytest.approx(8.0, rel=2e-3)


def test_a_reciprocal_behind_memory_gains_nothing(lint: Callable[..., LintOutcome]) -> None:
    text = DIVIDE.replace("SIZE", "20000000")
    assert guards(lint("RL202", text, "gcc -O3 -march=icelake-server")) == ["memory-bound"]


@pytest.mark.parametrize("flags", ["gcc -Ofast -march=native", "clang -O3 -ffast-math -mavx2"])
def test_fast_math_divides_by_no_constant(lint: Callable[..., LintOutcome], flags: str) -> None:
    assert guards(lint("RL202", DIVIDE.replace("SIZE", "2000"), flags)) == ["reciprocal-math"]


SUM = """
double f(const double *a, int n) {
  // rooflint: n=1000
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
"""


def test_a_sum_in_parts(lint: Callable[..., LintOutcome]) -> None:
    # 4 cycles an addition; 4 lanes with one sum each (gcc), or 16 in 4 registers (clang)
    [with_gcc] = lint("RL201", SUM, "gcc -O3 -march=icelake-server").findings
    assert with_gcc.gain is not None
    assert with_gcc.gain.high == pytest.approx(4, rel=0.01)
    assert "omp simd reduction" in with_gcc.message
    assert with_gcc.fix is not None
    assert [edit.text for edit in with_gcc.fix.edits] == ["  #pragma omp simd reduction(+:s)\n"]
    assert gain(lint("RL201", SUM, "clang -O3 -march=icelake-server")) == pytest.approx(16, 0.01)
    # at -O2 gcc makes no vectors of a loop whose trip count is open: 4 / (4/8)
    [scalar] = lint("RL201", SUM, "gcc -O2").findings
    assert "keeping 8 sums" in scalar.message


def test_accumulators_harm_where_clang_reorders(lint: Callable[..., LintOutcome]) -> None:
    outcome = lint("RL201", SUM, "clang -O3 -march=icelake-server -ffast-math")
    assert guards(outcome) == ["reassociated"]


LITERAL = """
typedef float real;
void f(float *restrict a, const float *restrict x, int n) {
  // rooflint: n=2000
  for (int i = 0; i < n; i++) a[i] = 2.2 * x[i] + 1.5e-3;
}
"""


def test_literals_get_the_type_that_the_file_uses(lint: Callable[..., LintOutcome]) -> None:
    [finding] = lint("RL205", LITERAL, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == ["(real)2.2", "(real)1.5e-3"]
    plain = lint("RL205", LITERAL.replace("typedef float real;", ""), "gcc -O2").findings
    assert plain[0].fix is not None
    assert [edit.text for edit in plain[0].fix.edits] == ["2.2f", "1.5e-3f"]


POWER = """
#include <cmath>
void f(double *__restrict a, const double *__restrict x, int n) {
  // rooflint: n=2000
  for (int i = 0; i < n; i++) a[i] = CALL(x[i], 3.0);
}
"""


@pytest.mark.parametrize(("call", "edits"), [("pow", ["(x[i] * x[i] * x[i])"]), ("std::pow", [])])
def test_a_power_is_multiplied_out_where_its_plain_name_is_called(
    lint: Callable[..., LintOutcome], call: str, edits: list[str]
) -> None:
    [finding] = lint("RL204", POWER.replace("CALL", call), "g++ -x c++ -O3 -mavx2").findings
    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == edits
    assert bool(finding.fix.sketch) == (not edits)


CHOICE = """
#include <math.h>
void f(float *restrict a, const float *restrict y, const float *restrict z, int n) {
  // rooflint: n=2000
  for (int i = 0; i < n; i++) a[i] = y[i] > 0.0f ? y[i] > 1.0f :exp(z[i]) > y[i];
}
"""


def test_a_call_right_behind_a_colon_is_one(lint: Callable[..., LintOutcome]) -> None:
    [finding] = lint("RL206", CHOICE, "gcc -O3 -march=icelake-server").findings
    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == ["expf"]


BRANCH = """
void f(double *restrict a, const double *restrict x, int n) {
  // rooflint: n=2000
  for (int i = 0; i < n; i++) { if (CONDITION) a[i] = 0; else a[i] = x[i]; }
}
"""


@pytest.mark.parametrize(
    ("condition", "side"),
    [
        ("i == 0", "first"),
        ("i != 0", "first"),
        ("i > 0", "first"),
        ("i >= 1", "first"),
        ("i < 1", "first"),
        ("0 == i", "first"),
        ("i == n - 1", "last"),
        ("i < n - 1", "last"),
        ("i == 1", ""),
        ("i < n", ""),
        ("i >= 0", ""),
        ("i < n / 2", ""),
    ],
)
def test_which_iteration_a_branch_sets_apart(
    lint: Callable[..., LintOutcome], condition: str, side: str
) -> None:
    outcome = lint("RL303", BRANCH.replace("CONDITION", condition), "clang -O3 -mavx2")
    assert [each.guard for each in outcome.silent] == (["clang"] if side else [])
    assert all(f"in the {side} iteration" in each.evidence for each in outcome.silent)


MANY = """
void f(double *a, double *b, double *c, double *d, const double *w, const double *x,
       const double *y, const double *z, int n) {
  // rooflint: n=1000
  for (int i = 0; i < n; i++) {
    a[i] = w[i] + x[i]; b[i] = y[i] + z[i]; c[i] = w[i] * y[i]; d[i] = x[i] * z[i];
  }
}
"""


def test_more_pairs_than_gcc_compares(lint: Callable[..., LintOutcome]) -> None:
    # 4 stores against 4 loads, and 3 + 2 + 1 pairs among the stores: 22, gcc stops at 10
    [finding] = lint("RL301", MANY, "gcc -O3 -march=icelake-server").findings
    assert finding.message.startswith("L1: 22 pairs of pointers to compare, gcc -O3 stops at 10")
    assert finding.fix is not None
    assert len(finding.fix.edits) == 4
    assert guards(lint("RL301", MANY, "clang -O3 -march=icelake-server")) == ["versioned"]


DIVMOD = """
void f(double *restrict a, const double *restrict x, const double *restrict w, int n, int nx) {
  // rooflint: n=10000, nx=100
  for (int i = 0; i < n; i++) a[i] = x[i] * w[i % nx];
}
"""


def test_a_remainder_in_an_address_takes_the_divider(lint: Callable[..., LintOutcome]) -> None:
    # idiv of 32 bits: 6 cycles on Zen 4, with or without vectors; without it a store and the
    # loop's branch take one
    assert gain(lint("RL212", DIVMOD, "gcc -O2", "zen4-9654")) == pytest.approx(6, rel=0.2)
    by_constant = DIVMOD.replace("i % nx", "i % 100")
    assert guards(lint("RL212", by_constant, "gcc -O2", "zen4-9654")) == ["constant"]


def test_a_float_that_becomes_double_is_no_double_literal(lint: Callable[..., LintOutcome]) -> None:
    text = """
    #include <math.h>
    void f(float *restrict a, const float *restrict v, int n) {
      // rooflint: n=2000
      for (int i = 0; i < n; i++) a[i] = a[i] + sqrt(v[i]) * LITERAL;
    }
    """
    for literal in ("1e-6f", ".5F", "3"):
        outcome = lint("RL205", text.replace("LITERAL", literal), "gcc -O3 -mavx2")
        assert not outcome.findings
        assert not outcome.silent
    [finding] = lint("RL205", text.replace("LITERAL", "1e-6"), "gcc -O3 -mavx2").findings
    assert finding.message.startswith("divider: 1e-6 makes")


CALL = """
TYPE NAME(TYPE low, TYPE high);
void f(TYPE *restrict a, TYPE p, int n) {
  // rooflint: n=2000
  for (int i = 0; i < n; i++) a[i] = a[i] * NAME(((p + 1) * 3 + 2) * 5, 7);
}
"""


@pytest.mark.parametrize("name", ["rand_uniform", "myRandom", "drawRNG", "read_next", "Uniform"])
def test_functions_that_keep_a_state_to_go_by_their_names(
    lint: Callable[..., LintOutcome], name: str
) -> None:
    text = CALL.replace("NAME", name).replace("TYPE", "float")
    assert guards(lint("RL209", text, "gcc -O3 -march=icelake-server")) == ["state"]


@pytest.mark.parametrize(("name", "kind"), [("gravity", "double"), ("strand", "int")])
def test_that_an_unknown_function_has_no_effects_is_said(
    lint: Callable[..., LintOutcome], name: str, kind: str
) -> None:
    text = CALL.replace("NAME", name).replace("TYPE", kind)
    [finding] = lint("RL209", text, "gcc -O3 -march=icelake-server").findings
    assert "called with the same values in every iteration; calling it" in finding.message
    assert "before the loop, if it has no effects: " in finding.message
    assert finding.fix is not None
    assert f"{kind} call_value = {name}(" in finding.fix.sketch


@pytest.mark.parametrize("storage", ["static ", ""])
def test_callers_of_a_static_function_may_know_the_divisor(
    lint: Callable[..., LintOutcome], storage: str
) -> None:
    text = (
        "void quotients(int n, unsigned *restrict a, unsigned width);\n"
        f"{storage}void halves(int n, unsigned *restrict a, unsigned width) {{\n"
        "  // rooflint: n=2000\n  for (int i = 0; i < n; i++) a[i] /= width;\n}\n"
    )
    [finding] = lint("RL215", text, "gcc -O3 -march=icelake-server").findings
    doubted = [reason for reason in finding.doubts if "static" in reason]
    assert bool(doubted) == bool(storage)
