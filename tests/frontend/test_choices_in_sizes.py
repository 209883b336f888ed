"""Names of sizes that a choice of the source gives: as the source writes it."""

from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, walk


@pytest.mark.parametrize(
    "choice, name",
    [
        ("c ? n : m", "c ? n : m"),
        ("n > 5 && m < 7 ? 2 * n : m + 1", "(n>5)&(m<7) ? 2*n : m + 1"),
        ("c ? n : (d & m ? m : d)", "c ? n : (d&m ? m : d)"),
    ],
)
def test_a_choice_is_named_as_written(choice: str, name: str, tmp_path: Path) -> None:
    path = str(tmp_path / "f.c")
    text = (
        "void f(float *a, int n, int m, int c, int d)"
        f"{{ int k = {choice}; for (int i = 0; i < k; i++) a[i] = 1; }}"
    )
    request = Request(path, FlagFinder(extra=["gcc"]).flags(path), text=text.encode())
    (source,) = extract(request).functions
    (loop,) = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    assert loop.upper.names() == {name}
