"""Measurements for a terminal: a paragraph a point, a line each for the figure and the models."""

from collections.abc import Iterator

from rooflint.escaping import visible
from rooflint.measure.protocol import MeasureVerdict
from rooflint.measure.results import MeasurementReport, PointMeasurement
from rooflint.render.layout import Colour, Style, with_label, wrap
from rooflint.render.measured import words
from rooflint.render.measured.counted import counted_rows, report_notes

INDENT = 2
LABEL = 11
VALUE = 13
RATIO = 8


def render_text(measurement: MeasurementReport, style: Style) -> str:
    """The whole measurement; ends with a newline."""
    return "".join([f"{line}\n" for line in _lines(measurement, style)])


def _lines(measurement: MeasurementReport, style: Style) -> Iterator[str]:
    place = f"{measurement.path}:{measurement.line}"
    for point in measurement.points:
        head = f"{place} {measurement.function}: {words.head_text(point, measurement.build)}"
        yield from wrap(visible(head), style.width, 0, INDENT)
        yield from _point(point, style)
    for note in report_notes(measurement.build):
        yield from wrap(visible(note), style.width, 0, INDENT)


def _point(point: PointMeasurement, style: Style) -> Iterator[str]:
    verdict = words.verdict_text(point)
    if point.figure is None:
        yield from _row(("measured", "–", "", verdict), style, "red")
        return
    colour: Colour = "green" if point.verdict is MeasureVerdict.STABLE else "yellow"
    yield from _row(("measured", words.measured_text(point), "", verdict), style, colour)
    for row in point.models:
        value = f"{words.cycles(row.cycles)} cy/it" if row.cycles is not None else "–"
        cells = (row.model, value, words.ratio_text(row), words.model_text(row, point))
        yield from _row(cells, style)
    for counted in counted_rows(point):
        yield from _row((counted.name, counted.value, counted.ratio, counted.remark), style)
    if point.scaling is not None:
        value = f"{point.scaling.speedup:.2f} x"
        yield from _row(("scaling", value, "", words.scaling_text(point.scaling)), style)
    if point.conditions is not None:
        text = words.conditions_text(point.conditions, point.figure)
        yield from wrap(text, style.width, INDENT, INDENT * 2)


def _row(cells: tuple[str, str, str, str], style: Style, colour: Colour | None = None) -> list[str]:
    name, value, ratio, remark = cells
    label = f"{name:<{LABEL}} {value:<{VALUE}} {ratio:<{RATIO}}"
    lines = with_label(label, remark, style, INDENT, INDENT + len(label) + 1)
    return [style.paint(line.rstrip(), colour) if colour else line.rstrip() for line in lines]
