"""Where rules turn from silence to a finding: the last size on one side, the first on the other."""

from collections.abc import Callable

import pytest
from rooflint.ir import Poly
from rooflint.lint.functions import Outcome
from rooflint.residence import is_wide

LINE = 64


@pytest.mark.parametrize(
    ("stride", "wide"),
    [(8, False), (-8, False), (63, False), (LINE, False), (-LINE, False), (65, True), (-65, True)],
)
def test_a_step_of_one_line_may_stay_within_it_and_no_further(stride: int, wide: bool) -> None:
    assert is_wide(Poly.constant(stride), LINE) is wide


def test_a_step_that_sizes_decide_is_taken_for_wide() -> None:
    assert is_wide(Poly.symbol("n") * 8, LINE)
    assert not is_wide(Poly.constant(0), LINE)
    assert not is_wide(None, LINE)


ROWS = """
void narrow(int n, int m, double *restrict B, const double *restrict A) {
  // rooflint: n=WIDTH, m=1000000
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      B[j * n + i] = 2.0 * A[j * n + i];
}
"""


@pytest.mark.parametrize("n", [4, 7, 8, 9, 16, 31, 32, 33])
def test_a_column_of_rows_longer_than_a_line_is_walked_across(
    lint: Callable[..., Outcome], n: int
) -> None:
    # rows of 8 doubles are 64 B, a line: with each step the next line begins at the earliest;
    # from 72 B on a step surely leaves the line
    outcome = lint("RL101", ROWS.replace("WIDTH", str(n)), "gcc -O3")
    if n <= 8:
        assert [each.guard for each in outcome.silent] == ["short-stride"]
    else:
        [finding] = outcome.findings
        assert f"in steps of {8 * n} B" in finding.message
