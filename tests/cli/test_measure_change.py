"""``rooflint measure --change`` and ``--compare-with``: real builds, and no timing asserted."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

Rooflint = Callable[..., tuple[int, str, str]]
SOURCE = """\
double dot(int n, const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}
void scale(int n, double d, double *restrict a) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] / d;
}
"""
SCALE = "void scale(int n, double d, double *restrict a) {\n  for (int i = 0; i < n; i++)\n"
OTHERS = {
    "equal": SCALE + "    a[i] /= d;\n}\n",
    "close": SCALE + "    a[i] = a[i] / d * 1.000000001;\n}\n",
    "wrong": SCALE + "    a[i] = i < 70 ? a[i] / d : 2;\n}\n",
    "float": SCALE.replace("double *", "float *") + "    a[i] /= d;\n}\n",
}
ON = ("--machine", "zen4-9654", "-D", "n=400", "--budget", "0.5", "--format", "json")
FLAGS = ("--yes", "--", "gcc", "-O3", "-march=x86-64-v3")
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``code.c`` in an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "code.c"
    path.write_text(SOURCE)
    return path


@needs_gcc
def test_the_edit_of_a_finding(rooflint: Rooflint, source: Path) -> None:
    code, out, err = rooflint("measure", "code.c:4", "--change", "RL201", *ON, *FLAGS)
    assert code in (0, 4), err
    (change,) = json.loads(out)["changes"]
    assert (change["function"], change["line"], change["change"]) == ("dot", 3, "RL201")
    assert change["title"] == "allow partial sums"
    assert change["results"] in ("same bits", "equal but for rounding")
    assert change["sizes"] == {"n": 400}
    assert change["predicted"]["low"] > 1
    assert change["measured"] > 0
    assert change["placement"] in ("inside", "below", "above")
    assert change["conditions"]["flags"][-1] == "-fopenmp-simd"
    assert change["refusal"] is None
    assert source.read_text() == SOURCE
    page = (Path(__file__).parents[2] / "docs" / "measure.md").read_text(encoding="utf-8")
    assert [key for key in change if f'"{key}"' not in page] == []


@needs_gcc
@pytest.mark.parametrize(
    ("name", "results", "refusal"),
    [
        ("equal", "same bits", None),
        ("close", "equal but for rounding", None),
        ("wrong", None, "results-differ"),
        ("float", None, "layout-changes"),
    ],
)
def test_another_version(
    rooflint: Rooflint, source: Path, name: str, results: str | None, refusal: str | None
) -> None:
    source.with_name("other.c").write_text(OTHERS[name])
    code, out, err = rooflint("measure", "code.c", "--function", "scale", "--compare-with",
        "other.c", *ON, *FLAGS)  # fmt: skip
    (change,) = json.loads(out)["changes"]
    assert change["results"] == results, err
    assert (change["refusal"] or {"code": None})["code"] == refusal
    assert code in ((0, 4) if refusal is None else (3,))
    if name == "wrong":
        assert "a[70]" in change["refusal"]["reason"]
    if refusal is None:
        assert change["predicted"]["low"] <= change["predicted"]["high"]


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("code.c", "--change", "RL202"), 3, "the fix of RL202 at line 8 is a sketch"),
        (("code.c:9", "--change", "RL201"), 3, "code.c:9 has no finding RL201"),
        (("code.c", "--change", "RL999"), 2, "RL999"),
        (("code.c", "--compare-with", "none.c"), 2, "--compare-with none.c: no such file"),
        (("code.c", "--change", "RL201", "--sweep", "n=1:2"), 2, "does not go with --sweep"),
        (("code.c", "--change", "RL201", "--sizes", "L1,L2"), 2, "--sizes expected one level"),
        (("code.c", "--change", "RL201", "--compare-with", "code.c"), 2, "not allowed with"),
    ],
)
def test_refusals_and_mistakes(
    rooflint: Rooflint, source: Path, arguments: tuple[str, ...], code: int, problem: str
) -> None:
    found = rooflint("measure", *arguments, "--machine", "zen4-9654", *FLAGS)
    assert found[0] == code
    assert problem in found[2]


def test_a_dry_run_shows_both_versions(rooflint: Rooflint, source: Path) -> None:
    code, out, _ = rooflint("measure", "code.c:4", "--change", "RL201", "--dry-run",
        "--machine", "zen4-9654", *FLAGS)  # fmt: skip
    assert code == 0
    assert out.count("==> kernel.c <==") == 2
    assert out.count("#pragma omp simd reduction(+:s)") == 1
