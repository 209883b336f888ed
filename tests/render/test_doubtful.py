"""Figures that a disturbed measurement gave are a warning at every door; accepted ones at none."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from rooflint.cli.main import run
from rooflint.escaping import visible
from rooflint.measure.results import BuildFacts
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint.render import phrases
from rooflint.render.html import render_html
from rooflint.render.json import render_json
from rooflint.render.layout import Style
from rooflint.render.measured.words import notes
from rooflint.render.ranked.report import render_ranked
from rooflint.verdict.steps import with_verdicts

TRIAD = """void triad(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++) a[i] = 2.0 * b[i];
}
"""
FIGURE = "memory.bandwidth.MEM.load.1"
WARNING = f"warning: the measurement of 1 figure of shaky was disturbed: {FIGURE}"
QUALITY = f"""quality:
  - {{figure: {FIGURE}, rounds: 8, spread: 0.31, clean: 0.02, doubtful: true}}
  - {{figure: clock_ghz, rounds: 2, spread: 0.01, clean: 0.9}}
"""
ACCEPTED = f"accepted:\n  - {{figure: {FIGURE}, reason: another probe agrees}}\n"
WIDE = Style(width=200, colour=False)


@pytest.fixture
def shaky(tmp_path: Path) -> Callable[[str], str]:
    """A machine file with the given text about its measurement."""

    def written(about: str) -> str:
        file = tmp_path / "shaky.yaml"
        file.write_text(
            "schema: 1\nextends: skylake-sp-6148\nname: shaky\ndescription: disturbed\n"
            f"sources: {{default: the probe}}\n{about}"
        )
        return str(file)

    return written


def report_of(machine: str) -> Report:
    options = Options(machines=(machine,), jobs=1)
    return analyse([Source("t.c", TRIAD.encode())], options, load_registry(search_path=()))


DOORS: dict[str, Callable[[Report], str]] = {
    "text": lambda report: render_ranked(with_verdicts(report), WIDE),
    "HTML": render_html,
}


@pytest.mark.parametrize("door", DOORS)
def test_reports_warn(door: str, shaky: Callable[[str], str]) -> None:
    assert visible(WARNING) in DOORS[door](report_of(shaky(QUALITY)))
    assert "was disturbed" not in DOORS[door](report_of(shaky(QUALITY + ACCEPTED)))
    assert "was disturbed" not in DOORS[door](report_of(shaky("")))


def test_hovers_warn(shaky: Callable[[str], str], shown: ModuleType) -> None:
    assert visible(WARNING) in shown.hover_of(report_of(shaky(QUALITY)), TRIAD)
    assert "was disturbed" not in shown.hover_of(report_of(shaky(QUALITY + ACCEPTED)), TRIAD)


def test_measurements_warn() -> None:
    build = BuildFacts(cpu="toy", machine="shaky", is_host=True, compiler="cc", doubtful=(FIGURE,))
    assert list(notes(build)) == [WARNING]


def test_json_states_the_quality(shaky: Callable[[str], str]) -> None:
    found = json.loads(render_json(report_of(shaky(QUALITY))))
    assert found["machines"][0]["doubtful"] == [
        {"figure": FIGURE, "rounds": 8, "spread": 0.31, "clean": 0.02}
    ]
    kernel = found["files"][0]["functions"][0]["nests"][0]["kernels"][0]
    assert kernel["results"][0]["doubtful"] == [FIGURE]
    accepted = json.loads(render_json(report_of(shaky(QUALITY + ACCEPTED))))
    assert accepted["machines"][0]["doubtful"] == []


def test_lint_has_one_note_for_all_files(
    shaky: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.c", "b.c"):
        Path(name).write_text(TRIAD)
    linted = ["lint", "a.c", "b.c", "--select", "RL008", "--no-cache", "--format", "json"]
    assert run([*linted, "--machine", shaky(QUALITY)]) == 0  # no loop is slower for it
    files = json.loads(capsys.readouterr().out)["files"]
    [finding] = [each for file in files for each in file["findings"]]
    assert (finding["code"], finding["severity"]) == ("RL008", "note")
    assert FIGURE in finding["message"]
    assert run([*linted, "--machine", shaky(QUALITY + ACCEPTED)]) == 0


def test_comparisons_warn(
    shaky: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("old.c", "new.c"):
        (tmp_path / name).write_text(TRIAD)
    files = [str(tmp_path / name) for name in ("old.c", "new.c")]
    for form in ("text", "markdown", "json"):
        run(["compare", *files, "--machine", shaky(QUALITY), "--format", form])
        out = " ".join(capsys.readouterr().out.replace("\\", "").split())
        if form == "json":
            [machine] = json.loads(out)["machines"]
            assert [each["figure"] for each in machine["doubtful"]] == [FIGURE]
        else:
            assert WARNING in out


@pytest.mark.parametrize(
    ("number", "end"), [(3, "f0, f1, f2"), (4, "f0, f1, f2 and 1 more"), (0, "")]
)
def test_a_warning_lists_three_figures(number: int, end: str) -> None:
    words = phrases.doubt_words("m", [f"f{each}" for each in range(number)])
    assert words.endswith(end)
    assert bool(words) == bool(number)
