"""Roofs and the ceilings under them: lines with their labels."""

import math
from collections.abc import Sequence

from rooflint.plot.canvas import Canvas
from rooflint.plot.labels import LabelPlace
from rooflint.plot.scene import ScenePeak, ScenePoint, SceneRoof, short
from rooflint.plot.svg import DASHES, SERIES, element, marker, path
from rooflint.plugin_api.drawing import LinkRoof, RoofCeiling
from rooflint.records import NamedTuple

HEXAGON = 4
"""The marker of a kernel on a nearer link."""

AT_THE_ROOF = 0.995
"""Of the roof: a ceiling above this is the roof itself, within half a percent."""


def roof_of(canvas: Canvas, place: int, roof: SceneRoof) -> str:
    """The roof with its ceilings and the label of its ridge point."""
    series = SERIES[place % len(SERIES)]
    left, right = 2.0 ** (canvas.x.first - 2), 2.0 ** (canvas.x.last + 2)
    ridge, peak = roof.ridge_per_byte, roof.peak_g_per_s
    corners = [(left, roof.at(left)), (right, roof.at(right))]
    if ridge is not None and peak is not None:
        corners = [(left, peak * left / ridge), (ridge, peak), (right, peak)]
    # before the thin lines beside it, so that its labels get the best places
    _name_roof(canvas, roof, series)
    parts = []
    if canvas.single:
        parts += [_ceiling(canvas, roof, line) for line in reversed(roof.lines)]
    if canvas.sheet.details:
        thin = _thin(canvas, place)
        parts += [_level(canvas, roof, level, thin) for level in roof.levels]
        parts += [_lower_peak(canvas, roof, peak, thin) for peak in roof.peaks[1:]]
    look = {
        "d": path([canvas.at(*corner) for corner in corners]),
        "class": f"r {series}",
        "stroke_dasharray": DASHES[place % len(DASHES)],
    }
    if canvas.single:
        look |= {"class": "r k", "stroke": "var(--ink)"}
    return "".join([*parts, element("path", look)])


def _name_roof(canvas: Canvas, roof: SceneRoof, series: str) -> None:
    colour = "h" if canvas.single else f"h t{series}"
    peak, fast, ridge = roof.peak_g_per_s, roof.bandwidth_gb_s, roof.ridge_per_byte
    prefix = "" if canvas.single else f"{roof.name}: "
    unit, link = ("", "")
    if canvas.sheet.details:
        unit, link = f" {canvas.scene.unit}", _link_words(roof)
    if peak is not None:
        kind = f"{roof.peaks[0].types} " if roof.peaks else ""
        along_peak(canvas, f"{prefix}{kind}peak {short(peak)}{unit}", peak, colour)
        prefix = ""
    if fast is not None:
        along_diagonal(canvas, f"{prefix}{short(fast)} GB/s{link}", fast, peak, colour)
    if ridge is not None and canvas.sheet.details:
        _name_ridge(canvas, ridge, peak or 0.0, colour)


def _link_words(roof: SceneRoof) -> str:
    link = f" {roof.link}" if roof.link else ""
    return f"{link} ({roof.pattern})" if roof.pattern else link


def _name_ridge(canvas: Canvas, ridge: float, peak: float, colour: str) -> None:
    x, y = canvas.at(ridge, peak)
    size = canvas.sheet.font_px
    spots = [
        LabelPlace(x, y - 0.6 * size, "middle"),
        LabelPlace(x + 0.5 * size, y + 1.3 * size),
        LabelPlace(x - 0.4 * size, y - 0.6 * size, "end"),
        LabelPlace(x + 0.5 * size, y + 2.6 * size),
        LabelPlace(x, y - 1.8 * size, "middle"),
        LabelPlace(x, y - 3 * size, "middle"),
    ]
    canvas.labels.put(f"ridge {short(ridge)}", spots, colour)


class ThinLine(NamedTuple):
    """How the lines beside a roof look: the classes of a line and of its label, and its dashes."""

    line: str
    label: str
    dashes: str


def _thin(canvas: Canvas, place: int) -> ThinLine:
    if canvas.single:
        return ThinLine("l v", "h q", "")
    series = SERIES[place % len(SERIES)]
    return ThinLine(f"l {series}", f"h t{series}", DASHES[place % len(DASHES)])


def _lower_peak(canvas: Canvas, roof: SceneRoof, peak: ScenePeak, thin: ThinLine) -> str:
    rates = [roof.bandwidth_gb_s, *[level.gb_s for level in roof.levels]]
    fastest = max([rate for rate in rates if rate is not None], default=None)
    start = 2.0 ** (canvas.x.first - 2) if fastest is None else peak.g_per_s / fastest
    spots = [canvas.at(start, peak.g_per_s), canvas.at(2.0 ** (canvas.x.last + 2), peak.g_per_s)]
    canvas.labels.cross(spots)
    along_peak(canvas, f"{peak.types} peak {short(peak.g_per_s)}", peak.g_per_s, thin.label)
    return _thin_path(spots, thin)


def _thin_path(ends: Sequence[tuple[float, float]], thin: ThinLine) -> str:
    look = {"d": path(ends), "class": thin.line, "stroke_dasharray": thin.dashes}
    return element("path", look)


def _level(canvas: Canvas, roof: SceneRoof, level: LinkRoof, thin: ThinLine) -> str:
    """The roof over another link, thin, up to the peak; where the kernel is on that link.

    Of a kernel that keeps one height, each link has its own place: its work per byte there.
    """
    near, far = 2.0 ** (canvas.x.first - 2), 2.0 ** (canvas.x.last + 2)
    stop = far if roof.peak_g_per_s is None else roof.peak_g_per_s / level.gb_s
    spots = [canvas.at(near, near * level.gb_s), canvas.at(stop, stop * level.gb_s)]
    canvas.labels.cross(spots)
    parts = [_thin_path(spots, thin)]
    points = canvas.scene.points
    if level.intensity_per_byte is not None and len(points) == 1:
        parts.append(_on_level(canvas, points[0], level))
    text = f"{level.link} {short(level.gb_s)}"
    text += f" ({level.pattern})" if level.pattern else ""
    along_diagonal(canvas, text, level.gb_s, roof.peak_g_per_s, thin.label)
    return "".join(parts)


def _on_level(canvas: Canvas, point: ScenePoint, level: LinkRoof) -> str:
    size = canvas.sheet.font_px
    x, y = canvas.on_level(point, level)
    if abs(x - canvas.spot(point)[0]) < canvas.half:
        return ""
    spots = [LabelPlace(x, y + 1.3 * size, "middle"), LabelPlace(x, y - 0.7 * size, "middle")]
    canvas.labels.put(level.link, [*spots, *canvas.beside(x, y + 0.35 * size)], "h q")
    shape = marker(HEXAGON, x, y, 0.7 * canvas.half)
    return element("path", {"d": shape, "class": "o d"})


def _ceiling(canvas: Canvas, roof: SceneRoof, line: RoofCeiling) -> str:
    own = roof.peak_g_per_s if line.side == "compute" else roof.bandwidth_gb_s
    if own is not None and line.value >= own * AT_THE_ROOF:
        return ""
    # blue and dashed for compute, orange and dotted for memory
    series, dash = ("a", "7 4") if line.side == "compute" else ("b", "3 3")
    _name_ceiling(canvas, roof, line, "h q" if line.broken else f"h t{series}")
    spots = [canvas.at(*end) for end in _ceiling_ends(canvas, roof, line)]
    canvas.labels.cross(spots)
    look = ThinLine(
        line=f"l {series} x" if line.broken else f"l {series}",
        label="",
        dashes="" if line.broken else dash,
    )
    return _thin_path(spots, look)


def _ceiling_ends(canvas: Canvas, roof: SceneRoof, line: RoofCeiling) -> list[tuple[float, float]]:
    near, far = 2.0 ** (canvas.x.first - 2), 2.0 ** (canvas.x.last + 2)
    if line.side == "compute":
        start = near if roof.bandwidth_gb_s is None else line.value / roof.bandwidth_gb_s
        return [(start, line.value), (far, line.value)]
    stop = far if roof.peak_g_per_s is None else roof.peak_g_per_s / line.value
    return [(near, line.value * near), (stop, line.value * stop)]


def _name_ceiling(canvas: Canvas, roof: SceneRoof, line: RoofCeiling, classes: str) -> None:
    detailed = canvas.sheet.details
    if line.broken and not detailed:
        return
    text = f"{line.name} {short(line.value)}" if detailed else line.name
    if line.side == "compute":
        along_peak(canvas, text, line.value, classes)
    else:
        along_diagonal(canvas, text, line.value, roof.peak_g_per_s, classes)


def along_peak(canvas: Canvas, text: str, rate: float, classes: str) -> None:
    """A label on a horizontal line, from the right end on."""
    width, size = canvas.sheet.across, canvas.sheet.font_px
    y = canvas.at(1.0, rate)[1]
    spots = [
        LabelPlace(width - 4 - shift * size, y + dy, "end")
        for shift in (0, 9, 18)
        for dy in (-0.35 * size, 1.0 * size)
    ]
    canvas.labels.put(text, spots, classes)


def along_diagonal(
    canvas: Canvas, text: str, gb_s: float, peak: float | None, classes: str
) -> None:
    """A label on a slanted line, from the lower left end on."""
    size = canvas.sheet.font_px
    turn = math.radians(canvas.slope)
    low = max(2.0**canvas.x.first, 2.0**canvas.y.first / gb_s)
    top = 2.0**canvas.x.last if peak is None else peak / gb_s
    x0, y0 = canvas.at(low, gb_s * low)
    length = (canvas.x(top) - x0) / math.cos(turn)
    spots = []
    for share in (0.04, 0.3, 0.5, 0.15, 0.65, 0.8, 0.22, 0.4, 0.58, 0.72):
        for off in (0.4, -1.05):
            along = share * length + 0.8 * size
            x = x0 + along * math.cos(turn) + off * size * math.sin(turn)
            y = y0 + along * math.sin(turn) - off * size * math.cos(turn)
            spots.append(LabelPlace(x=x, y=y, anchor="start", degrees=canvas.slope))
    canvas.labels.put(text, spots, classes)
