"""What rules say of all orders of a nest holds for all of them."""

from collections.abc import Callable

import pytest
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
FLAGS = "clang -O3 -march=icelake-server"
TRANSPOSED = "s[i][j] += a[i][j] * b[j][i]"
NEST = """
void f(double (*restrict s)[2048], const double (*restrict a)[2048],
       const double (*restrict b)[2048], const double *restrict w) {
  OUTER
    for (int i = 0; i < 2048; i++)
      for (int j = 0; j < 2048; j++)
        BODY;
}
"""


def sayings(outcome: LintOutcome) -> str:
    said = [each.message for each in outcome.findings]
    return "\n".join([*said, *[f"{each.evidence} {each.reason}" for each in outcome.silent]])


def test_a_third_loop_may_suit_both_arrays(lint: Lint) -> None:
    # with k inside, a, b and s stay where they are and w goes element by element
    text = NEST.replace("OUTER", "for (int k = 0; k < 64; k++)")
    text = text.replace("BODY", f"{TRANSPOSED} * w[k]")
    assert "no order suits" not in sayings(lint("RL103", text, FLAGS, structural=True))
    assert "any other order" not in sayings(lint("RL101", text, FLAGS, structural=True))


def test_of_two_loops_neither_suits(lint: Lint) -> None:
    text = NEST.replace("OUTER", "").replace("BODY", TRANSPOSED)
    assert "no order suits b[j][i] and" in sayings(lint("RL103", text, FLAGS))
    [silence] = lint("RL101", text, FLAGS).silent
    assert silence.guard == "no-better-order"
    assert silence.reason == "with i inside, a, s are walked down columns instead of b"


AGAIN = """
void f(int i, int n, double (*restrict a)[3000], const double (*restrict b)[3000],
       double *restrict s) {
  // rooflint: n=3000
  for (int t = 0; t < i; t++)
    s[t] = 1.0;
  for (int j = 0; j < 3000; j++)
    for (i = 0; i < n; i++)
      a[i][j] = BODY;
}
"""


@pytest.mark.parametrize(
    ("code", "body", "part"),
    [
        ("RL101", "b[i][j]", "order i, j: "),
        ("RL103", "b[j][i]", "no order suits a[i][j] and b[j][i]"),
        ("RL103", "b[j][i]", "blocking j by 32, i by 32"),
    ],
)
def test_an_index_is_named_as_in_the_source(lint: Lint, code: str, body: str, part: str) -> None:
    # the parameter of that name is another number than the index of the loop
    said = sayings(lint(code, AGAIN.replace("BODY", body), FLAGS))
    assert part in said
    assert "'" not in said


def test_no_condition_without_a_size(lint: Lint) -> None:
    """s176 of TSVC: all its lengths stand in the text, so no size decides what a cache holds."""
    text = """static float a[32000], b[32000], c[32000];
void f(void) {
  for (int j = 0; j < 16000; j++)
    for (int i = 0; i < 16000; i++)
      a[i] += b[i + 16000 - j - 1] * c[j];
}
"""
    said = sayings(lint("RL103", text, FLAGS))
    assert "leaves L1 too soon;" in said
