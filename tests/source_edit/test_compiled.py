"""Changed kernels compiled with gcc print what the originals print."""

import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from rooflint.ir import Function, SourceFunction
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, Result
from rooflint.source_edit.c_writer import changed_part, rewrite_part, text_after
from rooflint.source_edit.c_writer.words import NotWrittenError
from rooflint.source_edit.edits import EditableSource

Read = Callable[[str], SourceFunction]
GCC = shutil.which("gcc")
pytestmark = pytest.mark.skipif(GCC is None, reason="needs gcc")
N = 23
KERNELS = {
    "lu": """
void kernel(int n, double A[23][23], double *x) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}""",
    "columns": """
void kernel(int n, double A[23][23], double *x) {
  int i, j;
  double s;
  for (j = 0; j < n; j++) {
    s = 0.0;
    for (i = 0; i < n; i++)
      s += A[i][j];
    x[j] = s / n;
  }
  for (j = 0; j < n; j++) {
    for (i = 0; i < n; i++)
      if (i != j) A[i][j] -= x[j];
  }
}""",
    "triangle and sweep": """
void kernel(int n, double A[23][23], double *x) {
  for (int i = n - 1; i >= 0; i--) {
    double w = x[i];
    for (int j = i + 1; j < n; j++)
      w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      A[i][j] = 0.25 * (A[i - 1][j] + A[i][j - 1]) + 0.5 * A[i + 1][j + 1];
}""",
}
INTEGERS = {
    "set in each iteration": """
void kernel(int n, double A[23][23], double *x) {
  int k;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      k = (i + 2 * j) % 5;
      A[i][j] += k;
    }
}""",
    "used behind": """
void kernel(int n, double A[23][23], double *x) {
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      k = i;
      A[i][j] += k;
    }
  x[k] += 5.0;
}""",
    "an induction of its own": """
void kernel(int n, double A[23][23], double *x) {
  int k = 4;
  for (int i = 0; i + 9 < n; i++) {
    k += 1;
    x[k] += A[i][k];
  }
  x[k] += 5.0;
}""",
    "set in a branch": """
void kernel(int n, double A[23][23], double *x) {
  int k = 0, m = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (A[i][j] > 1.9)
        k = j;
      A[i][j] += 1.0;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (A[i][j] > 2.9)
        m = i;
      A[i][j] *= 2.0;
    }
  x[k] += 5.0;
}""",
    "of an outer loop": """
void kernel(int n, double A[23][23], double *x) {
  for (int i = 0; i < n; i++) {
    int k;
    if (x[i] > 0.1)
      k = 1;
    else
      k = 2;
    for (int j = 0; j < n; j++)
      A[i][j] = x[j] + x[k] * 0.5;
  }
}""",
    "a size that changes before": """
void kernel(int n, double A[23][23], double *x) {
  n -= 3;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] += x[j] * n;
}""",
    "a size that a condition changes before": """
void kernel(int n, double A[23][23], double *x) {
  if (n > 4)
    n = n - 3;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] += x[j] * n;
}""",
    "chosen before": """
void kernel(int n, double A[23][23], double *x) {
  int k = 2;
  if (n > 4)
    k = 7;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] += x[k] * j;
}""",
    "set on the way out": """
void kernel(int n, double A[23][23], double *x) {
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (A[i][j] < -1.0) {
        k = j;
        break;
      }
      A[i][j] += 1.0;
    }
  x[k] += 5.0;
}""",
    "narrow and without a sign": """
void kernel(int n, double A[23][23], double *x) {
  unsigned char k;
  unsigned long l;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      k = i;
      l = j;
      A[i][j] += k + l;
    }
}""",
}
WRITTEN = (
    "set in each iteration",
    "set in a branch",
    "chosen before",
    "narrow and without a sign",
)
"""Those with a change that has a text: others set what is used elsewhere, or read what is open."""
MAIN = """
#include <stdio.h>
#include <stdlib.h>
%s
int main(int count, char **words) {
  number = atoi(words[count - 1]);
  static double A[%d][%d], x[%d];
  for (int i = 0; i < %d; i++) {
    x[i] = 1.0 / (i + 1);
    for (int j = 0; j < %d; j++)
      A[i][j] = (i * j %% 7) / 3.0 + (i == j ? 30 : 0);
  }
  kernel(%d, A, x);
  for (int i = 0; i < %d; i++)
    for (int j = 0; j < %d; j++)
      printf("%%a %%a\\n", A[i][j], x[j]);
}
"""
CHANGES: dict[str, Callable[[Function, str], Result]] = {
    "tile": lambda f, at: transform.tile(f, at, {transform.sites(f)[at].loop.index: 4}),
    "unroll": lambda f, at: transform.unroll(f, at, 3),
    "jam": lambda f, at: transform.unroll_and_jam(f, at, 2),
    "peel first": lambda f, at: transform.peel(f, at, "first"),
    "peel last": lambda f, at: transform.peel(f, at, "last"),
    "cut": lambda f, at: transform.fission(f, at, 1),
    "swap inner 0": lambda f, at: transform.swap_inner(f, at, 0),
    "swap inner 1": lambda f, at: transform.swap_inner(f, at, 1),
    "threads": transform.parallelise,
    "hoist": transform.hoist,
    "fuse": transform.fuse,
}


@pytest.mark.parametrize("name", KERNELS)
def test_exact_changes_print_the_same_bits(source_of: Read, tmp_path: Path, name: str) -> None:
    """All changes of one kernel in one program: each in a copy of its function."""
    text = KERNELS[name]
    source = source_of(text)
    copies: list[str] = [text]
    for words, change in CHANGES.items():
        for at in transform.sites(source.function):
            result = change(source.function, at)
            if not isinstance(result, ChangedFunction) or not result.exact:
                continue
            part = changed_part(source.function, result.function)
            new = rewrite_part(EditableSource(text), source, part, result.function, part.new)
            shown = text_after(EditableSource(text), new)
            copies.append(f"/* {words} at {at} */{shown}")
    assert len(copies) > 8
    outputs = _all_printed(copies, tmp_path)
    for copy, output in zip(copies, outputs, strict=True):
        assert output == outputs[0], copy


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_that_a_loop_computes_come_out_alike(
    source_of: Read, tmp_path: Path, name: str
) -> None:
    """Changes of loops that set integers: what is written prints the same, the rest has no text."""
    text = INTEGERS[name]
    source = source_of(text)
    copies: list[str] = [text]
    changes = CHANGES | {
        "swap": lambda f, at: transform.interchange(f, at, ("j", "i")),
        "sums": lambda f, at: transform.unroll(f, at, 2, accumulators=2),
    }
    for words, change in changes.items():
        for at in transform.sites(source.function):
            result = change(source.function, at)
            if not isinstance(result, ChangedFunction) or not result.exact:
                continue
            part = changed_part(source.function, result.function)
            with suppress(NotWrittenError):
                new = rewrite_part(EditableSource(text), source, part, result.function, part.new)
                shown = text_after(EditableSource(text), new)
                copies.append(f"/* {words} at {at} */{shown}")
    outputs = _all_printed(copies, tmp_path)
    for copy, output in zip(copies, outputs, strict=True):
        assert output == outputs[0], copy
    assert (len(copies) > 1) == (name in WRITTEN), [copy.partition("*/")[0] for copy in copies]


def _all_printed(copies: list[str], folder: Path) -> list[str]:
    """What each copy of ``kernel`` prints: one program with all of them, and one call of each."""
    kernels = [copy.replace("kernel(", f"kernel_{k}(", 1) for k, copy in enumerate(copies)]
    calls = "\n".join(f"  if (number == {k}) kernel_{k}(n, A, x);" for k in range(len(copies)))
    chosen = (
        "\n".join(kernels)
        + "\nstatic int number;\nstatic void kernel(int n, double A[23][23], double *x) {\n"
        + calls
        + "\n}\n"
    )
    assert GCC is not None
    source, program = folder / "kernel.c", folder / "kernel"
    source.write_text(MAIN % (chosen, *[N] * 8), encoding="utf-8")
    flags = ["-O1", "-ffp-contract=off", "-fopenmp", "-Werror=implicit"]
    subprocess.run([GCC, *flags, str(source), "-o", str(program)], check=True)
    return [
        subprocess.run([str(program), str(k)], check=True, capture_output=True, text=True).stdout
        for k in range(len(copies))
    ]
