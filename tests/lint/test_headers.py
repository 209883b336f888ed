"""Loops in headers: said once, at the header's own path, and never lost in silence."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.cli.main import run

Ran = tuple[int, list[str], list[str]]
Lint = Callable[..., Ran]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, matmul: str) -> Path:
    """Two sources that include a header of their own, one of another project, one of a system."""
    monkeypatch.chdir(tmp_path)
    header = matmul.replace("void mm", "inline void mm").replace("restrict", "__restrict")
    for name in ("app/include/mm.h", "other/other.h", "sys/sys.h"):
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text("#pragma once\n" + header.replace("mm(", f"{Path(name).stem}("))
    Path("app/include/plain.h").write_text("inline int plain() { return 1; }\n")
    Path("app/src").mkdir()
    includes = '#include "mm.h"\n#include <sys.h>\n#include "plain.h"\n#include <vector>\n'
    Path("app/src/a.cpp").write_text(includes + '#include "../../other/other.h"\n')
    Path("app/src/b.cpp").write_text(includes)
    return tmp_path


@pytest.fixture
def lint(project: Path, capsys: pytest.CaptureFixture[str]) -> Lint:
    """Exit code, places of what is found, and lines on stderr but the last."""

    def ran(*options: str) -> Ran:
        flags = ("--", "-O3", "-march=icelake-server", "-Iapp/include", "-isystem", "sys")
        select = ("--select", "RL102,RL001,RL006", "--machine", "icelake-sp-8360y")
        code = run(["lint", *options, *select, *flags])
        out, err = capsys.readouterr()
        places = [":".join(line.split(":")[:2]) for line in out.splitlines() if "[RL" in line]
        return code, places, [*err.splitlines()[:-1]]

    return ran


LEFT = "with loops not analysed:"
NAME = "set --header-filter"
PREFIX = "rooflint lint:"


def test_a_folder_has_its_headers_once(lint: Lint, project: Path) -> None:
    code, places, err = lint("app")
    assert (code, places) == (1, ["app/include/mm.h:4"])
    outside = "other/other.h"
    assert err == [f"{PREFIX} 1 included header {LEFT} {outside}; name it, or {NAME}"]


def test_a_header_by_itself(lint: Lint) -> None:
    assert lint("app/include/mm.h") == (1, ["app/include/mm.h:4"], [])


def test_headers_that_are_only_included_are_told(lint: Lint) -> None:
    names = "app/include/mm.h, other/other.h"
    said = [f"{PREFIX} 2 included headers {LEFT} {names}; name them, or {NAME}"]
    assert lint("app/src") == (0, [], said)
    assert lint("app/src") == (0, [], said), "the same from results that were kept"
    # named among the files, by another way to it, it is not left out
    os.symlink("app/include/mm.h", "again.h")
    assert len(lint("app/src/b.cpp", "again.h")[2]) == 0
    assert lint("app/src/b.cpp", "--hook")[2] == []


@pytest.mark.parametrize("glob", ["app/include/**", "mm.h,**/mm.h", "app"])
def test_a_filter_takes_them_in_once(lint: Lint, glob: str) -> None:
    code, places, err = lint("app/src", "--header-filter", glob)
    assert (code, places) == (1, ["app/include/mm.h:4"])
    assert [line.split(LEFT)[1].split(";")[0] for line in err] == [" other/other.h"]


def test_a_filter_in_the_configuration(lint: Lint) -> None:
    Path("app/rooflint.toml").write_text('header-filter = "include/*"\n')
    assert lint("app/src/b.cpp")[1:] == (["app/include/mm.h:4"], [])
    # not what lies outside of its folder
    Path("app/rooflint.toml").write_text('header-filter = "**"\n')
    code, places, [said] = lint("app/src/a.cpp")
    assert (code, places, "other/other.h" in said) == (1, ["app/include/mm.h:4"], True)
    # what a file excludes is neither looked at nor told
    Path("app/rooflint.toml").write_text('header-filter = "**"\nexclude = "include"\n')
    assert lint("app/src/b.cpp") == (0, [], [])
    assert lint("app/src/b.cpp", "--isolated", "--header-filter", "*")[1] == ["app/include/mm.h:4"]
    Path("app/rooflint.toml").write_text("header-filter = 3\n")
    assert run(["lint", "app/src"]) == 2


def test_a_header_has_the_flags_of_a_file_that_includes_it(
    lint: Lint, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "g++ -O3 -march=icelake-server -Iapp/include -isystem sys -c app/src/b.cpp"
    entry = {"directory": str(project), "file": "app/src/b.cpp", "command": command}
    Path("compile_commands.json").write_text(json.dumps([entry]))
    # no note that its flags are those of another file
    found = lint("compile_commands.json", "--header-filter", "*")
    assert found == (1, ["app/include/mm.h:4"], [])
    assert run(["lint", "app/include/mm.h", "--select", "RL006"]) == 0
    assert capsys.readouterr().out.startswith("app/include/mm.h:1:1: note: not in ")


def test_files_with_borrowed_flags_are_one_note(
    lint: Lint, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"directory": str(project), "file": "app/src/b.cpp", "command": "g++ -O3 -c b.cpp"}
    Path("compile_commands.json").write_text(json.dumps([entry]))
    Path("more").mkdir()
    for name in ("one", "two", "three"):
        Path(f"more/{name}.cpp").write_text("int a;\n")
    assert run(["lint", "more/one.cpp", "--select", "RL006"]) == 0
    alone = capsys.readouterr().out
    assert alone.startswith("more/one.cpp:1:1: note: not in ")
    assert run(["lint", "more/one.cpp", "more/two.cpp", "--select", "RL006"]) == 0
    assert ": note: as in 1 file more: not in " in capsys.readouterr().out
    assert run(["lint", "more", "--select", "RL006"]) == 0
    found = [line for line in capsys.readouterr().out.splitlines() if "[RL006]" in line]
    assert len(found) == 1
    assert found[0].startswith("more/one.cpp:1:1: note: as in 2 files more: not in ")


def test_a_header_that_cannot_stand_alone_is_a_note(lint: Lint) -> None:
    body = "{ for (int i = 0; i < v.n; i++) v.p[i] /= 3.7; }"
    Path("app/include/scale.h").write_text(f"inline void scale(Vector &v)\n{body}\n")
    Path("app/src/c.cpp").write_text('struct Vector { double *p; int n; };\n#include "scale.h"\n')
    assert lint("app/src/c.cpp", "--header-filter", "*") == (0, ["app/include/scale.h:1"], [])
