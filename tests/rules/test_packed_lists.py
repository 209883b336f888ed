"""RL217: lists that a branch on data appends to."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.lint.fixing import with_edits
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
FLAGS = "gcc -O3 -march=icelake-server"
LOOP = """struct list {{ int *items; int count; }};
int k(int n, const float *v, float t, int *out, int *other, struct list *l) {{
  // rooflint: n=2000
  int m = 0;
  for (int i = 0; i < n; i++)
    {body}
  return m;
}}
"""


def packed(lint: Lint, body: str, machine: str = "icelake-sp-8360y") -> LintOutcome:
    return lint("RL217", LOOP.format(body=body), FLAGS, machine)


@pytest.mark.parametrize(
    "body",
    [
        "if (v[i] > t) out[m++] = i;",
        "if (v[i] > t) { out[m] = i; m++; }",
        "if (v[i] > t) { out[m] = i; other[m] = i + 1; m++; }",
        "if (v[i] > t && v[i] < 1.0f) out[m++] = i;",
        "if (v[i] > t) *out++ = i;",
        "if (v[i] > t) l->items[l->count++] = i;",
    ],
)
def test_a_branch_appends(lint: Lint, body: str) -> None:
    [finding] = packed(lint, body).findings
    assert finding.gain is not None
    assert (finding.severity, finding.confidence) == ("note", "medium")
    # from no wrong guess, where one store more is made, to half of them: a range that says so
    assert finding.gain.low <= 1.0
    assert finding.gain.high > 3.0
    assert "as the data decide" in finding.message


@pytest.mark.parametrize(
    "body",
    [
        # the list is full: a store behind its end has no room
        "if (v[i] > t && m < 100) out[m++] = i;",
        # known from the index alone: predicted, and no data
        "if (i > 5) out[m++] = i;",
        "if (v[i] > t) { out[m++] = i; other[i] = 0; }",
        "if (v[i] > t) out[m++] = i; else other[i] = 0;",
        "if (v[i] > t) { out[m++] = i; if (v[i] > 2 * t) break; }",
        "{ out[m] = i; m += v[i] > t; }",
    ],
)
def test_no_list_is_packed(lint: Lint, body: str) -> None:
    outcome = packed(lint, body)
    assert outcome.findings == ()
    assert outcome.silent == ()


@pytest.mark.parametrize(
    ("body", "machine", "guard"),
    [
        ("if (out[i] > 0) out[m++] = out[i];", "icelake-sp-8360y", "legality"),
        ("if (v[i] > t) out[m++] = other[i] / other[0];", "icelake-sp-8360y", "legality"),
        ("if (v[i] > t) out[m++] = i;", "generic-avx2", "penalty-unknown"),
        ("if (__builtin_expect(v[i] > t, 0)) out[m++] = i;", "icelake-sp-8360y", "expected"),
    ],
)
def test_silent_with_the_reason(lint: Lint, body: str, machine: str, guard: str) -> None:
    outcome = packed(lint, body, machine)
    assert outcome.findings == ()
    assert [each.guard for each in outcome.silent] == [guard]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("if (v[i] > t) out[m++] = i;", "out[m] = i;\n      m += kept;"),
        ("if (v[i] > t) { out[m] = i; other[m] = 2 * i; m++; }", "other[m] = 2 * i;"),
        ("if (v[i] > t) { out[m] = i; ++m; }", "out[m] = i;\n      m += kept;"),
        ("if ((int)v[i]) *out++ = i;", "= ((int)v[i]) != 0;\n      *out = i;\n      out += kept;"),
    ],
)
def test_the_edit_packs_the_same_list(lint: Lint, tmp_path: Path, body: str, written: str) -> None:
    text = LOOP.format(body=body)
    [finding] = packed(lint, body).findings
    assert finding.fix is not None
    assert finding.fix.safety == "unsafe"
    changed = with_edits(text.encode(), finding.fix.edits).decode()
    assert written in changed
    main = """#include <stdio.h>
int main(void) {
  float v[100]; int out[101] = {0}, other[101] = {0};
  for (int i = 0; i < 100; i++) v[i] = i * 7 % 10;
  int m = k(100, v, 4.5f, out, other, 0);
  printf("%d", m);
  for (int i = 0; i < 50; i++) printf(" %d %d", out[i], other[i]);
}
"""
    assert printed(tmp_path, changed + main) == printed(tmp_path, text + main)


@pytest.mark.parametrize(
    "body",
    [
        "if (v[i] > t && v[i] < 1.0f) out[m++] = i;",
        "if (v[i] > t) { out[m] = i; m += 1; }",
        "if (v[i] > t) { { out[m++] = i; } }",
    ],
)
def test_other_forms_get_a_sketch(lint: Lint, body: str) -> None:
    [finding] = packed(lint, body).findings
    assert finding.fix is not None
    assert finding.fix.edits == ()
    assert "m += ...;" in finding.fix.sketch


def printed(folder: Path, program: str) -> bytes:
    (folder / "p.c").write_text(program)
    subprocess.run(["gcc", "-O1", "-o", "p", "p.c"], cwd=folder, check=True, timeout=60)
    return subprocess.run(["./p"], cwd=folder, check=True, capture_output=True, timeout=60).stdout
