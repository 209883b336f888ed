"""``measure --plot DIR``: pictures of a measurement, and the predictions between its points."""

import os
from collections.abc import Mapping, Sequence

from rooflint.cli.plot import write_plot
from rooflint.measure.confrontation.course import Course, CourseKnot, course_of
from rooflint.measure.confrontation.forecast import Forecast, ForecastPoint
from rooflint.measure.results import MeasurementReport, PointMeasurement
from rooflint.measure.sizes.planning import SizeRequest
from rooflint.measure.survey.survey import Instruments, SurveyRequest
from rooflint.plot.measured.draw import draw_chart
from rooflint.plot.measured.pictures import pictures
from rooflint.render.layout import plural


def measured_course(
    points: Sequence[PointMeasurement], request: SurveyRequest, tools: Instruments
) -> Course | None:
    """Predictions through the points, on the computer and with the models of the survey."""

    cores = request.cores[0]

    def forecast_at(sizes: Mapping[str, int], level: str) -> Forecast:
        at = ForecastPoint(sizes=sizes, residency=level, cores=cores, lines=request.lines)
        return tools.forecaster.at(request.function, at)

    def level_of(data_bytes: int) -> str:
        return tools.host.residency(data_bytes, cores)

    over = swept_size(points, request.points)
    knots = [
        CourseKnot(sizes=point.sizes, touched_bytes=point.touched_bytes)
        for point in points
        if point.touched_bytes and point.cores == cores
    ]
    return course_of(over, knots, forecast_at, level_of) if over else None


def swept_size(points: Sequence[PointMeasurement], request: SizeRequest) -> str:
    """The size of the sweep, else the first that differs between points; empty where none does."""
    if request.sweep is not None:
        return request.sweep.name
    names = points[0].sizes if points else {}
    measured = [point.sizes for point in points if point.touched_bytes]
    return next((n for n in names if len({sizes[n] for sizes in measured}) > 1), "")


def write_pictures(measurement: MeasurementReport, folder: str) -> str:
    """Writes the pictures; returns what was written, in words."""
    stem = picture_stem(measurement)
    paths = []
    for picture in pictures(measurement):
        paths.append(os.path.join(folder, f"{stem}-{picture.name}.svg"))
        write_plot(draw_chart(picture.chart).encode("utf-8"), paths[-1])
    if not paths:
        return f"--plot {folder}: nothing to draw: it takes two sizes, or data in memory"
    return f"{plural(len(paths), 'picture')} in {folder}: {', '.join(map(os.path.basename, paths))}"


def picture_stem(measurement: MeasurementReport) -> str:
    """``stencil-sweep-3`` of the file, the function and its line."""
    name = os.path.splitext(os.path.basename(measurement.path))[0]
    raw = f"{name}-{measurement.function}-{measurement.line}"
    return "".join([each if each.isalnum() or each in "-_." else "-" for each in raw])
