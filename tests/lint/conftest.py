"""Runs of ``rooflint lint`` on one file in a folder of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.cli.main import run

MATMUL = """void mm(int n, double *restrict C, const double *restrict A, const double *restrict B) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double c = 0;
      for (int k = 0; k < n; k++)
        c += A[i * n + k] * B[k * n + j];
      C[i * n + j] = c;
    }
}
"""
MACHINE = ("--machine", "icelake-sp-8360y", "--no-cache")
FLAGS = ("--", "-O3", "-march=icelake-server")

Lint = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def matmul() -> str:
    """RL102 has something to say of it."""
    return MATMUL


@pytest.fixture
def lint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Lint:
    """Exit code, lines of stdout, and stderr of a run on ``k.c``."""
    monkeypatch.chdir(tmp_path)

    def ran(*options: str, text: str | None = MATMUL) -> tuple[int, list[str], str]:
        if text is not None:
            Path("k.c").write_text(text, encoding="utf-8")
        code = run(["lint", "k.c", *MACHINE, *options, *FLAGS])
        out, err = capsys.readouterr()
        return code, out.splitlines(), err

    return ran
