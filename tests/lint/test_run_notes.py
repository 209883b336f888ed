"""Notes on what the front end could not see are said once, however many files a run has."""

from pathlib import Path

import pytest
from rooflint.cli.main import run

LOOP = "double a[99];\nvoid f%d(int n) { %s for (int i = 0; i < n; i++) a[i] = 1; }\n"
ERROR = "struct no x;"
SELECT = ("--select", "RL001", "--machine", "icelake-sp-8360y", "--no-cache")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(**texts: str) -> list[str]:
    """The files, a loop in each behind a statement or, in place of that, after headers."""
    names = []
    for number, (name, text) in enumerate(texts.items()):
        headers = "".join(f'#include "{each}"\n' for each in text.split() if each.endswith(".h"))
        statement = "" if headers else text
        Path(f"{name}.c").write_text(headers + LOOP % (number, statement), encoding="utf-8")
        names.append(f"{name}.c")
    return names


def said(
    capsys: pytest.CaptureFixture[str], *names: str, options: tuple[str, ...] = ("--", "-O3")
) -> list[str]:
    run(["lint", *names, *SELECT, *options])
    return [line for line in capsys.readouterr().out.splitlines() if "[RL" in line]


CURE = "name their folders with -I, or the folder of compile_commands.json with -p"


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (
            {"a": "gone.h", "b": "", "c": "gone.h lost.h"},
            f"a.c:1:1: note: gone.h, lost.h not found, in 2 files: {CURE} [RL001]",
        ),
        (
            {"a": ERROR, "b": "gone.h"},
            f"b.c:1:1: note: gone.h not found, in 1 file: {CURE}; 1 file more with errors in loops"
            " [RL001]",
        ),
        (
            {"a": "one.h two.h three.h four.h five.h", "b": "six.h"},
            f"a.c:2:1: note: one.h, two.h, three.h and 3 more not found, in 2 files: {CURE}"
            " [RL001]",
        ),
        (
            {"a": ERROR, "b": ERROR, "c": ERROR},
            "a.c:2:1: note: variable has incomplete type 'struct no': findings in the affected code"
            " may be missing; 2 files more with errors in loops [RL001]",
        ),
    ],
)
def test_one_note_speaks_of_all_files(
    texts: dict[str, str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, *written(**texts)) == [line]


def test_the_note_of_one_file_stays_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, *written(a="", b="gone.h")) == [
        "b.c:1:1: note: gone.h not found: 1 of 1 loops have a prediction [RL001]"
    ]


def test_each_file_counts_in_a_baseline_and_for_a_strict_parse(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = written(a="gone.h", b="gone.h")
    arguments = ["lint", *names, *SELECT]
    assert run([*arguments, "--strict-parse", "--", "-O3"]) == 3
    run([*arguments, "--write-baseline", "known.json", "--", "-O3"])
    assert "2 findings written" in capsys.readouterr().err
    assert said(capsys, *names, options=("--baseline", "known.json", "--", "-O3")) == []
