"""Traffic of data that a level holds: what lies behind it does not move."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import LinkTraffic
from rooflint.registry import load_registry

COPY = "void copy(int n, double *restrict a, const double *b){for(int i=0;i<n;i++)a[i]=b[i];}\n"


def links(path: Path, level: str) -> dict[str, LinkTraffic]:
    """Of data in ``level``; empty: in memory."""
    options = Options(
        machines=("skylake-sp-6148",), sizes={"n": 4000}, residency=level, entry="cold"
    )
    (file,) = analyse([Source(str(path))], options, load_registry()).files
    (kernel,) = file.kernels()
    return {each.link: each for each in kernel.results[0].traffic}


@pytest.mark.parametrize(("level", "near"), [("L1", 1), ("L2", 2), ("L3", 3), ("MEM", 4)])
def test_nothing_crosses_a_link_behind_the_level(tmp_path: Path, level: str, near: int) -> None:
    path = tmp_path / "copy.c"
    path.write_text(COPY, encoding="utf-8")
    everything, found = links(path, ""), links(path, level)
    assert list(found) == list(everything)
    for number, link in enumerate(everything):
        if number < near:
            assert found[link] == everything[link]
            assert found[link].total_bytes > 0
        else:
            assert found[link].total_bytes == 0


def test_a_level_that_the_machine_lacks_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "copy.c"
    path.write_text(COPY, encoding="utf-8")
    assert links(path, "L4") == links(path, "")
