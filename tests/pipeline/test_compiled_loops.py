"""Models price the order of loops that the compiler makes; the report keeps the source's."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import KernelReport
from rooflint.registry import load_registry

TEXT = """\
extern double A[600][512], B[600][512];
void f(void)
{
    for (int i = 0; i < 512; i++)
        for (int j = 1; j < 600; j++)
            A[j][i] = A[j-1][i] + B[j][i];
}
"""
NOTE = "gcc -O3 interchanges i and j itself"


def kernel(tmp_path: Path, compiler: str) -> KernelReport:
    path = tmp_path / "a.c"
    path.write_text(TEXT, encoding="utf-8")
    options = Options(
        machines=("haswell-ep-e5-2695v3",), models=("roofline", "ecm"), compiler=compiler
    )
    report = analyse([Source(str(path))], options, load_registry())
    ((found,),) = [list(file.kernels()) for file in report.files]
    return found


def test_the_price_is_that_of_the_interchanged_nest(tmp_path: Path) -> None:
    gcc, clang = kernel(tmp_path, "gcc"), kernel(tmp_path, "clang")
    assert gcc.id == clang.id
    assert [loop.index for loop in gcc.loops] == ["i", "j"]
    (ours,), (theirs,) = gcc.results, clang.results
    assert ours.trips == theirs.trips == (512.0, 599.0)
    assert NOTE in ours.assumptions
    assert NOTE not in theirs.assumptions
    # a column step per element misses the line that a row's next seven elements share
    (near,) = [each for each in ours.traffic if each.link == "L1-L2"]
    (far,) = [each for each in theirs.traffic if each.link == "L1-L2"]
    assert near.total_bytes == pytest.approx(far.total_bytes / 8, rel=0.2)
    for own, other in zip(ours.predictions, theirs.predictions, strict=True):
        assert own.cycles_per_iteration is not None
        assert other.cycles_per_iteration is not None
        assert own.cycles_per_iteration < other.cycles_per_iteration


def test_code_around_the_nest_moves_none_of_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "b.c"
    text = TEXT.replace("double A", "double y[9], A").replace(
        "    for (int i", "    for (int t = 0; t < 9; t++) {\n    y[t] = 1;\n    for (int i"
    )
    path.write_text(text.replace("}\n", "}}\n"), encoding="utf-8")
    options = Options(machines=("haswell-ep-e5-2695v3",), models=("ecm",), compiler="gcc")
    (file,) = analyse([Source(str(path))], options, load_registry()).files
    outer, inner = (kernel.results[0] for kernel in file.kernels())
    assert NOTE in inner.assumptions
    # a line of two arrays, one of them written, in each eight elements
    (near,) = [each for each in inner.traffic if each.link == "L1-L2"]
    assert near.total_bytes == pytest.approx(3 * 8, rel=0.1)
    (beside,) = [each for each in outer.traffic if each.link == "L1-L2"]
    assert beside.total_bytes <= 2 * 64
