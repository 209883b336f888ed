"""Sliders: each stop has the numbers of a run with that value, and mistakes name their remedy."""

import json
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.trials.what_if import VariedQuantity, with_what_if
from rooflint.plugin_api.machine_report import MachineReport
from rooflint.plugin_api.report import Report, Summary

from .page_data import Data, data_of

ROOT = Path(__file__).parents[2]
TRIAD = str(ROOT / "examples" / "triad.c")
SUMS = """
void sums(int n, double *a, const double *b) { for (int i = 0; i < n; i++) a[i] += b[i]; }
"""
MACHINE = ["--machine", "skylake-sp-6148"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("what-if") / "sums.c"
    file.write_text(SUMS, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def page(source: Path) -> Data:
    command = ["analyze", str(source), *MACHINE, "-D", "n=1000", "--format", "html"]
    sliders = ["--what-if", "n=1000,4000000", "--what-if", "cores=1,4"]
    shown = source.with_name("page.html")
    assert run([*command, *sliders, "-o", str(shown)]) == 0
    return data_of(shown.read_text(encoding="utf-8"))


def stops(data: Data, slider: int) -> list[str]:
    return [data["texts"][place] for place in data["sliders"][slider]["values"]]


def test_a_slider_begins_at_the_runs_own_value(page: Data) -> None:
    names = [page["texts"][each["name"]] for each in page["sliders"]]
    assert names == ["n", "cores"]
    assert stops(page, 0) == ["1 000", "4 000 000"]
    assert page["sliders"][0]["own"] == 0
    assert page["sliders"][0]["stops"][0] is None
    assert stops(page, 1) == ["as the code says", "1", "4"]


@pytest.mark.parametrize(
    ("slider", "stop", "option"), [(0, 1, ["-D", "n=4000000"]), (1, 2, ["--cores", "4"])]
)
def test_a_stop_says_what_a_run_with_its_value_says(
    page: Data, source: Path, tmp_path: Path, slider: int, stop: int, option: list[str]
) -> None:
    size = ["-D", "n=1000"] if slider else []
    command = ["analyze", str(source), *MACHINE, *size, *option]
    assert run([*command, "--format", "json", "-o", str(tmp_path / "own.json")]) == 0
    [verdict] = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))["verdicts"]
    [view] = page["sliders"][slider]["stops"][stop]
    own = page["machines"][0]["verdicts"]
    [now] = view["verdicts"].get("now", own["now"])
    assert now == pytest.approx(verdict["time"]["now_s"], rel=6e-4)
    [limiter] = view["verdicts"].get("limiter", own["limiter"])
    assert page["texts"][limiter] == verdict["limiter"]["name"]


def test_a_stop_lists_only_what_it_changes(page: Data) -> None:
    [view] = page["sliders"][1]["stops"][1]
    assert view["verdicts"] == {}


def varied(report: Report, *names: str) -> list[Options]:
    """The options of the runs that sliders of these names ask for."""
    asked: list[Options] = []

    def noted(options: Options) -> Report:
        asked.append(options)
        return report

    quantities = [VariedQuantity(each) for each in names]
    with_what_if(report, quantities, Options(sizes={"p->n": 8}), noted)
    return asked


def empty(cores: int) -> Report:
    machine = MachineReport(name="one", file="", cores=cores)
    return Report(version="", machines=(machine,), files=(), summary=Summary(0, 0))


def test_a_size_varies_around_its_own_value() -> None:
    sizes = [dict(each.sizes) for each in varied(empty(4), "p.n")]
    assert sizes == [{"p.n": value} for value in (2, 4, 16, 32)]


@pytest.mark.parametrize(("cores", "expected"), [(1, ["1"]), (6, ["1", "2", "4", "6"])])
def test_cores_vary_up_to_all_of_a_machine(cores: int, expected: list[str]) -> None:
    assert [each.cores for each in varied(empty(cores), "cores")] == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--what-if", "n"], "only a page has sliders; give --format html"),
        (["--what-if", "n=", "--format", "html"], "expected NAME or NAME=VALUE,VALUE,..."),
        (["--what-if", "n=2,x", "--format", "html"], "'x', expected a whole number above 0"),
        (["--what-if", "m", "--format", "html"], "--what-if m: no loop of the run has this size"),
        (["--what-if", "cores=4096", "--format", "html"], "4096"),
    ],
)
def test_mistakes_are_named(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = run(["analyze", TRIAD, *MACHINE, *options, "-o", str(tmp_path / "page.html")])
    said = capsys.readouterr().err
    assert code == 2
    assert expected in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "page.html").exists()
