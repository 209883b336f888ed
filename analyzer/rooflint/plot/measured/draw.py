"""A chart as SVG: like the roofline plots without script, and in the reader's colour scheme."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rooflint.plot.canvas import Ground, Sheet, picture
from rooflint.plot.labels import CHARACTER_EM, LabelBox, LabelPlace, Labels
from rooflint.plot.measured.axes import ChartAxis, LinearAxis, LogAxis, WholeAxis, tick_text
from rooflint.plot.measured.chart import Chart, ChartBand, ChartLine, ChartPoint, ChartZone
from rooflint.plot.svg import DASHES, SERIES, element, escape, marker, path
from rooflint.records import NamedTuple

SHEET: Final = Sheet(
    width=760, height=470, left=58, top=48, right=16, bottom=74, font_px=12, details=True
)
SECOND_AXIS: Final = 42
"""Pixels to the right for the labels of a second axis."""
ROOM_ABOVE: Final = 1.22
"""The highest value lies below the names of zones and marks."""
ROOM_BESIDE: Final = 0.02
"""Share of the axis from the outermost sizes to its ends: half a marker and more."""
NARROWEST: Final = 2.0
"""Factor that an axis spans at least."""
LEGEND_ROW: Final = 1.5
SWATCH: Final = 26.0
BARS: Final = 4.0
"""Half the width of a bar's ends, in pixels."""
POINT_SERIES: Final = "d"
SHADES: Final = ("0", ".07")
"""Opacities of neighbouring zones."""
NAMES_DOWN: Final = (1.1, 2.2)


def draw_chart(chart: Chart, *, styled: bool = True) -> str:
    """The picture; without its style for a page that has ``style()`` once."""
    return _Drawing(chart).markup(styled)


class _LegendEntry(NamedTuple):
    """A sample of a line, band or point with its name."""

    sample: str
    name: str


class _Drawing:
    """The sheet, the axes and the texts placed so far."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.rows = _legend_rows(_entries(chart))
        more = max(0, len(self.rows) - 1) * LEGEND_ROW * SHEET.font_px
        right = SECOND_AXIS + 14 if chart.per_line else SHEET.right
        self.sheet = SHEET._replace(
            height=SHEET.height + more, bottom=SHEET.bottom + more, right=right
        )
        self.x = _horizontal(chart, self.sheet.across)
        self.y = LinearAxis(0.0, _highest(chart) * ROOM_ABOVE, self.sheet.down)
        self.labels = Labels(self.sheet.across, self.sheet.down, self.sheet.font_px)
        for point in chart.points:
            x, y = self.at(point.x, point.y)
            self.labels.block(LabelBox.around(x, y, 0.7 * self.sheet.font_px))
        for line in chart.lines:
            for piece in line.pieces:
                for start, stop in pairwise(piece):
                    self.labels.cross((self.at(*start), self.at(*stop)))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Pixels in the plotting area."""
        return self.x(x), self.sheet.down - self.y(y)

    def markup(self, styled: bool) -> str:
        chart, sheet = self.chart, self.sheet
        area = element(
            "svg",
            {"x": sheet.left, "y": sheet.top, "width": sheet.across, "height": sheet.down},
            *[self.zone(place, zone) for place, zone in enumerate(chart.zones)],
            *[self.band(band) for band in chart.bands],
            self.grid(),
            *self.marks(),
            *[self.line(line) for line in chart.lines],
            *[self.point(point) for point in chart.points],
            *self.labels.markup,
        )
        body = (*self.frame(), area, *self.legend())
        return picture(sheet, chart.title, *body, ground=Ground.OWN if styled else Ground.PAGE)

    # what lies in the plotting area

    def grid(self) -> str:
        down, across = self.sheet.down, self.sheet.across
        parts = [path([(self.x(v), 0), (self.x(v), down)]) for v in self.x_ticks()]
        heights = [down - self.y(value) for value in self.y_ticks()]
        parts += [path([(0, height), (across, height)]) for height in heights]
        return element("path", {"d": "".join(parts), "class": "g"})

    def zone(self, place: int, zone: ChartZone) -> str:
        size = self.sheet.font_px
        last = len(self.chart.zones) - 1
        left = self.x(zone.start) if place else 0.0
        right = self.x(zone.stop) if place < last else self.sheet.across
        spots = [LabelPlace((left + right) / 2, dy * size, "middle") for dy in NAMES_DOWN]
        if right - left >= len(zone.name) * CHARACTER_EM * size:
            self.labels.put(zone.name, spots, "q")
        shape = {
            "x": left,
            "y": 0.0,
            "width": right - left,
            "height": self.sheet.down,
            "fill": "var(--ink)",
            "fill_opacity": SHADES[place % len(SHADES)],
        }
        return element("rect", shape, element("title", {}, escape(zone.name)))

    def marks(self) -> Iterator[str]:
        size, down = self.sheet.font_px, self.sheet.down
        for mark in self.chart.marks:
            x = self.x(mark.x)
            self.labels.cross(((x, 0), (x, down)))
            yield element("path", {"d": path([(x, 0), (x, down)]), "class": "f",
                                   "stroke_dasharray": "5 4"})  # fmt: skip
        for mark in self.chart.marks:
            x = self.x(mark.x)
            heights = (2.4, 3.5, 4.6, 5.7, down / size - 0.8, down / size - 1.9)
            spots = [
                LabelPlace(x + side * 0.4 * size, height * size, "start" if side > 0 else "end")
                for height in heights
                for side in (1, -1)
            ]
            self.labels.put(mark.text, self.uncrossed(mark.text, spots), "q h", must=True)

    def uncrossed(self, text: str, spots: Sequence[LabelPlace]) -> list[LabelPlace]:
        """Those first where the text would lie on no line."""
        boxes = self.labels.boxes
        return sorted(spots, key=lambda spot: self.labels.crossed(boxes(text, spot)[0]))

    def line(self, line: ChartLine) -> str:
        pieces = "".join([path([self.at(*spot) for spot in piece]) for piece in line.pieces])
        look = _line_look(line)
        return element("path", {"d": pieces, **look}, element("title", {}, escape(line.name)))

    def band(self, band: ChartBand) -> str:
        outlines = [
            path([self.at(*spot) for spot in (*upper, *reversed(lower))], close=True)
            for upper, lower in band.pieces
        ]
        title = element("title", {}, escape(band.name))
        return element("path", {"d": "".join(outlines), **_band_look(band)}, title)

    def point(self, point: ChartPoint) -> str:
        thin, thick = self.bar(point.x, point.batches), self.bar(point.x, point.processes)
        x, y = self.at(point.x, point.y)
        return element(
            "g",
            {},
            element("title", {}, escape(_words(point, self.chart))),
            element("path", {"d": thin, "class": f"l {POINT_SERIES}"}),
            element("path", {"d": thick, "class": f"r {POINT_SERIES}"}),
            element("path", {"d": marker(0, x, y, 6.0), "class": _point_class(point.is_stable)}),
        )

    def bar(self, x: float, ends: tuple[float, float]) -> str:
        """Upright with an end at both sides; past the edge of the picture it stays open."""
        parts = [path([self.at(x, ends[0]), self.at(x, ends[1])])]
        for end in ends:
            across, height = self.at(x, end)
            if end <= self.y.high:
                parts.append(path([(across - BARS, height), (across + BARS, height)]))
        return "".join(parts)

    # around it

    def x_ticks(self) -> list[float]:
        return self.x.ticks(4.2 * self.sheet.font_px)

    def y_ticks(self) -> list[float]:
        return self.y.ticks(2.4 * self.sheet.font_px)

    def frame(self) -> Iterator[str]:
        sheet, size = self.sheet, self.sheet.font_px
        foot, edge = sheet.top + sheet.down, sheet.left + sheet.across
        look = {"x": sheet.left, "y": sheet.top, "width": sheet.across, "height": sheet.down}
        yield element("rect", look | {"class": "f"})
        for value in self.x_ticks():
            x = sheet.left + self.x(value)
            yield _text(tick_text(value), x, foot + 1.2 * size, "middle")
        for value in self.y_ticks():
            y = foot - self.y(value) + 0.35 * size
            yield _text(tick_text(value), sheet.left - 0.4 * size, y, "end")
        yield _text(
            self.chart.x_name, sheet.left + sheet.across / 2, foot + 2.6 * size, "middle", "q"
        )
        yield _upright(self.chart.y_name, 1.1 * size, sheet.top + sheet.down / 2)
        yield from self.second_axis(edge, foot)
        head = sheet.top - (2.2 if self.chart.subtitle else 0.7) * size
        room = int((sheet.width - sheet.left) / (CHARACTER_EM * size))
        yield _text(_cut(self.chart.title, room), sheet.left, head, "", "", font_weight="600")
        yield _text(_cut(self.chart.subtitle, room), sheet.left, sheet.top - 0.7 * size, "", "q")

    def second_axis(self, edge: float, foot: float) -> Iterator[str]:
        size = self.sheet.font_px
        if not self.chart.per_line:
            return
        scaled = self.y._replace(high=self.y.high * self.chart.per_line)
        for value in scaled.ticks(2.4 * size):
            y = foot - scaled(value)
            yield element("path", {"d": path([(edge, y), (edge + 4, y)]), "class": "f"})
            yield _text(tick_text(value), edge + 0.55 * size, y + 0.35 * size)
        middle = self.sheet.top + self.sheet.down / 2
        yield _upright("cycles per cache line of work", self.sheet.width - 0.6 * size, middle)

    def legend(self) -> Iterator[str]:
        sheet, size = self.sheet, self.sheet.font_px
        y = sheet.top + sheet.down + 4.6 * size
        for row in self.rows:
            x = sheet.left
            for entry in row:
                shift = f"translate({x:.1f} {y:.1f})"
                yield element("g", {"transform": shift}, entry.sample)
                yield _text(entry.name, x + SWATCH + 6, y)
                x += _entry_width(entry)
            y += LEGEND_ROW * size


def _horizontal(chart: Chart, length: float) -> ChartAxis:
    places = [point.x for point in chart.points]
    places += [x for line in chart.lines for piece in line.pieces for x, _ in piece]
    low, high = min(places, default=1.0), max(places, default=1.0)
    if chart.across == "cores":
        return WholeAxis(0.0, max(high, 2.0) + 0.5, length)
    beside = max(high / low, NARROWEST) ** ROOM_BESIDE
    return LogAxis(low / beside, high * beside, length)


def _highest(chart: Chart) -> float:
    values = [point.y for point in chart.points]
    values += [y for line in chart.lines for piece in line.pieces for _, y in piece]
    values += [y for band in chart.bands for upper, _ in band.pieces for _, y in upper]
    return max(values, default=0.0) or 1.0


def _entries(chart: Chart) -> list[_LegendEntry]:
    found = []
    for line in chart.lines:
        d = path([(0.0, -4.0), (SWATCH, -4.0)])
        found.append(_LegendEntry(element("path", {"d": d, **_line_look(line)}), line.name))
    for band in chart.bands:
        corners = [(0.0, -9.0), (SWATCH, -9.0), (SWATCH, 1.0), (0.0, 1.0)]
        look = _band_look(band)
        found.append(
            _LegendEntry(element("path", {"d": path(corners, close=True), **look}), band.name)
        )
    for stable, name in ((True, "measured"), (False, "disturbed: an upper bound")):
        if any(point.is_stable is stable for point in chart.points):
            shape = {"d": marker(0, SWATCH / 2, -4.0, 6.0), "class": _point_class(stable)}
            found.append(_LegendEntry(element("path", shape), name))
    if chart.marks and chart.across == "size":
        d = path([(SWATCH / 2, -11.0), (SWATCH / 2, 3.0)])
        look = {"d": d, "class": "f", "stroke_dasharray": "5 4"}
        found.append(_LegendEntry(element("path", look), "a layer condition breaks"))
    return found


def _legend_rows(entries: Sequence[_LegendEntry]) -> list[list[_LegendEntry]]:
    rows: list[list[_LegendEntry]] = [[]]
    for entry in entries:
        taken = sum(map(_entry_width, rows[-1]))
        if rows[-1] and taken + _entry_width(entry) > SHEET.across:
            rows.append([])
        rows[-1].append(entry)
    return rows


def _entry_width(entry: _LegendEntry) -> float:
    return SWATCH + 22 + len(entry.name) * CHARACTER_EM * SHEET.font_px


def _line_look(line: ChartLine) -> dict[str, str]:
    if line.is_thick:
        return {"class": "r", "stroke": "var(--ink)"}
    series = SERIES[line.series % len(SERIES)]
    return {"class": f"r {series}", "stroke_dasharray": DASHES[line.series % len(DASHES)]}


def _band_look(band: ChartBand) -> dict[str, str]:
    return {"class": f"m{SERIES[band.series % len(SERIES)]}", "fill_opacity": ".45"}


def _point_class(stable: bool) -> str:
    return f"m{POINT_SERIES}" if stable else f"o {POINT_SERIES}"


def _words(point: ChartPoint, chart: Chart) -> str:
    low, high = (tick_text(float(f"{end:.3g}")) for end in point.batches)
    unstable = "" if point.is_stable else ", disturbed"
    return f"{chart.x_name} {point.x:g}: {point.y:.3g}, batches {low} to {high}{unstable}"


def _upright(text: str, x: float, y: float) -> str:
    return _text(text, x, y, "middle", "q", transform=f"rotate(-90 {x:.1f} {y:.1f})")


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _text(
    text: str, x: float, y: float, anchor: str = "", classes: str = "", **look: str | float
) -> str:
    place = {"x": x, "y": y, "class": classes, "text_anchor": anchor}
    return element("text", place | look, escape(text))
