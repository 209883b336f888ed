"""Nothing decides on the wording of a reason: with other words rules and models find the same."""

from collections.abc import Callable

import pytest
from rooflint.ir import reasons
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
CASES = {
    "RL109": """
void f(int n, double *restrict y, const double *restrict x, const int *restrict col) {
  for (int i = 0; i < n; i++) y[i] = y[i] * 0.5 + x[col[i]] * y[i];
}""",
    "RL110": """
double f(int n, const double *restrict x, const long *restrict col) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[col[i]];
  return s;
}""",
    "RL213": """
static float p[512][512], q[512][512];
void f(void) {
  for (int i = 1; i < 512; i++)
    for (int j = 1; j < 512; j++)
      p[i][j] = p[i][j - 1] * 0.5f + p[i - 1][j] * 0.25f + p[i - 1][j + 1] * q[i][j];
}""",
    "RL301": """
void f(int n, double *a, const double *x, const int *col) {
  for (int i = 0; i < n; i++) a[i] = 2.0 * x[col[i]];
}""",
    "RL307": """
void f(int n, double *restrict a, double *restrict x, const double *restrict b) {
  for (int i = 1; i < n; i++) {
    a[i] = b[i] * b[i] + 0.5 * b[i] / (1.0 + b[i]);
    x[i] = x[i - 1] * 0.5 + b[i];
  }
}""",
}
"""What each rule decides on by a reason's kind."""


def decisions(outcome: LintOutcome) -> tuple[object, ...]:
    """What is found and what is silent, without a word."""
    return (
        [(each.code, each.span, each.gain, each.confidence) for each in outcome.findings],
        [(each.code, each.span, each.guard) for each in outcome.silent],
    )


@pytest.mark.parametrize("code", CASES)
def test_rules_decide_by_kinds(lint: Lint, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    flags = "gcc -O3 -ffast-math" if code == "RL110" else "clang -O3"
    before = decisions(lint(code, CASES[code], flags))
    assert any(before), "the rule matches, with a finding or a guard"
    other = {kind: f"re-worded {number} {{0}}" for number, kind in enumerate(reasons.TEMPLATES)}
    plain = {kind: f"words {number}" for number, kind in enumerate(reasons.TEMPLATES)}
    needs = {kind: other[kind] if "{0}" in text else plain[kind]
             for kind, text in reasons.TEMPLATES.items()}  # fmt: skip
    for words in (needs, plain):
        monkeypatch.setattr(reasons, "TEMPLATES", words)
        assert decisions(lint(code, CASES[code], flags)) == before
