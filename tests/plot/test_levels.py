"""Plots with nearer links, with the place of compulsory misses alone, with the other axis."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.plot import Scene, ScenePoint, SceneRoof, draw, draw_compact
from rooflint.plot.labels import LabelBox, Labels
from rooflint.plot.scene import horizontal, vertical
from rooflint.plugin_api.drawing import CeilingStep, LinkRoof, PlotPoint, RoofCeiling

SVG = "{http://www.w3.org/2000/svg}"
MAX_BYTES = 12 * 1024
MAX_COMPACT_BYTES = 5 * 1024

# Opteron X2 with the report's first kernel (UCB/EECS-2008-134, Figure 2)
OPTERON = SceneRoof(
    "opteron-x2, 4 cores",
    17.6,
    16.86,
    "L2-MEM",
    (
        RoofCeiling("tlp", "compute", 2.2, True),
        RoofCeiling("ilp-or-simd", "compute", 8.8),
        RoofCeiling("unit-stride", "memory", 4.22, True),
        RoofCeiling("affinity", "memory", 11.04),
    ),
    2.2,
    4.22,
)
STEPS = (CeilingStep("ilp-or-simd", 5.52, 2.51), CeilingStep("sw-prefetch", 8.43, 1.53))
KERNEL = ScenePoint("kernel 1", 0.5, 2.11, 0, STEPS)
SCENE = Scene("a.c:3 f, for i", "flop", "GFLOP/s", (OPTERON,), (KERNEL,), "opteron-x2")
FULL = SCENE._replace(
    roofs=(
        OPTERON._replace(levels=(LinkRoof("REG-L1", 64.0, 0.25), LinkRoof("L1-L2", 32.0, 2.0))),
    ),
    points=(KERNEL._replace(compulsory=PlotPoint(4.0, 2.2)),),
)
"""The report's first kernel with two nearer links, and its intensity without all but compulsory
misses: 8 times as high, where the lowest compute ceiling holds it, x 2.2 / 2.11."""


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_roofs_over_nearer_links_have_the_kernel_at_its_height() -> None:
    svg = draw(FULL)
    said = texts(svg)
    assert {"REG-L1 64", "L1-L2 32", "REG-L1", "L1-L2"} <= set(said)
    root = ET.fromstring(svg)
    assert len([e for e in root.iter(f"{SVG}path") if e.get("class") == "l v"]) == 2
    across = horizontal(FULL, 686)
    up = vertical(FULL, 386, across)
    middles = []
    for mark in [e for e in root.iter(f"{SVG}path") if e.get("class") == "o d"]:
        pairs = re.findall(r"(-?[\d.]+) (-?[\d.]+)", mark.get("d") or "")
        x = sum(float(a) for a, _ in pairs) / len(pairs)
        y = sum(float(b) for _, b in pairs) / len(pairs)
        assert y == pytest.approx(386 - up(2.11), abs=0.5)
        middles.append(x)
    assert middles == pytest.approx([across(0.25), across(2.0)], abs=0.5)
    # the small picture has room for the roof alone
    assert "L1-L2 32" not in texts(draw_compact(FULL))


def test_a_link_at_the_same_intensity_has_no_marker_of_its_own() -> None:
    same = OPTERON._replace(levels=(LinkRoof("L1-L2", 140.8, 0.5),))
    assert "o d" not in {
        e.get("class") for e in ET.fromstring(draw(SCENE._replace(roofs=(same,)))).iter()
    }


def test_an_arrow_leads_to_compulsory_misses_alone() -> None:
    assert "at best 4 flop/B: ×1.04" in texts(draw(FULL))
    # beyond the picture it points to the edge; without a gain it says none
    far = KERNEL._replace(compulsory=PlotPoint(4096.0, 2.11))
    assert "at best 4096 flop/B" in texts(draw(SCENE._replace(points=(far,))))
    for svg in (draw(FULL), draw_compact(FULL)):
        arrows = [
            e for e in ET.fromstring(svg).iter(f"{SVG}path")
            if e.get("class") == "l d" and (e.get("d") or "").count("L") == 3
        ]  # fmt: skip
        assert len(arrows) == 1


def test_the_full_picture_is_small() -> None:
    assert len(draw(FULL).encode()) <= MAX_BYTES
    assert len(draw_compact(FULL).encode()) <= MAX_COMPACT_BYTES


def test_the_axis_is_named() -> None:
    aware = SCENE._replace(axis="cache-aware intensity")
    assert "cache-aware intensity (flop/B)" in texts(draw(aware))


@given(st.tuples(*[st.floats(-50, 50)] * 4))
def test_a_line_crosses_a_box_where_a_point_of_it_lies_inside(
    ends: tuple[float, float, float, float],
) -> None:
    x0, y0, x1, y1 = ends
    labels = Labels(100, 100, 10)
    labels.cross(((x0, y0), (x1, y1)))
    box = LabelBox(-10, -8, 12, 9)
    # the same asked of many points on the line, with the room that texts keep
    inside = any(
        -13 < x0 + t / 500 * (x1 - x0) < 15 and -11 < y0 + t / 500 * (y1 - y0) < 12
        for t in range(501)
    )
    if inside:
        assert labels.crossed(box)
    wider = any(
        -13.3 < x0 + t / 500 * (x1 - x0) < 15.3 and -11.3 < y0 + t / 500 * (y1 - y0) < 12.3
        for t in range(501)
    )
    if not wider:
        assert not labels.crossed(box)


@pytest.mark.parametrize("file_format", ["png", "pdf"])
def test_matplotlib_draws_links_and_arrows(file_format: str) -> None:
    pytest.importorskip("matplotlib", reason="PNG and PDF come with the extra [plot]")
    from rooflint.plot.figure import render  # noqa: PLC0415

    found = render(FULL, file_format)
    assert found.startswith(b"\x89PNG" if file_format == "png" else b"%PDF")
    assert found != render(SCENE, file_format)
