"""Paths of a command line: machine files, sources, compilation databases."""

import json
from pathlib import Path

import pytest
from rooflint.errors import UsageError
from rooflint.machine import builtin_dir
from rooflint.pipeline import find_sources, machine_named


def test_machine_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dirs = [builtin_dir()]
    assert machine_named("cell", dirs).name == "cell"
    assert machine_named("cell.yaml", dirs).name == "cell"
    assert machine_named("snb", dirs).name == "sandybridge-ep-e5-2680"
    text = (builtin_dir() / "generic-2level.yaml").read_text(encoding="utf-8")
    Path("cell.yaml").write_text(text, encoding="utf-8")
    assert machine_named("cell.yaml", dirs).name == "generic-2level"
    with pytest.raises(UsageError, match=r"cel\.yaml is no file here: .*did you mean 'cell'"):
        machine_named("cel.yaml", dirs)
    with pytest.raises(UsageError, match=r"no machine file 'sub/cell\.yaml'"):
        machine_named("sub/cell.yaml", dirs)


def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("src/b.c", "src/a.cpp", "src/sub/c.cc", "src/.hidden/d.c", "src/e.h", "doc/x.md"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("")
    found = find_sources(["./src", "src/b.c", "doc", "none.c"])
    assert found.sources == ("src/a.cpp", "src/b.c", "src/sub/c.cc")
    assert found.problems == (
        "doc: no C or C++ files there",
        "none.c: no such file or directory",
    )
    assert found.unusable
    assert not find_sources(["doc"]).unusable


def test_a_database_among_the_paths(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("")
    database = tmp_path / "compile_commands.json"
    entries = [
        {"directory": str(tmp_path), "file": n, "command": f"cc {n}"} for n in ("a.c", "b.c")
    ]
    database.write_text(json.dumps(entries))
    found = find_sources([str(database)])
    assert found.sources == (str(tmp_path / "a.c"),)
    assert found.database == str(database)
    assert not found.unusable
    assert found.problems == (f"{database}: 1 of its 2 files do not exist",)
