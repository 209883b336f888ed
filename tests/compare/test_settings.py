"""Both sides of a comparison are judged alike: what differs between their settings is no change."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Rooflint = Callable[..., tuple[int, str, str]]

SCALE = """\
void scale(int n, double *restrict x, const double *restrict y)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = 2 * y[i];
}
"""
SETTINGS = {
    "machine": ('machine = "hsw"', 'machine = "skx"'),
    "cores": ('cores = "1"', "cores = 8"),
    "compiler": ('compiler = "gcc"', 'compiler = "clang"'),
    "n": ("[sizes]\nn = 1000", "[sizes]\nn = 100000000"),
}
FLAGS = ("-O1", "-O3")


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``old`` and ``new`` with the same source."""
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "scale.c").write_text(SCALE, encoding="utf-8")
    return tmp_path


def compared(rooflint: Rooflint, *arguments: str) -> dict[str, Any]:
    code, out, err = rooflint("compare", *arguments, "--no-cache", "--format", "json")
    assert (code, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    return document


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_no_change(name: str, trees: Path, rooflint: Rooflint) -> None:
    for side, text in zip(("old", "new"), SETTINGS[name], strict=True):
        (trees / side / "rooflint.toml").write_text(text + "\n")
    found = compared(rooflint, "old", "new")
    assert [change["ratio"] for change in found["changes"]] == [1]
    [difference] = found["settings"]
    assert difference["setting"] == ("size n" if name == "n" else name)
    assert difference["old"] != difference["new"]
    # the other way round it is judged by the other's settings
    back = compared(rooflint, "new", "old")
    assert [change["ratio"] for change in back["changes"]] == [1]
    assert back["settings"] == [
        {**difference, "old": difference["new"], "new": difference["old"]}
    ]  # fmt: skip
    if name != "compiler":  # memory takes as long whatever code asks for it
        assert found["changes"][0]["before_s"] != back["changes"][0]["before_s"]
    alone = compared(rooflint, "new", "new")
    assert alone["settings"] == []
    assert alone["changes"][0]["after_s"] == found["changes"][0]["after_s"]


def test_flags_of_a_build_are_no_change(trees: Path, rooflint: Rooflint) -> None:
    adds = SCALE.replace("    #pragma omp parallel for\n", "").replace(
        "2 * y[i]", "y[i] + y[i] * y[i]"
    )
    for side, level in zip(("old", "new"), FLAGS, strict=True):
        (trees / side / "scale.c").write_text(adds, encoding="utf-8")
        entry = {"directory": str(trees / side), "file": "scale.c",
                 "command": f"gcc-12 {level} -fopenmp -Iof_{side} -c scale.c"}  # fmt: skip
        (trees / side / "compile_commands.json").write_text(json.dumps([entry]))
    found = compared(rooflint, "old", "new", "-D", "n=1000")
    assert [change["ratio"] for change in found["changes"]] == [1]
    back = compared(rooflint, "new", "old", "-D", "n=1000")
    assert back["changes"][0]["before_s"] > found["changes"][0]["before_s"]
    assert [each["setting"] for each in found["settings"]] == ["compiler"]
    assert "-O1" in found["settings"][0]["old"] and "-O3" in found["settings"][0]["new"]


def test_what_is_asked_for_holds_for_both(trees: Path, rooflint: Rooflint) -> None:
    for side, text in zip(("old", "new"), SETTINGS["machine"], strict=True):
        (trees / side / "rooflint.toml").write_text(text + "\n")
    found = compared(rooflint, "old", "new", "--machine", "zen2")
    assert found["settings"] == []
    assert len(found["machines"]) == 1


def test_two_machines_are_compared_on_purpose(trees: Path, rooflint: Rooflint) -> None:
    _, out, _ = rooflint(
        "compare", "old", "--machine", "skx", "--machine", "hsw", "--format", "json"
    )
    document = json.loads(out)
    assert document["settings"] == []
    assert document["changes"][0]["before_s"] != document["changes"][0]["after_s"]


def test_the_machine_of_a_commit(
    trees: Path, rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = trees / "repository"
    root.mkdir()
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    shutil.copy(trees / "old/scale.c", root)
    for text in SETTINGS["machine"]:
        (root / "rooflint.toml").write_text(text + "\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "machine"], check=True)
    monkeypatch.chdir(root)
    for old, new in (("HEAD~1", "HEAD"), ("HEAD~1", ".")):
        found = compared(rooflint, old, new)
        assert [change["ratio"] for change in found["changes"]] == [1]
        assert [each["setting"] for each in found["settings"]] == ["machine"]


def test_it_is_said_in_words(trees: Path, rooflint: Rooflint) -> None:
    for side, text in zip(("old", "new"), SETTINGS["machine"], strict=True):
        (trees / side / "rooflint.toml").write_text(text + "\n")
    sentence = "settings differ; both sides use those of new:"
    for form in ("text", "markdown"):
        code, out, _ = rooflint("compare", "old", "new", "--no-cache", "--format", form)
        assert code == 0
        joined = " ".join(out.split())
        assert f"{sentence} machine haswell-ep-e5-2695v3 became skylake-sp-6148" in joined
