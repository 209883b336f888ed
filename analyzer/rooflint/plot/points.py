"""Kernels on a plot: markers, the ways up to the roof and to more intensity, names."""

import math

from rooflint.plot.canvas import Canvas
from rooflint.plot.labels import LabelPlace
from rooflint.plot.scene import WORTH_SAYING, Scene, ScenePoint, best_words, short
from rooflint.plot.svg import SERIES, element, escape, marker, path

LISTED_POINTS = 40
STEPPED_POINTS = 6
"""With more kernels than that, their ways up would hide each other."""


def point_of(canvas: Canvas, point: ScenePoint) -> str:
    """A kernel: its marker, the way up to the roof with the gain of every step, its label."""
    series = "d" if canvas.single else SERIES[point.roof % len(SERIES)]
    x, y = canvas.spot(point)
    parts = [element("title", {}, escape(_words(point, canvas.scene)))]
    alone = len(canvas.scene.points) == 1
    if point.compulsory is not None and alone:
        parts.append(_raised(canvas, point, x, y, series))
    if point.steps and len(canvas.scene.points) <= STEPPED_POINTS:
        top = canvas.at(1.0, point.steps[-1].g_per_s)[1]
        parts.append(element("path", {"d": path([(x, y), (x, top)]), "class": f"l {series}"}))
        canvas.labels.cross(((x, y), (x, top)))
        parts.append(_climb(canvas, point, x, series, alone))
    number = canvas.numbers[point.name]
    parts.append(
        element("path", {"d": marker(number, x, y, canvas.half * 1.15), "class": f"m{series}"})
    )
    _name_point(canvas, number, point, x, y, series)
    return element("g", {}, *parts)


def _raised(canvas: Canvas, point: ScenePoint, x: float, y: float, series: str) -> str:
    spot = point.compulsory
    assert spot is not None
    there = point._replace(intensity_per_byte=spot.intensity_per_byte, g_per_s=spot.g_per_s)
    x1, y1 = canvas.spot(there)
    size = canvas.sheet.font_px
    length = math.hypot(x1 - x, y1 - y)
    if length < 2 * size:
        return ""
    along, down = (x1 - x) / length, (y1 - y) / length
    tail, wing = 0.9 * size, 0.35 * size
    back = (x1 - tail * along, y1 - tail * down)
    wings = [(back[0] + side * wing * down, back[1] - side * wing * along) for side in (1, -1)]
    canvas.labels.cross(((x, y), (x1, y1)))
    if canvas.sheet.details:
        text = best_words(point, canvas.scene.work)
        edge = min(x1, canvas.sheet.across - 0.4 * size)
        spots = [LabelPlace(edge, y1 + dy * size, "end") for dy in (-0.8, 1.6, -1.9, 2.7)]
        canvas.labels.put(text, spots, f"h t{series}")
    d = path([(x, y), back]) + path([wings[0], (x1, y1), wings[1]])
    return element("path", {"d": d, "class": f"l {series}"})


def _climb(canvas: Canvas, point: ScenePoint, x: float, series: str, alone: bool) -> str:
    size = canvas.sheet.font_px
    ticks = []
    for step in point.steps:
        y = canvas.at(1.0, step.g_per_s)[1]
        ticks.append(path([(x - 0.35 * size, y), (x + 0.35 * size, y)]))
        said = step.factor >= WORTH_SAYING or len(point.steps) == 1
        if alone and said and (canvas.sheet.details or len(point.steps) <= 3):
            text = f"×{short(step.factor)} {step.name}"
            canvas.labels.put(text, canvas.free(text, x, y + 0.9 * size), f"h t{series}")
    if alone and point.limit:
        rate = point.steps[-1].g_per_s
        y = canvas.at(1.0, rate)[1]
        text = f"{short(rate)} held by {point.limit}"
        canvas.labels.put(text, canvas.beside(x, y - 0.5 * size), f"h t{series}")
    return element("path", {"d": "".join(ticks), "class": f"l {series}"})


def _name_point(
    canvas: Canvas, number: int, point: ScenePoint, x: float, y: float, series: str
) -> None:
    size = canvas.sheet.font_px
    classes = f"h t{series}"
    if canvas.sheet.listed:
        if number < LISTED_POINTS:
            canvas.labels.put(str(number + 1), canvas.beside(x, y), classes)
        return
    many = len(canvas.scene.points) > 1
    rate = short(point.g_per_s)
    text = f"{point.name} {rate}" if many else f"now {rate} {canvas.scene.unit}"
    if point.limit and not point.steps and not many:
        text += f", held by {point.limit}"
    spots = [*canvas.beside(x, y + 0.35 * size), *canvas.beside(x, y + 1.6 * size)]
    spots.sort(key=lambda place: canvas.labels.crossed(canvas.labels.boxes(text, place)[0]))
    if not canvas.labels.put(text, spots, classes, must=canvas.sheet.details and not many):
        canvas.unnamed += many


def _words(point: ScenePoint, scene: Scene) -> str:
    text = f"{point.name}: {short(point.intensity_per_byte)} {scene.work}/B,"
    text += f" {short(point.g_per_s)} {scene.unit}"
    if point.steps:
        last = point.steps[-1].g_per_s
        text += f"; roof {short(last)}, ×{short(last / point.g_per_s)}"
    return text
