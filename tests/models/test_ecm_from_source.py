"""The slides' Jacobi example from its C source to shorthand, n_S and MLUP/s, nothing by hand."""

from pathlib import Path

import pytest
from rooflint.analysis import Options, Source, analyse
from rooflint.prediction import Prediction
from rooflint.registry import load_registry
from rooflint.report import MachineResult

JACOBI = b"""
void jacobi(long m, long n, double a[m][n], double b[m][n], double s) {
  for (long j = 1; j < m - 1; ++j)
    for (long i = 1; i < n - 1; ++i)
      b[j][i] = (a[j][i-1] + a[j][i+1] + a[j-1][i] + a[j+1][i]) * s;
}
"""
MACHINE = """schema: 1
extends: sandybridge-ep-e5-2680
name: slides
description: Sandy Bridge with the memory bandwidth of the slides
sources: {{memory.bandwidth: "G. Hager, J. Hammer: The Roofline and ECM models, slides of 2015"}}
memory: {{bandwidth: [{{level: MEM, pattern: copy, cores: 8, gb_s: {gb_s}}}]}}
"""


def result_of(
    folder: Path, gb_s: float, sizes: dict[str, int], model: str = "ecm"
) -> MachineResult:
    path = folder / "slides.yaml"
    path.write_text(MACHINE.format(gb_s=gb_s), encoding="utf-8")
    options = Options(machines=(str(path),), models=(model,), sizes=sizes, jobs=1)
    report = analyse([Source("jacobi.c", JACOBI)], options, load_registry(search_path=()))
    (nest,) = report.files[0].functions[0].nests
    (kernel,) = nest.kernels
    return kernel.results[0]


def prediction_of(folder: Path, gb_s: float, sizes: dict[str, int]) -> Prediction:
    (prediction,) = result_of(folder, gb_s, sizes).predictions
    return prediction


# n such that three rows stay in L1, in L2, in L3, nowhere; m such that a does not fit in L3
ROWS = [
    (680, 100_000, "{6 || 8 | 6 | 6 | 13}", [8, 14, 20, 33], 3, 659),
    (5_000, 20_000, "{6 || 8 | 10 | 6 | 13}", [8, 18, 24, 37], 3, 587),
    (100_000, 1_000, "{6 || 8 | 10 | 10 | 13}", [8, 18, 28, 41], 4, 529),
    (3_000_000, 100, "{6 || 8 | 10 | 10 | 22}", [8, 18, 28, 50], 3, 438),
]


@pytest.mark.parametrize(("n", "m", "shorthand", "levels", "n_s", "mlup_s"), ROWS)
def test_jacobi(
    tmp_path: Path, n: int, m: int, shorthand: str, levels: list[int], n_s: int, mlup_s: float
) -> None:
    # the notation was printed for 40 GB/s, MLUP/s were computed with 40.5 GB/s
    found = prediction_of(tmp_path, 40.0, {"n": n, "m": m})
    printed, text = found.data["shorthand"], shorthand.strip("{}").replace("||", "|")
    assert isinstance(printed, str)
    numbers = [round(float(each)) for each in printed.strip("{}").replace("||", "|").split("|")]
    assert numbers == [int(each) for each in text.split("|")]
    by_level = found.data["T_ECM"]
    assert isinstance(by_level, dict)
    assert [round(value) for value in by_level.values() if isinstance(value, float)] == levels
    assert found.data["n_S"] == n_s
    fast = prediction_of(tmp_path, 40.5, {"n": n, "m": m})
    assert fast.cycles_per_iteration is not None
    assert 2700 / fast.cycles_per_iteration == pytest.approx(mlup_s, rel=0.007)


def test_the_vector_plan_is_reported_when_a_model_asks(tmp_path: Path) -> None:
    sizes = {"n": 680, "m": 1000}
    asked = result_of(tmp_path, 40.0, sizes)
    assert asked.vector is not None
    assert (asked.vector.width, asked.vector.reason) == (4, None)
    assert result_of(tmp_path, 40.0, sizes, "roofline").vector is None
