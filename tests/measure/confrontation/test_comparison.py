"""Models beside a figure, and which of them speak of the same thing."""

import pytest
from msgspec.structs import replace
from rooflint.measure.confrontation.comparison import (
    MeasuredPoint,
    Obstacle,
    SlopeTerm,
    compare,
)
from rooflint.measure.confrontation.forecast import Forecast, ModelForecast
from rooflint.measure.confrontation.suspects import Suspect, SuspectTerm

GUESSED = frozenset({"degree[i]"})
POINT = MeasuredPoint(
    level="L2",
    cycles_per_iteration=8.0,
    is_stable=True,
    is_disturbed=False,
    near_limit=False,
    is_power=False,
)


def test_ratio_is_predicted_over_measured(forecast: Forecast) -> None:
    ((row,),) = compare([(POINT, forecast)])
    assert (row.model, row.cycles, row.ratio, row.obstacle) == ("ecm", 4.0, 0.5, None)


def test_a_slope_is_held_against_the_models_slope(forecast: Forecast, ecm: ModelForecast) -> None:
    # 400 cycles of 100 iterations, and 250 of 50: 150 cycles for 50 iterations more
    few = replace(forecast, iterations=50.0, models=(replace(ecm, cycles=250.0),))
    sizes = (SlopeTerm(-1 / 50, few), SlopeTerm(1 / 50, forecast))
    ((row,),) = compare([(replace(POINT, slope=sizes), forecast)])
    assert row.cycles == pytest.approx(3.0)
    assert row.ratio == pytest.approx(3.0 / 8)
    # a model that does not answer at a smaller size has no slope
    silent = replace(few, models=(replace(ecm, cycles=None),))
    sizes = (SlopeTerm(-1 / 50, silent), SlopeTerm(1 / 50, forecast))
    ((row,),) = compare([(replace(POINT, slope=sizes), forecast)])
    assert row.cycles == pytest.approx(4.0)


def test_suspects_need_stable_figures_of_several_levels(
    forecast: Forecast, ecm: ModelForecast
) -> None:
    near = replace(POINT, level="L1", cycles_per_iteration=2.0)
    there = replace(forecast, residency="L1", models=(replace(ecm, cycles=200.0, prices="L1"),))
    (first,), (second,) = compare([(near, there), (POINT, forecast)])
    assert first.suspect is None
    assert second.suspect == Suspect(term=SuspectTerm.LINK, link="L1-L2")
    unsteady = replace(POINT, is_stable=False)
    assert compare([(near, there), (unsteady, forecast)])[1][0].suspect is None


@pytest.mark.parametrize(
    ("model", "whole", "point", "obstacle"),
    [
        ({}, {}, POINT, None),
        ({"prices": "MEM"}, {}, POINT, Obstacle.PRICES_FARTHER),
        ({"prices": "L1"}, {}, POINT, None),
        ({}, {"residency": ""}, POINT, Obstacle.PRICES_FARTHER),
        ({}, {"residency": ""}, replace(POINT, level="MEM"), None),
        ({}, {"residency": ""}, replace(POINT, level="L3"), Obstacle.PRICES_FARTHER),
        ({"cycles": None}, {}, POINT, Obstacle.PARTLY_PREDICTED),
        ({}, {"refused": 1}, POINT, Obstacle.PARTLY_PREDICTED),
        ({"is_part": True}, {}, POINT, Obstacle.CODE_NOT_COUNTED),
        ({}, {"guessed_trips": GUESSED}, POINT, Obstacle.GUESSED_TRIPS),
        ({}, {}, replace(POINT, cycles_per_iteration=None), Obstacle.NOT_MEASURED),
        ({}, {}, replace(POINT, left_out=True), Obstacle.BRANCHES_LEFT_OUT),
        ({"prices": "MEM"}, {}, replace(POINT, left_out=True), Obstacle.PRICES_FARTHER),
    ],
)
def test_what_cannot_be_compared_is_said(
    forecast: Forecast,
    ecm: ModelForecast,
    model: dict[str, object],
    whole: dict[str, object],
    point: MeasuredPoint,
    obstacle: Obstacle | None,
) -> None:
    changed = replace(forecast, models=(replace(ecm, **model),), **whole)
    ((row,),) = compare([(point, changed)])
    assert row.obstacle is obstacle
    assert obstacle is None or row.suspect is None
    assert bool(row.prices) is (obstacle is Obstacle.PRICES_FARTHER)


def test_nothing_to_compare(forecast: Forecast) -> None:
    assert compare([]) == ()
    assert compare([(POINT, replace(forecast, models=()))]) == ((),)
