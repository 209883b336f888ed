"""Fixtures of the API's tests."""

from collections.abc import Callable

import pytest
from rooflint.cli.main import run


@pytest.fixture
def run_rooflint(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: its exit code, stdout and stderr."""

    def run_it(*arguments: str) -> tuple[int, str, str]:
        code = run([*arguments, *(("--no-cache",) if arguments[0] == "analyze" else ())])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run_it
