"""Labels of PNG and PDF show what hides in names, and none is taken for a formula."""

from io import BytesIO
from typing import Any

import pytest
from rooflint.escaping import visible
from rooflint.plot import Scene, ScenePoint, SceneRoof
from rooflint.plot.scene import Curve, ScenePeak
from rooflint.plugin_api.drawing import CeilingStep, LinkRoof, RoofCeiling

HIDING = "dir\udcc3/_$x$\x1b[31m\u202e.c:1"
"""Bytes that are no text, a formula, an escape of a terminal, a turn of the reading direction."""


@pytest.mark.parametrize("file_format", ["png", "pdf"])
def test_matplotlib_shows_what_hides(file_format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="PNG and PDF come with the extra [plot]")
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.text import Text  # noqa: PLC0415
    from rooflint.plot.figure import render  # noqa: PLC0415

    drawn: list[str] = []
    save = Figure.savefig

    def recorded(figure: Figure, file: BytesIO, **options: Any) -> None:  # noqa: ANN401
        save(figure, file, **options)
        drawn.extend(text.get_text() for text in figure.findobj(Text))

    monkeypatch.setattr(Figure, "savefig", recorded)
    roof = SceneRoof(
        name=HIDING,
        peak_g_per_s=17.6,
        bandwidth_gb_s=16.86,
        link=HIDING,
        pattern=HIDING,
        lines=(RoofCeiling(HIDING, "compute", 2.2, True), RoofCeiling(HIDING, "memory", 4.22)),
        levels=(LinkRoof(HIDING, 30.0, 0.5, HIDING),),
        peaks=(ScenePeak(HIDING, 17.6), ScenePeak(HIDING, 8.8)),
    )
    point = ScenePoint(f"_{HIDING}", 0.5, 2.11, 0, (CeilingStep(HIDING, 2.2, 1.04),))
    curve = Curve(HIDING, "overlap", 0, 17.6, 16.0)
    one = Scene(HIDING, HIDING, HIDING, (roof,), (point,), HIDING, HIDING, (curve,))
    two = one._replace(
        roofs=(roof, roof._replace(name="_m")), points=(point, point._replace(roof=1))
    )
    for scene in (one, two):
        drawn.clear()
        render(scene, file_format)
        assert [text for text in drawn if visible(text) != text] == []
        assert any(r"dir\xc3" in text for text in drawn)
    # in the legend, from which matplotlib leaves out what begins with an underscore
    assert any(text.strip().startswith("_dir") for text in drawn)
    assert any(text.strip() == "_m" for text in drawn)
