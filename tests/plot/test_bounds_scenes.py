"""Plots of bounds: from any model's plot to lines where the numbers say."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.plot import Scene, ScenePoint, draw, draw_compact
from rooflint.plot.bounds_scenes import bounds_scenes
from rooflint.plot.from_report import kernel_plots
from rooflint.plot.scene import Curve, horizontal, vertical
from rooflint.plugin_api.drawing import BoundLevel, BoundLine, BoundsPlot, PlotData
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    LoopHeader,
    MachineResult,
    NestReport,
    Report,
    Summary,
    WorkReport,
)

SVG = "{http://www.w3.org/2000/svg}"
MAX_BYTES = 12 * 1024
# 2 flops and 24 B in 4 cycles: 16 B over L1 in 2 of them, 8 B from L2 in 3; arithmetic in 2, of
# which 1 with L2
BOUNDS = BoundsPlot(
    metric="flop",
    unit="flop/cy",
    intensity_per_byte=2 / 24,
    rate=0.5,
    lines=(
        BoundLine("add throughput", "throughput", "add", flat=2.0),
        BoundLine("add latency", "latency", "add", flat=1.0),
        BoundLine("add stalled by ROB", "stall", "add", flat=0.7),
        BoundLine("L1 throughput", "throughput", "L1", slope=24.0),
        BoundLine("L1 latency", "latency", "L1", slope=12.0),
        BoundLine("L2 latency", "latency", "L2", slope=8.0),
        BoundLine("add and L2", "overlap", flat=1.0, slope=8.0, alpha=0.5),
    ),
    levels=(BoundLevel("L1", 2 / 16), BoundLevel("L2", 2 / 8)),
)


def kernel(*machines: str, plot: BoundsPlot | None = BOUNDS) -> KernelReport:
    said = Prediction("anyone", "latency", "…", "0.5 flop/cy", plot=PlotData(bounds=plot))
    results = tuple(MachineResult(m, 1, "serial code", {}, (8.0,), (), (said,)) for m in machines)
    work = WorkReport("f64", 2, {}, 1, 0)
    return KernelReport("a.c:f/i", 3, 1, True, (LoopHeader("i", 3, "n", "1"),), work, (), results)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_every_line_has_its_height_at_the_loop() -> None:
    (found,) = bounds_scenes("t", kernel("m"))
    at = 2 / 24
    heights = {curve.name: curve.at(at) for curve in found.merged.curves}
    # slopes of 24, 12 and 8 B/cy at 1/12 flop/B
    assert heights["L1 throughput"] == pytest.approx(2.0)
    assert heights["L1 latency"] == pytest.approx(1.0)
    assert heights["L2 latency"] == pytest.approx(2 / 3)
    # 2 cycles for arithmetic, 3 for L2, of the shorter half at the same time: 2 + 3 - 1 = 4
    assert heights["add and L2"] == pytest.approx(2 / 4)
    assert found.merged.points[0].g_per_s == 0.5


def test_levels_have_their_own_bytes_and_the_same_heights() -> None:
    (found,) = bounds_scenes("t", kernel("m"))
    at = {point.name: point.intensity_per_byte for point in found.levels.points}
    assert at == {"L1": 2 / 16, "L2": 2 / 8}
    apart = {curve.name: curve for curve in found.levels.curves}
    # 16 B in 2 cycles, 8 B in 3
    assert apart["L1 latency 8 B/cy"].slope == pytest.approx(8.0)
    assert apart["L2 latency 2.67 B/cy"].slope == pytest.approx(8 / 3)
    merged = {curve.name: curve.at(2 / 24) for curve in found.merged.curves}
    assert apart["L1 latency 8 B/cy"].at(at["L1"]) == pytest.approx(merged["L1 latency"])
    assert apart["L2 latency 2.67 B/cy"].at(at["L2"]) == pytest.approx(merged["L2 latency"])
    assert not [curve for curve in found.levels.curves if curve.kind == "overlap"]


def test_an_overlap_bends_between_both_of_its_sides() -> None:
    curve = Curve("both", "overlap", 0, flat=2.0, slope=8.0, alpha=0.25)
    assert curve.ridge_per_byte == 0.25
    # the largest loss is at the ridge, 1 / (2 - alpha)
    assert curve.at(0.25) == pytest.approx(2.0 / 1.75)
    assert curve.at(1e9) == pytest.approx(2.0)
    assert curve.at(1e-9) == pytest.approx(8e-9)
    assert curve._replace(alpha=1.0).at(0.25) == 2.0


def test_the_picture_says_what_bounds() -> None:
    (found,) = bounds_scenes("a.c:3 f, for i", kernel("m"))
    said = texts(draw(found.merged))
    for text in (
        "a.c:3 f, for i",
        "m, anyone: 0.5 flop/cy, 0.0833 flop/B over all levels",
        "add throughput 2 flop/cy",
        "L1 throughput",
        "add latency 1",
        "add stalled by ROB 0.7",
        "L2 latency",
        "add and L2",
        "now 0.5 flop/cy",
        "intensity, all levels (flop/B)",
    ):
        assert text in said
    assert {"L1 0.5", "L2 0.5", "L1 latency 8 B/cy"} <= set(texts(draw(found.levels)))


def test_lines_outside_the_picture_have_no_names() -> None:
    far = BoundLine("L1 far", "throughput", "L1", slope=1e6)
    (found,) = bounds_scenes("t", kernel("m", plot=BOUNDS._replace(lines=(*BOUNDS.lines, far))))
    said = texts(draw(found.merged))
    assert "L1 far" not in said
    assert "L1 latency" in said


def test_both_pictures_of_a_kernel_are_small() -> None:
    (found,) = bounds_scenes("t", kernel("m"))
    assert len((draw(found.merged) + draw(found.levels)).encode()) <= MAX_BYTES
    assert len(draw_compact(found.merged).encode()) <= 5 * 1024


def test_files_are_named_after_machine_and_model() -> None:
    def names(*machines: str) -> list[str]:
        nests = (NestReport(3, 4, (kernel(*machines),)),)
        file = FileReport("a.c", "ok", (FunctionReport("f", 1, 1, nests, ()),))
        return [plot.name for plot in kernel_plots(Report("0", (), (file,), Summary(1, 1)))]

    assert names("m") == ["a.c_f_i-anyone", "a.c_f_i-anyone-levels"]
    assert names("m", "n")[2:] == ["a.c_f_i-n-anyone", "a.c_f_i-n-anyone-levels"]


@pytest.mark.parametrize(
    "plot", [None, BOUNDS._replace(lines=()), BOUNDS._replace(lines=(BoundLine("x", "latency"),))]
)
def test_without_a_line_nothing_is_drawn(plot: BoundsPlot | None) -> None:
    assert list(bounds_scenes("t", kernel("m", plot=plot))) == []


rates = st.floats(1e-6, 1e6)
# A name may be anything but what the test looks for: a number that is none.
names = st.text(max_size=12).filter(lambda name: "nan" not in name and "inf" not in name)
kinds = st.sampled_from(["throughput", "latency", "issue", "stall", "overlap", "of somebody"])


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    flat, slope = draw(st.none() | rates), draw(rates)
    share = draw(st.floats(0, 1))
    side = draw(st.none() | st.just(slope)) if flat is not None else slope
    return Curve(draw(names), draw(kinds), draw(st.integers(0, 9)), flat, side, share)


@settings(max_examples=100, deadline=None)
@given(st.lists(curves(), min_size=1, max_size=9), rates, rates)
def test_any_bounds_are_drawn_whole(lines: list[Curve], at: float, rate: float) -> None:
    scene = Scene("t", "flop", "flop/cy", (), (ScenePoint("", at, rate, 3),), curves=tuple(lines))
    for svg in (draw(scene), draw_compact(scene)):
        root = ET.fromstring(svg)
        assert "nan" not in svg and "inf" not in svg
        assert sum(1 for _ in root.iter(f"{SVG}path")) >= 2
    across = horizontal(scene, 600.0)
    up = vertical(scene, 400.0, across)
    assert 0 <= across(across.inside(at)) <= 600 and 0 <= up(up.inside(rate)) <= 400
