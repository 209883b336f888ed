"""One package calls git, and what it calls it with leaves a repository nothing to configure."""

import ast
import os
import subprocess
from pathlib import Path

import pytest
from rooflint.errors import UsageError
from rooflint.git import open_repository
from rooflint.git.command import git_program, run_git
from rooflint.git.folders import find_folders
from rooflint.git.settings import private_configuration, read_format

ROOT = Path(__file__).parents[2]
STARTERS = ("subprocess", "pty.", "os.exec", "os.spawn", "os.system", "os.popen")
IDENTITY = ("-c", "user.name=n", "-c", "user.email=e@example.org")


def git(folder: Path, *arguments: str, given: str | None = None) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True, text=True,
        input=given, env={**environment, "GIT_CONFIG_GLOBAL": os.devnull},
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository of one commit on the branch ``main``."""
    folder = tmp_path / "tree"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.c").write_text("int a;\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def names_git(code: str) -> bool:
    constants = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant))
    texts = (node.value for node in constants if isinstance(node.value, str))
    return any(text == "git" or text.startswith("git ") for text in texts)


def test_no_other_module_calls_git() -> None:
    callers = set()
    for package in ("analyzer", "plugins", "lsp"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if any(name in text for name in STARTERS) and names_git(text):
                callers.add(path.relative_to(ROOT).as_posix())
    assert callers == {"analyzer/rooflint/git/command.py"}


def test_git_reads_no_configuration_but_ours(tree: Path) -> None:
    git(tree, "config", "core.fsmonitor", "/bin/false")
    git(tree, "config", "filter.x.clean", "/bin/false")
    with open_repository(tree) as opened:
        shown = opened._git("config", "--list", "--show-origin", "-z").decode()
    origins = {entry for entry in shown.split("\0") if entry.startswith(("file:", "command"))}
    assert len(origins) == 1 and str(tree) not in shown
    assert "filter.x" not in shown and "core.fsmonitor\nfalse" in shown


def test_only_data_of_the_settings_is_taken_over() -> None:
    listed = (
        b"branch.a.remote\no\0branch.b.merge\nrefs/heads/b\0remote.o.fetch\n+x:y\0"
        b"remote.o.url\next::touch x\0remote.o.uploadpack\nx\0core.fsmonitor\nx\0alias.diff\n!x\0"
        b"extensions.objectformat\nsha256\0core.worktree\n..\0include.path\nx\0"
    )
    form = read_format(listed)
    assert (form.object_format, form.reference_format, form.work_tree) == ("sha256", "files", "..")
    assert [name for name, _ in form.followed] == [
        "branch.a.remote", "branch.b.merge", "remote.o.fetch",
    ]  # fmt: skip
    for word in (b"ext::", b"touch", b"uploadpack", b"alias", b"include"):
        assert word not in private_configuration(form)


def test_values_taken_over_are_quoted(tree: Path) -> None:
    value = '"; \\ x\n[alias]\n\tdiff = !touch RAN'
    git(tree, "config", 'branch.a"b\\c.merge', value)
    git(tree, "config", "remote.o.fetch", value)
    with open_repository(tree) as opened:
        shown = opened._git("config", "--list", "-z").decode().split("\0")
    assert f'branch.a"b\\c.merge\n{value}' in shown and f"remote.o.fetch\n{value}" in shown
    assert not any(entry.startswith("alias.") for entry in shown)


def test_names_of_commits(tree: Path) -> None:
    git(tree, "branch", "--", "side")
    git(tree, "config", "branch.main.remote", ".")
    git(tree, "config", "branch.main.merge", "refs/heads/side")
    git(tree, "update-ref", "FETCH_HEAD", "HEAD")
    with open_repository(tree) as opened:
        head = opened.commit("HEAD")
        assert head == git(tree, "rev-parse", "HEAD")
        for name in ("main", "side", "@", "HEAD@{0}", "@{upstream}", "FETCH_HEAD", head[:9]):
            assert opened.commit(name) == head, name
        for name in ("", "-x", "--output=x", "none", "HEAD~9", "a\0b", "HEAD:a.c"):
            assert opened.commit(name) is None, name


def test_formats_of_repositories(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "wide")
    folder = tmp_path / "wide"
    (folder / "a.c").write_text("int a;\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    with open_repository(folder) as opened:
        [file] = opened.files(opened.commit("HEAD") or "")
        assert len(file.blob) == 64 and opened.blob_of(b"int a;\n") == file.blob
        assert list(opened.contents([file])) == [(file, b"int a;\n")]


def test_linked_work_trees_and_submodules(tree: Path, tmp_path: Path) -> None:
    git(tree, "worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    git(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tree), "inner")
    for folder in (tmp_path / "linked", tree / "inner"):
        with open_repository(folder / "a.c") as opened:
            assert opened.root == folder
            assert opened.commit("HEAD") == git(folder, "rev-parse", "HEAD")


def test_a_folder_that_belongs_to_another_tree(tree: Path, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    marker = stranger / ".git"
    marker.write_text(f"gitdir: {tree}/.git\n")
    with pytest.raises(UsageError, match="which belongs to another work tree"):
        open_repository(stranger).__enter__()
    marker.unlink()
    marker.symlink_to(tree / ".git")
    with pytest.raises(UsageError, match="which belongs to another work tree"):
        open_repository(stranger).__enter__()
    marker.unlink()
    marker.mkdir()
    (marker / "HEAD").write_text("ref: refs/heads/main\n")
    (marker / "commondir").write_text(f"{tree}/.git\n")
    with pytest.raises(UsageError, match="commondir: expected"):
        open_repository(stranger).__enter__()


@pytest.mark.parametrize("text", ["", "gitdir:", "gitdir: \0", "gitdir: none", "x" * 10_000])
def test_a_marker_that_names_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(text)
    with pytest.raises(UsageError, match=r"/\.git: (expected 'gitdir: '|leads to no repository)"):
        find_folders(tmp_path)


def test_neither_a_pipe_nor_a_bare_repository_is_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert find_folders(tmp_path) is None
    git(tmp_path, "init", "-q", "--bare", "bare")
    assert find_folders(tmp_path / "bare") is None


def test_a_head_that_is_no_reference(tree: Path) -> None:
    (tree / ".git/HEAD").write_text("ref: ../../etc/passwd\n")
    with pytest.raises(UsageError, match=r"HEAD: expected 'ref: refs/…' or a commit"):
        open_repository(tree).__enter__()


def test_paths_of_a_commit_stay_below_its_root(tree: Path) -> None:
    blob = git(tree, "hash-object", "-w", "--stdin", given="x\n")
    inner = git(tree, "mktree", given=f"100644 blob {blob}\tx.c\n")
    entries = f"100644 blob {blob}\tgood.c\n040000 tree {inner}\t..\n040000 tree {inner}\t.\n"
    outer = git(tree, "mktree", given=entries)
    commit = git(tree, "commit-tree", outer, "-m", "climbs")
    with open_repository(tree) as opened:
        assert [file.path for file in opened.files(commit)] == ["good.c"]


def test_the_tree_supplies_no_git(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = git_program(tree)
    program = tree / "git"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tree)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", str(tree), os.environ["PATH"]]))
    assert git_program(tree) == usual
    monkeypatch.setenv("PATH", str(tree))
    with pytest.raises(UsageError, match="git was not found on PATH"):
        git_program(tree)


def test_limits(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\ncase $2 in slow) exec sleep 60;; *) exec yes;; esac\n")
    program.chmod(0o755)
    variables = {"GIT_DIR": str(tmp_path)}
    monkeypatch.setattr("rooflint.git.command.LIMIT_S", 0.3)
    with pytest.raises(UsageError, match=r"git slow took longer than 0\.3 s"):
        run_git(str(program), ("slow",), variables)
    monkeypatch.setattr("rooflint.git.command.LIMIT_S", 60.0)
    monkeypatch.setattr("rooflint.git.command.MOST_BYTES", 1 << 20)
    with pytest.raises(UsageError, match="git much printed more than 1 MiB"):
        run_git(str(program), ("much",), variables)
