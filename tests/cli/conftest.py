from pathlib import Path

import pytest

TRIAD = """\
void triad(int n, double *restrict a, const double *b, const double *c, double s)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
"""


@pytest.fixture
def triad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``triad.c`` in an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "triad.c"
    path.write_text(TRIAD, encoding="utf-8")
    return path
