"""Measured and predicted cycles side by side, and whether they speak of the same thing."""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

from rooflint.measure.confrontation.forecast import Forecast, ModelForecast
from rooflint.measure.confrontation.suspects import Observation, Suspect, suspects
from rooflint.measure.sizes.host import MEMORY


class Obstacle(Enum):
    """Why a prediction cannot be held against a measurement."""

    PRICES_FARTHER = "prices a farther level"
    PARTLY_PREDICTED = "some loop has no prediction"
    CODE_NOT_COUNTED = "some code has no price"
    GUESSED_TRIPS = "data decide how often a loop runs"
    NOT_MEASURED = "no figure of the loop"
    BRANCHES_LEFT_OUT = "data leave out branches"


class ModelComparison(Struct, frozen=True, kw_only=True):
    """One model at one point. ``cycles`` are per iteration, ``ratio`` is predicted over measured.

    prices   the level that the model charges where that is an obstacle
    guessed  trip counts that the analysis does not know, where that is an obstacle
    suspect  of a ratio that is off, where levels tell
    """

    model: str
    cycles: float | None
    ratio: float | None
    bottleneck: str
    obstacle: Obstacle | None = None
    prices: str = ""
    guessed: tuple[str, ...] = ()
    suspect: Suspect | None = None


class SlopeTerm(Struct, frozen=True):
    """A size whose cycles a call count with this weight in a slope, and what models say of it."""

    weight: float
    forecast: Forecast


class MeasuredPoint(Struct, frozen=True, kw_only=True):
    """A measurement as the comparison sees it.

    slope         the sizes through which its cycles per iteration are a slope: those of a model are
                  one through the same sizes, or what a row costs beside its elements would count
                  in full for the model and in part for the loop
    is_stable     the figure may judge a model; others are shown only
    is_disturbed  a reference ran below its figure
    left_out      branches were not taken, which the models price
    """

    level: str
    cycles_per_iteration: float | None
    is_stable: bool
    is_disturbed: bool
    near_limit: bool
    is_power: bool
    left_out: bool = False
    slope: tuple[SlopeTerm, ...] = ()


def compare(
    points: Sequence[tuple[MeasuredPoint, Forecast]],
) -> tuple[tuple[ModelComparison, ...], ...]:
    """The models at each point; suspects come from all points together."""
    rows = [
        [_row(model, point, forecast) for model in forecast.models] for point, forecast in points
    ]
    names = dict.fromkeys(row.model for each in rows for row in each)
    for name in names:
        _add_suspects(name, rows, points)
    return tuple([tuple(each) for each in rows])


def obstacle_of(model: ModelForecast, level: str, forecast: Forecast) -> Obstacle | None:
    """Why the model does not speak of data in ``level``; None where it does."""
    if model.cycles is None or forecast.refused:
        return Obstacle.PARTLY_PREDICTED
    if model.is_part:
        return Obstacle.CODE_NOT_COUNTED
    if forecast.guessed_trips:
        return Obstacle.GUESSED_TRIPS
    if level not in forecast.levels:
        return Obstacle.PRICES_FARTHER
    if not forecast.residency and level != MEMORY:
        return Obstacle.PRICES_FARTHER
    if model.prices and forecast.levels.index(model.prices) > forecast.levels.index(level):
        return Obstacle.PRICES_FARTHER
    return None


def _row(model: ModelForecast, point: MeasuredPoint, forecast: Forecast) -> ModelComparison:
    obstacle = obstacle_of(model, point.level, forecast)
    per_iteration = _sloped_cycles(model.model, point.slope)
    if per_iteration is None and model.cycles is not None and forecast.iterations:
        per_iteration = model.cycles / forecast.iterations
    measured = point.cycles_per_iteration
    if obstacle is None:
        obstacle = _obstacle_at(point)
    ratio = per_iteration / measured if per_iteration is not None and measured else None
    return ModelComparison(
        model=model.model,
        cycles=per_iteration,
        ratio=ratio,
        bottleneck=model.bottleneck,
        obstacle=obstacle,
        prices=(model.prices or MEMORY) if obstacle is Obstacle.PRICES_FARTHER else "",
        guessed=tuple(sorted(forecast.guessed_trips)),
    )


def _sloped_cycles(name: str, slope: Sequence[SlopeTerm]) -> float | None:
    """Cycles per iteration of a model by the sizes of a slope; None where it lacks one of them."""
    total = 0.0
    for term in slope:
        cycles = [model.cycles for model in term.forecast.models if model.model == name]
        if not cycles or cycles[0] is None:
            return None
        total += term.weight * cycles[0]
    return total if total > 0 else None


def _obstacle_at(point: MeasuredPoint) -> Obstacle | None:
    if point.cycles_per_iteration is None:
        return Obstacle.NOT_MEASURED
    return Obstacle.BRANCHES_LEFT_OUT if point.left_out else None


def _add_suspects(
    name: str,
    rows: list[list[ModelComparison]],
    points: Sequence[tuple[MeasuredPoint, Forecast]],
) -> None:
    places, observations = [], []
    for number, (point, _) in enumerate(points):
        for column, row in enumerate(rows[number]):
            if row.model != name or row.obstacle is not None or not point.is_stable:
                continue
            if row.cycles is None or point.cycles_per_iteration is None:
                continue
            places.append((number, column))
            observations.append(
                Observation(
                    level=point.level,
                    measured=point.cycles_per_iteration,
                    predicted=row.cycles,
                    is_disturbed=point.is_disturbed,
                    near_limit=point.near_limit,
                    is_power=point.is_power,
                )
            )
    levels = points[0][1].levels if points else ()
    for (number, column), suspect in zip(places, suspects(observations, levels), strict=True):
        row = rows[number][column]
        rows[number][column] = ModelComparison(
            model=row.model,
            cycles=row.cycles,
            ratio=row.ratio,
            bottleneck=row.bottleneck,
            suspect=suspect,
        )
