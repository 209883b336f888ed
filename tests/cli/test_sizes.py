"""``rooflint sizes``: what is asked for, and where the answers go."""

import io
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
FILL = """extern double a[];
void fill(int c) {
  for (int i = 0; i < c; i++)
    a[i] = i;
}
"""
CLEAR = """extern double b[];
void clear(void) {
  for (int i = 0; i < 1000; i++)
    b[i] = i;
}
"""
CONFIG = "# ours\n[sizes]  # all runs\nm = 3\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files in ``src``, below the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    for name, text in (("main.c", MAIN), ("fill.c", FILL), ("clear.c", CLEAR)):
        (tmp_path / "src" / name).write_text(text)
    return tmp_path


def test_the_report(rooflint: Rooflint) -> None:
    code, out, err = rooflint("sizes", "src")
    assert (code, err) == (0, "")
    # 500 of 1500 elements at the typical size, 11 % to 67 % between the quartiles
    assert out == (
        "1 size open; these decide where most of the time goes:\n"
        "\n"
        "main:rows = 500\n"
        "  guessed      extent: mostly 128 to 2000, nearly always 32 to 4000\n"
        "  decides      55 % of the time, which moves between functions from 128 to 2000;"
        " 33 % is in loops\n"
        "               that cost more with larger sizes\n"
        "  comes from   input, main.c:6\n"
        "  loops        src/fill.c:3 (33 %)\n"
        "  break-even   from main:rows >= 1100, fill takes the most time, else clear\n"
        "\n"
        "for one run:  -D main:rows=NUMBER\n"
        "to keep them: rooflint sizes src --write\n"
        "counts of a run replace every guess: rooflint analyze src --counts FILE"
        " (docs/profiles.md)\n"
    )


def test_json(rooflint: Rooflint) -> None:
    code, out, _ = rooflint("sizes", "src", "--format", "json")
    found = json.loads(out)
    assert (code, found["schema_version"], found["open"]) == (0, 1, 1)
    [group] = found["groups"]
    [size] = group["sizes"]
    place = size.pop("place")
    assert (Path(place["path"]).name, place["line"]) == ("main.c", 6)
    assert size == {
        "name": "main:rows", "typical": 500, "range": [32, 128, 500, 2000, 4000],
        "role": "extent", "reasons": ["input"],
    }  # fmt: skip
    assert group["moves"] == pytest.approx(0.55, abs=0.01)
    assert group["scales"] == pytest.approx(1 / 3, abs=0.01)
    assert group["break_even"] == {
        "below": "clear",
        "at": pytest.approx(1000, rel=0.01),
        "above": "fill",
    }
    [loop] = group["loops"]
    assert (loop["path"], loop["line"]) == ("src/fill.c", 3)


def test_an_answer_leaves_nothing_open(rooflint: Rooflint) -> None:
    _, out, _ = rooflint("sizes", "src", "-D", "main:rows=80")
    assert out.startswith("0 sizes open\n")
    assert "to keep them" not in out


def test_writing_keeps_the_rest_of_the_configuration(rooflint: Rooflint, program: Path) -> None:
    (program / "rooflint.toml").write_text(CONFIG)
    code, out, err = rooflint("sizes", "src", "--write", "-D", "main:rows=80")
    path = program / "rooflint.toml"
    assert (code, out) == (0, "")
    assert err == f"rooflint sizes: {path}: main:rows = 80\n"
    assert path.read_text() == f'{CONFIG}"main:rows" = 80\n'
    _, out, _ = rooflint("sizes", "src")
    assert out.startswith("0 sizes open\n")
    # of one file: the size is the configuration's now
    _, out, _ = rooflint("analyze", "src", "--format", "json")
    values = {v["name"]: v for v in json.loads(out)["scenario"]["values"]}
    assert (values["c"]["typical"], values["c"]["origin"]) == (80, "configuration")


def test_a_scenario_comes_to_be_and_is_used(rooflint: Rooflint, program: Path) -> None:
    given = ("sizes", "src", "--scenario", "small")
    assert rooflint(*given, "--write", "-D", "main:rows=80")[0] == 0
    assert (program / "src" / "rooflint.toml").read_text() == (
        '[scenario.small]\n"main:rows" = 80\n'
    )
    assert rooflint("sizes", "src")[1].startswith("1 size open;")
    assert rooflint(*given)[1].startswith("0 sizes open\n")
    assert rooflint(*given, "--write", "-D", "main:rows=90")[0] == 0
    assert '"main:rows" = 90\n' in (program / "src" / "rooflint.toml").read_text()


def test_asking_on_a_terminal(
    rooflint: Rooflint, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("many\n1e3\n"))
    code, out, err = rooflint("sizes", "src", "--write")
    assert code == 0
    assert "main:rows = 500\n" in out
    assert err == (
        "main:rows [500]: rooflint sizes: expected a whole number such as 4096 or 1e6;"
        " none keeps the guess\n"
        f"main:rows [500]: rooflint sizes: {program}/src/rooflint.toml: main:rows = 1000\n"
    )
    assert (program / "src" / "rooflint.toml").read_text() == '[sizes]\n"main:rows" = 1000\n'


@pytest.mark.parametrize("typed", ["\n", ""])
def test_no_answer_changes_nothing(
    rooflint: Rooflint, program: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    code, _, err = rooflint("sizes", "src", "--write")
    assert code == 0
    assert err.endswith("rooflint.toml: unchanged\n")
    assert not (program / "src" / "rooflint.toml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "no PATH given; see 'rooflint sizes --help'"),
        (("src", "--write"), "--write: stdin is no terminal to ask on; give the sizes: -D"),
        (("src", "--write", "-o", "x"), "--write: goes without -o and --format; it changes the"),
        (("src", "--format", "jso"), "--format: unknown format 'jso', expected text or json;"),
        (("src", "-D", "main:row=3"), "-D main:row: no loop's trip count rests on a size of that"),
        (("src", "-D", "main:row=3"), "-D main:row: .*; did you mean 'main:rows'?"),
        (("src", "--scenario", "s"), "scenario 's': no configuration file was read; "),
    ],
)
def test_mistakes(
    rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code, out, err = rooflint("sizes", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    begin, _, end = message.partition(".*")
    assert err.startswith(f"sizes: {begin}") and err.endswith(f"{end}\n" if end else "\n")


def test_a_file_that_cannot_be_read(rooflint: Rooflint, program: Path) -> None:
    code, out, err = rooflint("sizes", "src", "none.c")
    assert code == 2
    assert err.startswith("rooflint sizes: none.c: no such file or directory")
    assert out.startswith("1 size open;")
