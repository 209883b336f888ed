"""Repositories whose settings name programs: none may run, whatever reads commits."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest


class Result(Protocol):
    returncode: int
    stdout: str
    stderr: str


Rooflint = Callable[..., Result]
Hostile = Callable[[Path, Path], None]
"""Arms the repository in the first folder so that the program at the second path would run."""

WALK = """\
double a[4000][4000], b[4000][4000];
void walk(void) {
  for (int j = 0; j < 4000; j++)
    for (int i = 0; i < 4000; i++)
      a[i][j] = 2 * b[i][j];
}
"""
COMMANDS = {
    "lint": ("lint", ".", "--diff-base", "HEAD", "--select", "RL101", "--format", "gcc"),
    "compare": ("compare", "HEAD", "."),
    "compare two commits": ("compare", "HEAD~1", "HEAD"),
}
PARTIAL = """[remote "origin"]
	promisor = true
	partialclonefilter = blob:none
	url = {url}
"""
EXTENSION = "[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryformatversion = 1\n"
HOOKS = (
    "post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "update",
    "fsmonitor-watchman", "post-rewrite", "post-merge", "pre-commit",
)  # fmt: skip


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=m")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True,
        env={**environment, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip


def repository(folder: Path) -> None:
    """Two commits, and a file that differs from the last one."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    for text in (WALK.replace("2 *", "3 *"), WALK.replace("2 *", "4 *")):
        (folder / "k.c").write_text(text)
        git(folder, "add", "k.c")
        git(folder, "commit", "-q", "-m", "one more")
    (folder / "k.c").write_text(WALK)


def settings(*lines: str) -> Hostile:
    """The repository's configuration with ``lines``; ``{program}`` stands for the program."""

    def arm(tree: Path, program: Path) -> None:
        with (tree / ".git/config").open("a") as config:
            config.writelines(line.format(program=program) + "\n" for line in lines)

    return arm


def attributed(attribute: str, *lines: str) -> Hostile:
    """The same, with an attribute of all C files that chooses those settings."""

    def arm(tree: Path, program: Path) -> None:
        settings(*lines)(tree, program)
        (tree / ".gitattributes").write_text(f"*.c {attribute}\n")

    return arm


def included(tree: Path, program: Path) -> None:
    """The settings stand in a file of the tree that the configuration includes."""
    (tree / "more").write_text(f"[core]\n\tfsmonitor = {program}\n[diff]\n\texternal = {program}\n")
    settings("[include]", "\tpath = ../more", '[includeIf "gitdir:**"]', "\tpath = ../more")(
        tree, program
    )


def of_the_work_tree(tree: Path, program: Path) -> None:
    """The settings stand in the second file that a configuration may have."""
    settings("[extensions]", "\tworktreeConfig = true", "[core]", "\trepositoryformatversion = 1")(
        tree, program
    )
    (tree / ".git/config.worktree").write_text(f"[core]\n\tfsmonitor = {program}\n")


def hooks(tree: Path, program: Path) -> None:
    """Every hook is the program, where git looks by itself and where the settings say."""
    elsewhere = tree / "hooks"
    elsewhere.mkdir()
    for folder in (elsewhere, tree / ".git/hooks"):
        for name in HOOKS:
            (folder / name).unlink(missing_ok=True)
            shutil.copy(program, folder / name)
    settings("[core]", f"\thooksPath = {elsewhere}", "\tfsmonitor = true")(tree, program)


def lacking(url: str, *lines: str) -> Hostile:
    """A partial clone without the contents of its commits, which git would fetch."""

    def arm(tree: Path, program: Path) -> None:
        settings(EXTENSION, PARTIAL.format(url=url), *lines)(tree, program)
        listed = subprocess.run(
            ["git", "ls-tree", "-r", "HEAD"], cwd=tree, check=True, capture_output=True, text=True
        )
        for line in listed.stdout.splitlines():
            name = line.split()[2]
            (tree / ".git/objects" / name[:2] / name[2:]).unlink()

    return arm


def submodule(tree: Path, program: Path) -> None:
    """A repository in the repository, which the outer one has as a submodule."""
    inner = tree / "inner"
    repository(inner)
    settings("[core]", "\tfsmonitor = {program}")(inner, program)
    settings('[submodule "inner"]', "\turl = ./inner", "\tactive = true")(tree, program)
    (tree / ".gitmodules").write_text('[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n')
    git(tree, "add", ".gitmodules")
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=inner, check=True, capture_output=True, text=True
    ).stdout.strip()
    git(tree, "update-index", "--add", "--cacheinfo", f"160000,{head},inner")
    git(tree, "commit", "-q", "-m", "inner")


def elsewhere(tree: Path, program: Path) -> None:
    """The repository's own folder is a file that leads to another one beside the sources."""
    (tree / ".git").rename(tree / "data")
    (tree / ".git").write_text("gitdir: data\n")
    with (tree / "data/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n\tworktree = {tree}\n")


EVIL = '"evil"'
HOSTILE: dict[str, Hostile] = {
    "fsmonitor": settings("[core]", "\tfsmonitor = {program}"),
    "clean filter": attributed("filter=evil", f"[filter {EVIL}]", "\tclean = {program}"),
    "smudge filter": attributed("filter=evil", f"[filter {EVIL}]", "\tsmudge = {program}"),
    "filter process": attributed("filter=evil", f"[filter {EVIL}]", "\tprocess = {program}"),
    "required filter": attributed(
        "filter=evil", f"[filter {EVIL}]", "\tclean = {program}", "\trequired = true"
    ),
    "textconv": attributed("diff=evil", f"[diff {EVIL}]", "\ttextconv = {program}"),
    "diff command": attributed("diff=evil", f"[diff {EVIL}]", "\tcommand = {program}"),
    "external diff": settings("[diff]", "\texternal = {program}"),
    "merge driver": attributed("merge=evil", f"[merge {EVIL}]", "\tdriver = {program} %A"),
    "hooks": hooks,
    "pager": settings(
        "[core]", "\tpager = {program}", "\teditor = {program}", "[pager]", "\tdiff = {program}",
        "\tconfig = {program}", "\trev-parse = {program}", "\tls-files = {program}",
    ),
    "alias": settings(
        "[alias]", *[f"\t{name} = !{{program}}" for name in ("diff", "rev-parse", "ls-files",
        "ls-tree", "cat-file", "merge-base", "check-ignore", "config")],
    ),
    "signatures": settings(
        "[log]", "\tshowSignature = true", "[gpg]", "\tprogram = {program}",
        '[gpg "ssh"]', "\tprogram = {program}",
    ),
    "credentials": lacking(
        "https://127.0.0.1:9/x.git", "[credential]", "\thelper = {program}", "[core]",
        "\taskPass = {program}",
    ),
    "ssh": lacking("ssh://127.0.0.1/x.git", "[core]", "\tsshCommand = {program}"),
    "proxy": lacking("git://127.0.0.1/x.git", "[core]", "\tgitProxy = {program}"),
    "upload-pack": lacking(
        "file:///", '[remote "origin"]', "\tuploadpack = {program}", "[protocol]",
        "\tallow = always",
    ),
    "remote helper": lacking(
        "ext::{program}", "[protocol]", "\tallow = always", '[protocol "ext"]', "\tallow = always"
    ),
    "include": included,
    "work tree's settings": of_the_work_tree,
    "submodule": submodule,
    "folder elsewhere": elsewhere,
}  # fmt: skip


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A program that leaves a file behind."""
    program = tmp_path / "canary"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/RAN'\n")
    program.chmod(0o755)
    return program


def armed(tree: Path, canary: Path, name: str) -> Path:
    repository(tree)
    HOSTILE[name](tree, canary)
    return tree


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_program_of_a_repository_runs(
    name: str,
    command: str,
    tmp_path: Path,
    canary: Path,
    here: Rooflint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = armed(tmp_path / "tree", canary, name)
    monkeypatch.chdir(tree)
    there = {path: path.lstat().st_mtime_ns for path in tree.rglob("*")}
    done = here(*COMMANDS[command])
    assert not (tmp_path / "RAN").exists()
    assert "Traceback" not in done.stderr
    assert {path: path.lstat().st_mtime_ns for path in tree.rglob("*")} == there
    if HOSTILE[name].__qualname__.startswith("lacking"):
        # nothing is fetched behind the user's back: the remedy is one line
        assert (done.returncode, done.stdout) == (2, "")
        assert "partial clone" in done.stderr and done.stderr.count("\n") == 1
    elif command.startswith("lint"):
        assert done.returncode == 1, done.stderr
        assert "k.c:4:" in done.stdout and "RL101" in done.stdout
    else:
        assert done.returncode == 0, done.stderr
