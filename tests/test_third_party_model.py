"""A model of another distribution with fields of its own, in everything that shows models."""

import ast
import json
import shutil
import sys
from collections.abc import Iterator
from math import inf
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
from rooflint.cli.main import run
from rooflint.pipeline import Options, Source, analyse
from rooflint.plot.from_report import kernel_plots
from rooflint.plugin_api.drawing import (
    BoundLine,
    BoundsPlot,
    LinkRoof,
    PlotData,
    RoofPlot,
    TimePlot,
    TimeShare,
    mistake_in,
)
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry, model_text
from rooflint.render.html import render_html
from rooflint.render.json import report_to_json
from rooflint.render.schema import report_schema

EXAMPLE = Path(__file__).parent / "third_party_plugin"
# 2 accesses and a division: 22 cycles of 2 GHz
DIVIDE = b"""void divide(double *restrict a, const double *restrict b, double c) {
  for (int i = 0; i < 100000000; i++)
    a[i] = b[i] / c;
}
"""
MACHINE = "icelake-sp-8360y"


def test_the_contract_is_all_that_a_plugin_imports() -> None:
    """So that a change inside of the analysis breaks nobody outside."""
    contract = ("rooflint.plugin_api.", "rooflint.rule_kit.", "rooflint.ir")
    imported = [
        node.module or ""
        for file in EXAMPLE.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom)
    ]
    ours = [module for module in imported if module.startswith("rooflint")]
    assert len(ours) > 3
    assert [module for module in ours if not module.startswith(contract)] == []


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a source file, where the example plugin is installed."""
    site = tmp_path / "site"
    site.mkdir()
    for file in EXAMPLE.glob("rooflint_example_plugin*"):
        shutil.copy(file, site)
    information = site / "rooflint_example_plugin-1.0.dist-info"
    information.mkdir()
    (information / "entry_points.txt").write_text("[rooflint]\nexample = rooflint_example_plugin\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.c").write_bytes(DIVIDE)
    yield tmp_path
    sys.modules.pop("rooflint_example_plugin", None)


@pytest.fixture
def report(installed: Path) -> Report:
    found = analyse([Source("k.c")], Options(machines=(MACHINE,)), load_registry())
    assert found.plugin_failures == ()
    return found


def test_text_shows_the_field(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["analyze", "k.c", "--machine", MACHINE, "--no-cache"]
    assert run(command) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "one-access 22 cy, 2 accesses, 22 cycles; the Roofline allows" in text
    assert "; accesses 2 1/it" in text and "divisions" not in text


def test_json_has_the_field_its_meaning_and_its_schema(report: Report) -> None:
    document = report_to_json(report)
    schema = report_schema(report.models)
    jsonschema.validate(document, schema)
    (model,) = [each for each in document["models"] if each["name"] == "one-access"]  # type: ignore[union-attr,index,call-overload]
    assert model["title"] == "access count"  # type: ignore[index,call-overload]
    assert model["fields"][0] == {  # type: ignore[index,call-overload]
        "name": "accesses",
        "unit": "1/it",
        "sentence": "loads and stores of an iteration",
        "schema": {"type": "number"},
    }
    text = json.dumps(document)
    assert text.count('"accesses": 2.0') == 1
    for wrong in (text.replace('"accesses": 2.0', '"accesses": "two"'),
                  text.replace('"accesses": 2.0', '"other": 2.0')):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(wrong), schema)


def test_it_is_drawn_beside_the_roofline(report: Report) -> None:
    plots = {plot.scene.work: plot for plot in kernel_plots(report)}
    assert sorted(plots) == ["access", "flop"]
    scene = plots["access"].scene
    assert plots["access"].name.endswith("-access")
    clock_ghz = scene.roofs[0].peak_g_per_s
    assert clock_ghz is not None and scene.unit == "Gaccess/s"
    assert scene.points[0].g_per_s == pytest.approx(clock_ghz * 2 / 22)
    # 8 B loaded, 8 B written after 8 B read for them
    assert scene.points[0].intensity_per_byte == pytest.approx(2 / 24)


def test_the_page_names_it_beside_the_verdict(report: Report) -> None:
    prediction = next(
        p for k in report.files[0].kernels() for p in k.results[0].predictions
        if p.model == "one-access"
    )  # fmt: skip
    assert f'"one-access: {prediction.headline}' in render_html(report)


@pytest.mark.parametrize("markdown", [True, False])
def test_the_hover_shows_it(report: Report, markdown: bool, shown: ModuleType) -> None:
    text = shown.hover_of(report, DIVIDE.decode(), markdown)
    assert "one" in text and "22 cy" in text and "accesses 2 1/it" in text


def test_a_rule_is_priced_by_it(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--select", "ACME201", "--machine", MACHINE, "--no-cache", "--", "-O3"]
    run(["lint", "k.c", *options])
    out = capsys.readouterr().out
    assert out.startswith("k.c:2:3: ") and out.rstrip().endswith("[ACME201]")
    assert "a multiplication: 22 → 2.0 cy per iteration, 11×" in out


def test_explain_says_what_its_fields_are(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", "one-access"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("one-access: What another distribution may bring")
    assert "  accesses (1/it)   loads and stores of an iteration\n" in text
    assert run(["explain", "roofline"]) == 0
    assert "peak_g_per_s (1e9/s)" in capsys.readouterr().out


def test_built_in_models_come_through_the_same_door(report: Report) -> None:
    (roofline,) = [model for model in report.models if model.name == "roofline"]
    data = report.files[0].functions[0].nests[0].kernels[0].results[0].predictions
    (own,) = [prediction.data for prediction in data if prediction.model == "roofline"]
    assert {field.name for field in roofline.fields} == own.keys()


class Bare:
    name = "bare"


class Odd:
    name = "odd"
    title = 3
    fields = 7


@pytest.mark.parametrize("model", [Bare(), Odd()])
def test_titles_and_fields_are_optional(model: object) -> None:
    text = model_text(model)  # type: ignore[arg-type]
    assert (text.title, text.fields) == (text.name, ())


ROOF = RoofPlot("flop", 1.0, 0.5)
TIMES = TimePlot(2.0, (TimeShare("T_OL", 2.0, overlaps=True), TimeShare("L1-L2", 0.0)), 8.0)
BOUNDS = BoundsPlot("flop", "flop/cy", 0.5, 1.0, (BoundLine("x", "latency", flat=1.0),))


@pytest.mark.parametrize(
    ("plot", "mistake"),
    [
        (None, ""),
        (PlotData(), ""),
        (PlotData(ROOF, BOUNDS), ""),
        (PlotData(ROOF._replace(intensity_per_byte=None)), ""),
        ("a plot", "plot is a str, expected a PlotData"),
        (PlotData(BOUNDS), "plot.roof is a BoundsPlot, expected a RoofPlot"),  # type: ignore[arg-type]
        (PlotData(None, ROOF), "plot.bounds is a RoofPlot, expected a BoundsPlot"),  # type: ignore[arg-type]
        (PlotData(ROOF._replace(g_per_s=0.0)), "plot.roof: g_per_s has to be a positive number"),
        (PlotData(ROOF._replace(g_per_s=inf)), "plot.roof: g_per_s has to be a positive number"),
        (PlotData(ROOF._replace(peak_g_per_s=-1.0)),
         "plot.roof: peak_g_per_s has to be a positive number"),
        (PlotData(ROOF._replace(levels=[1])), "plot: levels is no tuple of LinkRoof"),  # type: ignore[arg-type]
        (PlotData(ROOF._replace(levels=(LinkRoof("L1", True),))),
         "plot: levels: gb_s has to be a positive number"),
        (PlotData(None, BOUNDS._replace(rate=inf)),
         "plot.bounds: rate has to be a positive number"),
        (PlotData(times=TIMES), ""),
        (PlotData(times=TIMES._replace(by_cores=(2.0, None), saturation_cores=2)), ""),
        (PlotData(times=ROOF), "plot.times is a RoofPlot, expected a TimePlot"),  # type: ignore[arg-type]
        (PlotData(times=TIMES._replace(shares=(2.0,))), "plot: shares is no tuple of TimeShare"),  # type: ignore[arg-type]
        (PlotData(times=TIMES._replace(shares=(TimeShare("L1-L2", -1.0),))),
         "plot.times: cycles have to be 0 or more"),
        (PlotData(times=TIMES._replace(cycles=inf)), "plot.times: cycles have to be 0 or more"),
        (PlotData(times=TIMES._replace(by_cores=[2.0])), "plot.times: by_cores is no tuple"),  # type: ignore[arg-type]
        (PlotData(times=TIMES._replace(by_cores=(0.0,))),
         "plot.times: by_cores has to be positive numbers"),
        (PlotData(times=TIMES._replace(iterations_per_line=0.0)),
         "plot.times: iterations_per_line has to be a positive number"),
    ],
)  # fmt: skip
def test_a_plot_that_cannot_be_drawn_is_refused(plot: object, mistake: str) -> None:
    assert mistake_in(plot) == mistake
