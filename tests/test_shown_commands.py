"""The documentation shows what commands print: each console block of ``docs/`` is run again.

A page that begins with a folder of its own name, such as ``first-hour``, is a session in a copy of
that folder, whose commands build on each other; all other commands run in the repository.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from rooflint.cli.main import run

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"```console\n(\$ .*?)```\n", re.DOTALL)
PAGES = sorted(page for page in DOCS.rglob("*.md") if BLOCK.search(page.read_text("utf-8")))
COMMITTER = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"), ("DATE", "1700000000 +0000"))
}
"""Whose commits have the same name each time."""


def place_of(page: Path, scratch: Path) -> Path:
    """Where the page's commands run: a repository with one commit, or this one."""
    session = page.with_suffix("")
    if not session.is_dir():
        return ROOT
    shutil.copytree(session, scratch / session.name)
    environment = os.environ | COMMITTER
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "as found")):
        command = ["git", *arguments]
        subprocess.run(command, cwd=scratch / session.name, env=environment, check=True)
    return scratch / session.name


def printed(line: str, capture: pytest.CaptureFixture[bytes]) -> str:
    line, _, pipe = line.partition(" | ")
    program, *words = shlex.split(line)
    assert program in ("analyze", "rooflint"), line
    code = run(["analyze", *words] if program == "analyze" else words)
    out, err = capture.readouterr()
    assert code in (0, 1), err.decode()
    shown = out + err
    if pipe:
        assert pipe.startswith("grep "), pipe
        shown = subprocess.run(
            shlex.split(pipe), check=True, input=shown, capture_output=True
        ).stdout
    return shown.decode()


def shown_again(block: str, capture: pytest.CaptureFixture[bytes]) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    shown = [f"{line}\n{printed(line[2:], capture)}" for line in commands]
    return f"```console\n{''.join(shown)}```\n"


def test_some_pages_show_commands() -> None:
    names = {page.name for page in PAGES}
    assert names >= {"index.md", "first-hour.md", "reading-reports.md"}


def case(page: Path) -> ParameterSet:
    """Sessions take seconds."""
    marks = [pytest.mark.long] if page.with_suffix("").is_dir() else []
    return pytest.param(page, id=page.relative_to(DOCS).as_posix(), marks=marks)


@pytest.mark.parametrize("page", [case(page) for page in PAGES])
def test_a_page_shows_what_its_commands_print(
    page: Path,
    request: pytest.FixtureRequest,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(place_of(page, tmp_path))
    text = page.read_text(encoding="utf-8")
    real = BLOCK.sub(lambda match: shown_again(match[1], capfdbinary), text)
    if request.config.getoption("--update-golden"):
        page.write_text(real, encoding="utf-8")
    assert real == page.read_text(encoding="utf-8")
