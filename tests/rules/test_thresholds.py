"""Where rules turn from silence to a finding: the last size on one side, the first on the other."""

from collections.abc import Callable

import pytest
from rooflint.ir import Poly
from rooflint.lint.functions import LintOutcome
from rooflint.rule_kit.cache_fit import is_wide

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
    lint: Callable[..., LintOutcome], n: int
) -> None:
    # rows of 8 doubles are 64 B, a line: with each step the next line begins at the earliest;
    # from 72 B on a step surely leaves the line
    outcome = lint("RL101", ROWS.replace("WIDTH", str(n)), "gcc -O3")
    if n <= 8:
        assert [each.guard for each in outcome.silent] == ["short-stride"]
    else:
        [finding] = outcome.findings
        assert f"in steps of {8 * n} B" in finding.message


DIVISIONS = """
void inverse(double *restrict a, int n) {
  // rooflint: n=SIZE
  for (int i = 0; i < n; i++) a[i] = 1 / a[i];
}
"""


@pytest.mark.parametrize(
    ("n", "short"), [(6000, True), (30_000, True), (59_900, True), (60_100, False), (90_000, False)]
)
def test_work_of_ten_times_a_fork_and_join_is_worth_threads(
    lint: Callable[..., LintOutcome], n: int, short: bool
) -> None:
    # two divisions in a register take 4 cycles: 2 an iteration, at 2.4 GHz 60 000 of them take
    # 50 us, ten times the 5 us of a fork and join
    outcome = lint("RL401", DIVISIONS.replace("SIZE", str(n)), "gcc -O3")
    assert ("too-short" in [each.guard for each in outcome.silent]) is short


SCALE = """
void scale(int n, double *restrict a, const double *restrict b) {
  // rooflint: n=40000000
#pragma omp parallel for num_threads(THREADS)
  for (int i = 0; i < n; i++) a[i] = 2.0 * b[i];
}
"""


@pytest.mark.parametrize(
    ("threads", "enough"),
    # one core draws at most what it sustains, so that four saturate a memory domain of 18 cores,
    # and a fifth is not worth a word; the 19th thread is the first of the second domain, and eight
    # saturate both
    [(3, None), (4, None), (5, None), (6, 4), (18, 4), (19, 8), (36, 8)],
)
def test_one_thread_past_saturation_is_not_worth_a_word(
    lint: Callable[..., LintOutcome], threads: int, enough: int | None
) -> None:
    text = SCALE.replace("THREADS", str(threads))
    outcome = lint("RL402", text, "gcc -O3 -march=icelake-server -fopenmp", structural=True)
    if enough is None:
        assert [each.guard for each in outcome.silent] == ["core-bound"]
    else:
        [finding] = outcome.findings
        expected = f"saturated by {enough} cores, {threads - enough} only wait"
        assert expected in finding.message
