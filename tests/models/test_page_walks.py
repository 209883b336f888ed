"""What walks of the page table cost a column in the models, from C source."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.prediction import Prediction
from rooflint.registry import load_registry

SOURCE = b"""
double column(double (*a)[N]) {
  double s = 0;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) s += a[i][j];
  return s;
}
"""
N = 1000
"""Rows of 8000 B: a column of 1000 elements lies in 1000 pages."""
WALK_CY = 50

ONE_CORE = "    - {level: MEM, pattern: load, cores: 1, gb_s: 21.6}\n"
SOCKET = f"{ONE_CORE}    - {{level: MEM, pattern: load, cores: 8, gb_s: 43.2}}\n"


def column(folder: Path, entries: int, bandwidth: str = SOCKET) -> dict[str, Prediction]:
    file = folder / "pages.yaml"
    file.write_text(
        "schema: 1\nextends: sandybridge-erm\nname: pages\ndescription: with a TLB\n"
        "sources: {tlb: none, memory.bandwidth: none}\n"
        f"tlb: {{entries: {entries}, walk_cy: {WALK_CY}}}\nmemory:\n  bandwidth:\n{bandwidth}",
        encoding="utf-8",
    )
    options = Options(
        machines=(str(file),),
        models=("ecm", "bounds"),
        flags=(f"-DN={N}", "-O2"),
        jobs=1,
        entry="cold",
    )
    report = analyse([Source("t.c", SOURCE)], options, load_registry(search_path=()))
    result = report.files[0].functions[0].nests[0].kernels[-1].results[0]
    return {each.model: each for each in result.predictions}


def test_walks_are_added_to_what_the_loop_waits_for(tmp_path: Path) -> None:
    free, walking = column(tmp_path, 2000)["ecm"], column(tmp_path, 500)["ecm"]
    assert free.cycles_per_iteration is not None and walking.cycles_per_iteration is not None
    assert figure(walking, "page_walks") == pytest.approx(
        WALK_CY * figure(walking, "iterations_per_line"), rel=0.01
    )
    assert walking.cycles_per_iteration == pytest.approx(
        max(free.cycles_per_iteration, WALK_CY + serial(walking)), rel=0.01
    )
    assert walking.bottleneck == "page walks"


def test_a_rate_of_one_core_includes_the_nearer_links(tmp_path: Path) -> None:
    walking = column(tmp_path, 500, ONE_CORE)["ecm"]
    links = walking.data["links"]
    assert isinstance(links, dict)
    memory = links["L3-MEM"]
    assert isinstance(memory, float)
    assert memory > 0
    assert walking.cycles_per_iteration == pytest.approx(
        WALK_CY + serial(walking) - memory / figure(walking, "iterations_per_line"), rel=0.01
    )


def figure(found: Prediction, key: str) -> float:
    value = found.data[key]
    assert isinstance(value, int | float)
    return value


def serial(found: Prediction) -> float:
    """T_nOL and the links of an iteration, which add up on this machine."""
    links = found.data["links"]
    assert isinstance(links, dict)
    moved = sum([each for each in links.values() if isinstance(each, int | float)])
    return (figure(found, "T_nOL") + moved) / figure(found, "iterations_per_line")


def test_one_walk_after_the_other_bounds_the_schedule(tmp_path: Path) -> None:
    free, walking = column(tmp_path, 2000)["bounds"], column(tmp_path, 500)["bounds"]
    assert free.cycles_per_iteration is not None and free.cycles_per_iteration < WALK_CY
    assert walking.cycles_per_iteration == pytest.approx(WALK_CY, rel=0.02)
    assert "page walks" in walking.sentence


def test_walks_are_named_as_what_they_are(tmp_path: Path) -> None:
    found = column(tmp_path, 500)["bounds"]
    assert found.bottleneck == "page walks"
    assert "page walks take all the time" in found.sentence
