"""Plots of bounds: a prediction whose plot has ``bounds`` is drawn, whoever made it.

One picture has all levels in one axis, one has every level at its own work per byte, where its
slopes are its bytes per time.
"""

from collections.abc import Iterator
from typing import Final

from rooflint.plot.scene import Curve, Scene, ScenePoint, short
from rooflint.plugin_api.drawing import BoundsPlot
from rooflint.plugin_api.report import KernelReport
from rooflint.records import NamedTuple

POINT: Final = 3
COMPUTE: Final = 0
LEVELS: Final = (1, 2, 4)
"""Places of colours: of the loop and of overlaps, of what lies flat, of levels in turn."""


class BoundsScenes(NamedTuple):
    """The two pictures of one prediction."""

    model: str
    machine: str
    merged: Scene
    levels: Scene


def bounds_scenes(title: str, kernel: KernelReport) -> Iterator[BoundsScenes]:
    """The pictures of every prediction of a kernel that has bounds to draw."""
    several = len(kernel.results) > 1
    for result in kernel.results:
        for prediction in result.predictions:
            plot = prediction.plot.bounds if prediction.plot is not None else None
            lines = list(_lines(plot)) if plot is not None else []
            if plot is not None and lines:
                machine = result.machine if several else ""
                origin = f"{result.machine}, {prediction.model}: {prediction.headline}"
                scenes = _scenes(title, origin, plot, lines)
                yield BoundsScenes(prediction.model, machine, *scenes)


def _scenes(
    title: str, origin: str, plot: BoundsPlot, lines: list[tuple[str, Curve]]
) -> tuple[Scene, Scene]:
    intensity, rate, work = plot.intensity_per_byte, plot.rate, plot.metric
    own = {level.name: level.intensity_per_byte for level in plot.levels}
    merged = Scene(
        title=title,
        work=work,
        unit=plot.unit,
        roofs=(),
        points=(ScenePoint(name="", intensity_per_byte=intensity, g_per_s=rate, roof=POINT),),
        subtitle=f"{origin}, {short(intensity)} {work}/B over all levels",
        axis="intensity, all levels",
        curves=_under_roof([curve for _, curve in lines], merged=True),
    )
    apart = [
        curve if of not in own or curve.slope is None else curve._replace(
            slope=curve.slope * intensity / own[of],
            name=f"{curve.name} {short(curve.slope * intensity / own[of])} B/cy",
        )
        for of, curve in lines
        if curve.kind != "overlap"
    ]  # fmt: skip
    points = [
        ScenePoint(name=name, intensity_per_byte=value, g_per_s=rate, roof=_series(place + 1))
        for place, (name, value) in enumerate(own.items())
    ]
    levels = merged._replace(
        points=tuple(points),
        subtitle=f"{origin}, every level at its own {work}/B",
        axis="intensity of each level",
        curves=_under_roof(apart, merged=False),
    )
    return merged, levels


def _lines(plot: BoundsPlot) -> Iterator[tuple[str, Curve]]:
    levels = [level.name for level in plot.levels]
    for line in plot.lines:
        if line.flat or line.slope:
            series = POINT if line.kind == "overlap" else COMPUTE
            if line.of in levels:
                series = _series(levels.index(line.of) + 1)
            share = 1.0 if line.alpha is None else line.alpha
            yield (
                line.of,
                Curve(line.name, line.kind, series, flat=line.flat, slope=line.slope, alpha=share),
            )


def _series(place: int) -> int:
    return LEVELS[(place - 1) % len(LEVELS)]


def _under_roof(curves: list[Curve], *, merged: bool) -> tuple[Curve, ...]:
    highest = [curve for curve in curves if curve.kind == "throughput"]
    flat = min([curve.flat for curve in highest if curve.flat], default=None)
    slopes = [curve.slope for curve in highest if curve.slope]
    slope = (min if merged else max)(slopes, default=None)
    if flat is None and slope is None:
        return tuple(curves)
    return (Curve(name="", kind="roof", series=COMPUTE, flat=flat, slope=slope), *curves)
