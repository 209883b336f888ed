"""Edits that measurements say do harm: a guard with a name refuses each, and says why.

The text is the function before the edit; the table of ``benchmarks/README.md`` has the times.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from rooflint.cli.main import run
from rooflint.lint.functions import LintOutcome

PAIRS = Path(__file__).parents[2] / "benchmarks" / "micro_pairs"
NATIVE = "-O3 -march=icelake-server"


class Edit(NamedTuple):
    """What the file of a pair is about: ``size`` of its ``n``, and the guard that refuses it."""

    pair: str
    rule: str
    size: int
    flags: str
    guard: str
    reason: str


EDITS = {
    "explicit fma": Edit("explicit_fma", "RL207", 1000, "gcc -O2", "no-fma", "0.58x"),
    "gather split": Edit("gather_split", "RL109", 1000, f"gcc {NATIVE}", "extra-stream", "0.86x"),
    "tiling in cache": Edit("transpose", "RL103", 64, f"gcc {NATIVE}", "fits", "stays in L1"),
    "store past a cache": Edit(
        "streaming_store", "RL105", 1000, f"gcc {NATIVE}", "in-cache", "0.14 to 0.18x"
    ),
    "sums by hand": Edit(
        "sum_by_hand", "RL201", 1000, f"clang {NATIVE} -ffast-math", "reassociated", "clang"
    ),
    "reciprocal in memory": Edit(
        "reciprocal", "RL202", 8000000, f"gcc {NATIVE}", "memory-bound", "fit behind them"
    ),
}


def before(edit: Edit) -> str:
    text = (PAIRS / f"{edit.pair}.c").read_text(encoding="utf-8").partition("void after(")[0]
    return f"// rooflint: n={edit.size}\n#define REAL double\n{text}"


@pytest.mark.parametrize("name", EDITS)
def test_a_guard_with_a_name_refuses_it(name: str, lint: Callable[..., LintOutcome]) -> None:
    edit = EDITS[name]
    outcome = lint(edit.rule, before(edit), edit.flags)
    # a gather is told of, as a note: no change comes with it
    assert [each for each in outcome.findings if each.gain is not None] == []
    refused = {each.guard: each.reason for each in outcome.silent}
    assert edit.guard in refused
    assert edit.reason in refused[edit.guard]


@pytest.mark.parametrize("name", EDITS)
def test_people_and_programs_are_told(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = EDITS[name]
    file = tmp_path / "k.c"
    file.write_text(before(edit), encoding="utf-8")
    compiler, *flags = edit.flags.split()
    (tmp_path / "rooflint.toml").write_text(
        f'machine = "icelake-sp-8360y"\ncompiler = "{compiler}"\n', encoding="utf-8"
    )
    line = 1 + next(
        k for k, text in enumerate(before(edit).splitlines()) if text.lstrip().startswith("for ")
    )
    assert run(["explain", f"{file}:{line}", "--", *flags]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"{edit.rule} matched, silent: {edit.guard}: " in said
    command = ["lint", str(file), "--select", edit.rule, "--format", "json", "--fail-on", "never"]
    assert run([*command, "--min-time", "0us", "--no-cache", "--", *flags]) == 0
    [report] = json.loads(capsys.readouterr().out)["files"]
    assert (edit.rule, edit.guard) in [(each["code"], each["guard"]) for each in report["silent"]]
