"""Plots of bounds: a prediction whose data has ``curves`` is drawn, whoever made it.

    metric, unit                  what is counted, and the unit of its rate
    intensity_per_byte, rate      where the loop is; its work per byte that any level moves
    lines: name, kind, of, flat, slope, alpha
                                  bounds over that intensity; ``of`` is what one is about
    levels: name, intensity_per_byte
                                  work per byte of each level by itself

One picture has all levels in one axis, one has every level at its own work per byte, where its
slopes are its bytes per time.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from rooflint.plot.fields import items, number
from rooflint.plot.scene import Curve, Point, Scene, short
from rooflint.prediction import Json, Prediction
from rooflint.report import KernelReport, MachineResult

POINT: Final = 3
COMPUTE: Final = 0
LEVELS: Final = (1, 2, 4)
"""Places of colours: of the loop and of overlaps, of what lies flat, of levels in turn."""


class Bounded(NamedTuple):
    """The two pictures of one prediction."""

    model: str
    machine: str
    merged: Scene
    levels: Scene


def bounded(title: str, kernel: KernelReport) -> Iterator[Bounded]:
    """The pictures of every prediction of a kernel that has ``curves``."""
    several = len(kernel.results) > 1
    for result in kernel.results:
        for prediction in result.predictions:
            data = prediction.data.get("curves")
            if isinstance(data, dict):
                found = _scenes(title, result, prediction, data)
                if found is not None:
                    machine = result.machine if several else ""
                    yield Bounded(prediction.model, machine, *found)


def _scenes(
    title: str, result: MachineResult, prediction: Prediction, data: Mapping[str, Json]
) -> tuple[Scene, Scene] | None:
    intensity, rate = number(data, "intensity_per_byte"), number(data, "rate")
    own = {
        str(item.get("name")): value
        for item in items(data, "levels")
        if (value := number(item, "intensity_per_byte"))
    }
    lines = list(_lines(data, list(own)))
    if not intensity or not rate or not lines:
        return None
    work, unit = str(data.get("metric", "flop")), str(data.get("unit") or "flop/cy")
    said = f"{result.machine}, {prediction.model}: {prediction.headline}"
    merged = Scene(
        title,
        work,
        unit,
        (),
        (Point("", intensity, rate, POINT),),
        f"{said}, {short(intensity)} {work}/B over all levels",
        "intensity, all levels",
        _under_roof([curve for _, curve in lines], merged=True),
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
        Point(name, value, rate, _series(place + 1))
        for place, (name, value) in enumerate(own.items())
    ]
    levels = merged._replace(
        points=tuple(points),
        subtitle=f"{said}, every level at its own {work}/B",
        axis="intensity of each level",
        curves=_under_roof(apart, merged=False),
    )
    return merged, levels


def _lines(data: Mapping[str, Json], levels: list[str]) -> Iterator[tuple[str, Curve]]:
    """Each bound with what it is about."""
    for item in items(data, "lines"):
        of, kind = str(item.get("of") or ""), str(item.get("kind"))
        flat, slope, alpha = (number(item, key) for key in ("flat", "slope", "alpha"))
        if flat or slope:
            series = POINT if kind == "overlap" else COMPUTE
            if of in levels:
                series = _series(levels.index(of) + 1)
            share = 1.0 if alpha is None else alpha
            yield of, Curve(str(item.get("name")), kind, series, flat, slope, share)


def _series(place: int) -> int:
    return LEVELS[(place - 1) % len(LEVELS)]


def _under_roof(curves: list[Curve], *, merged: bool) -> tuple[Curve, ...]:
    """The bounds after the roof of the highest rates: of all levels together, or of the fastest."""
    highest = [curve for curve in curves if curve.kind == "throughput"]
    flat = min([curve.flat for curve in highest if curve.flat], default=None)
    slopes = [curve.slope for curve in highest if curve.slope]
    slope = (min if merged else max)(slopes, default=None)
    if flat is None and slope is None:
        return tuple(curves)
    return (Curve("", "roof", COMPUTE, flat, slope), *curves)
