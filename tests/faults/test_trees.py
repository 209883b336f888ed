"""Entries of a tree that cannot be looked at: each costs itself, is told, and ends no run."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from rooflint.cli.main import run

LOOP = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
DEEP = 1200
"""Folders inside one another: more than Python's usual depth of calls, less than a path holds."""


class Ended(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Rooflint = Callable[..., Ended]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "good.c").write_text(LOOP)
    return tmp_path / "tree"


@pytest.fixture
def rooflint(capfdbinary: pytest.CaptureFixture[bytes]) -> Rooflint:
    def call(*arguments: str) -> Ended:
        capfdbinary.readouterr()
        code = run(arguments, arguments[0])
        captured = capfdbinary.readouterr()
        return Ended(code, captured.out.decode(), captured.err.decode())

    return call


COMMANDS = [("analyze",), ("lint",), ("dump",)]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["loop.c", "loop"])
def test_a_link_to_itself_costs_itself(
    tree: Path, rooflint: Rooflint, command: tuple[str], name: str
) -> None:
    (tree / name).symlink_to(name)
    code, out, err = rooflint(*command, "tree")
    assert code == 0, err
    assert out or command == ("lint",)
    assert f"tree/{name}: cannot be read: too many levels of symbolic links" in err
    assert "internal" not in err


def test_links_to_one_another(tree: Path, rooflint: Rooflint) -> None:
    (tree / "one.c").symlink_to("two.c")
    (tree / "two.c").symlink_to("one.c")
    code, out, err = rooflint("analyze", "tree")
    assert code == 0
    assert "tree/good.c" in out
    assert err.count("too many levels of symbolic links") == 2


def test_a_link_to_a_name_that_is_too_long(tree: Path, rooflint: Rooflint) -> None:
    (tree / "long.c").symlink_to("x" * 4000)
    code, out, err = rooflint("analyze", "tree")
    assert code == 3  # what it leads to could have been a source
    assert "tree/good.c" in out
    assert "tree/long.c: cannot be read: file name too long" in err


def test_a_link_through_a_file(tree: Path, rooflint: Rooflint) -> None:
    (tree / "through.c").symlink_to("good.c/more.c")
    code, out, err = rooflint("analyze", "tree")
    assert "tree/good.c" in out
    assert "internal" not in err
    assert "tree/through.c: cannot be read: not a directory" in err
    assert code == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere")
def test_a_folder_that_cannot_be_listed_loses_files(tree: Path, rooflint: Rooflint) -> None:
    (tree / "closed").mkdir()
    (tree / "closed" / "lost.c").write_text(LOOP)
    (tree / "closed").chmod(0)
    try:
        code, out, err = rooflint("analyze", "tree")
    finally:
        (tree / "closed").chmod(stat.S_IRWXU)
    assert code == 3
    assert "tree/good.c" in out
    assert "tree/closed: cannot be listed: permission denied" in err


@pytest.fixture
def deep(tree: Path) -> Iterator[None]:
    """Folders in folders; pytest itself could not remove so many."""
    top = os.getcwd()
    os.chdir(tree)
    for _ in range(DEEP):
        os.mkdir("d")
        os.chdir("d")
    Path("deep.c").write_text(LOOP)
    os.chdir(top)
    yield
    os.chdir(tree)
    for _ in range(DEEP):
        os.chdir("d")
    os.unlink("deep.c")
    for _ in range(DEEP):
        os.chdir("..")
        os.rmdir("d")
    os.chdir(top)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_tree_deeper_than_the_stack(deep: None, rooflint: Rooflint, command: tuple[str]) -> None:
    code, _, err = rooflint(*command, "tree")
    assert "internal" not in err
    assert code == 0, err


def test_names_that_no_system_takes(tree: Path, rooflint: Rooflint) -> None:
    for name in ("a\0b.c", "a\ud800.c"):
        code, out, err = rooflint("analyze", name, "tree")
        assert code == 2
        assert "tree/good.c" in out
        assert "internal" not in err


GONE = """
import os, sys, shutil
from rooflint.cli.main import run
os.mkdir("gone")
os.chdir("gone")
os.rmdir("../gone")
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("analyze", "{}"), ("analyze", "{}", "--no-cache"), ("lint", "{}"),
        ("lint", "{}", "--format", "sarif"), ("dump", "{}"), ("compare", "{}", "{}", "--machine",
        "skx"), ("cache", "info"), ("analyze", "."), ("lint", "good.c"),
        ("lint", "{}", "--show-settings"), ("explain", "{}:1"), ("machine", "list"),
    ],
)  # fmt: skip
def test_a_current_folder_that_is_gone(tree: Path, arguments: tuple[str, ...]) -> None:
    command = [argument.format(tree / "good.c") for argument in arguments]
    done = subprocess.run(
        [sys.executable, "-P", "-c", GONE, *command],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "ROOFLINT_CACHE_DIR": str(tree.parent / "cache")},
    )  # fmt: skip
    assert "internal" not in done.stderr
    needs_no_folder = command[0] in ("cache", "machine") or str(tree) in command[1]
    assert done.returncode in ((0,) if needs_no_folder else (2, 3)), done.stderr
