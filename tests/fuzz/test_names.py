"""Names of files and folders that nobody would choose: no file appears, no answer is lost."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.cli.main import run
from rooflint.workers.confinement import SWITCH

pytestmark = pytest.mark.long

LOOP = "void other(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
OK = LOOP.replace("other", "harmless")
EXAMPLES = 20
PIECES = st.one_of(
    st.sampled_from(
        (
            "--config=sub", "--config=", "@", "@sub", "-", "--", "-o", "-MD", "-MF", "-MFout", "-x",
            "-include", "-I", "-Xclang", "-load", "-fplugin=", "-save-temps", "-E", "=", ":1",
            "sub", "cfg", "\n", "\r", "\t", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u2028",
            "\udcff\udcfe", "%s", "%n", "'", '"', "\\", "$(touch RAN)", "`touch RAN`", ";",
            "|", "&", "*", "?", "[", "{", "~", "#", "<script>", "..", " ", "x" * 60, "é" * 60,
        )
    ),
    st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=4),
)  # fmt: skip
NAMES = st.lists(PIECES, min_size=1, max_size=4).map("".join)
PATHS = st.tuples(st.lists(NAMES, max_size=2), NAMES, st.sampled_from((".c", ".cpp", ".h")))


@pytest.mark.parametrize("confined", [True, False], ids=["confined", "code alone"])
def test_names(
    confined: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not confined:
        monkeypatch.setenv(SWITCH, "off")

    @settings(max_examples=EXAMPLES)
    @given(st.lists(PATHS, min_size=1, max_size=4))
    def check(paths: list[tuple[list[str], str, str]]) -> None:
        with tree_of(paths) as base:
            before = sorted(os.walk(os.fsencode(base)))
            capfd.readouterr()
            assert run(["analyze", ".", "--format", "json", "--jobs", "1"]) == 0
            report = json.loads(capfd.readouterr().out)
            assert sorted(os.walk(os.fsencode(base))) == before
        (file,) = (file for file in report["files"] if file["path"] == "ok.c")
        assert [function["name"] for function in file["functions"]] == ["harmless"]

    check()


@contextlib.contextmanager
def tree_of(paths: list[tuple[list[str], str, str]]) -> Iterator[Path]:
    """A tree of these files in which we stand, in a folder where nothing else may appear."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as base:
        tree = Path(base, "tree")
        (tree / "sub").mkdir(parents=True)
        (tree / "sub" / "cfg.c").write_text(f'-MD -MF {base}/out -MT "text" ok.c\n')
        for folders, name, ending in paths:
            with contextlib.suppress(OSError):  # too long, or taken by a file
                folder = tree.joinpath(*(part[:80] for part in folders if part not in ("..", ".")))
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{name}{ending}").write_text(LOOP)
        (tree / "ok.c").write_text(OK)
        os.chdir(tree)
        try:
            yield Path(base)
        finally:
            os.chdir(here)
