"""What RL001 says of a file whose headers are missing: how many of its loops have a number."""

import json
from collections.abc import Callable

import pytest

Lint = Callable[..., tuple[int, list[str], str]]

HEADER = '#include "gone.h"\n'
CALLS = "void f(int n, double *a) { for (int i = 0; i < n; i++) mystery(a, i); }\n"
NUMBER = "void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
NEST = """void h(double a[9000][9000]) {
  for (int j = 0; j < 9000; j++)
    for (int i = 0; i < 9000; i++) a[j][i] = 2;
}
"""


def said(lint: Lint, text: str) -> str:
    _, out, _ = lint("--select", "RL001", text=HEADER + text)
    [line] = out
    return line.removeprefix("k.c:1:1: note: gone.h not found: ").removesuffix(" [RL001]")


def test_loops_without_a_number_are_not_counted(lint: Lint) -> None:
    assert said(lint, CALLS) == "0 of 1 loops have a prediction"
    assert said(lint, CALLS + CALLS.replace("f(", "e(")) == "0 of 2 loops have a prediction"


def test_loops_with_a_number_are(lint: Lint) -> None:
    assert said(lint, CALLS + NUMBER) == "1 of 2 loops have a prediction"
    assert said(lint, CALLS + NUMBER + NEST) == "3 of 4 loops have a prediction"


def test_each_loop_counts_once_whatever_the_machines(lint: Lint) -> None:
    _, out, _ = lint("--select", "RL001", "--machine", "skx", text=HEADER + NEST)
    assert out == ["k.c:1:1: note: gone.h not found: 2 of 2 loops have a prediction [RL001]"]


@pytest.mark.parametrize(
    ("text", "fingerprint", "message"),
    [
        (
            HEADER + NEST,
            "RL001:gone.h not found: 2 of 2 loops have a prediction",
            "gone.h not found: 2 of 2 loops have a prediction",
        ),
        (
            "void f(int n, double *a) {\n"
            "  struct no x;\n"
            "  for (int i = 0; i < n; i++) a[i] = 1;\n"
            "}\n",
            "RL001:variable has incomplete type 'struct no':"
            " what they concern may be missing from what is found here",
            "variable has incomplete type 'struct no':"
            " findings in the affected code may be missing",
        ),
    ],
)
def test_a_baseline_outlives_new_words(
    lint: Lint, text: str, fingerprint: str, message: str
) -> None:
    _, out, _ = lint("--select", "RL001", "--format", "json", text=text)
    [finding] = json.loads("\n".join(out))["files"][0]["findings"]
    assert (finding["fingerprint"], finding["message"]) == (fingerprint, message)


SUM = """double total(const double *a) {
  double s = 0;%s
  for (int i = 0; i < 1000; i++) s += a[i];
  return s;
}
double other(const double *a) {
  double s = 0;
  for (int i = 0; i < 1000; i++) s += a[i];
  return s;
}
"""


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        (SUM % "", ["total", "other"]),
        # what follows the error may be other code than it seems
        (SUM % " s = nobody;", ["other"]),
        # errors follow from the header, and the finding has a cap
        (HEADER + SUM % " s = nobody;", ["total", "other"]),
    ],
)
def test_code_with_errors_has_no_finding(lint: Lint, text: str, sums: list[str]) -> None:
    _, out, _ = lint("--select", "RL201", "--format", "json", text=text)
    (file,) = json.loads("\n".join(out))["files"]
    assert [each["function"] for each in file["findings"] if each["code"] == "RL201"] == sums
