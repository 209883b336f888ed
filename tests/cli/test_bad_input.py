"""Whatever is wrong: one clear line on stderr, the right exit code, the rest still done."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Rooflint = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("triad")


def test_a_missing_path(rooflint: Rooflint) -> None:
    code, out, err = rooflint("analyze", "traid.c", "triad.c")
    assert code == 2
    assert err == "analyze: traid.c: no such file or directory; did you mean 'triad.c'?\n"
    assert "triad.c:3 triad" in out


def test_an_unreadable_file(
    rooflint: Rooflint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.c").write_text("void f(void) {}")
    (tmp_path / "secret.c").chmod(0)
    if os.geteuid() == 0:  # root reads everything
        monkeypatch.setattr(os, "access", lambda path, mode: not path.startswith("secret"))
    code, out, err = rooflint("analyze", "secret.c", "triad.c")
    assert (code, err) == (2, "analyze: secret.c: cannot be read: permission denied\n")
    assert "triad.c:3 triad" in out


def test_a_dangling_link(rooflint: Rooflint, tmp_path: Path) -> None:
    (tmp_path / "gone.c").symlink_to(tmp_path / "nowhere.c")
    code, out, err = rooflint("analyze", "gone.c", "triad.c")
    assert (code, err) == (2, "analyze: gone.c: no such file or directory\n")
    assert "triad.c:3 triad" in out


def test_a_folder_without_c_files(rooflint: Rooflint, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# hello")
    code, out, err = rooflint("analyze", "docs")
    assert (code, out, err) == (3, "", "analyze: docs: no C or C++ files there\n")
    code, out, err = rooflint("analyze", "docs", "triad.c")
    assert (code, err) == (0, "analyze: docs: no C or C++ files there\n")
    assert "triad.c:3 triad" in out


def test_an_unknown_machine(rooflint: Rooflint) -> None:
    code, out, err = rooflint("analyze", "triad.c", "--machine", "opteron-x3")
    assert (code, out) == (2, "")
    assert err.startswith("analyze: unknown machine 'opteron-x3'; did you mean 'opteron-x")
    assert err.count("\n") == 1


def test_the_other_machines_are_still_done(rooflint: Rooflint) -> None:
    code, out, err = rooflint("analyze", "triad.c", "--machine", "cel", "--machine", "snb")
    assert code == 2
    assert (
        err == "analyze: unknown machine 'cel'; did you mean 'cell'?; see 'rooflint machine list'\n"
    )
    assert "on sandybridge-ep-e5-2680" in out
    assert "triad.c:3 triad" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema: 1\nname: [\n", "mine.yaml:"),
        ("schema: 1\nextends: generic-2level\nname: mine\nclock_ghz: 2 GHz\n", "mine.yaml:4:"),
        ("schema: 1\nname: mine\nclok_ghz: 2\n", "mine.yaml:3:"),
    ],
    ids=["broken YAML", "unit in the value", "unknown key"],
)
def test_a_broken_machine_file(rooflint: Rooflint, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    code, out, err = rooflint("analyze", "triad.c", "--machine", "mine.yaml")
    assert (code, out) == (2, "")
    assert err.startswith(f"analyze: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-D"], "-D: expected NAME=NUMBER after it"),
        (["-D", "N"], "-D N: expected NAME=VALUE"),
        (["-D", "=4"], "-D =4: expected NAME=VALUE"),
        (["-D", "N=many"], "'many' is no whole number"),
        (["-D", "N=1.5"], "'1.5' is no whole number"),
        (["--cores", "all"], "--cores: 'all', expected 1, socket, node or a number above 0"),
        (["--cores", "9", "--machine", "cell,"], "unknown machine 'cell,'"),
        (["--cores", "17", "--machine", "cell"], "cell has 2 x 8 cores, expected 1 to 16"),
        (["--format", "jsonn"], "--format: unknown format 'jsonn', expected html, json or text"),
        (["--model", "rooflines"], "unknown model 'rooflines', expected "),
        (["--top", "0"], "--top: '0', expected a whole number above 0"),
        (["--jobs", "-1"], "--jobs: '-1', expected a whole number above 0"),
        (["--machines", "cell"], "unknown option '--machines'; did you mean '--machine'?"),
        (["--fix"], "unknown option '--fix'"),
        (["-o", "no/such/report.json"], "there is no folder no/such"),
        (["-o", "."], "is a folder, expected a file"),
        (["-o", ""], "-o: expected FILE after it"),
        (["--format", ""], "--format: unknown format ''"),
        (["-p", "."], "no compile_commands.json there"),
    ],
)
def test_a_wrong_option(rooflint: Rooflint, arguments: list[str], message: str) -> None:
    code, out, err = rooflint("analyze", "triad.c", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("analyze: ")
    assert message in err
    assert err.count("\n") == 1


def test_no_path_and_no_command(rooflint: Rooflint) -> None:
    assert rooflint("analyze") == (2, "", "analyze: no PATH given; see 'analyze --help'\n")
    code, out, err = rooflint("analyse", "triad.c")
    assert (code, out) == (2, "")
    assert "unknown command 'analyse'" in err
    assert "did you mean 'analyze'?" in err


def test_a_wrong_configuration(rooflint: Rooflint, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "rooflint.toml").write_text("\nmachin = 'cell'\n")
    (tmp_path / "sub" / "other.c").write_text((tmp_path / "triad.c").read_text())
    code, out, err = rooflint("analyze", "sub/other.c", "triad.c")
    assert code == 2
    assert err.count("\n") == 1
    assert "rooflint.toml:2: unknown key 'machin'" in err
    assert "did you mean 'machine'?" in err
    assert "triad.c:3 triad" in out


def test_a_size_that_no_loop_has(rooflint: Rooflint) -> None:
    code, out, err = rooflint("analyze", "triad.c", "-D", "nn=4")
    assert code == 0
    assert err == "analyze: -D nn: no loop has a size of that name; did you mean 'n'?\n"
    assert "triad.c:3 triad" in out


SCOPES = """void gemm(double *a, double *b, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i * m + j] += b[j * n + i];
}
void clear(double *a, int n) {
  for (int i = 0; i < n; i++) a[i] = 0;
}
"""


def test_a_size_of_one_function(rooflint: Rooflint, tmp_path: Path) -> None:
    (tmp_path / "scopes.c").write_text(SCOPES)
    options = ("-D", "gemm:n=512", "-D", "clear::n=77", "--format", "json")
    code, out, err = rooflint("analyze", "scopes.c", *options)
    assert (code, err) == (0, "")
    values = {(v["scope"], v["name"]): v["typical"] for v in json.loads(out)["scenario"]["values"]}
    assert (values["gemm", "n"], values["clear", "n"]) == (512, 77)


@pytest.mark.parametrize(
    ("name", "near"),
    [("gem:n", "gemm:n"), ("clear:m", "clear:n"), ("gemm:nn", "gemm:n"), ("gemm::k", "gemm::n")],
)
def test_a_size_of_a_scope_that_there_is_not(
    rooflint: Rooflint, tmp_path: Path, name: str, near: str
) -> None:
    (tmp_path / "scopes.c").write_text(SCOPES)
    code, _, err = rooflint("analyze", "scopes.c", "-D", f"{name}=4")
    hint = f"did you mean '{near}'?"
    assert (code, err) == (0, f"analyze: -D {name}: no loop has a size of that name; {hint}\n")


def test_a_scenario_of_the_configuration(rooflint: Rooflint, tmp_path: Path) -> None:
    (tmp_path / "scopes.c").write_text(SCOPES)
    text = '[sizes]\nn = 10\nm = 20\n[scenario.big]\n"gemm:n" = 512\nm = 600\n'
    (tmp_path / "rooflint.toml").write_text(text)

    def typical(*options: str) -> tuple[str | None, dict[str, int]]:
        _, out, _ = rooflint("analyze", "scopes.c", "--format", "json", *options)
        found = json.loads(out)["scenario"]
        values = {f"{v['scope']}:{v['name']}": v["typical"] for v in found["values"]}
        return found["name"], values

    assert typical() == (None, {"gemm:n": 10, "gemm:m": 20, "clear:n": 10})
    big = {"gemm:n": 512, "gemm:m": 600, "clear:n": 10}
    assert typical("--scenario", "big") == ("big", big)
    assert typical("--scenario", "big", "-D", "m=7") == ("big", {**big, "gemm:m": 7})
    commented = SCOPES.replace("{\n", "{ // rooflint: m=8\n", 1)
    (tmp_path / "scopes.c").write_text(commented)
    assert typical("--scenario", "big") == ("big", {**big, "gemm:m": 8})
    _, out, _ = rooflint("analyze", "scopes.c", "--scenario", "big", "--all")
    assert "\nsizes of big: " in out


@pytest.mark.parametrize("command", ["analyze", "lint"])
def test_a_scenario_that_there_is_not(rooflint: Rooflint, tmp_path: Path, command: str) -> None:
    (tmp_path / "rooflint.toml").write_text("[scenario.big]\nn = 512\n")
    code, _, err = rooflint(command, "triad.c", "--scenario", "bigg")
    assert code == 2
    here = tmp_path / "rooflint.toml"
    known = f"{here} has big ({here}:1); did you mean 'big'?"
    assert err.splitlines()[0].partition(": ")[2] == f"scenario 'bigg': {known}"


def test_a_typo_in_a_comment(rooflint: Rooflint, tmp_path: Path) -> None:
    text = (tmp_path / "triad.c").read_text()
    (tmp_path / "triad.c").write_text(text.replace("{\n", "{\n// rooflint: thread(8)\n", 1))
    code, out, _ = rooflint("analyze", "triad.c")
    assert code == 0
    assert "triad.c:3: warning: rooflint comment: 'thread(8)' is not understood" in out
    assert "did you mean 'threads'?" in " ".join(out.split())


def test_a_header_that_is_missing(rooflint: Rooflint, triad: Path) -> None:
    triad.write_text('#include "mesh.h"\n' + triad.read_text())
    code, out, err = rooflint("analyze", "triad.c")
    assert code == 0
    assert err == (
        "analyze: headers not found: 'mesh.h'; -p BUILD_DIR or '-- -IFOLDER' locates them\n"
    )
    assert "triad.c:1: error: 'mesh.h' file not found" in out
    assert "the file has errors (listed at the end)" in rooflint("analyze", "triad.c", "--all")[1]
    triad.with_name("mesh.h").write_text("")
    assert rooflint("analyze", "triad.c")[2] == ""


def test_names_that_a_terminal_or_json_cannot_take(rooflint: Rooflint, triad: Path) -> None:
    names = [os.fsencode(triad.parent) + b"/" + name for name in (b"new\nline.c", b"caf\xe9.c")]
    for name in names:
        with open(name, "wb") as stream:
            stream.write(triad.read_bytes())
    code, out, err = rooflint("analyze", ".")
    assert (code, err) == (0, "")
    assert r"caf\xe9.c:3 triad" in out
    assert r"new\nline.c:3 triad" in out
    _, out, _ = rooflint("analyze", ".", "--format", "json")
    paths = [os.fsencode(file["path"]) for file in json.loads(out)["files"]]
    assert sorted(paths) == [b"caf\xe9.c", b"new\nline.c", b"triad.c"]
    code, _, err = rooflint("analyze", "new\nlines.c")
    assert code == 2
    assert (
        err == r"analyze: new\nlines.c: no such file or directory; did you mean 'new\nline.c'?" "\n"
    )


def test_a_terminal_without_the_letters(triad: Path) -> None:
    triad.rename(triad.with_name("dreieck_ü.c"))
    command = [sys.executable, "-m", "rooflint", "dump", "dreieck_ü.c"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(
        command, cwd=triad.parent, capture_output=True, env=environment, check=True
    )
    assert done.stdout.startswith(rb"file dreieck_\xfc.c c headers shims")


@pytest.mark.parametrize(
    ("shell", "code", "message"),
    [
        ("{0} triad.c > /dev/full", 2, "stdout cannot be written: No space left on device"),
        ("{0} triad.c >&-", 2, "stdout is closed: write the report with -o FILE"),
        ("{0} triad.c -o report.txt <&- >&-", 0, ""),
        ("{0} traid.c 2>&-", 2, ""),
    ],
)
def test_streams_that_take_nothing(triad: Path, shell: str, code: int, message: str) -> None:
    program = f"'{sys.executable}' -c 'from rooflint.cli.main import analyze; analyze()'"
    command = ["bash", "-c", shell.format(program)]
    done = subprocess.run(command, cwd=triad.parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == (f"analyze: {message}\n" if message else "")
    if "report.txt" in shell:
        assert "triad.c:3 triad" in triad.with_name("report.txt").read_text()
