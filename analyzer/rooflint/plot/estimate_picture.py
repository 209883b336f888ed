"""An estimate as SVG: one iteration of its main stage, and performance over K and over BW.

Performance has logarithmic axes, so that a bound by the channel is a slope and one by kernels is
flat, as in a Roofline plot.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, log10
from typing import Final

from rooflint.machine.quantities import format_duration, format_rate
from rooflint.plot.svg import element, escape
from rooflint.plugin_api.estimator import (
    Activity,
    CurveMark,
    EstimatePicture,
    IterationTimeline,
    PerformanceCurve,
    TimeBar,
)
from rooflint.records import NamedTuple

WIDTH, LEFT, RIGHT = 860, 120, 24
ROW, PANEL, GAP = 26, 210, 96
LETTER = 6.3
"""Average width of a letter of an 11 px label, in px."""
COLOURS: Final[Mapping[Activity, tuple[str, str]]] = {
    "kernel": ("#0072b2", "#ffffff"),
    "load": ("#e69f00", "#000000"),
    "store": ("#56b4e9", "#000000"),
    "host": ("#009e73", "#000000"),
    "alone": ("#cc79a7", "#000000"),
}
"""Fill and ink, of the palette of Okabe and Ito."""
NOW, BALANCED = "#d55e00", "#008060"
INK, GRID = "currentColor", "0.15"


class _Frame(NamedTuple):
    left: float
    top: float
    width: float
    across: tuple[float, float]
    up: tuple[float, float]

    @property
    def base(self) -> float:
        return self.top + PANEL

    def x(self, value: float) -> float:
        low, high = self.across
        return self.left + (log10(value) - low) / (high - low) * self.width

    def y(self, op_s: float) -> float:
        low, high = self.up
        return self.base - (log10(op_s) - low) / (high - low) * PANEL


def draw_estimate(picture: EstimatePicture, *, embedded: bool = False) -> str:
    """The picture; the same estimate gives the same bytes.

    ``embedded``: part of a page, without a title and a white ground.
    """
    parts: list[str] = []
    top = 16.0
    if not embedded:
        parts += [_text(16, 24, picture.title, 15), _text(16, 44, picture.sentence, 11)]
        top = 72.0
    parts += _timeline(picture.timeline, top)
    top += 70 + ROW * len(_rows(picture.timeline))
    width = (WIDTH - LEFT - RIGHT - GAP) / 2
    for position, curve in enumerate(picture.curves):
        parts += _panel(curve, LEFT + position * (width + GAP), top, width)
    height = f"{top + PANEL + 72:.0f}"
    if not embedded:
        parts.insert(0, element("rect", {"width": WIDTH, "height": height, "fill": "#fff"}))
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": WIDTH,
        "height": height,
        "color": "" if embedded else "#222",
        "viewBox": f"0 0 {WIDTH} {height}",
        "font-family": "sans-serif",
        "fill": INK,
        "role": "img",
        "aria-label": picture.sentence,
    }
    return element("svg", attributes, "\n", *[f"{part}\n" for part in parts]) + "\n"


def _rows(timeline: IterationTimeline) -> list[str]:
    return list(dict.fromkeys(bar.row for bar in timeline.bars))


def _timeline(timeline: IterationTimeline, top: float) -> Iterator[str]:
    width = WIDTH - LEFT - RIGHT
    scale = width / timeline.length_s if timeline.length_s else 0.0
    yield _text(16, top, timeline.title, 12, bold=True)
    rows = _rows(timeline)
    for bar in timeline.bars:
        y = top + 12 + ROW * rows.index(bar.row)
        yield from _bar(bar, LEFT + bar.start_s * scale, y, max(1.5, bar.length_s * scale))
    for position, row in enumerate(rows):
        yield _text(LEFT - 8, top + 26 + ROW * position, row, 11, anchor="end")
    base = top + 12 + ROW * len(rows)
    for tick in _linear_ticks(timeline.length_s):
        x = LEFT + tick * scale
        yield _grid_line(x, top + 12, x, base + 2)
        yield _text(x, base + 15, format_duration(tick), 10, anchor="middle")


def _bar(bar: TimeBar, x: float, y: float, width: float) -> Iterator[str]:
    fill, ink = COLOURS[bar.activity]
    label = f"{bar.label}: {format_duration(bar.length_s)}"
    box = {"x": x, "y": y, "width": width, "height": ROW - 6, "fill": fill}
    yield element("rect", box, element("title", {}, escape(label)))
    room = len(label) * LETTER + 10
    if width > room:
        yield _text(x + 5, y + 14, label, 11, ink)
    elif x + width + room < WIDTH:
        yield _text(x + width + 5, y + 14, label, 11)


def _linear_ticks(length: float) -> list[float]:
    if length <= 0:
        return []
    step = 10 ** floor(log10(length))
    step *= next(part for part in (1.0, 0.5, 0.2, 0.1) if length / (step * part) >= 4)
    return [step * number for number in range(floor(length / step * (1 + 1e-9)) + 1)]


def _panel(curve: PerformanceCurve, left: float, top: float, width: float) -> Iterator[str]:
    frame = _frame_of(curve, left, top, width)
    yield _text(left, top - 8, f"Performance over {curve.label}", 12, bold=True)
    for tick in curve.ticks:
        x = frame.x(tick)
        yield _grid_line(x, top, x, frame.base)
        yield _text(x, frame.base + 16, f"{tick / curve.unit:.4g}", 10, anchor="middle")
    for height in _log_ticks(*frame.up):
        y = frame.y(height)
        yield _grid_line(left, y, left + width, y)
        yield _text(left - 6, y + 4, format_rate(height), 10, anchor="end")
    box = {"x": left, "y": top, "width": width, "height": PANEL, "fill": "none", "stroke": INK}
    yield element("rect", {**box, "stroke-opacity": "0.5"})
    points = " ".join([f"{frame.x(value):.1f},{frame.y(op_s):.1f}" for value, op_s in curve.points])
    line = {"points": points, "fill": "none", "stroke": "#0072b2", "stroke-width": "2.5"}
    yield element("polyline", line)
    yield from _marks(curve.marks, frame)


def _frame_of(curve: PerformanceCurve, left: float, top: float, width: float) -> _Frame:
    """The axes span the curve, and at least a decade of performance."""
    heights = [op_s for _, op_s in curve.points]
    least, most = log10(min(heights)) - 0.15, log10(max(heights)) + 0.2
    ends = log10(curve.points[0][0]), log10(curve.points[-1][0])
    return _Frame(left, top, width, across=ends, up=(min(least, most - 1), most))


def _marks(marks: Sequence[CurveMark], frame: _Frame) -> Iterator[str]:
    for position, mark in enumerate(marks):
        colour = BALANCED if mark.is_balanced else NOW
        label = frame.base + 36 + 16 * position
        if mark.op_s is None:
            where = "outside the picture"
        else:
            where = format_rate(mark.op_s)
            yield _dot(frame.x(mark.value), frame.y(mark.op_s), colour)
        yield _dot(frame.left + 5, label - 4, colour)
        yield _text(frame.left + 15, label, f"{mark.label}, {where}", 11)


def _log_ticks(least: float, most: float) -> list[float]:
    decades = range(ceil(least), floor(most) + 1)
    if len(decades) >= 2:
        return [10.0**power for power in decades]
    finer = [part * 10.0**p for p in range(floor(least), ceil(most) + 1) for part in (1, 2, 5)]
    return [height for height in finer if least <= log10(height) <= most]


def _grid_line(x: float, y: float, end_x: float, end_y: float) -> str:
    line = f"M{x:.1f} {y:.1f}L{end_x:.1f} {end_y:.1f}"
    return element("path", {"d": line, "stroke": INK, "stroke-opacity": GRID})


def _dot(x: float, y: float, colour: str) -> str:
    return element("circle", {"cx": x, "cy": y, "r": 5, "fill": colour})


def _text(
    x: float,
    y: float,
    words: str,
    size: int,
    colour: str = INK,
    anchor: str = "start",
    *,
    bold: bool = False,
) -> str:
    attributes = {
        "x": float(x),
        "y": float(y),
        "font-size": size,
        "fill": colour,
        "font-weight": "600" if bold else "",
        "text-anchor": anchor,
    }
    return element("text", attributes, escape(words))
