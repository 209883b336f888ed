"""The overview from source to picture: its lines are the machine's own rates, one for each link."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rooflint.machine import builtin_dir, find_machine

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = """
double u[64], v[64], big[5000][5000];
float f[4000000], g[4000000];

void stays_in_l1(void) {
  for (int i = 0; i < 64; i++) u[i] = u[i] * 1.5 + v[i];
  #pragma omp parallel for
  for (int i = 0; i < 64; i++) u[i] = u[i] * 1.5 + v[i];
}

void streams(void) {
  #pragma omp parallel for
  for (int i = 0; i < 5000; i++)
    for (int j = 0; j < 5000; j++) big[i][j] = 2.0 * big[i][j] + 1.0;
}

void single(void) {
  for (int i = 0; i < 4000000; i++) f[i] = f[i] + g[i] * 0.5f;
}
"""
LABEL = re.compile(
    r"(?:(?P<link>\w+-\w+) )?(?P<rate>[\d.]+)(?: GB/s (?P<roof>\w+-\w+))?( \(\w+\))?"
)


def labels(folder: Path, *options: str) -> list[str]:
    command = [sys.executable, "-m", "rooflint", "analyze", "a.c", "--plot", "plots", *options]
    (folder / "a.c").write_text(SOURCE)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    svg = ET.parse(folder / "plots" / "overview.svg")
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


@pytest.mark.parametrize("machine", ["zen4-9654", "skylake-sp-6148", "a64fx-fx700"])
@pytest.mark.parametrize("axis", ["operational", "carm"])
def test_lines_are_rates_of_the_machine(tmp_path: Path, machine: str, axis: str) -> None:
    described = find_machine(machine, (builtin_dir(),))
    written = labels(tmp_path, "--machine", machine, "--plot-axis", axis)
    rates: dict[str, set[str]] = {}
    for text in written:
        found = LABEL.fullmatch(text.rpartition(": ")[2])
        link = found and (found["link"] or found["roof"])
        if found and link:
            rates.setdefault(link, set()).add(found["rate"])
    assert rates
    for link, labelled in rates.items():
        own = {
            described.bandwidth_gb_s(link, pattern, cores)
            for pattern in ("load", "triad", "update", "copy", "store")
            for cores in (1, described.cores_per_socket)
        }
        values = [rate.gb_s for rate in own if rate is not None]
        for label in labelled:
            assert any(float(label) == pytest.approx(value, rel=6e-3) for value in values), (
                f"{link} at {label} GB/s is no rate of {machine}"
            )


def test_both_numbers_of_cores_and_both_types_have_a_roof(tmp_path: Path) -> None:
    written = labels(tmp_path, "--machine", "zen4-9654")
    assert {
        *("zen4-9654, 1 core; zen4-9654, 96 cores", "390 GB/s L3-MEM", "34 GB/s L3-MEM"),
        *("zen4-9654, 1 core: f32 peak 76.8 GFLOP/s", "f64 peak 38.4"),
    } <= set(written)
