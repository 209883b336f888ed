"""Kernel files as kerncraft's: declarations become parameters, names in capitals sizes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.measure.kernel import kernel_source, kernel_subject
from rooflint.measure.program import MeasureMode
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject

PAGE = 4096
STENCIL = """// a comment with for(;;) and ; in it
double a[M][N], b[M][N]; /* two
lines */
double s, COEFF;

for(int j=1; j<M-1; ++j)
    for(int i=1; i<N-1; ++i)
        b[j][i] = ( a[j][i-1] + a[j][i+1] + a[j-1][i] + a[j+1][i]) * s * COEFF;

swap(a, b);
"""
SUM = """float a[N];
double sum;
#pragma omp parallel for
for(int i=0; i<N; ++i) {
    sum += a[i];
}
"""


def of_kernel(text: str, folder: Path) -> Subject | MeasureRefusal:
    path = folder / "2d-5pt.c"
    path.write_text(text)
    return kernel_subject(str(path), FlagFinder(extra=["gcc", "-O3"]).flags(str(path)))


def test_declarations_are_parameters_and_lines_stay() -> None:
    source = kernel_source(STENCIL, "/x/2d-5pt.c")
    assert source is not None
    assert source.function == "kernel_2d_5pt"
    head, first = source.text.splitlines()[1:3]
    assert head == (
        "void kernel_2d_5pt(int M, int N, double a[restrict M][N], double b[restrict M][N], "
        "double s, double COEFF) {"
    )
    assert first == '#line 6 "/x/2d-5pt.c"'


@pytest.mark.parametrize(
    "text", ["", "int x;", "for (;;) ;", "void f(void);\nfor (;;) ;", "#include <stdio.h>\n"]
)
def test_text_without_declarations_before_a_loop_is_no_kernel(text: str) -> None:
    assert kernel_source(text, "/x/k.c") is None


def test_a_stencil_runs_on_the_sizes_that_are_given(
    bench: Callable[..., Any], tmp_path: Path
) -> None:
    subject = of_kernel(STENCIL, tmp_path)
    assert isinstance(subject, Subject)
    assert subject.mode is MeasureMode.KERNEL
    program = bench(subject, (("M", 30),))
    assert [size.name for size in program.program.sizes] == ["M", "N"]
    touched = program.touched(sizes=(("N", 400),))
    for name in ("a", "b"):
        assert 30 * 400 * 8 - 4000 <= touched[name] < 30 * 400 * 8 + 2 * PAGE


def test_a_sum_that_nobody_reads_is_computed(bench: Callable[..., Any], tmp_path: Path) -> None:
    touched = bench(of_kernel(SUM, tmp_path), (("N", 5000),)).touched()
    assert 20000 <= touched["a"] < 20000 + 2 * PAGE


def test_a_kernel_with_an_error_is_refused(tmp_path: Path) -> None:
    refusal = of_kernel("double a[N];\nfor(int i=0; i<N; ++i) a[i] = lost;\n", tmp_path)
    assert isinstance(refusal, MeasureRefusal)
    assert refusal.code is RefusalCode.NO_KERNEL
    assert "lost" in refusal.arguments[1]
