"""Equations of files through a confined child."""

from pathlib import Path

from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.pipeline.front_end import equations_of
from rooflint.workers.limits import Failure

TEXT = """
enum { N = 4 };
static int d[2] = {N, 2};
void f(int *a, int n, int *p) {
    for (int i = 0; i < n; ++i)
        for (int j = i; j < (n > 3 ? d[1] : *p - 1); j += 2)
            a[j] = 0;
    f(a, n & 7, p);
}
"""


def test_equations_travel_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT)
    request = Request(str(path), Flags("c"))
    ((_, answer),) = equations_of([request])
    assert answer == file_equations(request)
    assert not isinstance(answer, Failure)
    inner = answer.loops[1]
    assert (inner.parent, inner.span.line) == (0, 6)
    assert [call.line for call in answer.calls] == [8]


def test_each_file_answers_for_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT)
    requests = [Request(str(tmp_path / "none.c"), Flags("c")), Request(str(path), Flags("c"))]
    answers = [answer for _, answer in equations_of(requests)]
    assert [isinstance(answer, Failure) for answer in answers] == [True, False]
