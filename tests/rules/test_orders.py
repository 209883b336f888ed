"""What rules say of all orders of a nest holds for all of them."""

from collections.abc import Callable

from rooflint.lint.functions import Outcome

Lint = Callable[..., Outcome]
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


def sayings(outcome: Outcome) -> str:
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
    assert silence.reason == "with i inside, a, s are walked down columns in place of b"
