"""``rooflint explain FILE:LINE --compiler-remarks``."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.core.external.tools import locate

Rooflint = Callable[..., tuple[int, str, str]]
SOURCE = """\
void twice(int n, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 2;
}
double horner(int n, const double *c, double x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = s * x + c[i];
    return s;
}
"""
OPTIONS = ("--compiler-remarks", "--machine", "haswell-ep-e5-2695v3")
FLAGS = ("--", "-O3", "-march=haswell", "-DNAME=1")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "k.c"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_a_missing_compiler_is_an_error_of_one_line(rooflint: Rooflint, source: Path) -> None:
    code, out, err = rooflint("explain", f"{source.name}:3", *OPTIONS, "--compiler", "/no/gcc")
    assert (code, out) == (2, "")
    assert err == "explain: --compiler-remarks: /no/gcc is not installed\n"


@pytest.mark.skipif(locate("gcc") is None, reason="gcc is not installed")
def test_plan_and_remark_stand_beside_each_other(rooflint: Rooflint, source: Path) -> None:
    asked = ("explain", f"{source.name}:3", *OPTIONS, "--compiler", "gcc", *FLAGS)
    code, out, err = rooflint(*asked)
    assert (code, err) == (0, "")
    assert "with -march=haswell -O3" in " ".join(out.split())
    assert "line 3: they agree: the compiler vectorizes it; the plan has vectors, 4" in out
    assert "line 3: loop vectorized using 32 byte vectors" in out
    assert "line 9" not in out
    code, out, _ = rooflint("explain", f"{source.name}:10", *asked[2:])
    assert code == 0
    assert (
        "line 9: they agree: the compiler leaves it scalar; the plan is scalar: recurrence" in out
    )


@pytest.mark.skipif(locate("gcc") is None, reason="gcc is not installed")
def test_nothing_is_compiled_unless_asked(rooflint: Rooflint, source: Path) -> None:
    _, out, _ = rooflint("explain", f"{source.name}:3", "--compiler", "gcc", *FLAGS)
    assert "compiled for" not in out


def test_the_option_is_listed_and_is_for_places(rooflint: Rooflint) -> None:
    code, out, _ = rooflint("explain", "--help")
    assert code == 0
    assert "--compiler-remarks" in out
    code, _, err = rooflint("explain", "ridge", "point", "--compiler-remarks")
    assert code == 2
    assert "--compiler-remarks is for FILE:LINE of a file that exists, not for a word" in err
