"""Performance over cores as measured, beside what the models say of it."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from rooflint.measure.confrontation.comparison import obstacle_of
from rooflint.measure.confrontation.forecast import ModelForecast
from rooflint.measure.results import CoreScaling, ModelScaling, PointMeasurement


def with_scaling(points: Sequence[PointMeasurement]) -> tuple[PointMeasurement, ...]:
    """The points; those on several cores with their performance over that of one core."""
    return tuple([replace(point, scaling=_scaling(point, points)) for point in points])


def _scaling(point: PointMeasurement, points: Sequence[PointMeasurement]) -> CoreScaling | None:
    """None where the same sizes have no figure on one core, or another level holds the data."""
    cycles = _cycles(point)
    single = next((other for other in points if _is_single(other, point)), None)
    alone = None if single is None else _cycles(single)
    if single is None or not alone or not cycles:
        return None
    return CoreScaling(speedup=alone / cycles, models=tuple(_models(single, point.cores)))


def _is_single(other: PointMeasurement, point: PointMeasurement) -> bool:
    same = other.sizes == point.sizes and other.level == point.level
    return same and other.cores == 1 < point.cores


def _cycles(point: PointMeasurement) -> float | None:
    is_of_loop = point.figure is not None and point.figure.is_of_loop
    return point.cy_per_iteration if is_of_loop else None


def _models(single: PointMeasurement, cores: int) -> Iterator[ModelScaling]:
    forecast = single.forecast
    for model in () if forecast is None else forecast.models:
        if forecast is not None and obstacle_of(model, single.level, forecast) is None:
            scaling = _model_scaling(model, cores)
            if scaling is not None:
                yield scaling


def _model_scaling(model: ModelForecast, cores: int) -> ModelScaling | None:
    """None where the model says nothing of several cores."""
    if model.times is None or not any(model.times.by_cores[1:]):
        return None
    by_cores = model.times.by_cores
    alone = by_cores[0]
    together = by_cores[cores - 1] if cores <= len(by_cores) else None
    return ModelScaling(
        model=model.model,
        speedup=alone / together if alone and together else None,
        saturation_cores=model.times.saturation_cores,
    )
