"""Points of one function beside the models: its forecasts, and what sets a point apart."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.measure.confrontation.comparison import MeasuredPoint, compare
from rooflint.measure.confrontation.forecast import Forecast, Forecaster, ForecastPoint
from rooflint.measure.protocol import PAGE, Doubt, MeasureVerdict
from rooflint.measure.results import PointMeasurement

NEIGHBOUR: Final = 1.25
"""Sizes so much smaller and larger show whether a layer condition is near."""
DISTURBANCES: Final = frozenset((Doubt.EXECUTION_UNITS_SHARED, Doubt.MEMORY_SHARED))


class FunctionForecasts:
    """The forecasts of a function or of the nest at ``lines``, each made once."""

    def __init__(
        self, forecaster: Forecaster, function: str, lines: tuple[int, int] | None
    ) -> None:
        self._forecaster = forecaster
        self._function = function
        self._lines = lines
        self._made: dict[tuple[tuple[tuple[str, int], ...], str, int], Forecast] = {}

    def at(self, sizes: Mapping[str, int], level: str, cores: int = 1) -> Forecast:
        """The forecast at these sizes with the data in ``level``."""
        key = tuple(sorted(sizes.items())), level, cores
        if key not in self._made:
            point = ForecastPoint(sizes=sizes, residency=level, cores=cores, lines=self._lines)
            self._made[key] = self._forecaster.at(self._function, point)
        return self._made[key]


def with_models(
    points: Sequence[PointMeasurement], forecasts: FunctionForecasts, free: Sequence[str]
) -> tuple[PointMeasurement, ...]:
    """The points with the models beside them; ``free`` are the sizes that a point chooses.

    Suspects come from points on the same number of cores.
    """
    rows = {}
    for cores in dict.fromkeys(point.cores for point in points):
        pairs = [
            (_seen(p, forecasts, free), p.forecast)
            for p in points
            if p.forecast is not None and p.cores == cores
        ]
        rows[cores] = iter(compare(pairs))
    return tuple([replace(p, models=next(rows[p.cores])) if p.forecast else p for p in points])


def _seen(
    point: PointMeasurement, forecasts: FunctionForecasts, free: Sequence[str]
) -> MeasuredPoint:
    found = point.figure if point.figure is not None and point.figure.is_of_loop else None
    return MeasuredPoint(
        level=point.level,
        cycles_per_iteration=point.cy_per_iteration if found is not None else None,
        is_stable=point.verdict is MeasureVerdict.STABLE,
        is_disturbed=found is not None and not DISTURBANCES.isdisjoint(found.doubts),
        near_limit=_near_limit(point, forecasts, free),
        is_power=_is_power(point, free),
        left_out=_left_out(point),
        slope=point.slope,
    )


def _left_out(point: PointMeasurement) -> bool:
    """Whether so little was touched that branches were not taken."""
    forecast = point.forecast
    if forecast is None or forecast.expected_bytes is None:
        return False
    return point.touched_bytes + 2 * PAGE * forecast.arrays < forecast.expected_bytes / 2


def _near_limit(point: PointMeasurement, forecasts: FunctionForecasts, free: Sequence[str]) -> bool:
    if point.forecast is None or not free:
        return False
    here = point.forecast.layers
    if not any(here):
        return False
    for factor in (1 / NEIGHBOUR, NEIGHBOUR):
        moved = {name: max(1, int(point.sizes[name] * factor)) for name in free}
        if forecasts.at({**point.sizes, **moved}, point.level, point.cores).layers != here:
            return True
    return False


def _is_power(point: PointMeasurement, free: Sequence[str]) -> bool:
    sizes = [point.sizes[name] for name in free]
    return bool(sizes) and all(size >= 64 and size & (size - 1) == 0 for size in sizes)
