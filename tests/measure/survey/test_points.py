"""What sets a point apart: branches that its data leave out."""

import pytest
from msgspec.structs import replace
from rooflint.measure.confrontation.comparison import Obstacle
from rooflint.measure.confrontation.forecast import Forecast
from rooflint.measure.protocol import Figure, MeasureVerdict, Quantiles
from rooflint.measure.results import PointMeasurement
from rooflint.measure.survey.points import FunctionForecasts, with_models

FIGURE = Figure(
    cycles=Quantiles(least=400.0, p10=400.0, median=400.0, p90=400.0),
    seconds=1e-6,
    clock_ghz=1.0,
    processes=(400.0,),
    batches=9,
    clean=9,
    touched_bytes=0,
    verdict=MeasureVerdict.STABLE,
)


@pytest.mark.parametrize(
    ("touched", "obstacle"),
    [
        (91_808, None),  # 200 000 / 2 - 2 pages of one array
        (91_807, Obstacle.BRANCHES_LEFT_OUT),
    ],
)
def test_little_data_tells_of_branches_not_taken(
    forecast: Forecast, touched: int, obstacle: Obstacle | None
) -> None:
    point = PointMeasurement(
        sizes={},
        cores=1,
        state="warm",
        level="L2",
        touched_bytes=touched,
        cy_per_iteration=4.0,
        figure=FIGURE,
        forecast=replace(forecast, expected_bytes=200_000),
    )
    (found,) = with_models([point], FunctionForecasts(None, "f", None), ())  # type: ignore[arg-type]
    assert [row.obstacle for row in found.models] == [obstacle]
