"""The slides' Jacobi example from its C source to shorthand, n_S and MLUP/s, nothing by hand."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import MachineResult
from rooflint.registry import load_registry

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
    return results_on(str(path), sizes, model)


def results_on(machine: str, sizes: dict[str, int], model: str = "ecm") -> MachineResult:
    options = Options(machines=(machine,), models=(model,), sizes=sizes, jobs=1)
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
    # the notation was printed for 40 GB/s; MLUP/s were computed with 40.5
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
    # 0.56 % less with 40, and 0.3 % more lines where a row of 680 ends inside of one
    assert found.cycles_per_iteration is not None
    assert 2700 / found.cycles_per_iteration == pytest.approx(mlup_s, rel=0.008)


@pytest.mark.parametrize(("n", "m", "shorthand", "levels", "n_s", "mlup_s"), ROWS)
def test_no_core_is_faster_than_its_measured_stream(
    n: int, m: int, shorthand: str, levels: list[int], n_s: int, mlup_s: float
) -> None:
    # the machine file has 16.68 GB/s for copies of one core and 15.51 for triads: three lines take
    # 192 B x 2.7 / 16.68 = 31 cy, below the sums of 33 to 41; where five cross the link, four of
    # them read, 320 B x 2.7 / 15.51 = 56, and the sum of 50 is too fast
    [found] = results_on("snb", {"n": n, "m": m}).predictions
    by_level = found.data["T_ECM"]
    assert isinstance(by_level, dict)
    expected = [*levels[:3], max(levels[3], 56 if shorthand.endswith("22}") else 31)]
    assert [round(value) for value in by_level.values() if isinstance(value, float)] == expected
    assert found.data["n_S"] == n_s
    assert found.cycles_per_iteration is not None
    # 0.56 % less with 40, and 0.3 % more lines where a row of 680 ends inside of one
    slower = levels[3] / expected[3]
    assert 2700 / found.cycles_per_iteration == pytest.approx(mlup_s * slower, rel=0.009)


def test_the_vector_plan_is_reported_when_a_model_asks(tmp_path: Path) -> None:
    sizes = {"n": 680, "m": 1000}
    asked = result_of(tmp_path, 40.0, sizes)
    assert asked.vector is not None
    assert (asked.vector.width, asked.vector.reason) == (4, None)
    assert result_of(tmp_path, 40.0, sizes, "roofline").vector is None


ROOFS = """schema: 1
extends: sandybridge-ep-e5-2680
name: slides
description: Sandy Bridge with the bandwidths of the slides, one core
sources: {memory.bandwidth: "G. Hager, J. Hammer: The Roofline and ECM models, slides of 2015"}
memory:
  bandwidth:
    - {level: L2, pattern: triad, cores: 1, gb_s: 51.15}
    - {level: L3, pattern: triad, cores: 1, gb_s: 31.48}
    - {level: MEM, pattern: copy, cores: 1, gb_s: 17.4}
"""


@pytest.mark.parametrize("model", ["roofline", "roofline-core"])
def test_the_roofline_table(tmp_path: Path, model: str) -> None:
    # 4 flop over 40 B from L2, 40 B from L3 and 24 B from memory; rows stay in L3
    path = tmp_path / "slides.yaml"
    path.write_text(ROOFS, encoding="utf-8")
    [found] = results_on(str(path), {"n": 10_000, "m": 10_000}, model).predictions
    levels = found.data["levels"]
    assert isinstance(levels, list)
    by_link = {
        each["link"]: each["attainable_g_per_s"] for each in levels if isinstance(each, dict)
    }
    assert by_link["L1-L2"] == pytest.approx(5.12, rel=2e-3)
    assert by_link["L2-L3"] == pytest.approx(3.15, rel=2e-3)
    assert by_link["L3-MEM"] == found.data["attainable_g_per_s"] == pytest.approx(2.90, rel=2e-3)
    assert found.bottleneck == "L3-MEM"
    # 8 flop a cycle at 2.7 GHz; by the loop's own instructions 32 flop a line in 8 cycles of loads
    roof = "peak_g_per_s" if model == "roofline" else "core_g_per_s"
    assert found.data[roof] == pytest.approx(21.6 if model == "roofline" else 10.8)
