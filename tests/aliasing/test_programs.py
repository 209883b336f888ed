"""Sixty programs whose pointers may overlap, through ``lint --fix``: the outputs stay equal.

Every program has two loops that stream one array, which RL104 would fuse. Where the other two
pointers may overlap, that changes what comes out, so the fix may not be called safe; it is offered
all the same, with what it assumes.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

ELEMENTS = {
    "char": "b", "signed char": "b", "unsigned char": "B", "short": "h", "int": "i",
    "unsigned": "I", "long": "q", "long long": "q", "int64_t": "q", "uint32_t": "I",
    "float": "f", "double": "d", "enum colour": "I", "aint": "i",
}  # fmt: skip
CHARACTERS = {"char", "signed char", "unsigned char"}
DECLARED = """#include <stdint.h>
enum colour { RED, GREEN };
typedef int __attribute__((may_alias)) aint;
struct pair { double x; int k; };
struct holder { int n; int k; double d[500]; };
union both { double d[500]; long long l[500]; };
"""
N, SHARED, BYTES = 37, 2048, 4096
"""Elements that a call walks, where the array lies that both loops read, and bytes of all."""


class Program(NamedTuple):
    """``first`` is written by the first loop, ``second`` is read by the next, element i + 1.

    apart   what keeps them apart: "" (nothing), "restrict" or "types"
    """

    first: str
    second: str
    flags: str = "-O3"
    language: str = "c"
    apart: str = ""
    qualifier: str = ""

    @property
    def by_type(self) -> bool:
        """Whether accesses of the two types to one object are undefined."""
        sizes = {struct.calcsize(ELEMENTS[each]) for each in (self.first, self.second)}
        floats = {ELEMENTS[each] in "fd" for each in (self.first, self.second)}
        same = len(sizes) == len(floats) == 1
        names = {self.first, self.second}
        longs = names in ({"long", "long long"}, {"int64_t", "long long"})
        loose = names & CHARACTERS or "aint" in names or "no-strict" in self.flags
        return not loose and (not same or longs)


def programs() -> Iterator[Program]:
    pairs = [
        ("int", "unsigned"), ("unsigned", "int"), ("int", "int"), ("double", "double"),
        ("float", "float"), ("double", "char"), ("double", "unsigned char"), ("char", "double"),
        ("short", "signed char"), ("long", "long long"), ("int64_t", "long"),
        ("int", "enum colour"), ("unsigned", "enum colour"), ("uint32_t", "int"),
    ]  # fmt: skip
    for first, second in pairs:
        yield Program(first, second)
    loose = (("float", "double"), ("int", "float"), ("unsigned", "double"), ("short", "int"))
    for first, second in loose:
        yield Program(first, second)
        yield Program(first, second, "-O3 -fno-strict-aliasing")
        yield Program(first, second, "-O3 -fno-strict-aliasing", "c++")
        yield Program(first, second, "-O3", "c++")
    for first, second in (("double", "char"), ("int", "unsigned"), ("double", "double")):
        yield Program(first, second, "-O1")
        yield Program(first, second, "-O2", "c++")
        yield Program(first, second, "-O3", "c++")
        yield Program(first, second, "-O3 -fno-strict-aliasing", qualifier="volatile")
        yield Program(first, second, "-O3", apart="restrict")
        yield Program(first, second, "-O1 -fno-strict-aliasing")
        yield Program(first, second, "-O3", qualifier="aligned")
    yield Program("aint", "float")
    yield Program("aint", "double", "-O3", "c++")
    yield Program("float", "aint", "-O3", "c++")
    for first in ("float", "long long", "short", "unsigned char"):
        yield Program(first, first, "-O3", "c++")
        yield Program(first, first, "-O3", apart="restrict")


PROGRAMS = tuple(dict.fromkeys(programs()))
GROUPS = sorted({(each.language, each.flags) for each in PROGRAMS})


def text_of(number: int, program: Program) -> str:
    cpp = program.language == "c++"
    word = "__restrict" if cpp else "restrict"
    own = f"{word} " if program.apart == "restrict" else ""
    volatile = "volatile " if program.qualifier == "volatile" else ""
    real = ELEMENTS[program.first] in "fd" or ELEMENTS[program.second] not in "fd"
    value = "b[i + 1]" if real else "(b[i + 1] > 0)"  # no conversion of huge reals to integers
    result = "enum colour" if program.first == "enum colour" else program.first
    whole = "" if ELEMENTS[program.first] in "fd" else "(int)"
    target = "double" if ELEMENTS[program.second] in "fd" else "int"
    linkage = 'extern "C" ' if cpp else ""
    return f"""
{linkage}void k{number}(int n, {volatile}{result} *{own}a, const {volatile}{program.second} *{own}b,
    const double *{word} x, {target} *{word} c) {{
  // rooflint: n=20000000
  for (int i = 0; i < n; i++)
    a[i] = ({result}){whole}(x[i] + 1);
  for (int i = 0; i < n; i++)
    c[i] = ({target})x[i] + {value};
}}
"""


def contents(kind: str) -> bytes:
    """Small numbers of a type, all positive."""
    size = struct.calcsize(kind)
    count = SHARED // size
    numbers = [3 + 7 * k % 101 for k in range(count)]
    return struct.pack(f"{count}{kind}", *numbers)


def layouts(program: Program) -> Iterator[tuple[int, int]]:
    """Offsets of both pointers: apart, and where the language allows it, on one another."""
    yield 0, 1024
    yield 1024, 0
    if program.by_type or program.apart:
        return
    step = max(struct.calcsize(ELEMENTS[each]) for each in (program.first, program.second))
    for shift in (0, step, -step, 4 * step, N // 2 * step):
        yield 256, 256 + shift


def test_there_are_sixty() -> None:
    assert len(PROGRAMS) >= 60
    assert sum(not (each.by_type or each.apart) for each in PROGRAMS) >= 40


@pytest.mark.long
@pytest.mark.parametrize(("language", "flags"), GROUPS)
def test_outputs_stay_equal(fixed: Callable[..., Any], language: str, flags: str) -> None:
    numbered = [
        (number, each)
        for number, each in enumerate(PROGRAMS)
        if (each.language, each.flags) == (language, flags)
    ]
    text = DECLARED + "".join(text_of(*each) for each in numbered)
    result = fixed(language, text, flags)
    for number, program in numbered:
        name = f"k{number}"
        shared = struct.pack(f"{N}d", *[k * k % 50 + 1 for k in range(N)])
        memory = (contents(ELEMENTS[program.second]) + shared).ljust(BYTES, b"\0")
        for first, second in layouts(program):
            before, after = result.call(name, N, memory, (first, second, SHARED, SHARED + N * 8))
            assert before == after, (program, first, second)
        fixes = [each["fix"] for each in result.findings.get(name, []) if each["code"] == "RL104"]
        if program.qualifier == "volatile":
            assert not fixes
        else:
            [fix] = fixes
            assert fix["safety"] == ("safe" if proven(program) else "unsafe"), program


def proven(program: Program) -> bool:
    """Whether the fusion keeps every bit, whatever is called with whatever.

    C lets memory that was read as one type be written as another afterwards.
    """
    return program.apart == "restrict" or (
        program.by_type and program.language == "c++" and "-O1" not in program.flags
    )


def test_an_unproven_fix_says_what_it_assumes(fixed: Callable[..., Any]) -> None:
    result = fixed("c", DECLARED + text_of(0, Program("int", "unsigned")), "-O3")
    [finding] = [each for each in result.findings["k0"] if each["code"] == "RL104"]
    assert finding["fix"]["edits"]
    assert "a and b do not overlap" in finding["assumptions"]


def test_memory_may_be_read_as_one_type_and_then_written_as_another(
    fixed: Callable[..., Any],
) -> None:
    """C17 6.5 paragraph 6: a store gives allocated memory its type."""
    text = """
void k0(int n, double *a, const float *b, const int *restrict x, float *restrict c) {
  // rooflint: n=20000000
  for (int i = 0; i < n; i++)
    c[i] = x[i] + b[i + 1];
  for (int i = 0; i < n; i++)
    a[i] = x[i];
}
"""
    result = fixed("c", text, "-O2")
    shared = struct.pack(f"{N}i", *range(N))
    memory = (contents("f") + shared).ljust(BYTES, b"\0")
    before, after = result.call("k0", N, memory, (0, 0, SHARED, SHARED + N * 4 + 4))
    assert before == after


ORIGINS = {
    "two pointers of the file": (
        "double *g, *h;\n", "double *a", "g[i] = x[i];", "h[i + 1]",
    ),
    "a pointer of the file": (
        "double *g;\nvoid set(int n, double *p) { g = p; }\n",
        "double *a", "g[i] = x[i];", "a[i + 1]",
    ),
    "what a call returned": (
        "static double *id(double *p) { return p; }\ndouble *(*same)(double *p) = id;\n",
        "double *a", "a[i] = x[i];", "q[i + 1]",
    ),
    "a pointer in a record": (
        "struct view { double *v; };\n", "double *a", "a[i] = x[i];", "s.v[i + 1]",
    ),
    "a member and a pointer to its type": (
        "", "struct holder *p, double *a", "p->d[i] = x[i];", "a[i + 1]",
    ),
    "members of a union": (
        "", "union both *u", "u->d[i] = x[i];", "u->l[i + 1]",
    ),
    "records and pointers to a member": (
        "", "struct pair *p, int *a", "p[i].k = x[i];", "a[i + 1]",
    ),
    "a scalar of the file": (
        "double s = 1;\n", "double *a", "a[i] = x[i];", "s",
    ),
    "a scalar in a record": (
        "", "struct holder *p, int *a", "a[i] = x[i];", "p->k",
    ),
    "one of two pointers": (
        "", "double *a, double *b", "k[i] = x[i];", "a[i + 1]",
    ),
    "rows behind pointers": (
        "", "double **r", "r[0][i] = x[i];", "r[1][i + 1]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("origin", ORIGINS)
def test_pointers_of_any_origin_may_overlap(fixed: Callable[..., Any], origin: str) -> None:
    before, parameters, first, second = ORIGINS[origin]
    locals_ = {
        "what a call returned": "  double *q = same(a);\n",
        "a pointer in a record": "  struct view s = {a};\n  touch(&s);\n",
        "one of two pointers": "  double *k = n > 3 ? a : b;\n",
    }.get(origin, "")
    hidden = "static void touch(struct view *s);\n" if "touch" in locals_ else ""
    behind = "static void touch(struct view *s) { (void)s; }\n" if hidden else ""
    text = f"""{DECLARED}{before}{hidden}
void k0(int n, const double *restrict x, double *restrict c, {parameters}) {{
  // rooflint: n=20000000
{locals_}  for (int i = 0; i < n; i++)
    {first}
  for (int i = 0; i < n; i++)
    c[i] = x[i] + {second};
}}
{behind}"""
    result = fixed("c", text, "-O3")
    [finding] = [each for each in result.findings["k0"] if each["code"] == "RL104"]
    assert finding["fix"]["safety"] == "unsafe", finding
    assert any("do not overlap" in each for each in finding["assumptions"])
