"""Texts of pictures lie on no other text: the boxes of all texts are measured."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rooflint.cli.main import run
from rooflint.plot import Scene, ScenePoint, SceneRoof, draw, draw_compact, draw_floating
from rooflint.plot.canvas import Canvas
from rooflint.plot.draw import FULL
from rooflint.plot.labels import Anchor, LabelBox, LabelPlace, Labels
from rooflint.plot.scene import horizontal
from rooflint.plugin_api.drawing import LinkRoof

SVG = "{http://www.w3.org/2000/svg}"
PROCEDURES = Path(__file__).parents[2] / "examples" / "procedures"
ANCHORS: dict[str | None, Anchor] = {
    None: "start",
    "start": "start",
    "middle": "middle",
    "end": "end",
}
ROUNDED = 0.2
"""Pixels by which boxes may meet: places are written with one decimal."""
ROOF = SceneRoof(
    "toy, 1 core",
    76.8,
    12.3,
    "L3-MEM",
    levels=(LinkRoof("L1-L2", 90.0), LinkRoof("L2-L3", 30.0)),
)


def boxes(svg: str, font_px: float = 11.0) -> Iterator[tuple[str, LabelBox]]:
    """Each text with the area that it takes; a slanted one has several."""
    root = ET.fromstring(svg)
    yield from _boxes(root, (0.0, 0.0), float(root.get("font-size") or font_px))


def _boxes(
    parent: ET.Element, moved: tuple[float, float], font_px: float
) -> Iterator[tuple[str, LabelBox]]:
    for each in parent:
        if each.tag == f"{SVG}svg":
            inner = float(each.get("x") or 0), float(each.get("y") or 0)
            yield from _boxes(each, (moved[0] + inner[0], moved[1] + inner[1]), font_px)
        elif each.tag == f"{SVG}text":
            size = float(each.get("font-size") or font_px)
            turn = re.match(r"rotate\(([-\d.]+)", each.get("transform") or "")
            x, y = float(each.get("x") or 0) + moved[0], float(each.get("y") or 0) + moved[1]
            place = LabelPlace(
                x, y, ANCHORS[each.get("text-anchor")], float(turn[1]) if turn else 0.0
            )
            text = "".join(each.itertext())
            for box in Labels(1e4, 1e4, size).boxes(text, place):
                yield text, box
        else:
            yield from _boxes(each, moved, font_px)


def overprinted(svg: str) -> set[tuple[str, str]]:
    """Pairs of texts of which some area is the same."""
    found = list(boxes(svg))
    smaller = [
        LabelBox(b.left + ROUNDED, b.top + ROUNDED, b.right - ROUNDED, bottom=b.bottom - ROUNDED)
        for _, b in found
    ]
    return {
        (text, other)
        for place, (text, box) in enumerate(found)
        for (other, _), smaller_box in zip(found[:place], smaller[:place], strict=True)
        if text != other and box.meets(smaller_box)
    }


def overview(count: int, seed: int) -> Scene:
    """So many kernels, most of them close together, as those of programs are."""
    drawn = random.Random(seed)
    points = [
        ScenePoint(
            f"solver.cc:{10 * place} Calculate{drawn.randrange(99)}",
            2 ** drawn.gauss(-3, 1),
            2 ** drawn.gauss(1, 1.2),
        )
        for place in range(count)
    ]
    return Scene(f"{count} kernels", "flop", "GFLOP/s", (ROOF,), tuple(points), "toy")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("count", [1, 2, 10, 100, 500])
def test_no_label_of_an_overview_lies_on_another(count: int, seed: int) -> None:
    scene = overview(count, seed)
    assert overprinted(draw(scene)) == set()
    assert overprinted(draw_compact(scene)) == set()
    assert overprinted(draw_floating(scene)) == set()


def test_kernels_are_numbered_where_a_name_finds_no_room() -> None:
    apart = [ScenePoint(f"k{n}", 4.0**n / 64, 4.0**n / 16) for n in range(4)]
    scene = Scene("4 kernels", "flop", "GFLOP/s", (ROOF,), tuple(apart))
    named = [text for text, _ in boxes(draw(scene))]
    assert [text for text in named if text.startswith("k")] == [
        f"k{n} {rate}" for n, rate in enumerate(("0.0625", "0.25", "1", "4"))
    ]
    together = [each._replace(intensity_per_byte=0.25, g_per_s=1.0) for each in apart * 3]
    close = [each._replace(name=f"kernel {n}") for n, each in enumerate(together)]
    listed = [text for text, _ in boxes(draw(scene._replace(points=tuple(close))))]
    assert {f"{n + 1} kernel {n}" for n in range(12)} <= set(listed)


@pytest.mark.parametrize(("is_minor", "octaves"), [(True, 12), (False, 26)])
def test_a_kernel_of_no_time_does_not_stretch_the_axes(is_minor: bool, octaves: int) -> None:
    hot = ScenePoint("hot", 0.25, 2.0)
    far = ScenePoint("far", 2.0**18, 2.0**-16, is_minor=is_minor)
    scene = Scene("2 kernels", "flop", "GFLOP/s", (ROOF,), (hot, far))
    axis = horizontal(scene, 700)
    assert axis.last - axis.first <= octaves
    assert (axis.last < 18) is is_minor
    x, y = Canvas(scene, FULL).spot(far)
    assert 0 < x < FULL.across and 0 < y < FULL.down  # at the edge


def test_texts_on_each_other_are_found() -> None:
    picture = '<svg xmlns="http://www.w3.org/2000/svg" font-size="10">{}</svg>'
    pair = '<text x="5" y="20">one</text><text x="{}" y="{}">two</text>'
    assert overprinted(picture.format(pair.format(12, 22))) == {("two", "one")}
    assert overprinted(picture.format(pair.format(12, 40))) == set()
    assert overprinted(picture.format(pair.format(40, 20))) == set()


@pytest.mark.parametrize(
    ("name", "machine"),
    [
        ("dgemm_resident", "titan-node"),
        ("mg_cluster", "vm9-cluster8"),
        ("fft_short", "vm7"),
        ("stencil_streamed", "vm9-800"),
    ],
)
def test_no_label_of_an_estimate_lies_on_another(name: str, machine: str, tmp_path: Path) -> None:
    file = tmp_path / "picture.svg"
    command = ["estimate", str(PROCEDURES / f"{name}.yaml"), "--machine", machine]
    run([*command, "--picture", str(file), "-o", str(tmp_path / "text")])
    svg = file.read_text(encoding="utf-8")
    assert len(list(boxes(svg))) > 10
    assert overprinted(svg) == set()
