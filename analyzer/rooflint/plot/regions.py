"""The regions between a kernel's ceilings and its roof, as in Figure 2c of the Roofline report."""

import math
from collections.abc import Iterator, Sequence

from rooflint.plot.canvas import Canvas
from rooflint.plot.labels import LabelBox, LabelPlace
from rooflint.plot.scene import SceneRoof
from rooflint.plot.svg import REGIONS, element, path

ROWS, COLUMNS = 20, 4
"""Rows that are tried for the name of a region, and places in each."""


def regions_of(canvas: Canvas, roof: SceneRoof) -> str:
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
    labels, size = canvas.labels, canvas.sheet.font_px
    half = 0.3 * size * len(name)
    spots = list(_spots(canvas, corners, half))
    if not spots:
        return
    x0, y0 = (sum(values) / len(spots) for values in zip(*spots, strict=True))
    for x, y in sorted(spots, key=lambda spot: math.hypot(spot[0] - x0, spot[1] - y0)):
        box = LabelBox(left=x - half, top=y - size, right=x + half, bottom=y + 0.4 * size)
        if not labels.crossed(box) and labels.put(name, [LabelPlace(x, y, "middle")], "q"):
            return


def _spots(
    canvas: Canvas, corners: Sequence[tuple[float, float]], half: float
) -> Iterator[tuple[float, float]]:
    size, width = canvas.sheet.font_px, canvas.sheet.across
    for row in range(1, ROWS):
        y = row * canvas.sheet.down / ROWS
        top, bottom = _between(corners, y - size), _between(corners, y + 0.4 * size)
        if top is None or bottom is None:
            continue
        left = max(top[0], bottom[0], 0.0) + half
        right = min(top[1], bottom[1], width) - half
        if left < right:
            for column in range(COLUMNS + 1):
                yield left + (right - left) * column / COLUMNS, y


def _between(corners: Sequence[tuple[float, float]], y: float) -> tuple[float, float] | None:
    """Where the border of a convex polygon has the height ``y``: left and right."""
    found = [
        x0 + (y - y0) / (y1 - y0) * (x1 - x0)
        for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True)
        if (y0 > y) != (y1 > y)
    ]
    return (min(found), max(found)) if found else None
