"""Programs before and after ``lint --fix``: compiled, called on memory laid out in many ways."""

import ctypes
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rooflint.cli.main import run

COMPILERS = {"c": "gcc", "c++": "g++"}
EDITING = "RL101,RL102,RL104,RL107,RL306,RL407"
"""The rules whose fixes may be safe edits."""
SUFFIXES = {"c": ".c", "c++": ".cpp"}


class Fixed(NamedTuple):
    """A file before and after, as loaded libraries, and what the lint said of it before.

    findings  of the first run, by the function that they are in
    text      the file after
    """

    before: ctypes.CDLL
    after: ctypes.CDLL
    findings: dict[str, list[dict[str, Any]]]
    text: str

    def call(self, name: str, n: int, memory: bytes, offsets: Sequence[int]) -> tuple[bytes, bytes]:
        """What a function makes of memory that its pointers reach into, before and after."""
        return _called(self.before, name, n, memory, offsets), _called(
            self.after, name, n, memory, offsets
        )


def _called(
    library: ctypes.CDLL, name: str, n: int, memory: bytes, offsets: Sequence[int]
) -> bytes:
    buffer = ctypes.create_string_buffer(memory, len(memory) + 64)
    base = (ctypes.addressof(buffer) + 63) // 64 * 64
    ctypes.memmove(base, memory, len(memory))
    getattr(library, name)(ctypes.c_int(n), *[ctypes.c_void_p(base + each) for each in offsets])
    return ctypes.string_at(base, len(memory))


@pytest.fixture
def fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Fixed]:
    """``fixed("c", text, "-O3")``: the text through ``lint --fix`` and a compiler."""
    monkeypatch.chdir(tmp_path)

    def make(language: str, text: str, flags: str, select: str = EDITING) -> Fixed:
        compiler = shutil.which(COMPILERS[language])
        if compiler is None:
            pytest.skip(f"needs {COMPILERS[language]}")
        path = tmp_path / f"k{SUFFIXES[language]}"
        path.write_text(text, encoding="utf-8")
        (tmp_path / "rooflint.toml").write_text(
            f'machine = "icelake-sp-8360y"\ncompiler = "{COMPILERS[language]}"\n', encoding="utf-8"
        )
        options = [
            "--select",
            select,
            "--min-gain",
            "1.01",
            "--min-time",
            "0us",
            "--all-loops",
            "--preview",
        ]
        command = [
            "lint",
            path.name,
            *options,
            "--min-confidence",
            "low",
            "--no-cache",
            "--fail-on",
            "never",
        ]
        assert run([*command, "--format", "json", "--", *flags.split()]) == 0
        [report] = json.loads(capsys.readouterr().out)["files"]
        findings: dict[str, list[dict[str, Any]]] = {}
        for finding in report["findings"]:
            findings.setdefault(finding["function"], []).append(finding)
        before = _library(compiler, path, tmp_path / "before.so", flags)
        assert run([*command, "--fix", "--", *flags.split()]) == 0
        capsys.readouterr()
        after = _library(compiler, path, tmp_path / "after.so", flags)
        return Fixed(before, after, findings, path.read_text(encoding="utf-8"))

    return make


def _library(compiler: str, source: Path, library: Path, flags: str) -> ctypes.CDLL:
    # the machine that runs the test may be older than the one that the lint is asked about
    own = [flag for flag in flags.split() if not flag.startswith("-march")]
    command = [compiler, *own, "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True)
    return ctypes.CDLL(str(library))
