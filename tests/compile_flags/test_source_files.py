"""Which files a path on the command line stands for."""

import json
import os
from pathlib import Path

import pytest
from rooflint.compile_flags.source_files import source_files


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "b.cpp a.c a.h z/k.cu z/k.cl sub/x.cc sub/readme.md .git/hook.c .hidden.c build/gen.c "
        "cmake-build-debug/g.c out1/CMakeCache.txt out1/g.c inplace/CMakeCache.txt "
        "inplace/CMakeLists.txt inplace/s.c headers/only.hpp headers/more.h"
    ).split():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_gives_its_sources_in_a_stable_order(tree: Path) -> None:
    assert source_files(["."]).files == (
        "./a.c", "./b.cpp", "./inplace/s.c", "./sub/x.cc", "./z/k.cl", "./z/k.cu",
    )  # fmt: skip


def test_headers_with_loops_are_sources_too(tree: Path) -> None:
    (tree / "z" / "k.h").write_text("inline void f(int n) { while (n --> 0) g(n); }\n")
    (tree / "z" / "l.h").write_text('// for (all)\n#define WHILE "do {" /* while (1) */\n')
    (tree / "z" / "m.hpp").write_text("void h() { parallel_for(9, [](int i) {}); }\n")
    assert source_files(["z"]).files == ("z/k.cl", "z/k.cu", "z/k.h", "z/m.hpp")


def test_a_folder_of_headers_gives_its_headers(tree: Path) -> None:
    assert source_files(["headers"]).files == ("headers/more.h", "headers/only.hpp")


def test_what_is_named_is_taken(tree: Path) -> None:
    named = ["sub/readme.md", "a.h", "build", ".hidden.c", "b.cpp", "a.h"]
    found = source_files(named)
    assert found.files == ("sub/readme.md", "a.h", "build/gen.c", ".hidden.c", "b.cpp")
    assert found.problems == ()


def test_links_in_a_circle_end(tree: Path) -> None:
    (tree / "sub" / "up").symlink_to(tree)
    (tree / "sub" / "self").symlink_to(tree / "sub")
    assert source_files(["sub"]).files.count("sub/x.cc") == 1


def test_a_database_gives_its_entries(tree: Path) -> None:
    (tree / "build" / "db.json").write_text(
        json.dumps(
            [
                {"directory": str(tree), "file": "b.cpp", "command": "g++ -c b.cpp"},
                {"directory": str(tree / "sub"), "file": "../a.c", "command": "gcc -c ../a.c"},
                {"directory": "/elsewhere", "file": "e.c", "command": "gcc -c e.c"},
            ]
        ),
        "utf-8",
    )
    found = source_files(["build/db.json"])
    assert found.files == ("/elsewhere/e.c", "a.c", "b.cpp")
    assert found.databases == ("build/db.json",)


def test_a_bad_path_does_not_stop_the_others(tree: Path) -> None:
    (tree / "empty").mkdir()
    (tree / "broken.json").write_text("{", "utf-8")
    os.mkfifo(tree / "pipe.c")
    found = source_files(["missing.c", "a.c", "empty", "broken.json", "pipe.c", "b.cpp"])
    assert found.files == ("a.c", "b.cpp")
    assert [str(problem).split(": ", 1)[0] for problem in found.problems] == [
        "missing.c", "empty", f"{tree / 'broken.json'}:1", "pipe.c",
    ]  # fmt: skip
    assert str(found.problems[0]) == "missing.c: no such file or directory"
    assert str(found.problems[1]) == "empty: no C or C++ files there"
    assert str(found.problems[3]) == "pipe.c: expected a file or a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list everything")
def test_an_unreadable_folder_is_a_problem_and_no_more(tree: Path) -> None:
    (tree / "sub").chmod(0)
    found = source_files(["."])
    assert "./a.c" in found.files
    assert "cannot be listed" in str(found.problems[0])
