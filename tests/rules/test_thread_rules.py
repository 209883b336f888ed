"""Threads and coprocessors: what they bring where iterations are independent, and where not."""

from collections.abc import Callable

import pytest
from rooflint.ir import Span
from rooflint.lint.functions import LintOutcome
from rooflint.source_edit.edits import EditableSource

SUM = """
double f(const double *a, int n) {
  // rooflint: n=SIZE
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
"""


def silenced(outcome: LintOutcome) -> list[str]:
    assert not outcome.findings
    return [each.guard for each in outcome.silent]


def test_a_sum_is_shared_with_a_reduction_clause(lint: Callable[..., LintOutcome]) -> None:
    [finding] = lint("RL401", SUM.replace("SIZE", "100000000"), "gcc -O3").findings
    assert finding.fix is not None
    assert finding.fix.safety == "unsafe"
    [edit] = finding.fix.edits
    assert edit.text == "  #pragma omp parallel for reduction(+: s)\n"
    assert (edit.line, edit.column) == (5, 1)


def test_short_work_is_not_worth_the_start_of_threads(lint: Callable[..., LintOutcome]) -> None:
    # 1000 adds of 4 cycles at 2.6 GHz: 1.5 us, a fork and join is 5 us
    assert silenced(lint("RL401", SUM.replace("SIZE", "1000"), "gcc -O3")) == ["too-short"]


@pytest.mark.parametrize(("n", "saturates"), [(1_000_000, False), (100_000_000, True)])
def test_memory_saturates_only_where_the_data_come_from_it(
    lint: Callable[..., LintOutcome], n: int, saturates: bool
) -> None:
    # 8 MB stay in the 16 MB of generic-avx2's L3 from one run to the next, 800 MB do not
    [finding] = lint("RL401", SUM.replace("SIZE", str(n)), "gcc -O3 -ffast-math").findings
    assert ("memory saturates at" in finding.message) == saturates


def test_a_loop_that_is_unrolled_away_is_short(lint: Callable[..., LintOutcome]) -> None:
    text = "void f(double *restrict a) { for (int i = 0; i < 4; i++) a[i] *= 2; }"
    outcome = lint("RL401", text, "gcc -O3")
    assert not outcome.failures
    assert silenced(outcome) == ["too-short"]


def test_straight_code_beside_a_loop_is_not_taken_for_it(lint: Callable[..., LintOutcome]) -> None:
    text = """
    void f(double (*restrict a)[500], const double (*restrict b)[500], double *restrict c, int on) {
      if (on) {
        c[0] = 1;
        for (int i = 0; i < 500; i++)
          for (int j = 0; j < 500; j++) a[i][j] = b[i][j];
        c[1] = 2;
        for (int i = 0; i < 100; i++) c[i] = 3;
      }
    }"""
    outcome = lint("RL401", text, "gcc -O3")
    assert [finding.span.line for finding in outcome.findings] == [5]
    assert [each.guard for each in outcome.silent] == ["too-short"]


def test_indices_and_scalars_declared_outside_are_private(lint: Callable[..., LintOutcome]) -> None:
    text = """
    void f(double (*restrict a)[5000], const double *restrict b) {
      int i, j;
      double t;
      for (i = 0; i < 5000; i++)
        for (j = 0; j < 5000; j++) { t = b[j]; double u = t * t; a[i][j] = u; }
    }"""
    [finding] = lint("RL401", text, "gcc -O3").findings
    assert finding.fix is not None
    assert finding.fix.title == "#pragma omp parallel for private(t, j)"


def test_rows_that_run_into_each_other_are_not_independent(
    lint: Callable[..., LintOutcome],
) -> None:
    text = """
    int a[5000][5000];
    void f(void) {
      for (int i = 1; i < 5000; i++)
        for (int j = 0; j < 5000; j++) a[i][j] += a[i][j - 1];
    }"""
    # a[i][-1] is a[i - 1][4999]
    assert silenced(lint("RL401", text, "gcc -O3", structural=True)) == ["out-of-dimension"]


def test_a_recurrence_stays_on_one_core(lint: Callable[..., LintOutcome]) -> None:
    text = "void f(double *y, int n) { for (int i = 1; i < n; i++) y[i] = 0.5 * y[i - 1]; }"
    assert silenced(lint("RL401", text, "gcc -O3")) == ["too-short"]
    known = f"// rooflint: n=100000000\n{text}"
    assert silenced(lint("RL401", known, "gcc -O3")) == ["legality"]


def test_blocks_of_a_triangle_are_unequal(lint: Callable[..., LintOutcome]) -> None:
    text = """
    void f(int n, double (*restrict a)[n], const double *restrict b) {
      // rooflint: n=3600
    #pragma omp parallel for
      for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) a[i][j] = 2.0 * b[j];
    }"""
    [finding] = lint("RL407", text, "gcc -O3 -fopenmp").findings
    # 36 blocks of rows of 0 to 3599: the last has 3599 - 3599 / 72 on average, all have 3599 / 2
    assert finding.gain is not None
    assert finding.gain.low == pytest.approx((1 - 1 / 72) * 2)
    assert finding.fix is not None
    [edit] = finding.fix.edits
    assert (edit.line, edit.text) == (4, " schedule(static, 1)")


def test_a_region_around_the_outer_loop_opens_once(lint: Callable[..., LintOutcome]) -> None:
    text = """
    void f(double (*restrict a)[1000], const double *restrict b) {
      for (int i = 0; i < 1000; i++) {
    #pragma omp parallel for
        for (int j = 0; j < 1000; j++) a[i][j] = 0.5 * b[j];
      }
    }"""
    [finding] = lint("RL406", text, "gcc -O3 -fopenmp").findings
    # 1000 openings of 5 us before, one after: 12 cycles an iteration at 2.4 GHz
    assert finding.numbers is not None
    assert finding.numbers.before - finding.numbers.after == pytest.approx(12, rel=0.01)
    [small] = lint("RL404", text, "gcc -O3 -fopenmp").findings
    assert small.numbers is not None
    assert small.numbers.before == pytest.approx(finding.numbers.before)


def test_a_product_pays_for_its_transfers_and_a_sum_does_not(
    lint: Callable[..., LintOutcome],
) -> None:
    product = """
    void f(int n, const double *restrict a, const double *restrict b, double *restrict c) {
      // rooflint: n=2368
      for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
          for (int j = 0; j < n; j++) c[i*n+j] += a[i*n+k] * b[k*n+j];
    }"""
    [finding] = lint("RL501", product, "gcc -O3", "h100-pcie-server").findings
    assert "pays from n = " in finding.message
    assert finding.numbers is not None
    assert finding.numbers.model == "hybrid"
    vector = SUM.replace("SIZE", "100000000")
    # 8 B over a link of 63 GB/s for each addition: the host's memory is faster than that
    assert silenced(lint("RL501", vector, "gcc -O3", "h100-pcie-server")) == ["crossover"]


def test_a_target_region_that_is_all_transfer_goes_back(lint: Callable[..., LintOutcome]) -> None:
    text = """
    void f(int n, double a, double *restrict x, double *restrict y) {
      // rooflint: n=10000000
      DATA
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
      for (int i = 0; i < n; i++) y[i] += a * x[i];
    }"""
    [finding] = lint("RL502", text.replace("DATA", ""), "gcc -O3", "h100-pcie-server").findings
    assert "100 % transfers" in finding.message
    data = "#pragma omp target data map(to: x[0:n]) map(tofrom: y[0:n])"
    kept = lint("RL502", text.replace("DATA", f"\n{data}\n"), "gcc -O3", "h100-pcie-server")
    assert silenced(kept) == ["resident"]


def test_arrays_of_known_lengths_are_mapped_by_a_directive(
    lint: Callable[..., LintOutcome],
) -> None:
    text = """
    static double a[2368][2368], b[2368][2368], c[2368][2368];
    void f(void) {
      for (int i = 0; i < 2368; i++)
        for (int k = 0; k < 2368; k++)
          for (int j = 0; j < 2368; j++) c[i][j] += a[i][k] * b[k][j];
    }"""
    [finding] = lint("RL501", text, "gcc -O3", "h100-pcie-server").findings
    assert finding.fix is not None
    assert finding.fix.safety == "unsafe"
    [edit] = finding.fix.edits
    assert (edit.line, edit.column) == (4, 1)
    assert edit.text.startswith("      #pragma omp target teams distribute parallel for map(")
    assert "map(to: a, b)" in edit.text
    assert "map(tofrom: c)" in edit.text


def test_two_nests_that_are_equal_are_both_priced(lint: Callable[..., LintOutcome]) -> None:
    nest = "for (int i = 0; i < n; i++) a[i] = a[i] * b[i];"
    text = f"""
    void f(double *restrict a, const double *restrict b, int n) {{
      // rooflint: n=10000000
      {nest}
      {nest}
    }}"""
    first, second = lint("RL401", text, "gcc -O3").findings
    assert (first.loop, second.loop) == ("i", "i#2")
    assert first.gain == second.gain


@pytest.mark.parametrize(
    ("header", "takes"),
    [
        ("for (k = 0; k < n; k++)", True),
        ("for (std::size_t k = f(a, b); k != v.size(); ++k)", True),
        ("for (const double *k = a; k < a + n; k += 2)", True),
        ("for (k = n - 1; 0 <= k; k = k - 3)", True),
        ("for (auto k : v)", True),
        ("for (s = 0, k = 0; k < n; k++)", False),
        ("for (k = 0; k < n; k++, j++)", False),
        ("for (k = 0; k < n; k += 1, j++)", False),
        ("for (; k < n; k++)", False),
        ("for (k = 0; k < n;)", False),
        ("for (k = n; k--;)", False),
        ("for (k = n; --k >= 0;)", False),
        ("for (k = 0; k < n && a[k] > 0; k++)", False),
        ("for (k = 0; j < n; k++)", False),
        ("for (k = 0; k < n; j++)", False),
        ("while (k < n)", False),
    ],
)
def test_headers_that_openmp_shares_out(header: str, takes: bool) -> None:
    text = f"{header} a[k] = 0;"
    assert EditableSource(text).takes_directives(Span(1, 1, 1, len(text) + 1)) == takes


@pytest.mark.parametrize(("code", "directive"), [("RL401", "parallel for"), ("RL201", "simd")])
def test_a_header_that_does_more_is_written_anew_below_the_directive(
    lint: Callable[..., LintOutcome], code: str, directive: str
) -> None:
    text = """
    double f(const double *b, int n) {
      // rooflint: n=100000000
      double s; int k;
      for (s = 3.0, k = n - 1; k >= 1; k--) s -= b[k];
      return s;
    }"""
    [finding] = lint(code, text, "gcc -O3 -march=native").findings
    assert finding.fix is not None
    assert not finding.fix.edits
    lines = finding.fix.sketch.splitlines()
    assert lines[1] == "s = 3.0;"
    assert lines[2].startswith(f"#pragma omp {directive} ")
    assert lines[3] == "for (int k = n - 1; k >= 1; k--)"


def test_a_nest_whose_loops_are_fewer_kernels_when_it_is_run_over_and_over(
    lint: Callable[..., LintOutcome],
) -> None:
    text = """
    void f(double *restrict a, const double *restrict b, double (*restrict c)[9], int n) {
      if (n > 3) {
        for (int k = 1; k <= 8; k++) a[k + 1] = a[k] + b[k + 1];
        for (int i = 2; i <= 8; i++)
          for (int k = 1; k < i; k++) c[k][i] = a[k + 1] - a[i + 1];
        a[1] += n;
        for (int k = 1; k <= 8; k++) a[k + 1] = a[k] + b[k + 1];
        int j;
        for (j = 2; j < 8; j++) if (a[j] > b[j]) break;
      }
    }"""
    lint("RL401", text, "gcc -O3")  # which asserts that no rule fails


def test_a_column_below_a_loop_that_nobody_can_count(lint: Callable[..., LintOutcome]) -> None:
    text = """
    void f(unsigned long n, double *a) {
      unsigned long gap = 1;
      do { gap *= 3; gap++; } while (gap <= n);
      do {
        gap /= 3;
        for (unsigned long i = gap + 1; i <= n; i++) {
          double v = a[i];
          unsigned long j = i;
          while (a[j - gap] > v) {
            a[j] = a[j - gap];
            j -= gap;
            if (j <= gap) break;
          }
          a[j] = v;
        }
      } while (gap > 1);
    }"""
    lint("RL101", text, "gcc -O3")  # which asserts that no rule fails


@pytest.mark.parametrize("code", ["RL401", "RL201"])
def test_no_directive_names_a_member(lint: Callable[..., LintOutcome], code: str) -> None:
    text = """
    struct s { double sum; };
    void f(struct s *p, const double *b, int n) {
      // rooflint: n=100000000
      for (int i = 0; i < n; i++) p->sum += b[i];
    }"""
    [finding] = lint(code, text, "gcc -O3 -march=native").findings
    assert finding.fix is not None
    assert not finding.fix.edits


def test_variables_of_inlined_functions_are_in_no_clause(lint: Callable[..., LintOutcome]) -> None:
    text = """
    static double own(double x) { double t = x * 2; return t * t; }
    void f(double *restrict a, const double *restrict b, int n) {
      // rooflint: n=100000000
      for (int i = 0; i < n; i++) a[i] = own(b[i]);
    }"""
    [finding] = lint("RL401", text, "gcc -O3").findings
    assert finding.fix is not None
    assert [edit.text.strip() for edit in finding.fix.edits] == ["#pragma omp parallel for"]


def test_clauses_name_variables_of_the_text_alone(lint: Callable[..., LintOutcome]) -> None:
    # the index of the function in place of its call has the name of one whose loop has ended
    text = """
static void fill(double *p, double x) { for (int i = 0; i < 3; i++) p[i] = x; }
void make(double *restrict a, int n) {
  // rooflint: n=10000000
  for (int i = 0; i < 9; i++) a[i] = 1;
  for (int b = 0; b < n; ++b) { fill(a + 3 * b, b); }
}
"""
    for finding in lint("RL401", text, "gcc -O3").findings:
        assert finding.fix is not None
        assert "private" not in finding.fix.title


def test_a_variable_of_an_iteration_is_nobody_elses(lint: Callable[..., LintOutcome]) -> None:
    body = """  for (int t = 0; t < n; ++t) {
    int z = 3;
    if (code[t] == 1) z = 1;
    else if (code[t] == 2) z = 2;
    KEPT[t] = score[z];
  }
"""
    text = (
        "void f(int n, const int *restrict code, const int *restrict score, int *restrict a,\n"
        "       int *restrict b) {\n  // rooflint: n=10000000\n"
        + body.replace("KEPT", "a")
        + body.replace("KEPT", "b")
        + "}\n"
    )
    findings = lint("RL401", text, "gcc -O3").findings
    assert findings
    for finding in findings:
        assert finding.fix is not None
        assert finding.fix.title == "#pragma omp parallel for"
