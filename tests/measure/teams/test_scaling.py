"""Performance over cores: against one core at the same sizes, beside the models' own."""

import pytest
from msgspec.structs import replace
from rooflint.measure.confrontation.forecast import Forecast, ModelForecast
from rooflint.measure.protocol import Figure, MeasureVerdict, Quantiles
from rooflint.measure.results import CoreScaling, ModelScaling, PointMeasurement
from rooflint.measure.teams.scaling import with_scaling
from rooflint.plugin_api.drawing import TimePlot

FIGURE = Figure(
    cycles=Quantiles(least=8.0, p10=8.0, median=8.0, p90=9.0),
    seconds=1e-6,
    clock_ghz=2.0,
    processes=(8.0, 8.0, 8.0),
    batches=9,
    clean=9,
    touched_bytes=1 << 20,
    verdict=MeasureVerdict.STABLE,
)
TIMES = TimePlot(8.0, (), 8.0, by_cores=(8.0, 5.0, 4.0, 4.0), saturation_cores=3)
ECM = ModelForecast(model="ecm", cycles=8.0, bottleneck="", limit="memory", times=TIMES)
FORECAST = Forecast(
    machine="some",
    levels=("L1", "MEM"),
    residency="",
    iterations=1.0,
    expected_bytes=None,
    least_bytes=None,
    most_bytes=None,
    arrays=1,
    refused=0,
    sizes={},
    assumed=frozenset(),
    guessed_trips=frozenset(),
    layers=(),
    models=(ECM,),
)
ONE = PointMeasurement(
    sizes={"n": 9},
    cores=1,
    state="warm",
    level="MEM",
    cy_per_iteration=8.0,
    figure=FIGURE,
    forecast=FORECAST,
)
TWO = replace(ONE, cores=2, cy_per_iteration=5.0)


def scaling(*points: PointMeasurement) -> CoreScaling | None:
    return with_scaling(points)[-1].scaling


def test_beside_the_models() -> None:
    model = ModelScaling(model="ecm", speedup=1.6, saturation_cores=3)
    assert scaling(ONE, TWO) == CoreScaling(speedup=1.6, models=(model,))
    assert with_scaling([ONE, TWO])[0] == ONE


@pytest.mark.parametrize(("cores", "speedup"), [(4, 2.0), (5, None)])
def test_no_model_speaks_of_more_cores_than_there_are(cores: int, speedup: float | None) -> None:
    found = scaling(ONE, replace(TWO, cores=cores))
    assert found is not None
    assert found.models[0].speedup == speedup


@pytest.mark.parametrize(
    "single",
    [
        replace(ONE, cores=3),
        replace(ONE, sizes={"n": 8}),
        replace(ONE, level="L1"),
        replace(ONE, cy_per_iteration=None),
        replace(ONE, figure=replace(FIGURE, verdict=MeasureVerdict.NOT_THE_LOOP)),
    ],
)
def test_without_one_core_at_the_same_point_there_is_none(single: PointMeasurement) -> None:
    assert scaling(single, TWO) is None


def test_a_model_that_cannot_be_compared_is_left_out() -> None:
    found = scaling(replace(ONE, forecast=replace(FORECAST, refused=1)), TWO)
    assert found == CoreScaling(speedup=1.6, models=())
