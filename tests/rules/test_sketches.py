"""A finding without edits shows the code that its change leads to, if that is short."""

from collections.abc import Callable

import pytest
from rooflint.ir import Unit
from rooflint.lint.functions import LintOutcome
from rooflint.lint.sketches import MOST_LINES, sketch_of
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.transforms import TransformStep
from rooflint.source_edit.edits import EditableSource

Lint = Callable[..., LintOutcome]
FLAGS = "gcc -O3 -march=native"
COLUMNS = """
void f(int n, double *restrict b, const double *restrict a) {
  for (int j = 0; j < n; j++) {  // each column
    double s = 0.0;
    for (int i = 0; i < n; i++)
      s += a[i * n + j];
    %s
    b[j] = 0.1 * s;
  }
}
"""


def test_the_nest_as_it_becomes(lint: Lint) -> None:
    text = """
void f(int n, double *restrict b, const double *restrict a) {  // rooflint: n=4000
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i * n + j] = a[j * n + i];
}
"""
    [finding] = lint("RL103", text, FLAGS).findings
    assert finding.fix is not None
    assert finding.fix.sketch == (
        "// in place of lines 3 to 5, without comments\n"
        "for (int i_block = 0; i_block < n; i_block += 64)\n"
        "  for (int j_block = 0; j_block < n; j_block += 64)\n"
        "    for (int i = i_block; i < (i_block + 64 < n ? i_block + 64 : n); i++)\n"
        "      for (int j = j_block; j < (j_block + 64 < n ? j_block + 64 : n); j++)\n"
        "        b[i * n + j] = a[i + j * n];"
    )


def test_an_expanded_scalar_is_declared(lint: Lint) -> None:
    [finding] = lint("RL102", COLUMNS % "", FLAGS).findings
    assert finding.fix is not None
    if not finding.fix.edits:
        assert "  double s_of_j[n];\n" in finding.fix.sketch


@pytest.mark.long
def test_what_is_long_or_not_kept_stays_words(lint: Lint) -> None:
    long = " ".join(f"s += {k}.0 * s * s;\n" for k in range(MOST_LINES))
    for body in (long, "extern void log_it(double *, int); log_it(b, n);"):
        for finding in lint("RL102", COLUMNS % body, FLAGS).findings:
            assert finding.fix is not None
            assert "in place of" not in finding.fix.sketch


def test_a_directive_alone_is_not_a_nest(lint: Lint) -> None:
    text = """
double f(const double *a) {
  double s = 0.0;
  for (int i = 0; i < 100000; i++)
    s += a[i];
  return s;
}
"""
    [finding] = lint("RL201", text, FLAGS).findings
    assert finding.fix is not None
    assert "in place of" not in finding.fix.sketch


def test_a_sketch_is_made_of_steps(benches: Callable[..., tuple[AnalysisSetup, Unit]]) -> None:
    # RL304 prices the heavier side of the branch alone, and still both are shown
    text = """
void f(int n, double *restrict a, const double *restrict b, int flag) {
  for (int i = 0; i < n; i++) {
    if (flag == 1)
      a[i] = b[i];
    else
      a[i] = 2.0 * b[i] + 1.0;
  }
}
"""
    _, unit = benches(text, ["gcc", "-O1"])
    [source] = unit.functions
    sketch = sketch_of(EditableSource(text), source, (TransformStep("unswitch", "i"),))
    assert sketch.count("for (int i") == 2
    assert "if (flag == 1) {" in sketch
    assert sketch_of(EditableSource(text), source, (TransformStep("unswitch", "j"),)) == ""
