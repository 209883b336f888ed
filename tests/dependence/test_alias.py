"""The one rule of overlap, from declarations as the front end reads them."""

import shlex

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.dependence import (
    FunctionMemory,
    MemoryReference,
    is_private,
    may_overlap,
    memory_of,
    unproven,
)
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Aliasing

COMPILERS = {"c": "gcc -std=gnu17", "cpp": "g++ -std=c++17"}


def memory(text: str, language: str = "c", flags: str = "-O2") -> FunctionMemory:
    path = f"/page.{language}"
    command = shlex.split(f"{COMPILERS[language]} {flags}")
    unit = extract(Request(path, read_flags(command, "/", path), text.encode()))
    assert not unit.diagnostics, unit.diagnostics
    return memory_of(unit.functions[0].function)


def meets(found: FunctionMemory, first: str, second: str) -> bool:
    kinds = {name: each.type for name, each in {**found.arrays, **found.cells}.items()}
    one, other = MemoryReference(first, kinds[first]), MemoryReference(second, kinds[second])
    assert may_overlap(one, other, found) == may_overlap(other, one, found)
    return may_overlap(one, other, found)


BEFORE = """#include <stdlib.h>
double *get(double *), table[100], other[100], *pointer;
extern double outer[]; static double kept; void touch(void *);
struct two { double u[9], v[9]; double *p; double *restrict q, *restrict r; int n; };
union both { double d[9]; long l[9]; };
"""
PLACES = [
    # parameters, what the function begins with, two names, whether they may overlap
    ("double *a, double *b", "", "a", "b", True),
    ("double *restrict a, double *b", "", "a", "b", False),
    ("double *a, const double *restrict b", "", "a", "b", False),
    ("double *a, double *b", "a = get(b);", "a", "b", True),
    ("double *restrict a, double *b", "b = get(a);", "a", "b", True),
    ("double *a", "double b[100];", "a", "b", False),
    ("double *a", "double b[100]; touch(b);", "a", "b", False),
    ("double *a", "double b[100]; double *q = get(b); q[0] = 1;", "b", "q", True),
    ("double *a", "double b[100]; double *q = get(a); q[0] = 1;", "b", "q", False),
    ("double *a", "double *b = malloc(n * 8);", "a", "b", False),
    ("double *a", "double *b = get(a);", "a", "b", True),
    ("double *restrict a", "double *b = get(a);", "a", "b", True),
    ("double *restrict a", "double *b = get(table);", "a", "b", False),
    ("double *a", "double *b = n > 3 ? a : table;", "a", "b", True),
    ("double *a", "", "a", "table", True),
    ("double *a", "", "other", "table", False),
    ("double *a", "", "outer", "table", False),
    ("double *a", "", "pointer", "table", True),
    ("double *a", "", "pointer", "a", True),
    ("double *a, struct two *s", "", "s->u", "s->v", False),
    ("double *a, struct two *s", "", "s->u", "a", True),
    ("double *a, struct two *s", "", "s->p", "a", True),
    ("double *a, struct two *s", "", "s->q", "s->r", False),
    ("double *a, struct two *s", "", "s->q", "s->p", True),
    ("double *a, struct two *s, struct two *t", "", "s->u", "t->v", True),
    ("double *a, struct two *s", "struct two t;", "s->u", "t.u", False),
    ("double *a, union both *s", "", "s->d", "s->l", True),
    ("double *a, double **b", "", "*b", "a", True),
]


@pytest.mark.parametrize(("parameters", "begin", "first", "second", "expected"), PLACES)
def test_where_memory_comes_from(
    parameters: str, begin: str, first: str, second: str, expected: bool
) -> None:
    def use(name: str) -> str:
        return "b[i][i]" if name == "*b" else f"{name}[i]"

    text = f"""{BEFORE}
void f(int n, {parameters}) {{
  {begin}
  for (int i = 0; i < n; i++)
    {use(first)} = {use(second)} + 1;
}}"""
    assert meets(memory(text), first, second) is expected


TYPES = [
    ("double", "float", False), ("double", "int", False), ("int", "unsigned", True),
    ("int", "float", False), ("long", "long long", True), ("long", "int", False),
    ("char", "double", True), ("signed char", "int", True), ("unsigned char", "float", True),
    ("short", "int", False), ("unsigned short", "short", True), ("long double", "double", False),
    ("double", "loose", True), ("enum colour", "unsigned", True), ("bool", "int", False),
    ("std::byte", "double", True), ("std::complex<double>", "double", True),
    ("std::complex<double>", "float", False), ("double *", "long", False),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "expected"), TYPES)
def test_what_types_prove(first: str, second: str, expected: bool) -> None:
    text = f"""
#include <complex>
#include <cstddef>
enum colour : unsigned {{ RED }};
typedef int loose __attribute__((may_alias));
typedef {first} first;
typedef {second} second;
void f(int n, first *a, second *b) {{
  for (int i = 0; i < n; i++) {{
    first x{{}};
    second y{{}};
    a[i] = x;
    b[i] = y;
  }}
}}"""
    strict = memory(text, "cpp")
    assert strict.aliasing == Aliasing(strict=True, retyping=False)
    assert meets(strict, "a", "b") is expected
    for flags in ("-O2 -fno-strict-aliasing", "-O1", "-O0"):
        assert meets(memory(text, "cpp", flags), "a", "b")


def test_a_store_may_give_memory_another_type_in_c() -> None:
    text = "void f(int n, double *a, float *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }"
    found = memory(text)
    pair = MemoryReference("a", "f64"), MemoryReference("b", "f32")
    assert may_overlap(*pair, found)
    [assumed] = unproven(pair[:1], pair, found)
    assert assumed.by_type
    assert str(assumed) == "a and b do not overlap"


def test_scalars_in_memory_are_read_again_after_each_store() -> None:
    text = """double scale; int count; const double fixed = 2; struct box { double w; int n; };
void f(double *a, struct box *s, double *r) {
  double own = 1;
  for (int i = 0; i < s->n; i++) a[i] = scale * s->w * fixed * own + count + r[0];
}"""
    found = memory(text)
    assert {"scale", "count", "s->w", "s->n"} <= found.cells.keys()
    assert not {"fixed", "own", "i"} & found.cells.keys()
    store = [MemoryReference("a", "f64")]
    used = [MemoryReference(name, cell.type) for name, cell in found.cells.items()]
    assert {each.second for each in unproven(store, used, found)} == {"s->w", "scale"}


def test_memory_that_leaves_the_function_is_not_private() -> None:
    text = """#include <stdlib.h>
double *f(int n) {
  double own[9], *kept = malloc(72), *lost = malloc(72);
  for (int i = 0; i < n; i++) { own[i] = 1; kept[i] = own[i]; lost[i] = 2; }
  free(kept);
  return lost;
}"""
    found = memory(text).arrays
    assert {name: is_private(array) for name, array in found.items()} == {
        "own": True, "kept": True, "lost": False,
    }  # fmt: skip
