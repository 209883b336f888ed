"""Models beside a figure, and which of them speak of the same thing."""

import pytest
from msgspec.structs import replace
from rooflint.measure.confrontation.comparison import MeasuredPoint, Obstacle, compare
from rooflint.measure.confrontation.forecast import Forecast, ModelForecast
from rooflint.measure.confrontation.suspects import Suspect, SuspectTerm

GUESSED = frozenset({"degree[i]"})
ECM = ModelForecast(model="ecm", cycles=400.0, bottleneck="L1-L2", limit="link", prices="L2")
FORECAST = Forecast(
    machine="some",
    levels=("L1", "L2", "MEM"),
    residency="L2",
    iterations=100.0,
    expected_bytes=None,
    arrays=1,
    refused=0,
    sizes={},
    assumed=frozenset(),
    guessed_trips=frozenset(),
    layers=(),
    models=(ECM,),
)
POINT = MeasuredPoint(
    level="L2",
    cycles_per_iteration=8.0,
    is_stable=True,
    is_disturbed=False,
    near_limit=False,
    is_power=False,
)


def test_ratio_is_predicted_over_measured() -> None:
    ((row,),) = compare([(POINT, FORECAST)])
    assert (row.model, row.cycles, row.ratio, row.obstacle) == ("ecm", 4.0, 0.5, None)


def test_suspects_need_stable_figures_of_several_levels() -> None:
    near = replace(POINT, level="L1", cycles_per_iteration=2.0)
    there = replace(FORECAST, residency="L1", models=(replace(ECM, cycles=200.0, prices="L1"),))
    (first,), (second,) = compare([(near, there), (POINT, FORECAST)])
    assert first.suspect is None
    assert second.suspect == Suspect(term=SuspectTerm.LINK, link="L1-L2")
    unsteady = replace(POINT, is_stable=False)
    assert compare([(near, there), (unsteady, FORECAST)])[1][0].suspect is None


@pytest.mark.parametrize(
    ("model", "forecast", "point", "obstacle"),
    [
        (ECM, FORECAST, POINT, None),
        (replace(ECM, prices="MEM"), FORECAST, POINT, Obstacle.PRICES_FARTHER),
        (replace(ECM, prices="L1"), FORECAST, POINT, None),
        (ECM, replace(FORECAST, residency=""), POINT, Obstacle.PRICES_FARTHER),
        (ECM, replace(FORECAST, residency=""), replace(POINT, level="MEM"), None),
        (ECM, replace(FORECAST, residency=""), replace(POINT, level="L3"), Obstacle.PRICES_FARTHER),
        (replace(ECM, cycles=None), FORECAST, POINT, Obstacle.PARTLY_PREDICTED),
        (ECM, replace(FORECAST, refused=1), POINT, Obstacle.PARTLY_PREDICTED),
        (
            ECM,
            replace(FORECAST, guessed_trips=GUESSED),
            POINT,
            Obstacle.GUESSED_TRIPS,
        ),
        (ECM, FORECAST, replace(POINT, cycles_per_iteration=None), Obstacle.NOT_MEASURED),
    ],
)
def test_what_cannot_be_compared_is_said(
    model: ModelForecast, forecast: Forecast, point: MeasuredPoint, obstacle: Obstacle | None
) -> None:
    ((row,),) = compare([(point, replace(forecast, models=(model,)))])
    assert row.obstacle is obstacle
    assert obstacle is None or row.suspect is None
    assert bool(row.prices) is (obstacle is Obstacle.PRICES_FARTHER)


def test_nothing_to_compare() -> None:
    assert compare([]) == ()
    assert compare([(POINT, replace(FORECAST, models=()))]) == ((),)
