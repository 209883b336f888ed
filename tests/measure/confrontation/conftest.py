"""A forecast that needs no machine."""

import pytest
from rooflint.measure.confrontation.forecast import Forecast, ModelForecast


@pytest.fixture
def ecm() -> ModelForecast:
    return ModelForecast(model="ecm", cycles=400.0, bottleneck="L1-L2", limit="link", prices="L2")


@pytest.fixture
def forecast(ecm: ModelForecast) -> Forecast:
    return Forecast(
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
        models=(ecm,),
    )
