"""The gain of an advice is time now over the time possible: what the changed code is predicted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.cli.main import run

COLUMNS = """void f(int n, double a[restrict n][n], const double b[restrict n][n]) {
  // rooflint: n=2000
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[INDEX] += b[INDEX];
}
"""
SUM = """double f(int n, const double *a) {
  // rooflint: n=2000
  double s = 0;
  DIRECTIVE
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
"""
MACHINE = "skylake-sp-6148"
Verdicts = Callable[..., dict[str, Any]]


@pytest.fixture
def verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Verdicts:
    """The record of the only loop of a text, with the gains of all findings by their rules."""

    def made(text: str, *flags: str) -> dict[str, Any]:
        monkeypatch.chdir(tmp_path)
        Path("k.c").write_text(text)
        options = ["--machine", MACHINE, "--no-cache", "--format", "json"]
        run(["analyze", "k.c", *options, "--", "gcc", "-O3", *flags])
        report = json.loads(capsys.readouterr().out)
        (found,) = report["verdicts"]
        gains = {each["code"]: each["gain"] for each in report["files"][0]["findings"]}
        return {**found, "gains": gains}

    return made


@pytest.mark.parametrize(
    ("rule", "now", "changed", "flags"),
    [
        ("RL101", COLUMNS.replace("INDEX", "j][i"), COLUMNS.replace("INDEX", "i][j"), ()),
        (
            "RL201",
            SUM.replace("DIRECTIVE", ""),
            SUM.replace("DIRECTIVE", "#pragma omp simd reduction(+:s)"),
            ("-fopenmp-simd",),
        ),
    ],
)
def test_the_changed_code_is_predicted_what_the_advice_promises(
    verdict: Verdicts, rule: str, now: str, changed: str, flags: tuple[str, ...]
) -> None:
    first, second = (
        verdict(now, "-march=skylake-avx512"),
        verdict(changed, "-march=skylake-avx512", *flags),
    )
    now_cy = first["time"]["cycles_per_iteration"]
    possible = now_cy / first["gains"][rule]
    assert possible == pytest.approx(second["time"]["cycles_per_iteration"], rel=0.01)
    best = max(first["gains"].values())
    assert first["advice"]["gain"] == pytest.approx(best)
    assert first["time"]["possible_s"] == pytest.approx(first["time"]["now_s"] / best)
