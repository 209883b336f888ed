"""RL218 and RL314: sums and searches in blocks."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
FLAGS = "gcc -O3 -march=icelake-server"
FUNCTION = """long f(int n, const signed char *p, const unsigned char *q, const short *w,
       const int *ix, long x) {{
  // rooflint: n={n}
  long s = 0;
  for (int i = 0; i < n; i++)
    {body}
  return s;
}}
"""


def found(lint: Lint, rule: str, body: str, n: int = 4000) -> LintOutcome:
    return lint(rule, FUNCTION.format(body=body, n=n), FLAGS)


@pytest.mark.parametrize(
    ("body", "terms", "kind"),
    [
        # -128 to 128: 32767 // 128 = 255, in whole vectors of 64
        ("s += p[i] < 0 ? -p[i] : p[i];", 192, "short"),
        ("s += q[i] - q[i + 1];", 128, "short"),
        ("s += q[i] > q[i + 1] ? q[i] - q[i + 1] : q[i + 1] - q[i];", 128, "short"),
    ],
)
def test_terms_that_a_narrow_sum_holds(lint: Lint, body: str, terms: int, kind: str) -> None:
    [finding] = found(lint, "RL218", body).findings
    assert finding.fix is not None
    assert f"{kind} part = 0;" in finding.fix.sketch
    assert f"i < i_block + {terms}; i++" in finding.fix.sketch


@pytest.mark.parametrize(
    "body",
    [
        "s += q[i] * q[i + 1];",
        "s += w[i] < 0 ? -w[i] : w[i];",
        # 4 x 255: 16 bits hold 64 of them; 8 x: 32
        "s += 8 * q[i];",
        "s += p[i] < 0 ? -p[i] : ix[i];",
        "s -= p[i] == 3;",
    ],
)
def test_no_narrow_sum(lint: Lint, body: str) -> None:
    outcome = found(lint, "RL218", body)
    assert outcome.findings == ()
    assert outcome.silent == ()


@pytest.mark.parametrize(("n", "guards"), [(383, ["short"]), (384, [])])
def test_two_blocks_of_terms(lint: Lint, n: int, guards: list[str]) -> None:
    outcome = found(lint, "RL218", "s += p[i] < 0 ? -p[i] : p[i];", n)
    assert [each.guard for each in outcome.silent] == guards


@pytest.mark.parametrize(
    "body",
    [
        "if (w[i] == x) return i;",
        "if (w[i] > 3) break;",
        "if (w[i] == 1 || w[i] == w[i + 1]) return i;",
    ],
)
def test_a_search(lint: Lint, body: str) -> None:
    [finding] = found(lint, "RL314", body).findings
    assert (finding.severity, finding.confidence) == ("note", "medium")
    assert finding.fix is not None
    assert "short found = 0;" in finding.fix.sketch


def test_a_search_in_the_condition(lint: Lint) -> None:
    text = (
        "int f(int n, const short *a, const short *b) {\n  // rooflint: n=4000\n  int i = 0;\n"
        "  while (i < n && a[i] == b[i]) i++;\n  return i;\n}\n"
    )
    [finding] = lint("RL314", text, FLAGS).findings
    assert finding.fix is not None
    assert "found |= !(...)" in finding.fix.sketch


@pytest.mark.parametrize(
    "body",
    [
        "if (w[ix[i]] == x) return i;",
        "{ s += w[i]; if (w[i] == x) return s; }",
        "if (i == x) return i;",
        "if (ix[i] / n == x) return i;",
    ],
)
def test_no_search(lint: Lint, body: str) -> None:
    outcome = found(lint, "RL314", body)
    assert outcome.findings == ()
    assert outcome.silent == ()


@pytest.mark.parametrize(("n", "guards"), [(127, ["near"]), (128, [])])
def test_two_blocks_of_elements(lint: Lint, n: int, guards: list[str]) -> None:
    outcome = found(lint, "RL314", "if (w[i] == x) return i;", n)
    assert [each.guard for each in outcome.silent] == guards


@pytest.mark.parametrize(
    ("kind", "flags", "count"),
    [
        # vec_cmpv2div2di is SSE4.2's
        ("double", "gcc -O2", 0),
        ("float", "gcc -O2", 1),
        ("double", "gcc -O3 -march=haswell", 1),
        ("double", "clang -O2", 1),
    ],
)
def test_wide_comparisons_of_gcc(lint: Lint, kind: str, flags: str, count: int) -> None:
    text = (
        f"int f(int n, const {kind} *a, {kind} x) {{\n  // rooflint: n=4000\n"
        "  for (int i = 0; i < n; i++)\n    if (a[i] == x) return i;\n  return -1;\n}\n"
    )
    assert len(lint("RL314", text, flags).findings) == count


MAIN = """#include <stdio.h>
int main(void) {
  static signed char p[1001]; static unsigned char q[1001]; static short w[1001];
  for (int i = 0; i < 1001; i++) {
    p[i] = i % 2 ? -128 : 127 - i % 3;
    q[i] = i % 2 ? 255 - i % 3 : 0;
    w[i] = i;
  }
  for (int n = 0; n < 1000; n += 7)
    printf("%ld %ld ", f(n, p, q, w, 0, 333), f(n, p, q, w, 0, -1));
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    "body",
    ["s += p[i] < 0 ? -p[i] : p[i];", "s += q[i] - q[i + 1];", "s += q[i + 1] - q[i];"],
)
def test_blocks_have_the_same_sum(lint: Lint, tmp_path: Path, body: str) -> None:
    [finding] = found(lint, "RL218", body).findings
    assert finding.fix is not None
    text = FUNCTION.format(body=body, n=4000)
    before, _, behind = text.partition("  for (int i = 0;")
    changed = f"{before}{finding.fix.sketch}\n  return{behind.partition('  return')[2]}"
    assert printed(tmp_path, changed + MAIN) == printed(tmp_path, text + MAIN)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_blocks_find_the_same_place(lint: Lint, tmp_path: Path) -> None:
    body = "if (w[i] == x) return i;"
    [finding] = found(lint, "RL314", body).findings
    assert finding.fix is not None
    blocks = finding.fix.sketch.replace("<= ...", "<= n").replace("(...)", "(w[i + k] == x)")
    text = FUNCTION.format(body=body, n=4000)
    changed = text.replace("  for (int i = 0;", f"  int i = 0;\n{blocks}\n  for (;")
    assert printed(tmp_path, changed + MAIN) == printed(tmp_path, text + MAIN)


def printed(folder: Path, program: str) -> bytes:
    (folder / "p.c").write_text(program)
    subprocess.run(["gcc", "-O1", "-o", "p", "p.c"], cwd=folder, check=True, timeout=60)
    return subprocess.run(["./p"], cwd=folder, check=True, capture_output=True, timeout=60).stdout
