import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from rooflint.cli.main import run as run_here

Rooflint = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def rooflint(cache_dir: Path) -> Rooflint:
    """A command in a process of its own, as the installed scripts run it."""

    def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        program = "from rooflint.cli.main import main; main()"
        return subprocess.run(
            [sys.executable, "-P", "-c", program, *arguments],
            capture_output=True,
            text=True,
            cwd=cwd,
            timeout=60,
            check=False,
            env={**os.environ, "ROOFLINT_CACHE_DIR": str(cache_dir)},
        )

    return run


class Result(NamedTuple):
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def here(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """A command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        capfdbinary.readouterr()
        code = run_here(arguments)
        captured = capfdbinary.readouterr()
        return Result(code, captured.out.decode(), captured.err.decode())

    return run
