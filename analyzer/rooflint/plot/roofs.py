"""Roofs, the ceilings under them, and the regions between: lines with their labels."""

import math
from collections.abc import Sequence

from rooflint.plot.canvas import Canvas
from rooflint.plot.labels import Box, Place
from rooflint.plot.scene import Line, Roof, short
from rooflint.plot.svg import DASHES, REGIONS, SERIES, element, path

ROWS, COLUMNS = 24, 32
"""Places that are tried for the name of a region."""


def regions_of(canvas: Canvas, roof: Roof) -> str:
    """Where only memory, only compute or both kinds of ceilings stand between loop and roof."""
    peak, fast = roof.peak_g_per_s, roof.bandwidth_gb_s
    low, slow = roof.compute_now, roof.memory_now
    if not (peak and fast and low and slow):
        return ""
    bottom, far = 2.0**canvas.y.first / 4, 2.0**canvas.x.last * 4
    left, right = (low / fast, low), (low / slow, low)
    shapes = {
        "memory": [(bottom / fast, bottom), left, right, (bottom / slow, bottom)],
        "both": [left, (peak / fast, peak), (peak / slow, peak), right],
        "compute": [right, (peak / slow, peak), (far, peak), (far, low)],
    }
    no_compute, no_memory = low >= peak * 0.99, slow >= fast * 0.99
    empty = {"memory": no_memory, "compute": no_compute, "both": no_compute or no_memory}
    parts = []
    for name, corners in shapes.items():
        if empty[name]:
            continue
        points = [canvas.at(*corner) for corner in corners]
        shape = {"d": path(points, True), "fill": REGIONS[name], "fill_opacity": ".18"}
        parts.append(element("path", shape))
        _name_region(canvas, name, points)
    return "".join(parts)


def _name_region(canvas: Canvas, name: str, corners: Sequence[tuple[float, float]]) -> None:
    """The region's name inside it and off all lines, where there is room."""
    labels, size = canvas.labels, canvas.sheet.font_px
    half = 0.3 * size * len(name)
    across, down = canvas.sheet.across / COLUMNS, canvas.sheet.down / ROWS
    spots = [
        (column * across, row * down)
        for row in range(1, ROWS)
        for column in range(1, COLUMNS)
        if _inside(corners, column * across, row * down)
    ]
    if not spots:
        return
    x0, y0 = (sum(values) / len(spots) for values in zip(*spots, strict=True))
    for x, y in sorted(spots, key=lambda spot: math.hypot(spot[0] - x0, spot[1] - y0)):
        box = Box(x - half, y - size, x + half, y + 0.4 * size)
        edges = [(a, b) for a in (box.left, box.right) for b in (box.top, box.bottom)]
        if not all(_inside(corners, *edge) for edge in edges):
            continue
        crossed = any(box.meets(line) for line in labels.lines)
        if not crossed and labels.put(name, [Place(x, y, "middle")], "q"):
            return


def _inside(corners: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Whether a point lies in a polygon: a ray from it crosses the border an odd times."""
    odd = False
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            odd = not odd
    return odd


def roof_of(canvas: Canvas, place: int, roof: Roof) -> str:
    """The roof with its ceilings and the label of its ridge point."""
    series = SERIES[place % len(SERIES)]
    left, right = 2.0 ** (canvas.x.first - 2), 2.0 ** (canvas.x.last + 2)
    ridge = roof.ridge_per_byte
    if ridge is not None and roof.peak_g_per_s is not None:
        peak = roof.peak_g_per_s
        corners = [(left, peak * left / ridge), (ridge, peak), (right, peak)]
    else:
        corners = [(left, roof.at(left)), (right, roof.at(right))]
    parts = [_ceiling(canvas, roof, line) for line in reversed(roof.lines) if canvas.single]
    parts.append(
        element(
            "path",
            {
                "d": path([canvas.at(*corner) for corner in corners]),
                "class": f"r {series}" if not canvas.single else "r k",
                "stroke_dasharray": DASHES[place % len(DASHES)],
                "stroke": "var(--ink)" if canvas.single else "",
            },
        )
    )
    _name_roof(canvas, roof, series)
    return "".join(parts)


def _name_roof(canvas: Canvas, roof: Roof, series: str) -> None:
    """Peak, bandwidth and ridge of a roof."""
    colour = "h" if canvas.single else f"h t{series}"
    peak, fast, ridge = roof.peak_g_per_s, roof.bandwidth_gb_s, roof.ridge_per_byte
    unit = canvas.scene.unit if canvas.sheet.details else ""
    prefix = "" if canvas.single else f"{roof.name}: "
    if peak is not None:
        _along_peak(canvas, f"{prefix}peak {short(peak)} {unit}".strip(), peak, colour)
    if fast is not None:
        link = f" {roof.link}" if canvas.sheet.details and roof.link else ""
        text = f"{'' if peak is not None else prefix}{short(fast)} GB/s{link}"
        _along_diagonal(canvas, text, fast, roof, colour)
    if ridge is not None and peak is not None and canvas.sheet.details:
        x, y = canvas.at(ridge, peak)
        text = f"ridge {short(ridge)}"
        size = canvas.sheet.font_px
        spots = [
            Place(x, y - 0.6 * size, "middle"),
            Place(x + 0.5 * size, y + 1.3 * size),
            Place(x - 0.4 * size, y - 0.6 * size, "end"),
            Place(x + 0.5 * size, y + 2.6 * size),
            Place(x, y - 1.8 * size, "middle"),
            Place(x, y - 3 * size, "middle"),
        ]
        canvas.labels.put(text, spots, colour)


def _ceiling(canvas: Canvas, roof: Roof, line: Line) -> str:
    """One ceiling up to where it meets the roof; what the loop has broken is drawn faintly."""
    far = 2.0 ** (canvas.x.last + 2)
    near = 2.0 ** (canvas.x.first - 2)
    # blue and dashed for compute, orange and dotted for memory
    series, dash = ("a", "7 4") if line.side == "compute" else ("b", "3 3")
    if line.side == "compute":
        if roof.peak_g_per_s is not None and line.value >= roof.peak_g_per_s * 0.995:
            return ""
        start = near if roof.bandwidth_gb_s is None else line.value / roof.bandwidth_gb_s
        ends = [(start, line.value), (far, line.value)]
    else:
        if roof.bandwidth_gb_s is not None and line.value >= roof.bandwidth_gb_s * 0.995:
            return ""
        stop = far if roof.peak_g_per_s is None else roof.peak_g_per_s / line.value
        ends = [(near, line.value * near), (stop, line.value * stop)]
    if canvas.sheet.details or not line.broken:
        text = f"{line.name} {short(line.value)}" if canvas.sheet.details else line.name
        classes = "h q" if line.broken else f"h t{series}"
        if line.side == "compute":
            _along_peak(canvas, text, line.value, classes)
        else:
            _along_diagonal(canvas, text, line.value, roof, classes)
    spots = [canvas.at(*end) for end in ends]
    canvas.labels.cross(spots)
    kind = f"l {series} x" if line.broken else f"l {series}"
    return element(
        "path",
        {
            "d": path(spots),
            "class": kind,
            "stroke_dasharray": "" if line.broken else dash,
        },
    )


def _along_peak(canvas: Canvas, text: str, rate: float, classes: str) -> None:
    """A label on a horizontal line, from the right end on."""
    width, size = canvas.sheet.across, canvas.sheet.font_px
    y = canvas.at(1.0, rate)[1]
    spots = [
        Place(width - 4 - shift * size, y + dy, "end")
        for shift in (0, 9, 18)
        for dy in (-0.35 * size, 1.0 * size)
    ]
    canvas.labels.put(text, spots, classes)


def _along_diagonal(canvas: Canvas, text: str, gb_s: float, roof: Roof, classes: str) -> None:
    """A label on a slanted line, from the lower left end on."""
    size = canvas.sheet.font_px
    turn = math.radians(canvas.slope)
    low = max(2.0**canvas.x.first, 2.0**canvas.y.first / gb_s)
    top = 2.0**canvas.x.last if roof.peak_g_per_s is None else roof.peak_g_per_s / gb_s
    x0, y0 = canvas.at(low, gb_s * low)
    length = (canvas.x(top) - x0) / math.cos(turn)
    spots = []
    for share in (0.04, 0.3, 0.5, 0.15, 0.65):
        for off in (0.4, -1.05):
            along = share * length + 0.8 * size
            x = x0 + along * math.cos(turn) + off * size * math.sin(turn)
            y = y0 + along * math.sin(turn) - off * size * math.cos(turn)
            spots.append(Place(x, y, "start", canvas.slope))
    canvas.labels.put(text, spots, classes)
