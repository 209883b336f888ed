"""When a finding of a baseline is said again: its gain on both sides of a tenth more."""

import pytest
from rooflint.ir import Span
from rooflint.lint.baseline import BaselineEntry, without_baseline
from rooflint.plugin_api.advice import Advice, Gain
from rooflint.plugin_api.report import FileReport, Report, Summary

WALK = Advice(
    code="RL101",
    slug="column-walk",
    message="inner i walks b",
    severity="warning",
    span=Span(4, 1, 4, 9),
    function="copy",
    loop="i",
    fingerprint="c0ffee",
    machine="toy",
)


def new(gain: float | None, known: float, fingerprint: str = "c0ffee") -> tuple[int, int]:
    """How many findings are new, and how many entries match nothing."""
    advice = WALK._replace(gain=None if gain is None else Gain(gain, 2 * gain))
    file = FileReport("x.c", "ok", (), findings=(advice,))
    report = Report("0", (), (file,), Summary(1, 1))
    entry = BaselineEntry(fingerprint, "RL101", "x.c", "copy", known)
    kept = without_baseline(report, {fingerprint: entry})
    return sum([len(each.findings) for each in kept.report.files]), len(kept.stale)


@pytest.mark.parametrize(
    ("gain", "said"),
    # the baseline knows a gain of 2: up to 2.2, a tenth more, it is the same finding
    [(None, 0), (1.0, 0), (2.0, 0), (2.19, 0), (2.2, 0), (2.21, 1), (4.0, 1)],
)
def test_a_gain_that_grew_by_more_than_a_tenth_is_new(gain: float | None, said: int) -> None:
    assert new(gain, 2.0) == (said, 0)


def test_another_finding_leaves_its_entry_over() -> None:
    assert new(2.0, 2.0, "decaf") == (1, 1)
