"""A tree that tries to run code, to read what is not its own, and to write."""

import html.parser
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Rooflint = Callable[..., subprocess.CompletedProcess[str]]

LOOP = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
SECRET = "TOKEN_OF_SOMEBODY=abc123;\n"
# what a module of the tree would do if anything imported it
RUNS = "import pathlib; pathlib.Path({!r}).touch()\n"
FLAGS = (
    "./clang -fplugin={tree}/evil.so -fplugin-arg-evil-x -Xclang -load -Xclang {tree}/evil.so "
    "-fpass-plugin={tree}/evil.so -Xclang -add-plugin -Xclang evil -mllvm -load={tree}/evil.so "
    "-wrapper {tree}/clang,x -B{tree} -specs={tree}/evil.specs --config={tree}/evil.cfg "
    "-fuse-ld={tree}/clang --ld-path={tree}/clang -no-integrated-as @{home}/outside.rsp @tree.rsp "
    "-ivfsoverlay {tree}/evil.yaml -include-pch {tree}/evil.pch -include {home}/secret.txt "
    "-fmodules -fmodules-cache-path={home}/modules -fprofile-use={home}/profile "
    "-o {home}/OUT -MD -MF {home}/DEP -ftime-trace={home}/TRACE -save-temps -dumpdir {home}/ "
    "--serialize-diagnostics {home}/SERIAL -fprofile-generate={home}/prof -E -P -c a.c"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Somebody's home with a secret and a stranger's tree in it."""
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "outside.rsp").write_text("-DFROM_OUTSIDE=1")
    tree = tmp_path / "tree"
    tree.mkdir()
    runs = RUNS.format(str(tmp_path / "RAN"))
    modules = (
        "sitecustomize", "usercustomize", "yaml", "pluggy", "clang", "rooflint_plugins", "conftest",
        "setup", "json", "evil", "distributed", "tomllib",
    )  # fmt: skip
    for module in modules:
        (tree / f"{module}.py").write_text(runs)
    plugin = tree / "evil-1.0.dist-info"
    plugin.mkdir()
    (plugin / "entry_points.txt").write_text("[rooflint]\nevil = evil:plugin\n")
    (tree / "clang").write_text(f"#!/bin/sh\ntouch {tmp_path}/RAN\n")
    (tree / "clang").chmod(0o755)
    for name in ("gcc", "cc", "make", "cmake", "git", "llvm-mca"):
        (tree / name).symlink_to("clang")
    (tree / "tree.rsp").write_text("-fplugin=evil.so @tree.rsp @/etc/hostname")
    entry = {
        "directory": str(tree),
        "file": "a.c",
        "command": FLAGS.format(tree=tree, home=tmp_path),
    }
    (tree / "compile_commands.json").write_text(json.dumps([entry]))
    words = FLAGS.format(tree=tree, home=tmp_path).split()
    (tree / "rooflint.toml").write_text(f"[flags]\ndefault = {json.dumps(words)}\n")
    (tree / "a.c").write_text(
        '#include "../secret.txt"\n#pragma clang __debug crash_not_reached\n'
        '#pragma GCC dependency "../secret.txt"\n#pragma comment(lib, "evil")\n' + LOOP
    )
    (tree / "b.c").write_text(f'#include "{tmp_path}/secret.txt"\n' + LOOP)
    (tree / "link.c").symlink_to(tmp_path / "secret.txt")
    return tmp_path


def files_below(home: Path) -> set[str]:
    return {str(path) for path in home.rglob("*")}


@pytest.mark.parametrize("command", ["analyze", "lint"])
def test_nothing_runs_and_nothing_is_written(
    home: Path, rooflint: Rooflint, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f".:{home}/tree:{os.environ['PATH']}")
    before = files_below(home)
    done = rooflint(command, ".", "--format", "json", cwd=home / "tree")
    assert done.returncode in ({0} if command == "analyze" else {0, 1}), done.stderr
    assert files_below(home) == before
    assert "Traceback" not in done.stderr
    for text in (done.stdout, done.stderr):
        assert "TOKEN" not in text
        assert "abc123" not in text


def test_what_was_not_done_is_said(home: Path, rooflint: Rooflint) -> None:
    done = rooflint("analyze", "tree", "--format", "json", cwd=home)
    report = json.loads(done.stdout)
    assert [file["path"] for file in report["files"]] == ["tree/a.c", "tree/b.c"]
    said = done.stdout
    for flag in ("-fplugin=", "-Xclang -load", "-fpass-plugin=", "-wrapper", "-specs=", "-B"):
        assert f"{flag}" in said
    # b.c has its flags from the configuration
    assert all("-fplugin=" in json.dumps(file) for file in report["files"])
    assert "not passed on: flags of a build must not load code" in said
    assert f"@{home}/outside.rsp not read: it is outside the analysed tree" in said
    assert "secret.txt:1 does not compile; it is outside the tree, so its text is not shown" in said
    assert report["summary"]["analysed"] == 2


def test_as_a_module_from_within_the_tree(home: Path) -> None:
    """``-m`` lets Python look for modules in the current folder, and this program stops that."""
    paths = os.pathsep.join(path for path in sys.path if path)
    (home / "tree" / "json.py").unlink()  # Python's own start may look for this one
    done = subprocess.run(
        [sys.executable, "-m", "rooflint", "analyze", "b.c"],
        capture_output=True,
        text=True,
        cwd=home / "tree",
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    assert not (home / "RAN").exists()


class Tags(html.parser.HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


NAME = '"><img src=x onerror=alert(1)>|`*[a](javascript:b)_<script>.c'


def test_names_are_only_text(tmp_path: Path, rooflint: Rooflint) -> None:
    source = (
        "// </script><script>alert(1)</script> rooflint: <b>=4\n"
        f"/* rooflint: allow(RL101) <img src=x onerror=alert(2)> */\n{LOOP}"
        "#error </td><script>alert(3)</script> | `x` <!-- \n"
    )
    for folder, name in (("plain", "a.c"), ("odd", NAME)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(source if folder == "odd" else LOOP)
    pages = {}
    for folder in ("plain", "odd"):
        done = rooflint("analyze", ".", "--format", "html", cwd=tmp_path / folder)
        assert done.returncode == 0, done.stderr
        pages[folder] = Tags(done.stdout)
    assert pages["odd"].handlers == []
    assert pages["odd"].found.count("script") == pages["plain"].found.count("script")
    assert "img" not in pages["odd"].found
    walk = "void w(int n, double a[n][n]) { for (int j = 0; j < n; j++)\n" + (
        "for (int i = 0; i < n; i++) a[i][j] *= 2; }\n"
    )
    (tmp_path / "odd" / NAME).write_text(walk)
    done = rooflint("lint", ".", "--format", "markdown", "--structural", cwd=tmp_path / "odd")
    assert "RL501" in done.stdout, done.stdout
    assert not re.search(r"(?<!\\)(?:<|`|\*|\]\()", done.stdout)
    # a cell that ends early would make one column more than the table has
    lines = done.stdout.splitlines()
    [columns] = {line.count("|") for line in lines if set(line) <= set("|-: ") and "|" in line}
    rows = [line for line in lines if "| RL" in line]
    assert rows
    assert all(row.replace("\\|", "").count("|") == columns for row in rows)
