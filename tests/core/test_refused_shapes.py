"""Loops that neither compiler vectorizes for the shape of their values, and their counterparts.

Verdicts are those of gcc 12.2 and clang 19.1 with ``-O3 -march=haswell`` on these loops.
"""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.plan import CorePlan, plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

DECLARED = """
#include <stdint.h>
typedef struct { uint64_t a, b; uint32_t c; } point;
typedef struct { unsigned n; point *points; unsigned *values; int *out; double *wide; } table;
"""
CASES = (
    # a value shifted on is no sum
    ("(uint8_t *b, uint32_t v, int n)", "for (int i = 0; i < n; i++) { b[i] = v; v >>= 8; }", "--"),
    ("(uint8_t *b, uint32_t v, int n)", "for (int i = 0; i < n; i++) { b[i] = v; v += 8; }", "vv"),
    # what no polynomial says is no sum either
    (
        "(uint8_t *b, unsigned v, unsigned m, int n)",
        "for (int i = 0; i < n; i++) { b[i] = v; v = v * v + m; }",
        "--",
    ),
    # a table of states, through a value that the iteration computes before
    (
        "(const uint8_t *d, uint16_t c, const uint16_t (*t)[256], int n)",
        "while (n >= 2) { c ^= d[0]; c = t[1][c >> 8] ^ t[0][c & 255]; d += 2; n -= 2; } return c;",
        "--",
    ),
    # a switch, by data or not; a chain of conditions is none, nor a switch around the loop
    (
        "(int *restrict a, const int *restrict b, int n)",
        "for (int i = 0; i < n; i++) { int s = 0;"
        " switch (b[i]) { case 3: s = 1; break; case 5: s = 2; break; case 9: s = 7; break; }"
        " a[i] = s; }",
        "--",
    ),
    (
        "(int *restrict a, const int *restrict b, int n)",
        "for (int i = 0; i < n; i++) a[i] = b[i] > 9 ? 1 : b[i] > 5 ? 2 : b[i] > 3 ? 7 : 0;",
        "vv",
    ),
    (
        "(int *restrict a, const int *restrict b, int n, int k)",
        "switch (k) { case 1: for (int i = 0; i < n; i++) a[i] = b[i] + 1; break;"
        " case 7: n++; break; default: n = 2; }",
        "vv",
    ),
    # a bound that was read before the loop too, and is read again in it
    (
        "(table *t)",
        "if (t->n > 3) for (unsigned i = 0; i < t->n; i++) t->out[i] = 2 * t->values[i];",
        "--",
    ),
    (
        "(table *t)",
        "if (t->n > 3) for (unsigned i = 0; i < t->n; i++) t->wide[i] = t->values[i];",
        "vv",
    ),
)


@pytest.mark.parametrize(("parameters", "body", "verdicts"), CASES)
@pytest.mark.parametrize("number", [0, 1])
def test_verdicts(parameters: str, body: str, verdicts: str, number: int) -> None:
    made = plan(f"int f{parameters} {{ {body} return 0; }}", ("gcc-12", "clang-19")[number])
    assert ("v" if made.code.vector.width > 1 else "-") == verdicts[number]


def test_a_member_of_another_record_is_no_bound() -> None:
    """gcc and clang tell the third member from the first by their records."""
    text = "void f(table *t) { for (unsigned i = 0; i < t->n; i++) t->points[i].c = 1; }"
    for driver in ("gcc-12", "clang-19"):
        reason = plan(text, driver).code.vector.reason
        assert reason is None or reason.kind != "changing-bound", driver


def plan(text: str, driver: str) -> CorePlan:
    found = extract(Request("/a.c", Flags("c"), (DECLARED + text).encode())).functions
    function = next(each.function for each in found if each.function.name == "f")
    [facts] = facts_of(function)
    machine = find_machine("haswell-ep-e5-2695v3", (builtin_dir(),))
    compiler = compiler_of(CodeGeneration(opt_level="3", march="haswell"), driver)
    return plan_of(function, facts, machine, compiler)
