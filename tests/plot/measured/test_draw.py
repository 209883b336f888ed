"""Charts as SVG: well-formed, without script, and with all that lies in them in the picture."""

from xml.etree import ElementTree as ET

import pytest
from rooflint.measure.results import MeasurementReport
from rooflint.plot.measured.chart import (
    Chart,
    ChartBand,
    ChartLine,
    ChartMark,
    ChartPoint,
    ChartZone,
)
from rooflint.plot.measured.draw import draw_chart
from rooflint.plot.measured.pictures import pictures

SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 16 * 1024
LINE = ChartLine("model", 0, (((10.0, 1.0), (1000.0, 2.0)),))
EMPTY = Chart(title="t", subtitle="", x_name="n", y_name="cycles")


def point(x: float, y: float, high: float | None = None, *, stable: bool = True) -> ChartPoint:
    ends = (y, high if high is not None else y)
    return ChartPoint(x=x, y=y, batches=ends, processes=ends, is_stable=stable)


def texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ET.fromstring(svg).iter(f"{SVG}text")]


def test_pictures_of_a_measurement(
    recording: MeasurementReport, in_memory: MeasurementReport
) -> None:
    drawn = [
        draw_chart(each.chart) for report in (recording, in_memory) for each in pictures(report)
    ]
    assert len(drawn) == 3
    for svg in drawn:
        root = ET.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert not {each.tag for each in root.iter()} & {f"{SVG}script", f"{SVG}image", f"{SVG}a"}
        assert "prefers-color-scheme:dark" in svg
        assert len(svg) <= MOST_BYTES
    assert "1536: rows of a L1 → L2" in texts(drawn[0])
    assert "a layer condition breaks" in texts(drawn[0])
    assert "T_nOL" in texts(drawn[1])
    assert any(text.startswith("n_S = ") for text in texts(drawn[2]))


def test_a_page_has_the_style_once() -> None:
    assert "<style>" in draw_chart(EMPTY)
    assert "<style>" not in draw_chart(EMPTY, styled=False)


@pytest.mark.parametrize(
    "chart",
    [
        EMPTY,
        EMPTY._replace(points=(point(100, 1.0),)),
        EMPTY._replace(points=(point(1, 1e-4),), lines=(LINE,), per_line=8.0),
        EMPTY._replace(points=(point(1e9, 1e4),)),
        EMPTY._replace(points=(point(1, 1.0),), across="cores"),
        EMPTY._replace(zones=(ChartZone("L1", 1.0, 1.0),), lines=(LINE,)),
    ],
)
def test_extremes_stay_in_the_picture(chart: Chart) -> None:
    root = ET.fromstring(draw_chart(chart))
    assert "nan" not in ET.tostring(root, encoding="unicode")
    width, height = (float(root.get(key, "0")) for key in ("width", "height"))
    for each in root.iter(f"{SVG}text"):
        assert 0 <= float(each.get("x", "-1")) <= width
        assert 0 <= float(each.get("y", "-1")) <= height


def test_names_are_escaped() -> None:
    hostile = "<script>&\u202e"
    band = ChartBand(hostile, 0, ((((1.0, 1.0), (2.0, 1.0)), ((1.0, 0.0), (2.0, 0.0))),))
    chart = EMPTY._replace(
        title=hostile,
        subtitle=hostile,
        x_name=hostile,
        lines=(LINE._replace(name=hostile),),
        bands=(band,),
        marks=(ChartMark(20.0, hostile),),
        zones=(ChartZone(hostile, 10.0, 1000.0),),
    )
    svg = draw_chart(chart)
    assert "<script" not in svg
    assert "\u202e" not in svg
    ET.fromstring(svg)


def test_a_bar_past_the_edge_stays_open() -> None:
    """A disturbed batch, 50 times as long, does not squash the rest."""
    chart = EMPTY._replace(lines=(LINE,), points=(point(100, 1.0, high=50.0),))
    labels = [float(text) for text in texts(draw_chart(chart)) if text.replace(".", "").isdigit()]
    assert 2.0 <= max(label for label in labels if label < 9) < 3.0
    closed = EMPTY._replace(lines=(LINE,), points=(point(100, 1.0, high=2.0),))
    assert bar_ends(draw_chart(chart)) == bar_ends(draw_chart(closed)) - 2


def bar_ends(svg: str) -> int:
    """Strokes of all bars."""
    groups = [
        each for each in ET.fromstring(svg).iter(f"{SVG}g") if each.find(f"{SVG}title") is not None
    ]
    return sum([path.get("d", "").count("M") for group in groups for path in group])


def test_disturbed_points_look_otherwise() -> None:
    chart = EMPTY._replace(points=(point(100, 1.0), point(200, 1.0, stable=False)))
    names = texts(draw_chart(chart))
    assert "measured" in names
    assert "disturbed: an upper bound" in names
    assert "disturbed: an upper bound" not in texts(
        draw_chart(EMPTY._replace(points=(point(9, 1),)))
    )


def test_a_second_axis_counts_lines() -> None:
    plain = texts(draw_chart(EMPTY._replace(lines=(LINE,))))
    lines = texts(draw_chart(EMPTY._replace(lines=(LINE,), per_line=8.0)))
    assert "cycles per cache line of work" not in plain
    assert "cycles per cache line of work" in lines
    assert "16" in lines
    assert "16" not in plain


def test_many_names_take_more_rows() -> None:
    lines = tuple([LINE._replace(name=f"a model with a long name {n}", series=n) for n in range(8)])
    few = ET.fromstring(draw_chart(EMPTY._replace(lines=lines[:2])))
    many = ET.fromstring(draw_chart(EMPTY._replace(lines=lines)))
    assert float(many.get("height", 0)) > float(few.get("height", 0))
