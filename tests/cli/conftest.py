from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from rooflint.cli.main import run

TRIAD = """\
void triad(int n, double *restrict a, const double *b, const double *c, double s)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
"""


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Rooflint = Callable[..., Result]


@pytest.fixture
def rooflint(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Rooflint:
    """``rooflint("analyze", "x.c")`` runs a command in this process."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: str) -> Result:
        capfdbinary.readouterr()
        code = run(arguments, arguments[0])
        captured = capfdbinary.readouterr()
        return Result(code, captured.out.decode(), captured.err.decode())

    return call


@pytest.fixture
def triad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``triad.c`` in an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "triad.c"
    path.write_text(TRIAD, encoding="utf-8")
    return path


def lines(text: str) -> Sequence[str]:
    return text.splitlines()
