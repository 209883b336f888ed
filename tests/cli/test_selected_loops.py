"""``FILE:LINE`` and ``--function``: the details of certain loops, or the loops that there are."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

Rooflint = Callable[..., tuple[int, str, str]]
CODE = """\
void scale(int n, double *restrict a, double s) {
  for (int i = 0; i < n; i++)
    a[i] *= s;
}
double dot(int n, int m, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += a[m * i + j] * b[m * i + j];
  return sum;
}
"""
CALLER = """\
void scale(int n, double *a, double s);
double dot(int n, int m, const double *a, const double *b);
static double a[4000], b[4000];
int main(void) {
  for (int i = 0; i < 4000; i++)
    b[i] = i;
  scale(4000, a, 2.0);
  return dot(100, 40, a, b) > 0;
}
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("k.c").write_text(CODE)
    Path("main.c").write_text(CALLER)


def headings(out: str) -> list[str]:
    return [
        line.partition(":")[2].partition(",")[0]
        for line in out.splitlines()
        if ".c:" in line.split(" ")[0]
    ]


def test_a_line_of_a_body_is_its_innermost_loop(rooflint: Rooflint) -> None:
    code, out, err = rooflint("analyze", "k.c:9")
    assert (code, err) == (0, "")
    assert headings(out) == ["8 dot"]
    assert "  work  " in out
    assert "  assumed  " in out


def test_a_loop_has_the_sizes_of_the_run_around_it(rooflint: Rooflint) -> None:
    _, alone, _ = rooflint("analyze", "k.c:2")
    assert "(guessed)" in alone
    _, out, _ = rooflint("analyze", ".", "k.c:2")
    assert headings(out) == ["2 scale"]
    assert "n = 4 000" in out


def test_functions_by_name(rooflint: Rooflint) -> None:
    _, out, _ = rooflint("analyze", ".", "--function", "main", "--function", "scale")
    assert headings(out) == ["2 scale", "5 main"]
    _, out, _ = rooflint("analyze", ".", "--function", "scale", "--format", "json")
    assert {each["function"] for each in json.loads(out)["verdicts"]} == {"scale"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("k.c:5",),
            "k.c:5: there is no loop on this line; the nearest loops are on lines 2, 8",
        ),
        (("main.c:1",), "main.c:1: there is no loop on this line; the nearest loop is on line 5"),
        (
            (".", "--function", "scal"),
            "--function scal: no loop in a function of that name among 3 functions;"
            " did you mean 'scale'?",
        ),
        (("k.c:0x2",), "k.c:0x2: no such file or directory"),
    ],
)
def test_a_place_without_a_loop(rooflint: Rooflint, words: tuple[str, ...], message: str) -> None:
    code, out, err = rooflint("analyze", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"analyze: {message}")
    assert err.count("\n") == 1


def test_the_next_commands_work(rooflint: Rooflint) -> None:
    _, out, _ = rooflint("analyze", ".", "-D", "dot:n=900")
    last = out[out.index("Next") + len("Next") :]
    first, lint, _ = " ".join(last.split()).split(" | ")
    code, details, err = rooflint(*shlex.split(first)[1:])
    assert (code, err) == (0, "")
    assert "  assumed  " in details
    assert rooflint(*shlex.split(lint)[1:])[0] in (0, 1)


def test_orders_and_quiet(rooflint: Rooflint) -> None:
    _, out, _ = rooflint("analyze", ".", "-q", "--sort", "file", "--top", "9")
    lines = out.splitlines()
    assert "now → possible" in lines[0]
    assert [line.split(".c:")[1].split()[0] for line in lines[1:]] == ["2", "8", "5"]
