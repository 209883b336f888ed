"""``rooflint lint`` from its arguments to its output and exit code."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.cli.main import run

Lint = Callable[..., tuple[int, list[str], str]]


def test_findings_fail_and_name_loop_and_gain(lint: Lint) -> None:
    code, out, err = lint("-D", "n=4000", "--select", "RL102")
    assert code == 1
    [line] = [line for line in out if "[RL102]" in line]
    # rows of 4000 doubles; a line of 64 B has 8 of them
    assert line.startswith("k.c:3:5: warning: page walks: inner k walks B[")
    assert "in steps of 32000 B, using 1 of 8 elements per line" in line
    assert re.search(
        r"order k, j with c kept in C: [\d.]+ → [\d.]+ cy per iteration, [\d.]+× \[RL102\]$", line
    )
    assert err == "rooflint lint: Found 1 finding in 1 file, 1 to act on\n"


def test_nothing_found_is_silent(lint: Lint) -> None:
    # the whole nest takes less than 10 us
    assert lint("-D", "n=8", "--select", "RL102") == (
        0, [], "rooflint lint: Found 0 findings in 1 file\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "code", "found"),
    [
        (("--fail-on", "never"), 0, 1),
        (("--fail-on", "error"), 0, 1),
        (("--fail-on", "gain>=2"), 1, 1),
        (("--fail-on", "gain >= 49.5x"), 0, 1),
        (("--min-gain", "40"), 0, 0),
        (("--min-time", "1e9s"), 0, 0),
        (("--ignore", "column-walk-imperfect"), 0, 0),
        (("--ignore", "PWR042"), 0, 0),
        (("--ignore", "RL2"), 1, 1),
    ],
)
def test_thresholds_and_selection(
    lint: Lint, options: tuple[str, ...], code: int, found: int
) -> None:
    said, out, _ = lint("-D", "n=4000", "--select", "RL102,RL2", "--ignore", "RL201", *options)
    assert (said, sum("[RL102]" in line for line in out)) == (code, found)


def test_an_unknown_rule_is_a_usage_error(lint: Lint) -> None:
    code, out, err = lint("--select", "column-wlk")
    assert (code, out) == (2, [])
    assert "unknown rule 'column-wlk'" in err
    assert "did you mean 'column-walk" in err


def test_a_comment_with_a_reason_accepts_a_finding(lint: Lint, matmul: str) -> None:
    above = matmul.replace(
        "    for (int j", "    // rooflint: allow(RL102) n is small\n    for (int j"
    )
    assert lint("-D", "n=4000", "--select", "RL102,RL004", text=above)[:2] == (0, [])
    whole = "// rooflint: allow(RL1) measured\n" + matmul
    assert lint("-D", "n=4000", "--select", "RL102,RL004", text=whole)[:2] == (0, [])


@pytest.mark.parametrize(
    ("line", "mark", "found"),
    [
        (3, "// NOLINT", 0),
        (2, "// NOLINTNEXTLINE", 0),
        (3, "// NOLINT(RL102)", 0),
        (2, "// NOLINTNEXTLINE(bugprone-*, RL102)", 0),
        (3, "// NOLINT(RL1*)", 0),
        (3, "/* NOLINT(*): small */", 0),
        (3, "// NOLINT(bugprone-*)", 1),
        (3, "// NOLINT()", 1),
        (2, "// NOLINT", 1),  # at the loop around it: another line
        (1, "// NOLINT", 1),
        (1, "// NOLINT(RL102)", 0),  # a name of ours at the function means its whole body
        (4, "// NOLINTNEXTLINE", 1),
    ],
)
def test_nolint(lint: Lint, matmul: str, line: int, mark: str, found: int) -> None:
    lines = matmul.splitlines()
    assert lines[2].startswith("    for (int j")
    lines[line - 1] += f" {mark}"
    code, out, _ = lint("-D", "n=4000", "--select", "RL102,RL004", text="\n".join([*lines, ""]))
    assert (code, sum("[RL102]" in each for each in out)) == (found, found)
    assert not any("[RL004]" in each for each in out)


def test_blocks_without_lint(lint: Lint, matmul: str) -> None:
    options = ("-D", "n=4000", "--select", "RL102,RL004")
    for names, found in (("", 0), ("(RL102)", 0), ("(RL1*)", 0), ("(bugprone-*)", 1)):
        text = f"// NOLINTBEGIN{names}\n{matmul}// NOLINTEND{names}\n"
        assert sum("[RL102]" in each for each in lint(*options, text=text)[1]) == found
    assert lint(*options, text=f"// NOLINTBEGIN\n{matmul}")[0] == 1
    unused = f"{matmul}// NOLINTBEGIN(RL102)\n// NOLINTEND(RL102)\n"
    note = "k.c:10:1: note: NOLINTBEGIN(RL102) suppresses nothing here [RL004]"
    assert note in lint(*options, text=unused)[1]


def test_a_comment_that_accepts_nothing_is_reported(lint: Lint, matmul: str) -> None:
    text = matmul.replace("  for (int i", "  // rooflint: allow(RL103) rows\n  for (int i")
    code, out, _ = lint("-D", "n=8", "--select", "RL1,RL004", text=text)
    assert code == 0
    assert out == ["k.c:2:1: note: allow(RL103) suppresses nothing here [RL004]"]
    # without the rule nobody knows
    assert lint("-D", "n=8", "--select", "RL102,RL004", text=text)[1] == []


def test_of_several_codes_those_that_accept_nothing_are_reported(lint: Lint, matmul: str) -> None:
    above = "// rooflint: allow(RL102, RL103, RL1) small\n" + matmul
    out = lint("-D", "n=4000", "--select", "RL102,RL103,RL004", text=above)[1]
    assert out == ["k.c:1:1: note: allow(RL103) suppresses nothing here [RL004]"]


def test_a_code_that_no_rule_has_is_reported(lint: Lint, matmul: str) -> None:
    above = "// rooflint: allow(RL999) small\n// NOLINT(RL4)\n" + matmul
    out = lint("-D", "n=8", "--select", "RL102,RL004", text=above)[1]
    assert out == ["k.c:1:1: note: allow(RL999): no rule has a code with this prefix [RL004]"]


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("// rooflint: file-allow(RL102) generated\n", ""),
        ("/* rooflint: file-allow(RL1) generated */\n\n", ""),
        ("/* made by a program\n * rooflint: file-allow(RL102, RL1) generated\n */\n", ""),
        ("", "// rooflint: file-allow(RL102) generated\n"),
    ],
)
def test_a_whole_file_is_accepted(lint: Lint, matmul: str, first: str, last: str) -> None:
    text = first + matmul + matmul.replace("mm(", "again(") + last
    options = ("-D", "n=4000", "--select", "RL102,RL004")
    assert lint(*options, text=text)[:2] == (0, [])
    assert lint(*options, text=text.replace("file-allow", "allow"))[0] == 1


def test_a_whole_file_that_has_nothing_to_accept_is_reported(lint: Lint, matmul: str) -> None:
    text = "// rooflint: file-allow(RL102, RL103) generated\n" + matmul
    out = lint("-D", "n=4000", "--select", "RL102,RL103,RL004", text=text)[1]
    assert out == ["k.c:1:1: note: file-allow(RL103) suppresses nothing in this file [RL004]"]
    # a loop that could not be followed might have had one
    text += "void f(int *p) {\n again:\n  if (*p++) goto again;\n}\n"
    assert lint("-D", "n=4000", "--select", "RL102,RL103,RL004", text=text)[1] == []


def test_notes_on_a_file_are_accepted_too(lint: Lint) -> None:
    header = '#include "gone.h"'
    text = "void f(void) { for (int i = 0; i < 9; i++) ; }\n"
    select = ("--select", "RL001,RL004")
    assert len(lint(*select, text=f"{header}\n{text}")[1]) == 1
    for marked in (
        f"{header}  // rooflint: allow(RL001) made by the build\n",
        f"// rooflint: allow(RL001) made by the build\n{header}\n",
        f"{header}  // NOLINT\n",
        f"{header}\n// rooflint: file-allow(RL001) made by the build\n",
    ):
        assert lint(*select, "--strict-parse", text=marked + text)[:2] == (0, []), marked


def test_a_comment_that_is_not_understood_is_a_warning(lint: Lint, matmul: str) -> None:
    text = "".join(
        f"// rooflint: {each}\n" for each in ("alow(RL102) small", "m = 8", "threads(999)")
    )
    code, out, _ = lint("--select", "RL007", text=text + matmul)
    assert code == 1
    assert [line.split(": ", 3)[0] for line in out] == ["k.c:1:1", "k.c:2:1", "k.c:4:1"]
    assert "'alow(RL102) small' is not understood; did you mean 'allow'? [RL007]" in out[0]
    assert "no loop has a size 'm'" in out[1]
    # the machine has 2 x 36
    assert "cores 999: icelake-sp-8360y has 2 x 36 cores, expected 1 to 72" in out[2]
    Path("rooflint.toml").write_text('severity.RL007 = "note"\n')
    assert lint("--select", "RL007", text=None)[0] == 0


@pytest.mark.parametrize("size", ["row[i+1]-row[i]=27", "trip(k=27)", "n=5"])
def test_what_data_decide_has_a_name_that_a_comment_may_use(lint: Lint, size: str) -> None:
    text = f"""void rows(int n, const int *row, double *restrict y, const double *x) {{
  // rooflint: {size}
  for (int i = 0; i < n; i++)
    for (int k = row[i]; k < row[i + 1]; k++) y[i] += x[k];
}}
"""
    assert lint("--select", "RL007", text=text)[1] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('machine = ["cell", "icelak"]\n', "rooflint.toml:1: machine: unknown machine 'icelak'"),
        ("\ncores = 9999\n", "rooflint.toml:2: cores: 9999: icelake-sp-8360y has 2 x 36 cores"),
        ('model = "ecmm"\n', "rooflint.toml:1: model: unknown model 'ecmm', expected"),
        ("jobs = 2\n", "rooflint.toml:1: unknown key 'jobs', expected one of machine, "),
    ],
)
def test_a_wrong_configuration_is_said_once(
    lint: Lint, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    lint("--isolated")
    Path("rooflint.toml").write_text(text)
    Path("other.c").write_text(Path("k.c").read_text())
    machine = [] if "machine" in text else ["--machine", "icelake-sp-8360y"]
    assert run(["lint", "k.c", "other.c", *machine]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_files_that_are_excluded_are_counted(lint: Lint) -> None:
    Path("rooflint.toml").write_text('exclude = ["*.c"]\n')
    assert lint() == (0, [], "rooflint lint: Found 0 findings in 0 files (1 excluded)\n")


def test_configuration(lint: Lint) -> None:
    Path("rooflint.toml").write_text(
        'select = ["RL102"]\nmin-gain = 1.1\n[severity]\nRL102 = "note"\n'
    )
    code, out, _ = lint("-D", "n=4000")
    assert (code, [line.split(": ")[1] for line in out]) == (0, ["note", "note"])
    Path("rooflint.toml").write_text('[per-file]\n"*.c" = { ignore = ["ALL"] }\n')
    assert lint("-D", "n=4000")[:2] == (0, [])
    Path("base.toml").write_text('select = ["RL101"]\n[severity]\nRL9 = "note"\n')
    Path("rooflint.toml").write_text('extends = "base.toml"\nselect = ["column-wlk"]\n')
    code, _, err = lint()
    assert (code, "rooflint.toml:2: select: unknown rule 'column-wlk', expected" in err) == (
        2,
        True,
    )
    Path("rooflint.toml").write_text('extends = "base.toml"\n')
    assert "base.toml:3: severity: unknown rule 'RL9', expected" in lint()[2]
    Path("rooflint.toml").write_text("min-gain = 0.5\n")
    code, _, err = lint()
    assert (code, "rooflint.toml:1: min-gain: '0.5', expected a ratio" in err) == (2, True)


def test_a_local_sum_is_named_with_the_several_sums_that_it_allows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By itself it gains two lanes of its pragma: gcc keeps the value beside its store."""
    file = tmp_path / "k.c"
    file.write_text(
        "void total(double *s, const double *a, int n) {\n"
        "  for (int i = 0; i < n; i++)\n    s[0] += a[i];\n}\n"
    )

    def said(select: str) -> str:
        options = ("--machine", "icelake-sp-8360y", "-D", "n=2000", "--min-time", "0us")
        flags = ("--", "gcc", "-O2")
        run(["lint", str(file), "--no-cache", "--select", select, *options, *flags])
        return capsys.readouterr().out

    alone = said("RL210")
    assert "a local sum with omp simd reduction (-fopenmp-simd): 4.0 → 2.0 cy" in alone
    both = said("RL210,RL201")
    assert "k.c:2:3: warning: latency chain: s[0] is stored in every iteration" in both
    assert "a local sum: " in both
    assert "together with keeping 8 sums (RL201) [RL210]" in both


@pytest.mark.parametrize(("n", "columns"), [(5000, 32), (6000, 3064)])
def test_blocks_of_rows_hold_four_vectors(lint: Lint, n: int, columns: int) -> None:
    # four vectors of 64 B are 32 doubles; of columns of 6000 the nearest cache holds fewer
    out = lint("-D", f"n={n}", "--select", "RL102,RL103")[1]
    [line] = [line for line in out if "[RL102]" in line]
    assert f"with blocking j by {columns} (RL103)" in line
