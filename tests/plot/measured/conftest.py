"""A sweep that was measured: a 5-point stencil over the length of a row, 1.2 MB of data in L2.

Taken with gcc 12.2 -O3 -march=native on a core with 48 KiB of L1 and 2 MiB of L2.
"""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from rooflint.measure.confrontation.course import CourseKnot, course_of
from rooflint.measure.confrontation.forecast import Forecast, Forecaster, ForecastPoint
from rooflint.measure.program import MeasureMode
from rooflint.measure.protocol import Figure, MeasureVerdict, Quantiles
from rooflint.measure.results import BuildFacts, MeasurementReport, PointMeasurement
from rooflint.pipeline import Options
from rooflint.registry import load_registry

MACHINE = "icelake-sp-8360y"
SOURCE = """\
void sweep(int m, int n, double *restrict b, const double *restrict a)
{
    for (int j = 1; j < m - 1; j++)
        for (int i = 1; i < n - 1; i++)
            b[j * n + i] = 0.5 * a[j * n + i]
                         + 0.125 * (a[(j - 1) * n + i] + a[(j + 1) * n + i]
                                    + a[j * n + i - 1] + a[j * n + i + 1]);
}
"""
ROWS = (
    # n, m, bytes touched, cycles per iteration: 10th and 90th percentile, processes
    (256, 296, 1216512, 0.956, 1.362, (1.023, 0.956, 1.024, 1.025, 1.056, 0.983)),
    (362, 208, 1208320, 0.99, 1.187, (1.016, 1.014, 0.99)),
    (512, 144, 1179648, 0.941, 1.133, (0.976, 0.941, 0.941)),
    (724, 104, 1200128, 0.979, 1.18, (0.979, 0.979, 0.979)),
    (1024, 72, 1171456, 0.952, 1.101, (0.952, 0.993, 0.956)),
    (1448, 53, 1212416, 1.055, 1.265, (1.074, 1.06, 1.084, 1.055)),
    (2048, 38, 1220608, 1.427, 1.441, (1.427, 1.427, 1.469)),
    (2896, 27, 1212416, 1.439, 1.485, (1.456, 1.439, 1.482)),
    (4096, 19, 1187840, 1.439, 1.546, (1.441, 1.442, 1.439)),
    (5793, 14, 1212416, 1.454, 1.558, (1.454, 1.455, 1.457)),
    (8192, 10, 1187840, 1.438, 1.473, (1.459, 1.472, 1.438)),
)
LEVELS = ((48 << 10, "L1"), (2 << 20, "L2"), (48 << 20, "L3"))


def level_of(data_bytes: int) -> str:
    return next((level for capacity, level in LEVELS if data_bytes <= capacity), "MEM")


@pytest.fixture(scope="session")
def forecaster(tmp_path_factory: pytest.TempPathFactory) -> Forecaster:
    path = tmp_path_factory.mktemp("pictures") / "stencil.c"
    path.write_text(SOURCE, encoding="utf-8")
    options = Options(machines=(MACHINE,), models=("ecm", "roofline"))
    return Forecaster(str(path), options, load_registry())


@pytest.fixture(scope="session")
def recording(forecaster: Forecaster) -> MeasurementReport:
    """The sweep with the predictions between its points."""

    def forecast_at(sizes: Mapping[str, int], level: str) -> Forecast:
        return forecaster.at("sweep", ForecastPoint(sizes=sizes, residency=level))

    points = tuple([_point(row, forecast_at({"n": row[0], "m": row[1]}, "L2")) for row in ROWS])
    knots = [CourseKnot(sizes=p.sizes, touched_bytes=p.touched_bytes) for p in points]
    return MeasurementReport(
        path="src/stencil.c",
        function="sweep",
        line=1,
        mode=MeasureMode.FUNCTION,
        build=BuildFacts(
            cpu="some Xeon",
            machine=MACHINE,
            is_host=False,
            compiler="gcc 12.2.0",
            flags=("-O3",),
        ),
        points=points,
        seconds=20.0,
        course=course_of("n", knots, forecast_at, level_of),
    )


@pytest.fixture(scope="session")
def in_memory(recording: MeasurementReport, forecaster: Forecaster) -> MeasurementReport:
    """One point whose data come from memory."""
    sizes = {"n": 4000, "m": 4000}
    forecast = forecaster.at("sweep", ForecastPoint(sizes=sizes, residency="MEM"))
    (point,) = (replace(each, level="MEM") for each in recording.points[-1:])
    point = replace(point, sizes=sizes, forecast=forecast, touched_bytes=256 << 20)
    return replace(recording, points=(point,), course=None)


def _point(
    row: tuple[int, int, int, float, float, tuple[float, ...]], forecast: Forecast
) -> PointMeasurement:
    n, m, touched, p10, p90, processes = row
    iterations = float((n - 2) * (m - 2))
    figure = Figure(
        cycles=Quantiles(
            least=p10 * iterations,
            p10=p10 * iterations,
            median=p10 * iterations,
            p90=p90 * iterations,
        ),
        seconds=1e-4,
        clock_ghz=2.6,
        processes=tuple([each * iterations for each in processes]),
        batches=250,
        clean=200,
        touched_bytes=touched,
        verdict=MeasureVerdict.STABLE,
    )
    return PointMeasurement(
        sizes={"n": n, "m": m},
        cores=1,
        state="warm",
        level="L2",
        touched_bytes=touched,
        iterations=iterations,
        cy_per_iteration=p10,
        figure=figure,
        forecast=forecast,
    )
