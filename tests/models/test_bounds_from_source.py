"""Published figures of the generalized roofline from C source, on the machine of its parameters."""

from collections.abc import Callable, Mapping
from functools import cache

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.prediction import Json, Prediction
from rooflint.registry import load_registry

SOURCE = b"""
void mmm(double (*a)[N], double (*b)[N], double (*c)[N]) {
  for (int t = 0; t < 100; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double s = 0;
        for (int k = 0; k < N; k++) s += a[i][k] * b[k][j];
        c[i][j] = s;
      }
}
void mvm(double (*a)[N], double *x, double *y) {
  for (int t = 0; t < 100; t++)
    for (int i = 0; i < N; i++) {
      double s = 0;
      for (int k = 0; k < N; k++) s += a[i][k] * x[k];
      y[i] = s;
    }
}
void k1(double * restrict x, double *y, double *z, double q, double r, double u) {
  for (int t = 0; t < 1000; t++)
    for (int k = 0; k < N; k++) x[k] = q + y[k] * (r * z[k + 10] + u * z[k + 11]);
}
void k5(double * restrict x, double *y, double *z) {
  for (int t = 0; t < 1000; t++)
    for (int i = 1; i < N; i++) x[i] = z[i] * (y[i] - x[i - 1]);
}
void k11(double * restrict x, double *y) {
  for (int t = 0; t < 1000; t++)
    for (int k = 1; k < N; k++) x[k] = x[k - 1] + y[k];
}
void k12(double * restrict x, double *y) {
  for (int t = 0; t < 1000; t++)
    for (int k = 0; k < N; k++) x[k] = y[k + 1] - y[k];
}
"""
ORDERED = """schema: 1
extends: sandybridge-erm
name: ordered
description: Sandy Bridge with the memory model of the tool
core: {memory_order: x86}
"""
Rates = Callable[..., Mapping[str, Prediction]]


@pytest.fixture(scope="module")
def predicted(tmp_path_factory: pytest.TempPathFactory) -> Rates:
    """By function, the innermost loop's prediction."""
    ordered = tmp_path_factory.mktemp("machines") / "ordered.yaml"
    ordered.write_text(ORDERED, encoding="utf-8")

    @cache
    def of(n: int, *, level: int = 2, x86: bool = False) -> Mapping[str, Prediction]:
        machine = str(ordered) if x86 else "sandybridge-erm"
        options = Options(
            machines=(machine,), models=("bounds",), flags=(f"-DN={n}", f"-O{level}"), jobs=1
        )
        report = analyse([Source("t.c", SOURCE)], options, load_registry(search_path=()))
        return {
            function.name: kernel.results[0].predictions[0]
            for function in report.files[0].functions
            for nest in function.nests
            for kernel in nest.kernels
            if kernel.innermost
        }

    return of


def by_name(data: Mapping[str, Json]) -> dict[tuple[str, ...], float]:
    return {(b["kind"], *b["resources"]): b["flop_per_cycle"] for b in data["bounds"]}  # type: ignore[index,call-overload,misc,union-attr,arg-type]


@pytest.mark.parametrize(
    ("name", "n", "published"),
    [
        ("mmm", 100, 1.062),
        ("mmm", 200, 0.789),
        ("mmm", 300, 0.757),
        ("mmm", 500, 0.709),
        ("mvm", 500, 0.696),
        ("mvm", 1500, 0.674),
    ],
)
def test_products(predicted: Rates, name: str, n: int, published: float) -> None:
    assert predicted(n)[name].data["flop_per_cycle"] == pytest.approx(published, rel=0.03)


def test_mmm_500_is_tight_in_latency_and_reorder_buffer(predicted: Rates) -> None:
    # published P .714, latency .728, reorder buffer .711
    data = predicted(500)["mmm"].data
    found = by_name(data)
    assert data["tight"][0] == ["latency", "add"]  # type: ignore[index]
    assert found["latency", "compute"] == pytest.approx(0.728, rel=0.05)
    assert found["stall", "compute", "ROB"] == pytest.approx(0.711, rel=0.05)
    stalls = [bound for (kind, *_), bound in found.items() if kind == "stall"]
    assert min(stalls) == found["stall", "compute", "ROB"]


def test_cold_mvm(predicted: Rates) -> None:
    # published P .152 to .154, reservation station .152, issue 1.186, latency .516
    data = predicted(2500, x86=True)["mvm"].data
    assert data["flop_per_cycle"] == pytest.approx(0.152, rel=0.05)
    found = by_name(data)
    assert found["stall", "compute", "RS"] == pytest.approx(0.152, rel=0.05)
    assert found["issue", "compute"] == pytest.approx(1.186, rel=0.05)
    assert found["latency", "compute"] == pytest.approx(0.516, rel=0.05)
    assert ["stall", "compute", "RS"] in data["tight"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "level", "x86", "exact"),
    [
        ("k1", 2, False, 5 / 3),
        # from store to store through memory, or x[i - 1] kept in a register
        ("k5", 1, False, 1 / 6),
        ("k5", 2, False, 1 / 4),
        ("k11", 1, False, 1 / 7),
        ("k11", 1, True, 1 / 8),
        ("k11", 2, False, 1 / 3),
        # y[k] kept in a register
        ("k12", 1, False, 2 / 3),
        ("k12", 2, False, 1.0),
    ],
)
def test_livermore_loops(predicted: Rates, name: str, level: int, x86: bool, exact: float) -> None:
    found = predicted(1300, level=level, x86=x86)[name]
    # executions overlap a little at their ends
    assert found.data["flop_per_cycle"] == pytest.approx(exact, rel=0.04)


COLUMNS = b"""
void sums(double (*restrict a)[1400], double *restrict mean) {
  for (int j = 0; j < 1200; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < 1400; i++)
      mean[j] += a[i][j];
    mean[j] /= 1400.0;
  }
}
"""


def test_a_line_that_a_loop_inside_drops_comes_again() -> None:
    # of mean, a line of 32 elements crosses L1-L2 for every element, up and down
    options = Options(
        machines=("a64fx-fx700",), models=("bounds", "roofline"), flags=("-O3",), jobs=1
    )
    report = analyse([Source("t.c", COLUMNS)], options, load_registry(search_path=()))
    kernels = report.files[0].functions[0].nests[0].kernels
    [outer] = [kernel for kernel in kernels if not kernel.innermost]
    cycles = {p.model: p.cycles_per_iteration for p in outer.results[0].predictions}
    assert cycles["bounds"] is not None and cycles["roofline"] is not None
    assert cycles["bounds"] > 0.8 * cycles["roofline"]
