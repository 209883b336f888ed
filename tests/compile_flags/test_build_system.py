"""The build system of a tree, and the command that makes its compile database.

The commands are those of the manuals: cmake(1) and cmake-presets(7) of CMake 3.25, meson(1) of
Meson 1.0, and the README of Bear 3.1.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from rooflint.compile_flags.build_system import (
    MAX_PRESETS_BYTES,
    BuildKind,
    BuildSystem,
    build_system,
)

CMAKE = "cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"


def made(root: Path, files: str) -> BuildSystem:
    for name in files.split():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[]" if name.endswith(".json") else "")
    return build_system(str(root))


@pytest.mark.parametrize(
    ("files", "kind", "command", "folder"),
    [
        ("CMakeLists.txt src/a.cpp", "cmake", CMAKE, "build"),
        ("CMakeLists.txt Makefile meson.build", "cmake", CMAKE, "build"),
        ("meson.build Makefile a.c", "meson", "meson setup build", "build"),
        ("Makefile a.c", "make", "bear -- make", "."),
        ("GNUmakefile", "make", "bear -- make", "."),
        ("makefile", "make", "bear -- make", "."),
        ("configure Makefile", "make", "bear -- make", "."),
        ("configure Makefile.in", "configure", "./configure && bear -- make", "."),
        ("a.c b.c", "none", "", ""),
        ("Makefile.am src/CMakeLists.txt", "none", "", ""),
        ("", "none", "", ""),
        ("omp/Makefile serial/Makefile", "make-subfolders", "bear -- make -C omp", "."),
        ("b/Makefile a/x.c", "make-subfolders", "bear -- make -C b", "."),
        (".git/Makefile a.c", "none", "", ""),
        ("a/b/Makefile", "none", "", ""),
    ],
)
def test_kinds(files: str, kind: str, command: str, folder: str, tmp_path: Path) -> None:
    found = made(tmp_path, files)
    assert (found.kind.value, found.command, found.folder) == (kind, command, folder)
    assert found.database == ""


@pytest.mark.parametrize(
    ("files", "database"),
    [
        ("compile_commands.json CMakeLists.txt", "compile_commands.json"),
        ("build/compile_commands.json CMakeLists.txt", "build/compile_commands.json"),
        ("out/release/compile_commands.json", "out/release/compile_commands.json"),
        ("a/b/c/compile_commands.json Makefile", ""),
        (".cache/compile_commands.json Makefile", ""),
        ("build/compile_commands.json/x Makefile", ""),
    ],
)
def test_a_database_is_at_most_two_folders_down(files: str, database: str, tmp_path: Path) -> None:
    found = made(tmp_path, files)
    assert found.database == database
    assert (found.kind is BuildKind.DATABASE) == bool(database)
    assert not (database and found.command)


def test_the_newest_database_wins_and_the_others_are_named(tmp_path: Path) -> None:
    names = [f"{folder}/compile_commands.json" for folder in ("a", "b/x", "c")]
    made(tmp_path, " ".join(names))
    for age, name in enumerate((names[2], names[0], names[1])):
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    found = build_system(str(tmp_path))
    assert found.database == names[2]
    assert found.others == (names[0], names[1])


def test_a_link_to_a_database_is_no_second_one(tmp_path: Path) -> None:
    made(tmp_path, "build/compile_commands.json")
    (tmp_path / "compile_commands.json").symlink_to("build/compile_commands.json")
    found = build_system(str(tmp_path))
    assert (found.database, found.others) == ("compile_commands.json", ())


def test_subfolders_with_sources_come_first(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        "cuda/Makefile cuda/k.h cuda/k.cu cuda/a/b/c/x.c omp/Makefile omp/src/cg/cg.cpp x/Makefile",
    )
    assert found.command == "bear -- make -C omp"
    assert found.others == ("cuda", "x")


def presets(tmp_path: Path, *entries: object) -> BuildSystem:
    text = json.dumps({"version": 3, "configurePresets": entries})
    (tmp_path / "CMakePresets.json").write_text(text)
    (tmp_path / "CMakeLists.txt").touch()
    return build_system(str(tmp_path))


def test_the_first_visible_preset(tmp_path: Path) -> None:
    base = {"name": "base", "hidden": True, "binaryDir": "${sourceDir}/out/${presetName}"}
    found = presets(tmp_path, base, {"name": "default", "inherits": "base"}, {"name": "release"})
    assert found == BuildSystem(
        kind=BuildKind.CMAKE_PRESETS,
        command="cmake --preset default -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        folder="out/default",
        others=("release",),
    )


@pytest.mark.parametrize(
    ("entries", "folder"),
    [
        ([{"name": "p"}], ""),
        ([{"name": "p", "binaryDir": "${sourceDir}/b"}], "b"),
        ([{"name": "p", "binaryDir": "$env{HOME}/b"}], ""),
        ([{"name": "p", "binaryDir": "${sourceDir}/$env{X}"}], ""),
        ([{"name": "p", "binaryDir": "/tmp/b"}], ""),
        ([{"name": "p", "inherits": ["q", "r"]}, {"name": "q"},
          {"name": "r", "binaryDir": "${sourceDir}/r"}], "r"),
        ([{"name": "p", "inherits": "q"}, {"name": "q", "inherits": "p"}], ""),
        ([{"name": "p", "inherits": "none"}], ""),
        ([{"name": "p", "inherits": [7]}], ""),
    ],
)  # fmt: skip
def test_the_folder_of_a_preset(entries: Sequence[object], folder: str, tmp_path: Path) -> None:
    assert presets(tmp_path, *entries).folder == folder


def test_the_name_of_a_preset_is_one_word_of_the_command(tmp_path: Path) -> None:
    found = presets(tmp_path, {"name": "a b; rm -rf ~"})
    assert found.command.startswith("cmake --preset 'a b; rm -rf ~' -D")


@pytest.mark.parametrize(
    "text",
    ["", "[", "[]", "7", '{"configurePresets": 7}', '{"configurePresets": [7, {"name": 7}]}',
     '{"configurePresets": [{"name": "x", "hidden": true}]}', "[" * 100_000,
     " " * MAX_PRESETS_BYTES + '{"configurePresets": [{"name": "x"}]}'],
    ids=range(9),
)  # fmt: skip
def test_broken_presets_leave_plain_cmake(text: str, tmp_path: Path) -> None:
    (tmp_path / "CMakePresets.json").write_text(text)
    (tmp_path / "CMakeLists.txt").touch()
    assert build_system(str(tmp_path)).kind is BuildKind.CMAKE


def test_nothing_is_run_and_nothing_written(tmp_path: Path) -> None:
    """A pipe that is called like a makefile is none, and does not block."""
    os.mkfifo(tmp_path / "CMakePresets.json")
    os.mkfifo(tmp_path / "Makefile")
    assert build_system(str(tmp_path)).kind is BuildKind.NONE
    assert sorted(os.listdir(tmp_path)) == ["CMakePresets.json", "Makefile"]
