"""The pictures of a measurement: over sizes the models and the ECM's parts, and over cores."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Final, TypeAlias

from rooflint.measure.confrontation.comparison import obstacle_of
from rooflint.measure.confrontation.course import Course, CourseSample, LayerBreak
from rooflint.measure.confrontation.forecast import Forecast, ModelForecast
from rooflint.measure.protocol import MeasureVerdict
from rooflint.measure.results import MeasurementReport, PointMeasurement
from rooflint.plot.measured.chart import (
    Chart,
    ChartBand,
    ChartLine,
    ChartMark,
    ChartPoint,
    ChartZone,
    Spots,
)
from rooflint.plugin_api.drawing import TimePlot, TimeShare
from rooflint.records import NamedTuple

CYCLES: Final = "cycles per iteration"
RATE: Final = "iterations per cycle"
SHARE_SERIES: Final = (2, 0, 4, 1, 3)
"""Colours of what is stacked; that of the points comes last."""
LINE_SERIES: Final = (0, 1, 2, 4)
BESIDE_SERIES: Final = (1, 4)
CORES_BEYOND: Final = 2
"""Times the cores that saturate memory: so far the picture goes at least."""
SAME: Final = 1.01
"""A total that is no more above its contributions than that is their sum."""

Height: TypeAlias = Callable[[CourseSample], float | None]
"""A height of the picture at a sample; None where it has none."""


class MeasuredPicture(NamedTuple):
    """``name`` is part of a file's name."""

    name: str
    chart: Chart


def pictures(measurement: MeasurementReport) -> Iterator[MeasuredPicture]:
    """Every picture that there are enough points or predictions for."""
    course = measurement.course
    if course is not None:
        yield MeasuredPicture("sweep", sweep_chart(measurement, course))
        for name in _model_names(course.samples):
            chart = contributions_chart(measurement, course, name)
            if chart is not None:
                yield MeasuredPicture(f"{name}-parts", chart)
    for name in _names([point.forecast for point in measurement.points]):
        scaling = cores_chart(measurement, name)
        if scaling is not None:
            yield MeasuredPicture(f"{name}-cores", scaling)


def sweep_chart(measurement: MeasurementReport, course: Course) -> Chart:
    """The line of each model that speaks of the level that holds the data, and all points."""
    lines = []
    for place, name in enumerate(_model_names(course.samples)):
        pieces = _pieces(course.samples, partial(_cycles, model=name))
        if pieces:
            lines.append(ChartLine(name, LINE_SERIES[place % len(LINE_SERIES)], pieces))
    return _over_sizes(measurement, course)._replace(lines=tuple(lines))


def contributions_chart(measurement: MeasurementReport, course: Course, model: str) -> Chart | None:
    """Contributions that are added as a stack, those that overlap and the total as lines; None
    where the model tells of none."""
    known = [sample for sample in course.samples if _shares(sample, model) is not None]
    if not known:
        return None
    base = _over_sizes(measurement, course)
    added, beside = _share_names(known, model)
    total = _pieces(known, partial(_total, model=model))
    return base._replace(
        title=f"{base.title}: {model} by contributions",
        lines=(
            *_beside(known, model, beside),
            ChartLine(_total_name(known, model, added, beside), 0, total, is_thick=True),
        ),
        bands=tuple(_stack(known, model, added)),
    )


def _stack(
    samples: Sequence[CourseSample], model: str, names: Sequence[str]
) -> Iterator[ChartBand]:
    for place, name in enumerate(names):
        lower = _pieces(samples, partial(_sum, model=model, names=names[:place]))
        upper = _pieces(samples, partial(_sum, model=model, names=names[: place + 1]))
        if upper != lower:
            series = SHARE_SERIES[place % len(SHARE_SERIES)]
            yield ChartBand(name, series, tuple(zip(upper, lower, strict=True)))


def _beside(
    samples: Sequence[CourseSample], model: str, names: Sequence[str]
) -> Iterator[ChartLine]:
    for place, name in enumerate(names):
        pieces = _pieces(samples, partial(_sum, model=model, names=(name,)))
        if any(height for piece in pieces for _, height in piece):
            series = BESIDE_SERIES[place % len(BESIDE_SERIES)]
            yield ChartLine(f"{name}, overlaps", series, pieces)


def cores_chart(measurement: MeasurementReport, model: str) -> Chart | None:
    """Performance over cores at the point with most data, and ``n_S``; None where memory does not
    saturate there: each core then adds as much as the first."""
    known = [point for point in measurement.points if _scaling(point, model) is not None]
    if not known:
        return None
    point = max(known, key=lambda each: each.touched_bytes)
    times = _scaling(point, model)
    if times is None or times.saturation_cores is None:
        return None
    same = [each for each in measurement.points if each.sizes == point.sizes]
    sizes = " ".join([f"{name}={value}" for name, value in point.sizes.items()])
    saturation, missing = _saturation(times.saturation_cores, len(times.by_cores))
    return Chart(
        title=f"{_title(measurement)}: performance over cores",
        subtitle=f"predictions for {measurement.build.machine}; {sizes}, data in {point.level};"
        f" measured on {_core_numbers(same)}{missing}",
        x_name="cores",
        y_name=RATE,
        across="cores",
        lines=(ChartLine(model, 0, (_rates(times, point.iterations or 1.0),)),),
        points=tuple(filter(None, map(_rate_point, same))),
        marks=saturation,
    )


def _core_count(cores: int) -> str:
    return "one core" if cores == 1 else f"{cores} cores"


def _core_numbers(points: Sequence[PointMeasurement]) -> str:
    numbers = sorted({point.cores for point in points})
    if numbers == [1]:
        return "one core"
    return f"{', '.join(map(str, numbers))} cores, each with data of its own"


def _rates(times: TimePlot, iterations: float) -> Spots:
    """Iterations per cycle of 1, 2, … cores."""
    cores = CORES_BEYOND * (times.saturation_cores or 0) + 1
    cycles = enumerate(times.by_cores[:cores], start=1)
    return tuple([(float(number), iterations / each) for number, each in cycles if each])


def _saturation(cores: int, all_cores: int) -> tuple[tuple[ChartMark, ...], str]:
    """The mark of ``n_S``; where the machine has fewer cores, words in its place."""
    name = f"n_S = {cores}"
    if cores > all_cores:
        return (), f"; {name}, more than there are"
    return (ChartMark(float(cores), name),), ""


def _over_sizes(measurement: MeasurementReport, course: Course) -> Chart:
    fewest = min(point.cores for point in measurement.points)
    own = [point for point in measurement.points if point.cores == fewest]
    points = list(_points(own, course.over))
    left = len(own) - len(points)
    missing = f"; {left} without a figure" if left else ""
    build = measurement.build
    return Chart(
        title=_title(measurement),
        subtitle=f"predictions for {build.machine}; {_core_count(fewest)} of {build.cpu}{missing}",
        x_name=course.over,
        y_name=CYCLES,
        points=tuple(points),
        zones=tuple(_zones(course.samples)),
        marks=tuple(map(_mark, course.breaks)),
        per_line=_per_line(course.samples),
    )


def _title(measurement: MeasurementReport) -> str:
    name = measurement.path.rpartition("/")[2]
    return f"{name}:{measurement.line} {measurement.function}"


def _points(points: Sequence[PointMeasurement], over: str) -> Iterator[ChartPoint]:
    for point in points:
        drawn = _point(point, float(point.sizes[over]))
        if drawn is not None:
            yield drawn


def _point(point: PointMeasurement, x: float) -> ChartPoint | None:
    found, middle = point.figure, point.cy_per_iteration
    if found is None or not found.is_of_loop or not middle:
        return None
    scale = middle / found.cycles.p10
    return ChartPoint(
        x=x,
        y=middle,
        batches=(middle, found.cycles.p90 * scale),
        processes=(min(found.processes) * scale, max(found.processes) * scale),
        is_stable=found.verdict is MeasureVerdict.STABLE,
    )


def _rate_point(point: PointMeasurement) -> ChartPoint | None:
    drawn = _point(point, float(point.cores))
    if drawn is None:
        return None
    return drawn._replace(
        y=1 / drawn.y,
        batches=(1 / drawn.batches[1], 1 / drawn.batches[0]),
        processes=(1 / drawn.processes[1], 1 / drawn.processes[0]),
    )


def _zones(samples: Sequence[CourseSample]) -> Iterator[ChartZone]:
    """Neighbouring zones meet half way between two sizes."""
    runs = [list(run) for _, run in groupby(samples, key=lambda sample: sample.level)]
    edges = [(a[-1].size * b[0].size) ** 0.5 for a, b in pairwise(runs)]
    starts = [float(samples[0].size), *edges]
    stops = [*edges, float(samples[-1].size)]
    for run, start, stop in zip(runs, starts, stops, strict=True):
        yield ChartZone(run[0].level, start, stop)


def _mark(found: LayerBreak) -> ChartMark:
    moves = "; ".join([f"{move.layer} {move.before} → {move.after}" for move in found.moves])
    return ChartMark(float(found.size), f"{found.size}: {moves}" if moves else str(found.size))


def _per_line(samples: Sequence[CourseSample]) -> float | None:
    """Where it is the same for all sizes."""
    found = {
        model.times.iterations_per_line
        for sample in samples
        for model in sample.forecast.models
        if model.times is not None
    }
    return found.pop() if len(found) == 1 else None


def _pieces(samples: Sequence[CourseSample], height: Height) -> tuple[Spots, ...]:
    """Lines through neighbours in one level that have a height; a level has its own line."""
    found: list[Spots] = []
    for (_, known), run in groupby(samples, lambda each: (each.level, height(each) is not None)):
        spots = [(float(sample.size), height(sample) or 0.0) for sample in run]
        if known:
            found.append(tuple(spots))
    return tuple(found)


def _model_names(samples: Sequence[CourseSample]) -> list[str]:
    return _names([sample.forecast for sample in samples])


def _names(forecasts: Sequence[Forecast | None]) -> list[str]:
    models = [model for forecast in forecasts if forecast is not None for model in forecast.models]
    return sorted({model.model for model in models})


def _model(forecast: Forecast | None, name: str) -> ModelForecast | None:
    models = forecast.models if forecast is not None else ()
    return next((model for model in models if model.model == name), None)


def _cycles(sample: CourseSample, model: str) -> float | None:
    """Per iteration; None where the model cannot be held against a measurement."""
    forecast = sample.forecast
    answer = _model(forecast, model)
    if answer is None or answer.cycles is None or not forecast.iterations:
        return None
    if obstacle_of(answer, sample.level, forecast) is not None:
        return None
    return answer.cycles / forecast.iterations


def _times(sample: CourseSample, name: str) -> TimePlot | None:
    model = _model(sample.forecast, name)
    return model.times if model is not None and _cycles(sample, name) is not None else None


def _shares(sample: CourseSample, name: str) -> tuple[TimeShare, ...] | None:
    times = _times(sample, name)
    return None if times is None else times.shares


def _share_names(
    samples: Sequence[CourseSample], model: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Contributions that are added, nearest first, and those that overlap."""
    shares = [share for sample in samples for share in _shares(sample, model) or ()]
    beside = dict.fromkeys(share.name for share in shares if share.overlaps)
    added = dict.fromkeys(share.name for share in shares if share.name not in beside)
    return tuple(added), tuple(beside)


def _sum(sample: CourseSample, model: str, names: Sequence[str]) -> float:
    shares = _shares(sample, model) or ()
    cycles = sum([share.cycles for share in shares if share.name in names])
    return cycles / (sample.forecast.iterations or 1.0)


def _total(sample: CourseSample, model: str) -> float | None:
    times = _times(sample, model)
    return None if times is None else times.cycles / (sample.forecast.iterations or 1.0)


def _total_name(
    samples: Sequence[CourseSample], model: str, added: Sequence[str], beside: Sequence[str]
) -> str:
    """With a word on a total that exceeds its contributions."""
    for sample in samples:
        sums = [_sum(sample, model, names) for names in (added, *[(name,) for name in beside])]
        if (_total(sample, model) or 0.0) > max(sums) * SAME:
            return f"{model} in total; above the bands: the rate that one core sustains"
    return f"{model} in total"


def _scaling(point: PointMeasurement, name: str) -> TimePlot | None:
    """Cycles over cores of a point measured; None where there are none for several cores."""
    model = _model(point.forecast, name)
    if model is None or model.times is None or point.forecast is None or not point.iterations:
        return None
    if obstacle_of(model, point.level, point.forecast) is not None:
        return None
    several = [cycles for cycles in model.times.by_cores[1:] if cycles]
    return model.times if several and point.cy_per_iteration else None
