"""``rooflint compare``: trees, commits and machines; what became slower, and why."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.compare.revisions import find_revision, move_database, write_files
from rooflint.git import open_repository

Rooflint = Callable[..., tuple[int, str, str]]

STEP = """\
void step(int n, double (*restrict a)[n], double (*restrict b)[n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = 2 * a[i][j];
}
void scale(int n, double *restrict x)
{
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
}
"""
OUTER, INNER = "for (int i = 0; i < n; i++)", "for (int j = 0; j < n; j++)"
COLUMNS = STEP.replace(f"{OUTER}\n        {INNER}", f"{INNER}\n        {OUTER}")
ON = ("--machine", "skx", "--no-cache")


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``old/step.c`` and ``new/step.c``, whose loops are the other way round, in the folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("old", STEP), ("new", COLUMNS)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "step.c").write_text(text, encoding="utf-8")
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


@pytest.fixture
def repository(trees: Path) -> Path:
    """A repository whose HEAD has ``old/step.c`` as ``src/step.c``, and whose work tree the new."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    root = trees / "repository"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q")
    shutil.copy(trees / "old/step.c", root / "src")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "old")
    shutil.copy(trees / "new/step.c", root / "src")
    return root


def changes(rooflint: Rooflint, *arguments: str) -> dict[str, Any]:
    code, out, err = rooflint("compare", *arguments, "--format", "json", *ON)
    assert (code in (0, 1), err) == (True, "")
    document: dict[str, Any] = json.loads(out)
    assert (code == 1) == bool(document["slower"])
    return document


def test_unit_stride_lost(trees: Path, rooflint: Rooflint) -> None:
    found = changes(rooflint, "old", "new")
    step, scale = found["changes"]
    assert (step["function"], step["path"], step["line"]) == ("step", "step.c", 1)
    # a row of 8 elements a line against one: up to 8 times the lines, and a page walk a step
    assert 2 < step["ratio"] < 20
    assert step["reasons"][0] == "unit stride of a lost: now 8*n B per step"
    assert scale["ratio"] == 1 and scale["reasons"] == []
    assert found["slower"] == ["step"]


def test_the_other_way_round_it_is_won(trees: Path, rooflint: Rooflint) -> None:
    forth = changes(rooflint, "old", "new")["changes"][0]
    back = changes(rooflint, "new", "old")
    assert back["slower"] == []
    [step] = [each for each in back["changes"] if each["function"] == "step"]
    assert step["ratio"] == pytest.approx(1 / forth["ratio"])
    assert step["reasons"][0] == "unit stride of a won: now 8 B per step"


def test_the_threshold_decides_the_exit_code(trees: Path, rooflint: Rooflint) -> None:
    assert rooflint("compare", "old", "new", *ON)[0] == 1
    assert rooflint("compare", "old", "new", "--threshold", "20", *ON)[0] == 0
    assert rooflint("compare", "old", "old", "--threshold", "1", *ON)[0] == 0


def test_sizes_are_those_of_old(trees: Path, rooflint: Rooflint) -> None:
    # a third array would make the default n smaller
    more = STEP.replace("b[i][j] = 2 * a[i][j]", "b[i][j] = 2 * a[i][j] + c[i][j]").replace(
        "b)[n])", "b)[n], const double (*restrict c)[n])"
    )
    (trees / "new/step.c").write_text(more, encoding="utf-8")
    found = changes(rooflint, "old", "new")
    [step] = [each for each in found["changes"] if each["function"] == "step"]
    alone = json.loads(rooflint("analyze", "old", "--format", "json", *ON)[1])
    [first, _] = alone["files"][0]["functions"]
    assert step["sizes"] == first["nests"][0]["kernels"][0]["results"][0]["sizes"]
    assert step["ratio"] > 1.2


def test_a_comment_on_one_side_does_not_change_the_work(trees: Path, rooflint: Rooflint) -> None:
    text = "// rooflint: n=4000\n" + STEP
    (trees / "new/step.c").write_text(text, encoding="utf-8")
    assert [each["ratio"] for each in changes(rooflint, "old", "new")["changes"]] == [1, 1]


def test_functions_of_one_side_only(trees: Path, rooflint: Rooflint) -> None:
    (trees / "new/step.c").write_text(STEP.replace("scale(", "rescale("), encoding="utf-8")
    code, out, _ = rooflint("compare", "old", "new", *ON)
    assert code == 0
    assert "only in new: rescale (step.c)" in out
    assert "only in old: scale (step.c)" in out


def test_a_function_that_moved_is_the_same(trees: Path, rooflint: Rooflint) -> None:
    (trees / "new/step.c").rename(trees / "new/moved.c")
    found = changes(rooflint, "old", "new")
    assert (found["added"], found["removed"]) == ([], [])
    assert found["changes"][0]["path"] == "moved.c"


def test_two_machines(trees: Path, rooflint: Rooflint) -> None:
    arguments = ("compare", "old", "--machine", "skx", "--machine", "hsw", "--format", "json")
    document = json.loads(rooflint(*arguments)[1])
    assert (document["old"], document["new"]) == ("skx", "hsw")
    for change in document["changes"]:
        assert change["before_s"] != change["after_s"]
        assert change["reasons"][0].startswith("skylake-sp-6148: ")


LIMITED = """\
double last(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
void triad(int n, double *restrict a, const double *restrict b, const double *restrict c)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 3 * c[i];
}
int read_one(void);
void fill(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = read_one();
}
"""


def verdicts_of(rooflint: Rooflint, path: str, *arguments: str) -> list[dict[str, Any]]:
    document = json.loads(rooflint("analyze", path, "--format", "json", *arguments, *ON)[1])
    verdicts: list[dict[str, Any]] = document["verdicts"]
    return verdicts


def test_times_and_limits_are_those_of_the_report(trees: Path, rooflint: Rooflint) -> None:
    sizes = ("-D", "n=10000000")
    for folder in ("old", "new"):
        (trees / folder / "step.c").write_text(LIMITED, encoding="utf-8")
    (trees / "new/step.c").write_text(LIMITED.replace("3 * c[i]", "b[i] / c[i]"))
    found = {each["function"]: each for each in changes(rooflint, "old", "new", *sizes)["changes"]}
    assert set(found) == {"last", "triad", "fill"}
    for folder, key in (("old", "before_s"), ("new", "after_s")):
        for verdict in verdicts_of(rooflint, folder, *sizes):
            # nothing calls these functions: a run is one call of each
            assert found[verdict["function"]][key] == pytest.approx(verdict["time"]["now_s"])
    # the roof over DRAM is above the estimate there, which no single model tells
    [triad] = [each for each in verdicts_of(rooflint, "old", *sizes) if each["function"] == "triad"]
    assert "floor_above_estimate" in triad["reasons"]
    assert [found[name]["limiter"] for name in ("last", "triad")] == ["latency chain", "DRAM"]
    # a call that nothing is known of: both times are lower bounds
    assert found["fill"]["relation"] == "at_least"
    assert found["last"]["relation"] == "equals"


def test_the_text_names_limits_and_no_model(trees: Path, rooflint: Rooflint) -> None:
    for folder in ("old", "new"):
        (trees / folder / "step.c").write_text(LIMITED, encoding="utf-8")
    slow = LIMITED.replace("3 * c[i]", "b[i] / c[i] / c[i]")
    (trees / "new/step.c").write_text(slow, encoding="utf-8")
    out = rooflint("compare", "old", "new", "-D", "n=1000", *ON)[1]
    assert re.search(r"^ *\d+× slower  [\d.]+ → [\d.]+ µs  step.c:8 triad: now divider$", out, re.M)
    assert "ecm" not in out and "cy/CL" not in out and "(-D)" in out
    across = rooflint("compare", "old", "--machine", "skx", "--machine", "cell", "--no-cache")[1]
    assert re.search(
        r"^ *[\d.]+× (slower|faster)  ≥[\d.]+ → [\d.]+ \S+  step.c:14 fill$", across, re.M
    )
    assert "skylake-sp-6148: latency chain" in across
    assert "cy/CL" not in across and "ecm" not in across and "(role)" not in across


def test_a_commit_against_the_work_tree(
    repository: Path, rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "src")
    found = changes(rooflint, "HEAD", ".")
    assert found["slower"] == ["step"]
    assert found["old"].startswith("HEAD (")
    assert found["changes"][0]["path"] == "step.c"


def test_a_commit_is_written_as_it_is(repository: Path, tmp_path: Path) -> None:
    (repository / ".gitattributes").write_text("*.c export-ignore text eol=crlf\n")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "-q", "-m", "attributes")
    target = tmp_path / "there"
    with open_repository(repository) as opened:
        revision = find_revision("HEAD", opened)
        assert revision is not None
        write_files(revision, target)
        assert find_revision("no-such-branch", opened) is None
        assert find_revision("--output=x", opened) is None
    assert (target / "src/step.c").read_text(encoding="utf-8") == STEP


def test_flags_follow_the_commit(tmp_path: Path) -> None:
    root, there = tmp_path / "root", tmp_path / "there"
    for folder in (root / "build/gen", root / "inc", there / "inc", there / "src"):
        folder.mkdir(parents=True)
    for place in (root, there):
        (place / "src").mkdir(exist_ok=True)
        (place / "src/a.c").touch()
    command = f"cc -I{root}/inc -I{root}/build/gen -c {root}/src/a.c"
    entry = {"directory": f"{root}/build", "file": f"{root}/src/a.c", "command": command}
    database = root / "build/compile_commands.json"
    database.write_text(json.dumps([entry]))
    move_database(database, root, there)
    [moved] = json.loads((there / "compile_commands.json").read_text())
    # what only a build makes is linked where the commit's folder has a place for it
    assert moved["file"] == f"{there}/src/a.c"
    assert moved["command"].startswith(f"cc -I{there}/inc -I{root}/build/gen")
    assert moved["directory"] == f"{there}/build"
    assert (there / "build/gen").is_symlink()


def test_nothing_is_made_in_the_work_tree(tmp_path: Path) -> None:
    root, there = tmp_path / "root", tmp_path / "there"
    (root / "build/gen").mkdir(parents=True)
    there.mkdir()
    entries = [
        {"directory": f"{root}/{name}", "file": f"{root}/a.c", "command": "cc -c a.c"}
        for name in ("build", "build/gen/deeper")
    ]
    database = root / "build/compile_commands.json"
    database.write_text(json.dumps(entries))
    move_database(database, root, there)
    assert not (root / "build/gen/deeper").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected OLD and NEW"),
        (["old"], "nothing to compare old with"),
        (["old", "new", "--machine", "skx", "--machine", "hsw"], "name one with --machine"),
        (["old", "mew"], "mew: there is no such path, and no commit of that name here"),
        (["old", "new", "--threshold", "0.5"], "expected a ratio of at least 1"),
        (
            ["old", "new", "--format", "jsn"],
            "expected text, json or markdown; did you mean 'json'?",
        ),
        (["old", "new", "--machine", "skxx"], "unknown machine 'skxx'"),
    ],
)
def test_wrong_use(trees: Path, rooflint: Rooflint, arguments: list[str], message: str) -> None:
    code, out, err = rooflint("compare", *arguments)
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1


def test_markdown_escapes_names(trees: Path, rooflint: Rooflint) -> None:
    for folder in ("old", "new"):
        (trees / folder / "step.c").rename(trees / folder / "a_b|c<i>.c")
    out = rooflint("compare", "old", "new", "--format", "markdown", *ON)[1]
    assert out.startswith("### Rooflint: 1 function slower\n")
    assert "a\\_b\\|c\\<i\\>.c" in out
