"""Bounds over the intensity, straight and curved, under the roof that the first of them is."""

from itertools import pairwise
from typing import Final

from rooflint.plot.canvas import Canvas
from rooflint.plot.labels import LabelPlace
from rooflint.plot.roofs import along_diagonal, along_peak
from rooflint.plot.scene import Curve, short
from rooflint.plot.svg import SERIES, element, path
from rooflint.records import NamedTuple

STEPS: Final = 2
BENT: Final = 4
"""Points of a curve in an octave, and octaves beside its ridge that are drawn as a curve."""
OVERLAP: Final = "overlap"


class Stroke(NamedTuple):
    """How a kind of bound is drawn; ``rank`` orders the labels, which take their places in turn."""

    rank: int
    width: str
    dashes: str


STROKES: Final = {
    "roof": Stroke(0, "r", ""),
    OVERLAP: Stroke(1, "l", "6 2 1 2"),
    "latency": Stroke(2, "l", ""),
    "stall": Stroke(3, "l", "2 3"),
    "issue": Stroke(4, "l", "8 4"),
    "throughput": Stroke(5, "l x", ""),
}
OTHER: Final = Stroke(6, "l", "")
HIDDEN: Final = frozenset(("throughput", "issue"))
"""Kinds without a name in a small picture."""


def curves_of(canvas: Canvas) -> list[str]:
    """The bounds of a scene, the roof on top; those that are a side of it give it their names."""
    curves = canvas.scene.curves
    if not curves:
        return []
    roof = curves[0]
    lines = [curve for curve in curves[1:] if not _is_side(curve, roof)]
    parts = []
    for curve in (*reversed(lines), roof):
        spots = _spots(canvas, curve, roof)
        for ends in pairwise(spots):
            canvas.labels.cross(ends)
        parts.append(_line(curve, spots))
    for curve in sorted(curves[1:], key=lambda curve: (_rank(curve, roof), curve.name)):
        if canvas.sheet.details or curve.kind not in HIDDEN or _is_side(curve, roof):
            _name(canvas, curve, roof)
    return parts


def _is_side(curve: Curve, roof: Curve) -> bool:
    one = curve.flat is None or curve.slope is None
    return one and (curve.flat or roof.flat, curve.slope or roof.slope) == (roof.flat, roof.slope)


def _rank(curve: Curve, roof: Curve) -> int:
    return 0 if _is_side(curve, roof) else _stroke(curve).rank


def _stroke(curve: Curve) -> Stroke:
    return STROKES.get(curve.kind, OTHER)


def _line(curve: Curve, spots: list[tuple[float, float]]) -> str:
    stroke = _stroke(curve)
    ink = curve.kind == "roof"
    return element(
        "path",
        {
            "d": path(spots),
            "class": stroke.width if ink else f"{stroke.width} {_colour(curve)}",
            "stroke": "var(--ink)" if ink else "",
            "stroke_dasharray": stroke.dashes,
        },
    )


def _colour(curve: Curve) -> str:
    return SERIES[curve.series % len(SERIES)]


def _beside(canvas: Canvas, slope: float, roof: Curve) -> bool:
    return bool(roof.flat) and (roof.flat or 0.0) <= slope * 2.0**canvas.x.first


def _spots(canvas: Canvas, curve: Curve, roof: Curve) -> list[tuple[float, float]]:
    left, right = 2.0 ** (canvas.x.first - 1), 2.0 ** (canvas.x.last + 1)
    if curve.flat is None and roof.flat:
        right = min(right, roof.flat / (curve.slope or 1.0))
    elif curve.slope is None and roof.slope:
        left = max(left, (curve.flat or 0.0) / roof.slope)
    corners = [left, *_bends(curve, left, right), right]
    return [canvas.at(at, curve.at(at)) for at in corners]


def _bends(curve: Curve, left: float, right: float) -> list[float]:
    """The ridge of a line; around that of a curve, points between ``left`` and ``right``."""
    ridge = curve.ridge_per_byte
    if ridge is None:
        return []
    if curve.alpha == 1:
        return [ridge]
    # farther from the ridge, where both sides change, it is as good as straight
    steps = range(-BENT * STEPS, BENT * STEPS + 1)
    bent = [ridge * 2 ** (step / STEPS) for step in steps]
    return [at for at in bent if left < at < right]


def _name(canvas: Canvas, curve: Curve, roof: Curve) -> None:
    side = _is_side(curve, roof)
    colour = "h" if side else f"h t{_colour(curve)}"
    ridge = curve.ridge_per_byte
    if ridge is not None:
        x, y = canvas.at(ridge, curve.at(ridge))
        size = canvas.sheet.font_px
        spots = [LabelPlace(x + 0.6 * size, y + dy * size) for dy in (1.3, 2.4, 3.5, 4.6)]
        canvas.labels.put(curve.name, spots, colour)
    elif curve.flat is not None:
        unit = f" {canvas.scene.unit}" if side and canvas.sheet.details else ""
        along_peak(canvas, f"{curve.name} {short(curve.flat)}{unit}", curve.flat, colour)
    elif curve.slope is not None and not _beside(canvas, curve.slope, roof):
        along_diagonal(canvas, curve.name, curve.slope, roof.flat, colour)
