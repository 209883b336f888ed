"""ECM where lines from memory do not follow each other, from C source."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.prediction import Prediction
from rooflint.registry import load_registry

SCATTERED_GB_S, STREAM_GB_S, LINE = 5.0, 21.6, 64
ONE_BY_ONE_CY = LINE / SCATTERED_GB_S * 2.7
IN_ROWS_CY = LINE / STREAM_GB_S * 2.7
RUN_LINES = 4


def ecm_of_loop(machine: Path, text: str) -> Prediction:
    """Of the last loop of the first nest, with caches that are cold."""
    options = Options(machines=(str(machine),), models=("ecm",), jobs=1, entry="cold")
    report = analyse([Source("t.c", text.encode())], options, load_registry(search_path=()))
    result = report.files[0].functions[0].nests[0].kernels[-1].results[0]
    return next(each for each in result.predictions if each.model == "ecm")


def predicted(folder: Path, body: str, scattered: str = f"{SCATTERED_GB_S}") -> Prediction:
    """Of a loop over 100 000 lines and more of a machine at 2.7 GHz."""
    file = folder / "scattered.yaml"
    file.write_text(
        "schema: 1\nextends: sandybridge-erm\nname: scattered\ndescription: of two rates\n"
        f"sources: {{memory: none}}\nmemory:\n  scattered_gb_s: {scattered}\n"
        f"  run_lines: {RUN_LINES}\n  prefetched_runs: 16\n  bandwidth:\n"
        f"    - {{level: MEM, pattern: load, cores: 1, gb_s: {STREAM_GB_S}}}\n",
        encoding="utf-8",
    )
    return ecm_of_loop(file, f"double f(double *a) {{ double s = 0; {body} return s; }}")


def memory_cy(found: Prediction) -> float:
    sustained, iterations = found.data["sustained"], found.data["iterations_per_line"]
    assert isinstance(sustained, dict)
    cycles = sustained["L3-MEM"]
    assert isinstance(cycles, float) and isinstance(iterations, float)
    return cycles / iterations


@pytest.mark.parametrize(
    ("body", "cycles"),
    [
        ("for (int i = 0; i < 8000000; i++) s += a[i];", IN_ROWS_CY / 8),
        ("for (int i = 0; i < 800000; i++) s += a[16 * i];", ONE_BY_ONE_CY),
        # lines between two steps come as well
        ("for (int i = 0; i < 800000; i++) s += a[12 * i];", 1.5 * IN_ROWS_CY),
        # what is stored to comes at the same rate, and leaves meanwhile
        ("for (int i = 0; i < 800000; i++) a[16 * i] += 1;", ONE_BY_ONE_CY),
    ],
)
def test_lines_come_in_rows_or_one_by_one(tmp_path: Path, body: str, cycles: float) -> None:
    assert memory_cy(predicted(tmp_path, body)) == pytest.approx(cycles, rel=0.02)


@pytest.mark.parametrize(("lines", "share"), [(2, 1.0), (4, 1.0), (16, 0.25)])
def test_of_a_long_run_the_first_lines_are_not_foreseen(
    tmp_path: Path, lines: int, share: float
) -> None:
    """Runs of whole lines, each in a row of 4 KiB and a line."""
    inner = f"for (int j = 0; j < {8 * lines}; j++) s += a[520 * i + j];"
    body = f"for (int i = 0; i < 40000; i++) {inner}"
    each = share * ONE_BY_ONE_CY + (1 - share) * IN_ROWS_CY
    assert memory_cy(predicted(tmp_path, body)) == pytest.approx(each / 8, rel=0.02)


def test_a_machine_that_states_no_rate_has_one_for_all(tmp_path: Path) -> None:
    body = "for (int i = 0; i < 800000; i++) s += a[16 * i];"
    assert memory_cy(predicted(tmp_path, body, "null")) == pytest.approx(IN_ROWS_CY, rel=0.02)
    words = predicted(tmp_path, body).assumptions
    assert "lines over L3-MEM that do not follow each other come one by one" in words
