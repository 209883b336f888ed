"""RL102: a product summed in a scalar is swapped by an edit that sums in the product's element."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.lint.fixing import with_edits
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
PRODUCT = """#define M 300
struct matrix {{ int rows; double *sum; }};
void product(int n, const double *A, const double *B, double *C, struct matrix *c) {{
  // rooflint: n=300
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++) {{
      {first}
      for (int k = 0; k < n; k++)
        {body}
      {store}
    }}
}}
"""
MAIN = r"""#include <stdio.h>
int main(void) {
  static double v[4 * M * M];
  struct matrix c = {M, v + 3 * M * M};
  for (int i = 0; i < 2 * M * M; i++) v[i] = i * 7 % 10 - 4.5;
  product(OVERLAP, v, v + M * M, v + 2 * M * M, &c);
  double all = 0;
  for (int i = 2 * M * M; i < 4 * M * M; i++) all += v[i] * (i % 13);
  printf("%.17g\n", all);
}
"""
TERM = "A[i * n + k] * B[k * M + j]"


def edited(lint: Lint, text: str) -> str:
    findings = lint("RL102", text, "gcc -O3 -march=icelake-server").findings
    assert len(findings) == 1
    fix = findings[0].fix
    assert fix is not None
    assert fix.safety == "unsafe"
    return with_edits(text.encode(), fix.edits).decode()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    ("first", "body", "store", "written"),
    [
        ("double s = 0.0;", f"s += {TERM};", "C[i * n + j] = s;", "C[i * n + j] = 0.0;"),
        ("double s = 0;", f"{{ s += {TERM}; }}", "C[i * n + j] = s;", f"C[i * n + j] += {TERM};"),
        ("double s = i;", f"s = s + {TERM};", "c->sum[i * n + j] = s;", "c->sum[i * n + j] = i;"),
    ],
)
def test_the_edit_computes_the_same(
    lint: Lint, tmp_path: Path, first: str, body: str, store: str, written: str
) -> None:
    text = PRODUCT.format(first=first, body=body, store=store)
    changed = edited(lint, text)
    assert written in changed
    assert "j < M" in changed  # as it is written, not its value
    for size in ("M", "7"):
        main = MAIN.replace("OVERLAP", size)
        assert printed(tmp_path, changed + main) == printed(tmp_path, text + main)


def printed(tmp_path: Path, text: str) -> str:
    source, program = tmp_path / "k.c", tmp_path / "k"
    source.write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-Werror", "-o", program, source], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("first", "body", "store"),
    [
        # a member of the same name is no place of the sum
        ("double sum = 0.0;", "sum += A[i * n + k] * c->sum[k * M + j];", "C[i * n + j] = sum;"),
        ("double s = 0.0; double t = 1.0;", f"s += t * {TERM};", "C[i * n + j] = s;"),
    ],
)
def test_a_sketch_where_the_text_has_more(lint: Lint, first: str, body: str, store: str) -> None:
    text = PRODUCT.format(first=first, body=body, store=store)
    findings = lint("RL102", text, "gcc -O3 -march=icelake-server").findings
    assert [each.fix.edits for each in findings if each.fix is not None] == [()]


def test_the_promise_is_named(lint: Lint) -> None:
    text = PRODUCT.format(first="double s = 0.0;", body=f"s += {TERM};", store="C[i * n + j] = s;")
    [finding] = lint("RL102", text, "gcc -O3 -march=icelake-server").findings
    assert "A and C do not overlap" in finding.assumptions
    assert "with s kept in C" in finding.message
