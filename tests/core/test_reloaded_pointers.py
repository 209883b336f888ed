"""Pointers in memory that stores of the loop may change: no compiler vectorizes then.

Verdicts are those of gcc 12.2 and clang 19.1 with ``-O3 -march=haswell`` on these loops.
"""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core import Compiler
from rooflint.core.plan import CorePlan, plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

RECORD = """
#include <stdint.h>
typedef struct record {
    double *data; float *flat; int **rows; uint8_t *bytes; char **names;
    struct record *next; struct record *kids[4]; double inside[8];
} record;
extern uint8_t *shared; static uint8_t *own; extern const int *numbers;
"""
FLAGS = CodeGeneration(opt_level="3", march="haswell")
LOOP = "for (int i = 0; i < n; i++) "

# parameters, body, vectors of gcc and of clang
CASES = (
    # a byte may be part of any pointer, a double of none
    ("(uint8_t *b, const int *const s[], int n)", "b[i] = s[0][i];", "--"),
    ("(short *b, const int *const s[], int n)", "b[i] = s[0][i];", "vv"),
    ("(record *p, uint8_t *b, int n)", "p->bytes[i] = b[i];", "--"),
    ("(record *p, double s, int n)", "p->data[i] *= s;", "vv"),
    ("(record *p, double *b, int n)", "{ p->data[i] = b[i]; p->bytes[i] = 0; }", "--"),
    ("(record *p, int n)", "p->next->data[i] = p->flat[i];", "vv"),
    ("(record *p, int n)", "p->next->inside[i] = p->data[i];", "vv"),
    # no store, no change
    ("(record *p, int n, int s)", "s += p->bytes[i];", "vv"),
    # an object that nobody else knows
    ("(record p, uint8_t *b, int n)", "b[i] = p.bytes[i];", "vv"),
    # variables of the program, but for one of this file
    ("(uint8_t *b, int n)", "shared[i] = b[i];", "--"),
    ("(uint8_t *b, int n)", "own[i] = b[i];", "vv"),
    ("(char *b, int n)", "b[i] = numbers[i];", "--"),
    # pointers of one type, of another, and of any: LLVM 19 has one type for all
    ("(record *p, record **q, int n)", "q[i] = p->kids[0]->kids[i];", "--"),
    ("(record *p, record *q, int n)", "p->kids[0]->rows[i] = q->rows[i];", "v-"),
    ("(record *p, char **q, int n)", "p->names[i] = q[i];", "v-"),
    ("(record *p, void **q, int n)", "q[i] = p->names[i];", "--"),
    # rows of a table, the same one in all iterations or another in each
    ("(uint8_t **a, uint8_t **b, int n, int j)", "a[j][i] = b[j][i];", "--"),
    ("(double **a, double **b, int n, int j)", "a[j][i] = b[j][i];", "vv"),
    ("(double *a, double **b, int n, int j)", "a[i] = b[i][j];", "--"),
    ("(short *a, const int *const *b, int n, int j)", "a[i] = b[i][j];", "vv"),
    ("(double *a, double **b, int n, int j)", "b[i][j] = a[i];", "--"),
)


@pytest.mark.parametrize(("parameters", "body", "verdicts"), CASES)
@pytest.mark.parametrize("number", [0, 1])
def test_a_store_that_may_change_the_pointer(
    parameters: str, body: str, verdicts: str, number: int
) -> None:
    compiler = compiler_of(FLAGS, ("gcc-12", "clang-19")[number])
    made = plan(f"int f{parameters} {{ {LOOP}{body} return 0; }}", compiler)
    assert ("v" if made.code.vector.width > 1 else "-") == verdicts[number]


def test_a_pointer_read_before_the_loop_stays() -> None:
    text = "uint8_t *q = p->bytes; for (int i = 0; i < n; i++) q[i] = b[i];"
    for name in ("gcc-12", "clang-19"):
        compiler = compiler_of(FLAGS, name)
        made = plan(f"void f(record *p, uint8_t *b, int n) {{ {text} }}", compiler)
        assert made.code.vector.width == 32, name


def test_the_reason_names_the_data() -> None:
    compiler = compiler_of(FLAGS, "gcc-12")
    made = plan("void f(record *p, int n) { " + LOOP + "p->bytes[i] += 2; }", compiler)
    assert str(made.code.vector.reason) == (
        "a pointer to p->bytes lies in memory, and a store in the loop may change it"
    )


def test_without_strict_aliasing_any_store_may() -> None:
    compiler = compiler_of(FLAGS._replace(strict_aliasing=False), "gcc-12")
    made = plan("void f(record *p, int n) { " + LOOP + "p->data[i] *= 2; }", compiler)
    assert made.code.vector.width == 1


def plan(text: str, compiler: Compiler) -> CorePlan:
    found = extract(Request("/a.c", Flags("c"), (RECORD + text).encode())).functions
    function = next(each.function for each in found if each.function.name == "f")
    [facts] = facts_of(function)
    machine = find_machine("haswell-ep-e5-2695v3", (builtin_dir(),))
    return plan_of(function, facts, machine, compiler)
