"""Contributions of all loops of a call together."""

import pytest
from rooflint.measure.confrontation.forecast import Forecaster, ForecastPoint
from rooflint.measure.confrontation.times import sum_of_times
from rooflint.pipeline import Options
from rooflint.plugin_api.drawing import TimePlot, TimeShare
from rooflint.registry import load_registry

FIRST = TimePlot(
    cycles=3.0,
    shares=(TimeShare("T_OL", 1.0, overlaps=True), TimeShare("L1-L2", 2.0)),
    iterations_per_line=8.0,
    by_cores=(3.0, 1.5, 1.0),
    saturation_cores=3,
)
SECOND = TimePlot(
    cycles=1.0,
    shares=(TimeShare("T_OL", 1.0, overlaps=True), TimeShare("L2-L3", 0.5)),
    iterations_per_line=16.0,
    by_cores=(1.0, None),
)


def test_loops_count_by_their_iterations() -> None:
    found = sum_of_times([(FIRST, 10.0), (SECOND, 100.0)])
    assert found is not None
    assert found.cycles == 130.0
    assert found.shares == (
        TimeShare("T_OL", 110.0, overlaps=True),
        TimeShare("L1-L2", 20.0),
        TimeShare("L2-L3", 50.0),
    )
    assert found.by_cores == (130.0, None)
    assert (found.iterations_per_line, found.saturation_cores) == (16.0, None)


def test_a_loop_without_contributions_leaves_none() -> None:
    assert sum_of_times([(FIRST, 10.0), (None, 1.0)]) is None
    assert sum_of_times([]) is None


def test_the_sum_of_a_call_is_the_time_of_the_model(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("times") / "k.c"
    path.write_text(
        "void triad(int n, double *restrict a, const double *b, const double *c)\n"
        "{ for (int i = 0; i < n; i++) a[i] = b[i] + 3 * c[i]; }\n",
        encoding="utf-8",
    )
    options = Options(machines=("skylake-sp-6148",), models=("ecm", "roofline"))
    forecaster = Forecaster(str(path), options, load_registry())
    found = forecaster.at("triad", ForecastPoint(sizes={"n": 1000}, residency="L2"))
    ecm, roofline = found.models
    assert roofline.times is None
    assert ecm.times is not None
    assert ecm.times.cycles == pytest.approx(ecm.cycles)
    assert ecm.times.by_cores[0] == pytest.approx(ecm.cycles)
    shares = {share.name: share for share in ecm.times.shares}
    assert list(shares) == ["T_OL", "T_nOL", "L1-L2", "L2-L3", "L3-MEM"]
    assert shares["T_OL"].overlaps
    assert shares["L1-L2"].cycles > 0
    assert shares["L3-MEM"].cycles == 0
