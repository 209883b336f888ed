"""Confidence of findings: what other sizes, flags, caches and unpriced code do to them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.lint_settings import LintOverrides
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.lint import lint_file
from rooflint.lint.confidence import LONG_CALL_CY, USUAL_CALL_CY, level_with
from rooflint.lint.functions import FunctionLint
from rooflint.pipeline import Options
from rooflint.pipeline.on_machine import OtherRun
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.action import Confidence
from rooflint.plugin_api.report import FileReport
from rooflint.pricing.whatif import Option
from rooflint.registry import load_registry, with_rules

COLUMNS = """
void f(int n, int m, double a[n][m], double *restrict s) {
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            s[j] += a[i][j];
}
"""
DIVISIONS = """
void g(int);
void f(float *restrict a, int n) {
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < n; j++) {
            a[j] = a[j] / 3.0 + a[j] / 7.0; g(j);
        }
}
"""

Findings = Callable[..., list[Any]]


@pytest.fixture
def findings(lint: Callable[..., tuple[int, list[str], str]]) -> Findings:
    """The findings of a text that have a gain, under some options."""

    def found(text: str, *options: str) -> list[Any]:
        _, lines, _ = lint("--format", "json", *options, text=text)
        (report,) = json.loads("\n".join(lines))["files"]
        return [each for each in report["findings"] if each["gain"]]

    return found


def test_sizes_that_are_given_leave_nothing_to_try(findings: Findings) -> None:
    [finding] = findings(COLUMNS, "--select", "RL101", "-D", "n=4000", "-D", "m=4000")
    assert finding["sensitivity"] == []
    assert " >= " not in finding["message"]


def test_a_finding_appears_and_goes_at_its_break_even(findings: Findings) -> None:
    sizes = ("--select", "RL101", "-D", "m=64", "--min-time", "10us")
    [finding] = findings(COLUMNS, *sizes)
    assert finding["confidence"] == "medium"
    [point] = finding["sensitivity"]
    assert (point["name"], point["verdict_below"], point["verdict_above"]) == ("n", None, "RL101")
    assert re.search(r", from n >= \d+$", finding["message"])
    assert finding["doubts"][0].startswith("from n >= ")
    assert findings(COLUMNS, *sizes, "-D", f"n={point['breaks_at']}")
    assert not findings(COLUMNS, *sizes, "-D", f"n={int(point['breaks_at'] * 0.95)}")


def test_low_confidence_is_silent_by_default(findings: Findings) -> None:
    asked = ("--select", "RL101", "--min-time", "6us")
    [finding] = findings(COLUMNS, *asked, "--min-confidence", "low")
    assert finding["confidence"] == "low"
    assert findings(COLUMNS, *asked) == []


def test_a_call_that_may_take_longer_than_the_gain_allows(findings: Findings) -> None:
    options = ("--select", "RL202", "--min-confidence", "low", "-D", "n=1000")
    [alone] = findings(DIVISIONS.replace(" g(j);", ""), *options)
    assert alone["doubts"] == []
    [called] = findings(DIVISIONS, *options)
    assert called["confidence"] == "low"
    [said] = called["doubts"]
    assert re.fullmatch(r"not covered: call of g, no gain if it takes more than \d+ cycles", said)


@pytest.mark.parametrize(
    ("bearable_cy", "level"),
    [
        (USUAL_CALL_CY, "low"),
        (USUAL_CALL_CY + 1, "medium"),
        (LONG_CALL_CY - 1, "medium"),
        (LONG_CALL_CY, "high"),
    ],
)
def test_the_longest_call_that_leaves_a_gain_decides(bearable_cy: float, level: str) -> None:
    assert level_with(bearable_cy, USUAL_CALL_CY, LONG_CALL_CY) == level


def linted(path: Path, lint: LintOverrides) -> FileReport:
    """The report on a file, made in this process."""
    options = Options(lint=lint, flags=("clang", "-O3"), isolated=True)
    setups = SetupResolver(options, with_rules(load_registry()))
    flags = ConfiguredFlags(options, setups.configs).flags(str(path))
    setup = setups.setup_for(str(path))
    setup = setup._replace(compiler=setups.compiler(str(path), flags.code))
    return lint_file(str(path), extract(Request(str(path), flags)), setup).report


@pytest.mark.parametrize(
    ("least", "silences", "is_tried", "codes"),
    [
        ("low", False, True, ["RL202"]),
        ("medium", False, False, []),
        ("medium", True, True, []),
    ],
)
def test_a_finding_whose_caveats_leave_too_little_is_tried_in_no_other_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    least: Confidence,
    silences: bool,
    is_tried: bool,
    codes: list[str],
) -> None:
    tried: list[OtherRun] = []
    real = FunctionLint.holds

    def recorded(self: FunctionLint, option: Option, other: OtherRun) -> bool:
        tried.append(other)
        return real(self, option, other)

    monkeypatch.setattr(FunctionLint, "holds", recorded)
    (path := tmp_path / "k.c").write_text(DIVISIONS.replace("j < n", "j < 1000"))
    settings = LintOverrides(select=("RL202",), min_confidence=least, silences=silences)
    report = linted(path, settings)
    assert [each.code for each in report.findings] == codes
    assert [each.guard for each in report.silent] == ([] if codes else ["min-confidence"])
    assert bool(tried) is is_tried
