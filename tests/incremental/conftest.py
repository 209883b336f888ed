import time
from collections.abc import Callable
from pathlib import Path

import pytest

TICKS_S = 0.05


@pytest.fixture
def settle() -> Callable[[], None]:
    """Lets the clock of the file system move on: a file written just now may change again."""
    return lambda: time.sleep(TICKS_S)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settle: Callable[[], None]) -> Path:
    """Two files that include one header, in the current folder."""
    folder = tmp_path / "tree"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "size.h").write_text("enum { N = 64 };\n")
    for name in ("a", "b"):
        (folder / f"{name}.c").write_text(
            '#include "size.h"\n'
            f"void {name}(double *x) {{ for (int i = 0; i < N; i++) x[i] = 2 * x[i]; }}\n"
        )
    settle()
    return folder
