"""Rules about arithmetic: the same edit is worth much, nothing or harm, depending on the flags."""

from collections.abc import Callable

import pytest
from rooflint.lint.functions import Outcome

DIVIDE = """
void f(double *restrict a, const double *restrict x, double b, int n) {
  // rooflint: n=SIZE
  for (int i = 0; i < n; i++) a[i] = x[i] / b;
}
"""


def gain(outcome: Outcome) -> float:
    [finding] = outcome.findings
    assert finding.gain is not None
    return finding.gain.low


def guards(outcome: Outcome) -> list[str]:
    assert not outcome.findings
    return [each.guard for each in outcome.silent]


def test_a_reciprocal_in_cache_frees_the_divider(lint: Callable[..., Outcome]) -> None:
    text = DIVIDE.replace("SIZE", "2000")
    # a divsd takes the divider for 4 cycles; load, multiply and store leave in one
    assert gain(lint("RL202", text, "gcc -O2")) == pytest.approx(4.0, rel=2e-3)
    # a vdivpd of 4 for 8 cycles against a load and a store per cycle
    wide = gain(lint("RL202", text, "gcc -O3 -march=icelake-server"))
    assert wide == pytest.approx(8.0, rel=2e-3)


def test_a_reciprocal_behind_memory_gains_nothing(lint: Callable[..., Outcome]) -> None:
    text = DIVIDE.replace("SIZE", "20000000")
    assert guards(lint("RL202", text, "gcc -O3 -march=icelake-server")) == ["memory-bound"]


@pytest.mark.parametrize("flags", ["gcc -Ofast -march=native", "clang -O3 -ffast-math -mavx2"])
def test_fast_math_divides_by_no_constant(lint: Callable[..., Outcome], flags: str) -> None:
    assert guards(lint("RL202", DIVIDE.replace("SIZE", "2000"), flags)) == ["reciprocal-math"]
