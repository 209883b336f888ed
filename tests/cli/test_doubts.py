"""The end of a report over several files names the guesses that decide most."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Rooflint = Callable[..., tuple[int, str, str]]

MAIN = """int scanf(const char *, ...);
void fill(int);
void clear(void);
int main(void) {
  int rows;
  scanf("%d", &rows);
  fill(rows);
  clear();
}
"""
FILL = "extern double a[];\nvoid fill(int c) {\n  for (int i = 0; i < c; i++)\n    a[i] = i;\n}\n"
CLEAR = FILL.replace("fill(int c)", "clear(void)").replace("i < c", "i < 1000")


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("main.c", MAIN), ("fill.c", FILL), ("clear.c", CLEAR)):
        (tmp_path / name).write_text(text)


def test_the_last_line_names_a_guess_and_the_remedy(rooflint: Rooflint) -> None:
    _, out, _ = rooflint("analyze", ".")
    assert "Doubt  main:rows guessed 500, decides 33 %: -D main:rows=500\n" in out
    _, out, _ = rooflint("analyze", ".", "--format", "json")
    [doubt] = json.loads(out)["summary"]["doubts"]
    assert (doubt["names"], doubt["typical"]) == (["main:rows"], 500)
    assert doubt["share"] == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("options", [(".", "-D", "main:rows=700"), ("fill.c",)])
def test_without_a_guess_or_a_program_there_is_no_doubt(
    rooflint: Rooflint, options: tuple[str, ...]
) -> None:
    _, out, err = rooflint("analyze", *options)
    assert "Doubt" not in out
    assert err == ""


def test_the_functions_of_a_library_each_have_a_time_of_their_own(
    rooflint: Rooflint, tmp_path: Path
) -> None:
    (tmp_path / "main.c").unlink()
    _, out, _ = rooflint("analyze", ".", "--format", "json")
    [doubt] = json.loads(out)["summary"]["doubts"]
    assert (doubt["names"], doubt["of_entry"]) == (["fill:c"], True)
    _, out, _ = rooflint("analyze", ".")
    assert "Doubt  fill:c guessed 32, decides 100 % of an entry's time: -D fill:c=32\n" in out


LONG = """double a[1000];
int main(void) {
  for (long t = 0; t < STEPS; t++)
    for (int i = 0; i < 1000; i++) a[i] += t;
}
"""


@pytest.mark.parametrize("others", [True, False], ids=["several files", "one file"])
@pytest.mark.parametrize(("steps", "too_long"), [("1000000000", False), ("100000000000", True)])
def test_a_run_that_no_guess_keeps_short_says_so(
    rooflint: Rooflint, tmp_path: Path, steps: str, too_long: bool, others: bool
) -> None:
    """A store takes a quarter of a nanosecond or so: 1e12 of them are minutes, and 1e14 hours."""
    (tmp_path / "main.c").write_text(LONG.replace("STEPS", steps))
    asked = "." if others else "main.c"
    texts = [rooflint("analyze", asked, *more)[1] for more in ((), ("--format", "html"))]
    for text in texts:
        assert ("times the 10 minutes that guesses may make" in " ".join(text.split())) is too_long
    out = rooflint("analyze", asked, "--format", "json")[1]
    used = json.loads(out)["scenario"]["budget_used"]
    assert (used > 1) is too_long
    assert used == pytest.approx(json.loads(out)["summary"]["run_s"] / 600)
