"""RL213 speaks of nests that wait in every order, and of no others."""

from collections.abc import Callable

import pytest
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
ARRAYS = """
#define N 512
static float p[N][N], q[N][N], r[N][N], v[N], w[N];
static float cube[64][64][64];
"""
FREE = {
    # a chain down the columns: rows inside wait for nothing
    "columns": """
  for (int i = 0; i < N; i++)
    for (int j = 1; j < N; j++) p[j][i] = p[j - 1][i] + q[j][i];""",
    # along the rows: N chains that have nothing to do with each other
    "rows": """
  for (int i = 0; i < N; i++)
    for (int j = 1; j < N; j++) p[i][j] = p[i][j - 1] * 0.5f + q[i][j];""",
    # two inner loops, one of which is a chain
    "siblings": """
  for (int i = 1; i < N; i++) {
    for (int j = 1; j < N; j++) p[j][i] = p[j - 1][i] + r[j][i];
    for (int j = 1; j < N; j++) q[i][j] = q[i - 1][j] + r[i][j];
  }""",
    # code of the outer loop above the chain: distribution, then interchange
    "imperfect": """
  for (int i = 0; i < N; i++) {
    v[i] += w[i] * w[i];
    for (int j = 1; j < N; j++) p[j][i] = p[j - 1][i] + q[j][i] * v[i];
  }""",
    # a condition of the outer loop above it
    "guarded": """
  for (int i = 0; i < N; i++)
    if (p[0][i] > 0.0f)
      for (int j = 1; j < N; j++) p[j][i] = p[j - 1][i] + q[j][i] * r[j][i];""",
    # a scalar that begins anew in each row
    "scalar": """
  for (int i = 0; i < N; i++) {
    float y = w[i];
    for (int j = 0; j < N; j++) { y = 0.5f * y + q[i][j]; p[i][j] = y; }
  }""",
    # a place in memory that begins anew in each row
    "place": """
  for (int i = 0; i < N; i++) {
    v[i] = w[i];
    for (int j = 0; j < N; j++) v[i] = 0.5f * v[i] + q[i][j];
  }""",
    # both loops carry it; diagonals do not
    "diagonals": """
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++) p[i][j] = 0.5f * (p[i][j - 1] + p[i - 1][j]);""",
    # sweep after sweep: the next one may follow a few elements behind
    "sweeps": """
  for (int t = 0; t < 100; t++)
    for (int i = 1; i < N; i++) v[i] = 0.5f * v[i - 1] + w[i];""",
    # three loops, the middle one free
    "cube": """
  for (int t = 0; t < 10; t++)
    for (int i = 0; i < 64; i++)
      for (int j = 1; j < 64; j++) cube[t][i][j] = 0.5f * cube[t][i][j - 1] + 1.0f;""",
}


def text_of(body: str) -> str:
    return f"{ARRAYS}void f(void) {{{body}\n}}\n"


@pytest.mark.parametrize("flags", ["gcc -O2", "gcc -O3 -march=icelake-server", "clang -O3"])
@pytest.mark.parametrize("name", FREE)
def test_a_nest_with_a_loop_that_waits_for_nothing_is_no_recurrence(
    lint: Lint, name: str, flags: str
) -> None:
    outcome = lint("RL213", text_of(FREE[name]), flags)
    assert not outcome.findings, outcome.findings


def test_the_order_that_waits_for_nothing_is_named(lint: Lint) -> None:
    [silence] = lint("RL213", text_of(FREE["columns"]), "clang -O3").silent
    assert silence.guard == "other-order"
    assert "order j, i" in silence.reason and "RL101" in silence.reason


CHAINED = {
    "one loop": """
  for (int i = 1; i < N; i++) v[i] = 0.5f * v[i - 1] + w[i];""",
    "a scalar through all loops": """
  float y = 1.0f;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) y = y * q[i][j] + 0.5f;
  w[0] = y;""",
}


@pytest.mark.parametrize("name", CHAINED)
def test_what_waits_in_every_order_is_said(lint: Lint, name: str) -> None:
    [finding] = lint("RL213", text_of(CHAINED[name]), "clang -O3 -march=icelake-server").findings
    assert "cycles per iteration bounds the loop" in finding.message
    # scans in blocks, wavefronts, other algorithms: nobody has tried them all
    assert "helps" not in finding.message and "only" not in finding.message


def test_brackets_may_shorten_a_chain(lint: Lint) -> None:
    body = "\n  for (int i = 1; i < N; i++) v[i] = v[i - 1] + w[i] + p[0][i] + q[0][i];"
    outcome = lint("RL213", text_of(body), "gcc -O3 -march=icelake-server")
    assert not outcome.findings
    assert [each.guard for each in outcome.silent] == ["brackets"]
    # one addition is left between two iterations: no brackets make that fewer
    body = "\n  for (int i = 1; i < N; i++) v[i] = (w[i] + p[0][i] + q[0][i]) + v[i - 1];"
    assert lint("RL213", text_of(body), "gcc -O3 -march=icelake-server").findings


def test_a_condition_that_begins_anew_breaks_the_chain(lint: Lint) -> None:
    body = """
  float y = 1.0f;
  for (int i = 0; i < N; i++) {
    if (w[i] > 0.0f) y = w[i];
    for (int j = 0; j < N; j++) y = y * q[i][j] + 0.5f;
  }
  w[0] = y;"""
    assert not lint("RL213", text_of(body), "clang -O3").findings
