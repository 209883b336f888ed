"""The hook as pre-commit runs it: its own environment, staged content, no database, no compiler."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .walks import FINE, WALK

pytestmark = pytest.mark.precommit

ROOT = Path(__file__).parents[2]
LARGEST_MIB = 250
"""What pre-commit.ci lets an environment have."""

CONFIG = """\
repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: rooflint
        args: [--select, RL101]
"""


def call(
    folder: Path, home: Path, *command: str, path: str | None = None
) -> subprocess.CompletedProcess[str]:
    """A command in a folder; its environment is not that of this run."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "GIT_", "PRE_COMMIT", "VIRTUAL_ENV"))
    }
    env |= {
        "PRE_COMMIT_HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
    }  # fmt: skip
    if path is not None:
        env["PATH"] = path
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def git(folder: Path, *arguments: str) -> str:
    done = call(folder, folder, "git", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pre-commit's folder: the hook is installed there once."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git repository")
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A repository with a file that is fine and the hook of this one's HEAD."""
    git(tmp_path, "init", "-q")
    config = CONFIG.format(repo=ROOT, rev=git(ROOT, "rev-parse", "HEAD"))
    (tmp_path / ".pre-commit-config.yaml").write_text(config)
    (tmp_path / "copy.c").write_text(FINE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "start")
    return tmp_path


def hook(project: Path, home: Path, *arguments: str, path: str | None = None) -> tuple[int, str]:
    """``pre-commit run``: its exit code and what it printed."""
    done = call(project, home, sys.executable, "-m", "pre_commit", "run", *arguments, path=path)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


def test_try_repo(project: Path, home: Path) -> None:
    (project / "copy.c").write_text(WALK)
    command = ("try-repo", str(ROOT), "rooflint", "--ref", "HEAD", "--all-files")
    done = call(project, home, sys.executable, "-m", "pre_commit", *command)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "RL101" in done.stdout
    assert "copy.c:6:9" in done.stdout


def test_what_is_staged_counts(project: Path, home: Path) -> None:
    source = project / "copy.c"
    source.write_text(WALK)
    git(project, "add", "copy.c")
    source.write_text(FINE)  # mended, but not staged
    code, out = hook(project, home)
    assert (code, "RL101" in out) == (1, True), out
    git(project, "add", "copy.c")
    source.write_text(WALK)  # broken again, but not staged
    (project / "other.c").write_text(FINE.replace("copy", "other"))
    git(project, "add", "other.c")
    code, out = hook(project, home)
    assert code == 0, out
    assert source.read_text() == WALK


def test_a_part_of_a_file_is_staged(project: Path, home: Path) -> None:
    source = project / "copy.c"
    source.write_text(FINE + WALK.partition("\n")[2].partition("\n")[2].replace("copy", "walk"))
    both = source.read_text()
    git(project, "add", "copy.c")
    source.write_text(both.replace("2.0", "3.0"))  # the index has the walk, the file more
    code, out = hook(project, home)
    assert (code, "RL101" in out) == (1, True), out
    assert "3.0" in source.read_text()


def test_a_file_that_cannot_be_parsed_does_not_stop_a_commit(project: Path, home: Path) -> None:
    (project / "broken.c").write_text('#include "no_such_header.h"\nvoid f( {')
    git(project, "add", "broken.c")
    code, out = hook(project, home)
    assert code == 0, out


def test_without_a_compiler(
    project: Path, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hook(project, home)  # the environment is made while there is everything
    tools = tmp_path_factory.mktemp("bin")
    for name in ("git", "sh", "env"):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    (project / "copy.c").write_text("#include <math.h>\n#include <stdio.h>\n" + WALK)
    git(project, "add", "copy.c")
    code, out = hook(project, home, path=str(tools))
    assert (code, "RL101" in out) == (1, True), out


def test_the_environment_is_small(project: Path, home: Path) -> None:
    hook(project, home, "--all-files")
    environments = list(home.glob("repo*/py_env*"))
    assert environments
    for environment in environments:  # one for each revision and repository that was asked for
        files = (each.lstat() for each in environment.rglob("*") if each.is_file())
        sizes = {status.st_ino: status.st_blocks * 512 for status in files}
        assert 20 < sum(sizes.values()) / 2**20 < LARGEST_MIB
