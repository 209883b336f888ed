"""What is left out of a report, and what is made of it: baselines, commits, fixes, hooks."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.ir import Span
from rooflint.lint.baseline import read_baseline
from rooflint.lint.fixing import apply_fixes
from rooflint.plugin_api.advice import Advice, Edit, Fix

Lint = Callable[..., tuple[int, list[str], str]]

TWICE = """double a[4000][4000], b[4000][4000];
void twice(void) {
  for (int j = 0; j < 4000; j++)
    for (int i = 0; i < 4000; i++)
      a[i][j] = 2 * b[i][j];
}
void thrice(void) {
  for (int j = 0; j < 4000; j++)
    for (int i = 0; i < 4000; i++)
      b[i][j] = 3 * a[i][j];
}
"""


def git(*arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e", *arguments],
        check=True, capture_output=True,
    )  # fmt: skip


def test_a_baseline_knows_findings_by_what_they_are(lint: Lint) -> None:
    select = ("--select", "RL101")
    assert lint(*select, text=TWICE)[0] == 1
    code, out, err = lint(*select, "--write-baseline", "known.json", text=None)
    assert (code, out, err) == (0, [], "rooflint lint: known.json: 2 findings written\n")
    known = read_baseline("known.json")
    assert [(each.code, each.path, each.function) for each in known.values()] == [
        ("RL101", "k.c", "thrice"), ("RL101", "k.c", "twice"),
    ]  # fmt: skip
    # lines move, comments and blanks come: nothing is new
    moved = "\n\n" + TWICE.replace("j++)", "j++ )  // columns")
    assert lint(*select, "--baseline", "known.json", text=moved)[:2] == (0, [])
    # another loop is another finding, and an entry is left over
    other = TWICE.replace("3 * a", "4 * a")
    code, out, err = lint(*select, "--baseline", "known.json", text=other)
    assert (code, [line.partition(":")[2][:2] for line in out]) == (1, ["9:", "9:"])
    assert "known.json: 1 of 2 entries match nothing" in err
    lint(*select, "--baseline", "known.json", "--prune-baseline", text=other)
    assert len(read_baseline("known.json")) == 1


def test_a_gain_that_grew_is_said_again(lint: Lint) -> None:
    lint("--select", "RL101", "--write-baseline", "known.json", text=TWICE)
    document = json.loads(Path("known.json").read_text())
    for entry in document["findings"]:
        entry["gain"] = 1.3
    Path("known.json").write_text(json.dumps(document))
    assert lint("--select", "RL101", "--baseline", "known.json", text=None)[0] == 1


def test_no_baseline(lint: Lint) -> None:
    code, _, err = lint("--baseline", "none.json", text=TWICE)
    assert (code, err) == (2, "rooflint: none.json: cannot be read: No such file or directory\n")
    Path("none.json").write_text("{\n 1}")
    assert "none.json:2: not valid JSON" in lint("--baseline", "none.json")[2]
    Path("none.json").write_text("[]")
    assert "none.json:1: not a baseline of 'rooflint lint'" in lint("--baseline", "none.json")[2]


def test_only_nests_that_changed_since_a_commit(lint: Lint) -> None:
    git("init", "-q")
    Path("k.c").write_text(TWICE)
    git("add", "k.c")
    git("commit", "-qm", "first")
    select = ("--select", "RL101", "--diff-base", "HEAD")
    assert lint(*select, text=None)[:2] == (0, [])
    # the body of the second nest: its finding is at the header above
    code, out, _ = lint(*select, text=TWICE.replace("3 *", "4 *"))
    assert (code, {line.split(":")[1] for line in out}) == (1, {"9"})
    # all of a file that git does not know yet
    git("rm", "-q", "--cached", "k.c")
    git("commit", "-qm", "second")
    assert {line.split(":")[1] for line in lint(*select, text=None)[1]} == {"4", "9"}
    code, _, err = lint("--diff-base", "none")
    assert (code, err) == (2, "rooflint: --diff-base: 'none' is not a commit\n")


def test_safe_fixes_are_shown_and_made(lint: Lint) -> None:
    code, out, _ = lint("--select", "RL101", "--diff", text=TWICE)
    assert code == 1
    changed = [line for line in out if line[0] in "+-" and not line.startswith(("+++", "---"))]
    assert changed == 2 * [
        "-  for (int j = 0; j < 4000; j++)",
        "-    for (int i = 0; i < 4000; i++)",
        "+  for (int i = 0; i < 4000; i++)",
        "+    for (int j = 0; j < 4000; j++)",
    ]
    assert Path("k.c").read_text() == TWICE
    code, out, err = lint("--select", "RL101", "--fix", text=None)
    assert (code, out, err.splitlines()[0]) == (0, [], "rooflint lint: k.c: 2 fixed")
    assert Path("k.c").read_text().count("for (int i = 0; i < 4000; i++)\n    for (int j") == 2


def test_unsafe_fixes_are_left_to_people(lint: Lint) -> None:
    # the arrays may overlap: to swap the loops is a promise
    text = TWICE.replace("double a[4000][4000], b[4000][4000];\n", "")
    text = text.replace("(void)", "(double (*a)[4000], double (*b)[4000])")
    code, out, _ = lint("--select", "RL101", "--diff", text=text)
    assert (code, out) == (0, [])


def advice(fix: Fix) -> Advice:
    return Advice("RL1", "x", "m", "note", Span(1, 1, 1, 2), "f", "", "f", fix=fix)


def test_of_two_fixes_that_overlap_the_first_wins() -> None:
    first = advice(Fix("safe", "a", (Edit(1, 1, 1, 4, "AB"), Edit(2, 1, 2, 1, "// "))))
    second = advice(Fix("safe", "b", (Edit(1, 3, 1, 5, "X"),)))
    third = advice(Fix("safe", "c", (Edit(1, 5, 1, 6, "é"),)))
    unsafe = advice(Fix("unsafe", "d", (Edit(3, 1, 3, 1, "no"),)))
    text, made = apply_fixes(b"abcde\nf\ng\n", (first, second, third, unsafe))
    assert text == "ABdé\n// f\ng\n".encode()
    assert made == (first, third)


def test_statistics(lint: Lint) -> None:
    _, out, _ = lint("--select", "RL101", "--statistics", text=TWICE)
    assert [line.split()[0] for line in out] == ["count", "2"]
    assert out[1].endswith("RL101 column-walk")


def test_a_hook_never_fails_for_what_it_cannot_read(lint: Lint) -> None:
    assert run(["lint", "--hook"]) == 0
    code, out, err = lint("--hook", text='#include "gone.h"\n' + TWICE.replace("4000", "N"))
    assert code == 0, out
    assert err.splitlines()[-1].startswith("rooflint lint: Found ")


def test_a_missing_header_is_a_note_and_an_exit_code_on_request(lint: Lint) -> None:
    text = '#include "gone.h"\n' + TWICE
    code, out, _ = lint("--select", "RL001", text=text)
    assert (code, out) == (
        0, ["k.c:1:1: note: gone.h not found: 4 of 4 loops have a prediction [RL001]"],
    )  # fmt: skip
    assert lint("--select", "RL001", "--strict-parse", text=None)[0] == 3
    # one that another header lacks has no line of this file
    Path("own.h").write_text('#include "gone.h"\n')
    _, out, _ = lint("--select", "RL001", text='\n#include "own.h"\n' + TWICE)
    assert [line.split(": ")[0] for line in out] == ["k.c:1:1"]
    assert lint("--select", "RL001", text='#include "gone.h"\nint nothing;\n')[1] == []


def test_isolated_from_configuration(lint: Lint) -> None:
    Path("rooflint.toml").write_text('select = ["nothing"]\n')
    assert lint(text=TWICE)[0] == 2
    assert lint("--isolated", "--select", "RL101", text=TWICE)[0] == 1


def test_why_a_rule_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.c"
    path.write_text(TWICE)
    assert run(["explain", f"{path}:5", "--", "gcc", "-O3"]) == 0
    out = capsys.readouterr().out
    assert f"{path}:5: in the loop nest of lines 3 to 5" in out
    assert "line 4: RL101 matched, silent: compiler-interchanges: gcc -O3 without -march" in out


def test_a_line_without_a_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.c"
    path.write_text(TWICE)
    assert run(["explain", f"{path}:1"]) == 0
    assert capsys.readouterr().out == f"{path}:1: no modelled loop here\n"


def test_a_rule_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("RL101", "column-walk", "PWR039"):
        assert run(["explain", word]) == 0
        assert capsys.readouterr().out.startswith("# RL101 column-walk\n")
    assert run(["explain", "RL999"]) == 2
    assert "unknown rule 'RL999'" in capsys.readouterr().err
