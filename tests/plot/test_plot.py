"""Roofline plots: well-formed, small, legible, and drawn where the numbers say."""

import math
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.escaping import visible
from rooflint.plot import Scene, ScenePoint, SceneRoof, draw, draw_compact, draw_floating, style
from rooflint.plot.labels import LabelBox, LabelPlace, Labels
from rooflint.plot.scene import Axis, horizontal, power_text, vertical
from rooflint.plot.svg import DARK, LIGHT, NEUTRAL, escape
from rooflint.plugin_api.drawing import CeilingStep, LinkRoof, PlotPoint, RoofCeiling, Side

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
        RoofCeiling("balance", "compute", 17.6),
        RoofCeiling("unit-stride", "memory", 4.22, True),
        RoofCeiling("affinity", "memory", 11.04),
        RoofCeiling("sw-prefetch", "memory", 16.86),
    ),
    2.2,
    4.22,
)
STEPS = (
    CeilingStep("affinity", 2.2, 1.04),
    CeilingStep("ilp-or-simd", 5.52, 2.51),
    CeilingStep("sw-prefetch", 8.43, 1.53),
)
KERNEL = ScenePoint("kernel 1", 0.5, 2.11, 0, STEPS)
SCENE = Scene("a.c:3 f, for i", "flop", "GFLOP/s", (OPTERON,), (KERNEL,), "opteron-x2")


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_the_picture_says_what_is_left() -> None:
    said = texts(draw(SCENE))
    for text in (
        "a.c:3 f, for i",
        "opteron-x2",
        "peak 17.6 GFLOP/s",
        "16.9 GB/s L2-MEM",
        "ridge 1.04",
        "ilp-or-simd 8.8",
        "affinity 11",
        "×1.04 affinity",
        "×2.51 ilp-or-simd",
        "×1.53 sw-prefetch",
        "now 2.11 GFLOP/s",
        "intensity (flop/B)",
        "both",
        "memory",
        "compute",
    ):
        assert text in said, text


def test_axes_are_powers_of_two() -> None:
    said = texts(draw(SCENE))
    assert {"1/4", "1/2", "1", "2", "4", "8", "16"} <= set(said)
    assert [power_text(e) for e in (-3, 0, 4)] == ["1/8", "1", "16"]


def test_sizes() -> None:
    assert len(draw(SCENE).encode()) <= MAX_BYTES
    assert len(draw_compact(SCENE).encode()) <= MAX_COMPACT_BYTES


def test_nothing_from_outside() -> None:
    # no script, no link, no font, no identifier that another picture on the page could share
    for svg in (draw(SCENE), draw_compact(SCENE)):
        root = ET.fromstring(svg)
        assert {e.tag for e in root.iter()} <= {
            SVG + name for name in ("svg", "title", "style", "rect", "path", "text", "g")
        }
        for element in root.iter():
            assert not {"id", "href", "onload"} & set(element.attrib)
        assert "url(" not in svg
        assert "@import" not in svg


def test_the_style_stays_inside_the_picture() -> None:
    sheet = ET.fromstring(draw(SCENE)).find(f"{SVG}style")
    assert sheet is not None
    assert sheet.text
    rules = re.sub(r"@media\([^)]*\)\{(.*?\})\}", r"\1", sheet.text)
    selectors = [
        s.strip() for rule in rules.split("}") if rule for s in rule.split("{")[0].split(",")
    ]
    assert selectors
    assert all(selector.startswith(".rl") for selector in selectors)


def test_many_pictures_on_a_page_share_one_style() -> None:
    for drawn in (draw, draw_compact):
        assert drawn(SCENE) == drawn(SCENE, styled=False).replace("<title>", style() + "<title>", 1)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(d + d for d in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("ground", ["#ffffff", "#1f1f1f"], ids=["light hover", "dark hover"])
def test_a_picture_without_ground_is_legible_on_any(ground: str) -> None:
    paper = luminance(ground)
    for name in ("ink", "dim", *"abcde"):
        low, high = sorted((paper, luminance(NEUTRAL[name])))
        assert (high + 0.05) / (low + 0.05) >= 3, name


def test_a_picture_without_ground_leaves_it_to_the_page() -> None:
    svg = draw_floating(SCENE)
    assert len(svg.encode()) <= MAX_COMPACT_BYTES
    assert "currentColor" not in svg  # an image inherits none
    assert "prefers-color-scheme" not in svg  # that of the system, not of the editor
    assert not [e for e in ET.fromstring(svg).iter(f"{SVG}rect") if e.get("width") == "100%"]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_stand_out(colours: dict[str, str]) -> None:
    # WCAG 2: 4.5 for text; lines and markers carry text of the same colour
    assert "prefers-color-scheme:dark" in draw(SCENE)
    paper = luminance(colours["paper"])
    for name in ("ink", "dim", "a", "b", "c", "d", "e"):
        other = luminance(colours[name])
        ratio = (max(paper, other) + 0.05) / (min(paper, other) + 0.05)
        assert ratio >= 4.5, (name, round(ratio, 2))


def simulate(colour: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    digits = colour[1:] if len(colour) == 7 else "".join(d + d for d in colour[1:])
    parts = [int(digits[place : place + 2], 16) for place in (0, 2, 4)]
    return tuple(sum(m * p for m, p in zip(row, parts, strict=True)) for row in matrix)


# Viénot, Brettel, Mollon 1999, in RGB: deuteranopia and protanopia
DEUTERANOPIA = ((0.29, 0.71, 0.0), (0.29, 0.71, 0.0), (-0.02, 0.02, 1.0))
PROTANOPIA = ((0.11, 0.89, 0.0), (0.11, 0.89, 0.0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize("matrix", [DEUTERANOPIA, PROTANOPIA], ids=["deuteranopia", "protanopia"])
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_two_kinds_of_ceilings_differ_for_the_colour_blind(
    colours: dict[str, str], matrix: tuple[tuple[float, ...], ...]
) -> None:
    compute, memory = simulate(colours["a"], matrix), simulate(colours["b"], matrix)
    assert math.dist(compute, memory) > 80


def outline(path: str) -> tuple[tuple[int, int], ...]:
    """Corners relative to the first, in whole pixels."""
    corners = [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]
    return tuple((round(x - corners[0][0]), round(y - corners[0][1])) for x, y in corners)


def test_series_differ_without_colour() -> None:
    roofs = tuple(SceneRoof(f"machine {n}", 10.0 * 2**n, 5.0 * 2**n) for n in range(5))
    points = tuple(ScenePoint(f"k{n}", 0.5, 2.0 * 2**n, n) for n in range(5))
    root = ET.fromstring(draw(Scene("", "flop", "GFLOP/s", roofs, points)))
    thick = [e for e in root.iter(f"{SVG}path") if (e.get("class") or "").startswith("r ")]
    assert len({e.get("stroke-dasharray") for e in thick}) == 5
    markers = [e for e in root.iter(f"{SVG}path") if re.fullmatch("m[a-e]", e.get("class") or "")]
    assert len({outline(e.get("d") or "") for e in markers}) == 5


@pytest.mark.parametrize(
    "name", ["operator<<", "a && b", 'say "x"', "]]>", "<script>alert(1)</script>", "\x1b[31m\x00"]
)
def test_names_from_source_are_escaped(name: str) -> None:
    roof = OPTERON._replace(name=name, link=name)
    scene = Scene(
        name, name, name, (roof, roof), (ScenePoint(name, 1, 1), ScenePoint(name, 2, 2)), name
    )
    for svg in (draw(scene), draw_compact(scene)):
        root = ET.fromstring(svg)
        assert root.find(f".//{SVG}script") is None
        title = root.find(f"{SVG}title")
        assert title is not None
        assert title.text == visible(name)


@given(st.text())
def test_any_text_can_be_escaped(text: str) -> None:
    element = ET.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert (element.text or "") == visible(text) == element.get("b")


def test_the_kernel_stands_at_its_coordinates() -> None:
    # one kernel: its marker's middle is where the axes put (0.5, 2.11)
    root = ET.fromstring(draw(SCENE))
    (marker,) = [e for e in root.iter(f"{SVG}path") if e.get("class") == "md"]
    pairs = re.findall(r"(-?[\d.]+) (-?[\d.]+)", marker.get("d") or "")
    x = sum(float(a) for a, _ in pairs) / len(pairs)
    y = sum(float(b) for _, b in pairs) / len(pairs)
    across = horizontal(SCENE, 686)
    up = vertical(SCENE, 386, across)
    assert x == pytest.approx(across(0.5), abs=0.5)
    assert y == pytest.approx(386 - up(2.11), abs=0.5)


def test_an_axis_gives_every_octave_the_same_room() -> None:
    axis = Axis(-2, 3, 500)
    assert [axis(2.0**e) for e in (-2, -1, 0, 3)] == [0, 100, 200, 500]
    assert list(axis.ticks(90)) == [-2, -1, 0, 1, 2, 3]
    assert list(axis.ticks(150)) == [-2, 0, 2]


def test_labels_do_not_lie_on_each_other() -> None:
    labels = Labels(200, 100, 10)
    assert labels.put("first", [LabelPlace(10, 20)])
    assert labels.put("second", [LabelPlace(10, 20), LabelPlace(10, 40)])
    assert not labels.put("third", [LabelPlace(10, 20), LabelPlace(12, 41)])
    assert len(labels.markup) == 2
    assert 'y="40"' in labels.markup[1]
    assert labels.put("must", [LabelPlace(10, 20)], must=True)
    assert not labels.put("outside", [LabelPlace(190, 20)])


def test_a_slanted_label_covers_its_diagonal() -> None:
    labels = Labels(200, 200, 10)
    boxes = labels.boxes("x" * 20, LabelPlace(10, 150, degrees=-45))
    # 20 characters of 5.6 px: the last box is 112 px away at 45 degrees
    assert boxes[-1].left - boxes[0].left == pytest.approx(112 * math.cos(math.pi / 4), abs=0.1)
    assert boxes[0].top - boxes[-1].top == pytest.approx(112 * math.sin(math.pi / 4), abs=0.1)
    assert not labels.boxes("x" * 20, LabelPlace(10, 150, degrees=-45))[0].meets(
        LabelBox(100, 20, 110, 30)
    )


def test_broken_ceilings_are_faint_and_missing_ones_dashed() -> None:
    root = ET.fromstring(draw(SCENE))
    lines = [
        e for e in root.iter(f"{SVG}path") if re.fullmatch("l [ab]( x)?", e.get("class") or "")
    ]
    # the roof's own two lines are not drawn twice: tlp and unit-stride broken, two missing
    assert sorted(e.get("class") or "" for e in lines) == ["l a", "l a x", "l b", "l b x"]
    assert all(
        (e.get("stroke-dasharray") is None) == e.get("class", "").endswith("x") for e in lines
    )


def test_a_region_out_of_sight_is_not_named() -> None:
    # a kernel far right of the ridge point: where memory alone binds is left of the picture
    far = SCENE._replace(points=(KERNEL._replace(intensity_per_byte=64.0, g_per_s=2.2, steps=()),))
    said = texts(draw(far))
    assert "compute" in said
    assert "memory" not in said


def test_many_kernels_are_numbered() -> None:
    points = tuple(ScenePoint(f"kernel_{n}", 2.0 ** (n % 7 - 4), 1.0 + n, 0) for n in range(60))
    svg = draw(Scene("all", "flop", "GFLOP/s", (OPTERON._replace(lines=()),), points))
    said = texts(svg)
    assert "1 kernel_0" in said
    assert any(re.fullmatch(r"and \d+ more", text) for text in said)
    titles = [e.text or "" for e in ET.fromstring(svg).iter(f"{SVG}title")]
    assert any(title.startswith("kernel_59: ") for title in titles)


def test_a_kernel_on_several_machines_has_one_number() -> None:
    roofs = tuple(SceneRoof(f"m{n}", 10.0 * 2**n, 5.0) for n in range(3))
    points = tuple(ScenePoint(f"k{n // 3}", 0.5, 1.0 + n, n % 3) for n in range(15))
    said = texts(draw(Scene("all", "flop", "GFLOP/s", roofs, points)))
    assert [text for text in said if re.fullmatch(r"\d+ k\d+", text)] == [
        f"{n + 1} k{n}" for n in range(5)
    ]


def test_a_copy_has_only_a_diagonal() -> None:
    scene = Scene(
        "copy", "byte", "GB/s", (SceneRoof("m", None, 16.0),), (ScenePoint("", 1.0, 16.0),)
    )
    said = texts(draw(scene))
    assert "16 GB/s" in said
    assert not any(text.startswith(("ridge", "peak")) for text in said)


def test_what_holds_a_kernel_below_the_roof_is_named() -> None:
    held = KERNEL._replace(intensity_per_byte=4.0, limit="REG-L1")
    assert "8.43 held by REG-L1" in texts(draw(SCENE._replace(points=(held,))))
    still = held._replace(steps=())
    assert "now 2.11 GFLOP/s, held by REG-L1" in texts(draw(SCENE._replace(points=(still,))))


rates = st.floats(1e-4, 1e6)
# A title may be anything but what the test looks for: a number that is none.
titles = st.text(max_size=30).filter(lambda title: "nan" not in title and "inf" not in title)
SIDES: tuple[Side, ...] = ("compute", "memory")


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    roofs = []
    for number in range(draw(st.integers(1, 4))):
        peak = draw(st.none() | rates)
        fast = draw(rates) if peak is None else draw(st.none() | rates)
        lines = []
        for place in range(draw(st.integers(0, 4))):
            side = draw(st.sampled_from(SIDES))
            lines.append(RoofCeiling(f"c{place}", side, draw(rates), draw(st.booleans())))
        now = draw(st.none() | rates), draw(st.none() | rates)
        levels = tuple(
            LinkRoof(f"L{place}", draw(rates), draw(st.none() | rates))
            for place in range(draw(st.integers(0, 3)))
        )
        roofs.append(SceneRoof(f"m{number}", peak, fast, "L3-MEM", tuple(lines), *now, levels))
    points = []
    for number in range(draw(st.integers(0, 14))):
        steps = []
        for place in range(draw(st.integers(0, 3))):
            steps.append(CeilingStep(f"s{place}", draw(rates), draw(st.floats(1, 100))))
        roof = draw(st.integers(0, len(roofs) - 1))
        best = draw(st.none() | st.builds(PlotPoint, rates, rates))
        point = ScenePoint(f"k{number}", draw(rates), draw(rates), roof, tuple(steps), "", best)
        points.append(point)
    return Scene(draw(titles), "flop", "GFLOP/s", tuple(roofs), tuple(points))


@settings(max_examples=60, deadline=None)
@given(scenes())
def test_any_scene_is_drawn_whole(scene: Scene) -> None:
    for svg in (draw(scene), draw_compact(scene)):
        root = ET.fromstring(svg)
        assert "nan" not in svg and "inf" not in svg
        width, height = map(float, (root.get("width") or "0", root.get("height") or "0"))
        for element in root.iter(f"{SVG}text"):
            assert -1 <= float(element.get("x") or 0) <= width
            assert -1 <= float(element.get("y") or 0) <= height


@settings(max_examples=20, deadline=None)
@given(scenes())
def test_the_same_scene_gives_the_same_bytes(scene: Scene) -> None:
    assert draw(scene) == draw(scene)


def test_drawing_needs_no_heavy_import() -> None:
    program = (
        "import sys, rooflint.plot.from_report;"
        "print({'matplotlib', 'numpy', 'xml', 'clang', 'sympy'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.strip() == "set()"


@pytest.mark.parametrize("file_format", ["png", "pdf"])
def test_matplotlib_draws_the_same(file_format: str) -> None:
    pytest.importorskip("matplotlib", reason="PNG and PDF come with the extra [plot]")
    from rooflint.plot.figure import render  # noqa: PLC0415

    many = SCENE._replace(
        title="$a$ <b>",
        roofs=(OPTERON, SceneRoof("cell", 29.3, 47.6)),
        points=(KERNEL, KERNEL._replace(name="$x$", roof=1)),
    )
    copy = Scene(
        "copy", "byte", "GB/s", (SceneRoof("m", None, 16.0),), (ScenePoint("", 1.0, 16.0),)
    )
    for scene in (SCENE, many, copy):
        found = render(scene, file_format)
        assert found.startswith(b"\x89PNG" if file_format == "png" else b"%PDF")
        assert found == render(scene, file_format)
