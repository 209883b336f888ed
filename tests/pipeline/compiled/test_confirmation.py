"""Plans beside a compiler's own remarks."""

from pathlib import Path

import pytest
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.remarks import LoopFate, LoopRemarks
from rooflint.core.external.tools import locate
from rooflint.pipeline import Options, Source, analyse
from rooflint.pipeline.compiled.confirmation import (
    PLANNING_MODEL,
    FileConfirmation,
    LoopConfirmation,
    confirm,
)
from rooflint.plugin_api.report import VectorReport
from rooflint.registry import load_registry

LOOPS = Path(__file__).with_name("remarks.c")
FLAGS = ("-O3", "-march=haswell")
HASWELL = "haswell-ep-e5-2695v3"
SCALAR, VECTOR = VectorReport(1, None), VectorReport(4, None)
needs_gcc = pytest.mark.skipif(locate("gcc") is None, reason="gcc is not installed")
GCC_TESTED = range(12, 13)
"""Releases whose verdicts are written into the names of the loops."""


@pytest.mark.parametrize(
    ("planned", "fate", "agrees"),
    [
        (VECTOR, LoopFate.VECTORS, True),
        (SCALAR, LoopFate.VECTORS, False),
        (VECTOR, LoopFate.SCALAR, False),
        (SCALAR, LoopFate.SCALAR, True),
        (None, LoopFate.SCALAR, None),
        (VECTOR, LoopFate.CALL, None),
        (SCALAR, LoopFate.SILENT, None),
        (SCALAR, LoopFate.UNROLLED, None),
    ],
)
def test_agreement_is_of_vectors_alone(
    planned: VectorReport | None, fate: LoopFate, agrees: bool | None
) -> None:
    assert LoopConfirmation(3, planned, LoopRemarks(fate, ())).agrees is agrees


def confirmed(path: Path, *, compiler: str = "gcc") -> FileConfirmation | ExternalFailure:
    options = Options(
        machines=(HASWELL,),
        compiler=compiler,
        flags=FLAGS,
        isolated=True,
        models=(PLANNING_MODEL,),
    )
    registry = load_registry()
    [file] = analyse([Source(str(path))], options, registry).files
    [answer] = confirm(file, options, registry)
    return answer


def test_a_compiler_that_is_missing_is_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = i; }\n")
    answer = confirmed(path, compiler="/nowhere/gcc")
    assert answer == ExternalFailure("/nowhere/gcc is not installed")


@needs_gcc
def test_lines_of_a_loop_inside_are_that_loops(tmp_path: Path) -> None:
    # the row's first element is set by the outer loop, which gcc leaves scalar
    path = tmp_path / "k.c"
    path.write_text(
        "void f(int n, double (*restrict a)[64], const double *restrict b)\n"
        "{\n"
        "    for (int j = 0; j < n; j++) {\n"
        "        a[j][0] = b[j] / 3;\n"
        "        for (int i = 1; i < 64; i++)\n"
        "            a[j][i] = b[i] * 2;\n"
        "    }\n"
        "}\n"
    )
    answer = confirmed(path)
    assert isinstance(answer, FileConfirmation), answer
    fates = {loop.line: loop.compiled.fate for loop in answer.loops}
    assert fates == {3: LoopFate.SCALAR, 5: LoopFate.VECTORS}
    assert all(loop.agrees for loop in answer.loops)


@needs_gcc
def test_plans_and_the_compiler_agree_on_our_own_loops() -> None:
    answer = confirmed(LOOPS)
    assert isinstance(answer, FileConfirmation), answer
    version = answer.source.compiler.split()[-1].partition(".")[0]
    if not version.isdecimal() or int(version) not in GCC_TESTED:
        pytest.skip(f"the rules tested are not those of {answer.source.compiler}")
    lines = LOOPS.read_text(encoding="utf-8").splitlines()
    differ = [lines[loop.line - 2] for loop in answer.loops if loop.agrees is False]
    assert not differ
    compared = [loop for loop in answer.loops if loop.agrees is not None]
    assert len(compared) >= 14
