"""ECM of one core that reads and writes as no measured stream does, or from several levels."""

from pathlib import Path

import pytest
from rooflint.plugin_api.prediction import Prediction

from tests.models.test_scattered import ecm_of_loop

CLOCK_GHZ, LINE, PENALTY_CY = 2.0, 64, 4.0
LOAD, TRIAD, COPY, UPDATE = 16.0, 20.0, 24.0, 32.0
"""Rates of memory in GB/s."""
LOAD_CY, TRIAD_CY, COPY_CY, UPDATE_CY = (
    lines * LINE / rate * CLOCK_GHZ
    for lines, rate in ((1, LOAD), (5, TRIAD), (3, COPY), (2, UPDATE))
)
"""Cycles of a line of work of each stream."""


def predicted(folder: Path, body: str, links: str = "overlapping") -> Prediction:
    """Of the last loop of ``body``, on a core of its own machine."""
    rates = {"load": LOAD, "triad": TRIAD, "copy": COPY, "update": UPDATE}
    entries = "".join(
        f"    - {{level: MEM, pattern: {name}, cores: 1, gb_s: {rate}}}\n"
        for name, rate in rates.items()
    )
    file = folder / "streams.yaml"
    file.write_text(
        "schema: 1\nextends: zen4-9654\nname: streams\ndescription: of four streams\n"
        f"clock_ghz: {CLOCK_GHZ}\nsources: {{memory: none, default: none}}\n"
        f"core: {{overlap: {{non_overlapping: [], links: {links}}}}}\n"
        f"memory:\n  penalty_cy_per_nearer_line: {PENALTY_CY}\n  bandwidth:\n{entries}",
        encoding="utf-8",
    )
    parameters = "double *restrict a, double *restrict b, double *restrict c, double *restrict d"
    return ecm_of_loop(file, f"double f({parameters}) {{ double s = 0; {body} return s; }}")


def memory_cy(found: Prediction) -> float:
    """Cycles of a line of work at the rate that one core sustains from memory."""
    sustained = found.data["sustained"]
    assert isinstance(sustained, dict)
    cycles = sustained["L3-MEM"]
    assert isinstance(cycles, float)
    return cycles


@pytest.mark.parametrize(
    ("statement", "cycles"),
    [
        ("s += a[i];", LOAD_CY),
        ("a[i] = b[i];", COPY_CY),
        ("a[i] = b[i] + c[i] * d[i];", TRIAD_CY),
        ("a[i] *= 3;", UPDATE_CY),
        # three lines are read for each that is written: half as in a copy, half as in a triad
        ("a[i] = b[i] + c[i];", (COPY_CY + TRIAD_CY) / 2),
        # three lines read and two written: no faster than at the rate of the nearest stream
        ("a[i] = b[i]; c[i] *= 3;", COPY_CY * 5 / 3),
        # five read, one written
        ("a[i] += b[i] * c[i] + d[i]; s += d[i + 9000000];", LOAD_CY + TRIAD_CY),
    ],
)
def test_lines_between_two_streams_take_the_time_of_both(
    tmp_path: Path, statement: str, cycles: float
) -> None:
    body = f"for (int i = 0; i < 8000000; i++) {{ {statement} }}"
    assert memory_cy(predicted(tmp_path, body)) == pytest.approx(cycles, rel=0.02)


@pytest.mark.parametrize(("row", "nearer"), [(1024, 0), (16384, 1)])
def test_lines_of_a_nearer_cache_add_their_cycles(tmp_path: Path, row: int, nearer: int) -> None:
    """A row of 8 KB stays in L1, one of 128 KB in L2, beside an array that comes from memory."""
    inner = f"for (int i = 0; i < {row}; i++) s += a[{row} * j + i] * b[i];"
    body = f"for (int j = 0; j < {8000000 // row}; j++) {inner}"
    cycles = LOAD_CY + nearer * PENALTY_CY
    assert memory_cy(predicted(tmp_path, body)) == pytest.approx(cycles, rel=0.03)


def test_serial_links_have_added_them_already(tmp_path: Path) -> None:
    inner = "for (int i = 0; i < 16384; i++) s += a[16384 * j + i] * b[i];"
    found = predicted(tmp_path, f"for (int j = 0; j < 500; j++) {inner}", links="serial")
    assert memory_cy(found) == pytest.approx(LOAD_CY, rel=0.03)


def test_the_answer_says_where_its_time_comes_from(tmp_path: Path) -> None:
    inner = "for (int i = 0; i < 16384; i++) d[16384 * j + i] = a[16384 * j + i] * b[i];"
    nearer = predicted(tmp_path, f"for (int j = 0; j < 500; j++) {inner}")
    assert any("sustains 24 GB/s over L3-MEM" in words for words in nearer.assumptions)
    assert "lines of nearer caches take 3.99 cy/CL beside memory" in nearer.assumptions
    mixed = predicted(tmp_path, "for (int i = 0; i < 8000000; i++) a[i] = b[i] + c[i];")
    assert (
        "one core reads and writes over L3-MEM as two measured streams together"
        in mixed.assumptions
    )
