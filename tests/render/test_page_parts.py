"""Changes as diffs, and the legibility of the page's colours."""

import re

import pytest
from rooflint.plugin_api.advice import Edit, Fix
from rooflint.plugin_api.report import FileReport, SourceExcerpt
from rooflint.render.html import page
from rooflint.render.html.diffs import short_change

FILE = FileReport(
    "a.c", "ok", source=(SourceExcerpt(4, ("{", "  ä = 1; b = 2;", "  c = 3;", "}")),)
)


def test_a_change_is_a_diff_of_the_lines_it_touches() -> None:
    fix = Fix("safe", "swap", (Edit(5, 11, 5, 16, "b = 4"), Edit(5, 3, 5, 5, "ö")))
    assert short_change(fix, FILE) == [
        " {", "-  ä = 1; b = 2;", "+  ö = 1; b = 4;", "   c = 3;",
    ]  # fmt: skip


def test_a_change_without_its_lines_is_its_sketch() -> None:
    fix = Fix("sketch", "tile", (Edit(9, 1, 9, 1, "x"),), sketch="one\ntwo")
    assert short_change(fix, FILE) == ["+one", "+two"]
    assert short_change(fix._replace(sketch=""), FILE) == []


def test_a_long_change_is_cut_and_counted() -> None:
    lines = short_change(Fix("sketch", "tile", sketch="x\n" * 30), FILE)
    assert len(lines) == 25
    assert lines[-1] == " (6 more lines)"


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance: (L1 + 0.05) / (L2 + 0.05)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_and_dots_are_legible_on_all_grounds(scheme: int) -> None:
    style = "".join(
        (page.HERE / name).read_text(encoding="utf-8") for name in ("base.css", "page.css")
    )
    pairs = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", style)
    colours = {name: values[scheme] for name, *values in pairs}
    for ink in ("ink", "dim", "bad"):
        for ground in ("paper", "soft"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["ink"], colours["own"]) >= 4.5
    hues = colours.keys() - {"ink", "dim", "bad", "paper", "soft", "own", "line"}
    assert len(hues) == 14
    for hue in hues:
        assert contrast(colours[hue], colours["paper"]) >= 3, hue
