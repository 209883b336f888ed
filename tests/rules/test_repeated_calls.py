"""RL216, RL113 and RL209: what each iteration calls again with the same effect."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.lint.fixing import with_edits
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
FLAGS = "gcc -O3 -march=znver4"
LOOP = """#include <string.h>
{declared}
void f(char *s, char *to, int *counts) {{
  // rooflint: trip(i=2000)
{body}
}}
"""


def lengths(lint: Lint, body: str, declared: str = "") -> LintOutcome:
    return lint("RL216", LOOP.format(body=body, declared=declared), FLAGS)


@pytest.mark.parametrize(
    "body",
    [
        "  for (size_t i = 0; i < strlen(s); i++) s[i] ^= 32;",
        "  for (size_t i = 0; i < strlen(s); i++) to[i] = s[i];",
        "  for (int i = 0; i < (int)strlen(s); i++) to[i] = s[i];",
        # what a function does to the string, nobody knows
        "  for (size_t i = 0; i < strlen(s); i++) putchar(s[i]);",
    ],
)
def test_a_length_is_counted_again(lint: Lint, body: str) -> None:
    assert len(lengths(lint, body, "#include <stdio.h>").findings) == 1


@pytest.mark.parametrize(
    ("body", "guard"),
    [
        (
            "  int n = 0;\n  for (size_t i = 0; i < strlen(s); i++) n += s[i];\n  *counts = n;",
            "hoisted",
        ),
        ("  for (size_t i = 0; i < strlen(s); i++) if (s[i] == 10) s[i] = 0;", "legality"),
        ("  for (int i = 0; i < (int)strlen(s); s++) to[i++] = *s;", "legality"),
    ],
)
def test_a_length_that_changes_or_is_hoisted(lint: Lint, body: str, guard: str) -> None:
    outcome = lengths(lint, body)
    assert outcome.findings == ()
    assert [each.guard for each in outcome.silent if each.code == "RL216"] == [guard]


def test_a_length_before_the_loop_is_no_match(lint: Lint) -> None:
    outcome = lengths(lint, "  size_t n = strlen(s);\n  for (size_t i = 0; i < n; i++) s[i] ^= 32;")
    assert outcome.findings == ()
    assert outcome.silent == ()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_edit_gives_the_same_text(lint: Lint, tmp_path: Path) -> None:
    text = LOOP.format(
        body="  for (size_t i = 0; i < strlen(s); i++)\n    if (s[i] >= 'a') s[i] -= 32;",
        declared="",
    )
    [finding] = lint("RL216", text, FLAGS).findings
    assert finding.fix is not None
    assert finding.fix.safety == "unsafe"
    main = (
        '#include <stdio.h>\nint main(void) {\n  char s[] = "a rare Zebra, or 2";\n'
        "  f(s, s, 0);\n  puts(s);\n}\n"
    )
    changed = with_edits(text.encode(), finding.fix.edits).decode()
    assert "strlen(s);\n  for (size_t i = 0; i < strlen_s; i++)" in changed
    expected = b"A RARE ZEBRA, OR 2\n"
    assert printed(tmp_path, changed + main) == printed(tmp_path, text + main) == expected


def printed(folder: Path, text: str) -> bytes:
    source, program = folder / "a.c", folder / "a"
    source.write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-O2", "-Wall", "-Werror", str(source), "-o", str(program)], check=True)
    return subprocess.run([str(program)], check=True, capture_output=True).stdout


ROWS = """#include <stdlib.h>
void f(int rows, int n, const int *length, const float *restrict in, float *restrict out) {{
  // rooflint: rows=1000, n={n}
  for (int r = 0; r < rows; r++) {{
    {allocate}
    for (int i = 0; i < n; i++) t[i] = in[r * n + i] * 0.5f;
    for (int i = 1; i < n; i++) out[r * n + i] = t[i] + t[i - 1];
    {release}
  }}
}}
"""


def rows(lint: Lint, allocate: str, release: str = "free(t);", n: int = 24) -> LintOutcome:
    return lint("RL113", ROWS.format(allocate=allocate, release=release, n=n), FLAGS)


@pytest.mark.parametrize(
    ("allocate", "least"),
    [
        # calls of 20 and 147 cycles, before some 24 cycles for 24 elements in two loops, of which
        # 9 are those of whole vectors
        ("float *t = malloc(n * sizeof(float));", 1.5),
        ("float *t = aligned_alloc(64, 4096);", 6),
    ],
)
def test_memory_of_one_size_is_allocated_again(lint: Lint, allocate: str, least: float) -> None:
    [finding] = rows(lint, allocate).findings
    assert finding.gain is not None
    assert least < finding.gain.low < 2.5 * least


def test_long_rows_hide_the_calls(lint: Lint) -> None:
    assert rows(lint, "float *t = malloc(n * sizeof(float));", n=24000).findings == ()


@pytest.mark.parametrize(
    ("allocate", "release"),
    [
        ("float *t = malloc(length[r] * sizeof(float));", "free(t);"),
        ("float *t = malloc((r + 1) * sizeof(float));", "free(t);"),
        ("float *t = malloc(n * 4); if (!t) return;", "free(t);"),
    ],
)
def test_other_sizes_and_early_exits_are_refused(lint: Lint, allocate: str, release: str) -> None:
    outcome = rows(lint, allocate, release)
    assert outcome.findings == ()
    assert [each.guard for each in outcome.silent if each.code == "RL113"] == ["legality"]


@pytest.mark.parametrize(
    ("allocate", "release"),
    [
        ("float *t = calloc(n, sizeof(float));", "free(t);"),
        ("float *t = malloc(n * 4);", ""),
        ("float *t = malloc(n * 4), *u = malloc(n * 4); out[0] += u[0];", "free(t); free(u);"),
    ],
)
def test_memory_that_is_cleared_kept_or_one_of_two_is_no_match(
    lint: Lint, allocate: str, release: str
) -> None:
    outcome = rows(lint, allocate, release)
    assert outcome.findings == ()
    assert outcome.silent == ()


@pytest.mark.parametrize(
    ("condition", "matches"),
    [
        ("fails(3) && a[i] < 0", True),
        ("a[i] < 0 && fails(3)", False),  # an assertion: the call is for those that fail
        ("!(a[i] >= 0 || (fails(3), 0))", False),
    ],
)
def test_a_call_behind_a_condition_is_not_made_in_every_iteration(
    lint: Lint, condition: str, matches: bool
) -> None:
    text = (
        "int fails(int line);\nvoid k(int n, const int *a, int *out) {\n  // rooflint: n=1000\n"
        f"  for (int i = 0; i < n; i++) {{\n    if ({condition}) out[i] = 1;\n  }}\n}}\n"
    )
    outcome = lint("RL209", text, "gcc -O3", structural=True)
    assert bool(outcome.findings or outcome.silent) == matches


@pytest.mark.parametrize(
    ("body", "guards"),
    [
        ("s += work(x);", ["repeated"]),
        ("double r = work(x); if (r != expected) return r;", ["repeated"]),
        ("out[0] = work(x);", ["repeated"]),
        ("s = 0.5 * s + work(x);", []),
        ("out[i] = work(x);", []),
        ("s += a[i] * work(x);", []),
        ("s += i * work(x);", []),
        ("s += drawn(s) * work(x);", []),
    ],
)
def test_a_loop_that_repeats_one_call_is_there_for_that(
    lint: Lint, body: str, guards: list[str]
) -> None:
    text = (
        "double work(double), drawn(double);\n"
        "double k(int n, double x, double expected, const double *restrict a,"
        " double *restrict out) {\n  // rooflint: n=1000\n  double s = 0;\n"
        f"  for (int i = 0; i < n; i++) {{\n    {body}\n  }}\n  return s;\n}}\n"
    )
    outcome = lint("RL209", text, "gcc -O3")
    assert [each.guard for each in outcome.silent if each.guard == "repeated"] == guards
