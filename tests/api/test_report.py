"""The report of the API: a sequence, tables, pictures."""

import dataclasses
import importlib.util
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import rooflint
from rooflint.api.frames import BACKENDS, frame_of
from rooflint.render.layout import Style
from rooflint.render.ranked.report import render_ranked
from rooflint.render.ranked.request import RankedRequest, ReportView

ROOT = Path(__file__).parents[2]
MACHINE = "skylake-sp-6148"


@pytest.fixture(scope="module")
def report() -> rooflint.Report:
    return rooflint.analyze(ROOT / "examples", machine=MACHINE, cache=False)


def test_loops_come_in_the_order_of_their_time(report: rooflint.Report) -> None:
    shares = [loop.estimated_share or 0.0 for loop in report]
    assert len(shares) > 10
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0)


def test_a_report_is_an_immutable_sequence(report: rooflint.Report) -> None:
    assert report[0] is report.loops[0] and report[-1] is report.loops[-1]
    assert report[0] in report and report.index(report[2]) == 2
    assert list(reversed(report)) == list(report.loops[::-1])
    with pytest.raises(IndexError):
        report[len(report)]
    with pytest.raises(TypeError):
        report[0] = report[1]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        report[0].line = 1  # type: ignore[misc]
    with pytest.raises(AttributeError):
        report.other = 1  # type: ignore[attr-defined]
    assert report == rooflint.analyze(ROOT / "examples", machine=MACHINE, cache=False)
    assert report != report.top(1)


def test_a_part_of_a_report_is_one(report: rooflint.Report) -> None:
    for part in (report[:3], report.top(3), report.filter(lambda loop: loop in report.loops[:3])):
        assert isinstance(part, rooflint.Report)
        assert [loop.id for loop in part] == [loop.id for loop in report.loops[:3]]
        assert len(json.loads(part.to_json())["verdicts"]) == 3
    assert list(report.filter(lambda _: False)) == []


def test_records_are_plain_values(report: rooflint.Report) -> None:
    records = report.records()
    assert [record["line"] for record in records] == [loop.line for loop in report]
    assert json.loads(json.dumps(records)) == records
    assert {type(value) for record in records for value in record.values()} <= {
        str, int, float, type(None),
    }  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_frame_has_a_row_for_each_loop(report: rooflint.Report, backend: str) -> None:
    pytest.importorskip(backend, reason="comes with .ci/run")
    frame = report.to_frame(backend)  # type: ignore[arg-type]
    assert type(frame).__module__.startswith(backend)
    assert list(frame.columns) == list(report.records()[0])
    assert list(frame["gain"]) == [loop.gain for loop in report]


def test_without_a_library_of_frames_the_remedy_is_named(
    report: rooflint.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rooflint.api.frames.find_spec", lambda _: None)
    with pytest.raises(rooflint.UsageError, match=r"pandas or polars: pip install pandas"):
        report.to_frame()
    with pytest.raises(rooflint.UsageError, match=r"needs polars: pip install polars"):
        report.to_frame("polars")
    assert frame_of.__module__ == "rooflint.api.frames"


def test_plot_draws_on_the_axes_given(report: rooflint.Report) -> None:
    figures = pytest.importorskip("matplotlib.figure", reason="comes with rooflint[plot]")
    axes = figures.Figure().add_subplot()
    assert report.plot(axes) is axes
    assert axes.get_xscale() == "log"
    assert len(axes.get_lines()) > len(report) / 2
    with pytest.raises(rooflint.UsageError, match="no model draws"):
        report.filter(lambda _: False).plot(axes)


def test_plot_without_matplotlib_names_the_remedy(report: rooflint.Report) -> None:
    if importlib.util.find_spec("matplotlib"):
        pytest.skip("matplotlib is installed")
    with pytest.raises(rooflint.UsageError, match=r"pip install 'rooflint\[plot\]'"):
        report.plot()


def test_a_notebook_shows_the_columns_of_the_text_report(report: rooflint.Report) -> None:
    table = ET.fromstring(f"<div>{report._repr_html_()}</div>")
    rows = [[cell.text for cell in row] for row in table.iter("tr")]
    assert rows[0] == ["time", "loop", "function", "limit", "now → possible", "do"]
    assert len(rows) == 1 + min(len(report), 20)
    by_loop = RankedRequest(view=ReportView.ALL, quiet=True)
    first = render_ranked(report._report, Style(96), by_loop).splitlines()[1].split()
    assert (rows[1][0] or "").split() == first[1:3]
    assert rows[1][1] == f"{report[0].file}:{report[0].line}"
    assert (rows[1][5] or "").split() == first[-len((rows[1][5] or "").split()) :]


def test_names_of_the_source_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "<b>&.c").write_text(
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }"
    )
    html = rooflint.analyze(tmp_path, cache=False)._repr_html_()
    assert "&lt;b&gt;&amp;.c:1" in html and "<b>" not in html


def test_a_loop_draws_itself(report: rooflint.Report) -> None:
    loop = next(loop for loop in report if loop.gflops)
    svg = loop._repr_svg_()
    assert svg is not None and ET.fromstring(svg).tag.endswith("svg")
