"""Measurements as one HTML page that needs nothing else."""

from collections.abc import Sequence
from pathlib import Path

import rooflint
from rooflint.measure.results import MeasurementReport, PointMeasurement
from rooflint.plot import style
from rooflint.plot.measured.draw import draw_chart
from rooflint.plot.measured.pictures import pictures
from rooflint.render.html.document import document
from rooflint.render.html.markup import element, escape, items, table
from rooflint.render.layout import plural
from rooflint.render.measured import words
from rooflint.render.measured.counted import counted_rows, report_notes

LOOKS = Path(__file__).parents[1] / "html" / "base.css"
HEADS = ("model", "cycles per iteration", "predicted / measured", "")


def render_page(measurements: Sequence[MeasurementReport]) -> str:
    """A section a function: its pictures, and a table a point; ends with a newline."""
    title = plural(len(measurements), "measurement")
    head = f"<h1>Rooflint <small>{escape(rooflint.__version__)}</small></h1>"
    head += f"<p>{escape(title)} beside what the models predict"
    body = element("header", head) + element("main", "".join(map(_section, measurements)))
    plots = style().partition(">")[2].rpartition("</style>")[0]
    return document(title, body, (LOOKS.read_text(encoding="utf-8"), plots))


def _section(measurement: MeasurementReport) -> str:
    place = f"{measurement.path}:{measurement.line} {measurement.function}"
    parts = [element("h2", escape(place))]
    parts.append(element("p", escape(f"measured on {measurement.build.cpu}")))
    parts += [
        element("figure", draw_chart(picture.chart, styled=False))
        for picture in pictures(measurement)
    ]
    parts += [_point(point, measurement) for point in measurement.points]
    parts.append(items(report_notes(measurement.build)))
    return element("section", "".join(parts))


def _point(point: PointMeasurement, measurement: MeasurementReport) -> str:
    parts = [element("h3", escape(words.head_text(point, measurement.build)))]
    rows = [("measured", words.measured_text(point), "", words.verdict_text(point))]
    for row in point.models:
        value = words.cycles(row.cycles)
        rows.append((row.model, value, words.ratio_text(row), words.model_text(row, point)))
    rows += [(row.name, row.value, row.ratio, row.remark) for row in counted_rows(point)]
    if point.scaling is not None:
        value = f"{point.scaling.speedup:.2f} x"
        rows.append(("scaling", value, "", words.scaling_text(point.scaling)))
    parts.append(table(HEADS, [map(escape, row) for row in rows]))
    if point.conditions is not None:
        parts.append(element("p", escape(words.conditions_text(point.conditions, point.figure))))
    return "".join(parts)
