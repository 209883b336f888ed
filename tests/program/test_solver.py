"""Sizes over whole programs: each kind of equation, cycles, limits, and the order of files."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.value import PossibleValues


def equations(name: str, text: str) -> Equations:
    flags = Flags("c") if name.endswith(".c") else Flags("c++")
    return file_equations(Request(f"/{name}", flags, text.encode()))


def solved(files: Mapping[str, str]) -> list[PossibleValues]:
    """Trip counts of all loops, in the order of the files' names and of their loops."""
    program = link_files([equations(name, text) for name, text in files.items()])
    solver = ProgramSolver(program)
    return [solver.trips(loop) for loop in program.loops]


def only(text: str, name: str = "a.c") -> PossibleValues:
    (trips,) = solved({name: text})
    return trips


LOOP = "for (int i = 0; i < n; ++i) a[i] = 0;"

EXACT = [
    ("literal", "void f(int *a) { for (int i = 0; i < 24; ++i) a[i] = 0; }", 24),
    ("macro", "#define N 0x20\nvoid f(int *a) { for (int i = 0; i < N; ++i) a[i] = 0; }", 32),
    ("enumerator", "enum { N = 7 }; void f(int *a) { for (int i = 0; i < N; ++i) a[i] = 0; }", 7),
    ("sizeof", "void f(int *a) { for (int i = 0; i < sizeof(double); ++i) a[i] = 0; }", 8),
    ("constant variable", f"static const int n = 9; void f(int *a) {{ {LOOP} }}", 9),
    ("argument", f"static void f(int *a, int n) {{ {LOOP} }} void g(int *a) {{ f(a, 40); }}", 40),
    ("chain", f"static void f(int *a, int n) {{ {LOOP} }} static void h(int *a, int m)"
     " { f(a, m * m); } void g(int *a) { h(a, 6); }", 36),
    ("result", f"static int two(void) {{ return 2; }} void f(int *a) {{ int n = 1 + two();{LOOP}}}",
     3),
    ("member", "struct s { int n; }; static struct s o; void g(void) { o.n = 11; }"
     " void f(struct s *p, int *a) { for (int i = 0; i < p->n; ++i) a[i] = 0; }", 11),
    ("element", "int d[2]; void g(void) { d[1] = 13; }"
     " void f(int *a) { for (int i = 0; i < d[1]; ++i) a[i] = 0; }", 13),
    ("initialised element", "static int d[2] = {3, 5};"
     " void f(int *a) { for (int i = 0; i < d[1]; ++i) a[i] = 0; }", 5),
    ("target", f"static void get(int *p) {{ *p = 17; }} void f(int *a) {{ int n; get(&n);{LOOP}}}",
     17),
    ("passed target", "static void get(int *p) { *p = 17; } static void via(int *q) { get(q); }"
     f" void f(int *a) {{ int n; via(&n); {LOOP} }}", 17),
    ("read target", "static void f(int *a, int *p) { for (int i = 0; i < *p; ++i) a[i] = 0; }"
     " void g(int *a) { int n = 19; f(a, &n); }", 19),
    ("inclusive", "void f(int *a) { for (int i = 1; i <= 10; i++) a[i] = 0; }", 10),
    ("step", "void f(int *a) { for (int i = 0; i < 10; i += 4) a[i] = 0; }", 3),
    ("downwards", "void f(int *a) { for (int i = 9; i >= 0; --i) a[i] = 0; }", 10),
    ("turned", "void f(int *a) { for (int i = 0; 10 > i; i = i + 2) a[i] = 0; }", 5),
    ("declared before", "void f(int *a) { int i; for (i = 2; i != 6; i++) a[i] = 0; }", 4),
    ("correlated ends", "static void f(int *a, int b) { for (int i = b; i < b + 4; ++i) a[i] = 0; }"
     " void g(int *a) { f(a, 3); f(a, 900); }", 4),
    ("C division", "void f(int *a) { int n = 4 + -7 / 2; for (int i = 0; i < n; i++) a[i] = 0; }",
     1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "trips"), [case[1:] for case in EXACT], ids=[c[0] for c in EXACT])
def test_one_value(text: str, trips: int) -> None:
    value = only(text)
    assert value.constants == {trips}
    assert value.exact
    assert value.typical == trips


CPP = [
    ("accessor", "struct D { int m; int& n() { return m; } }; void set(D& d) { d.n() = 21; }"
     " void f(D& d, int *a) { for (int i = 0; i < d.n(); ++i) a[i] = 0; }", 21),
    ("constructor", "struct D { int m; D(int k) : m(k * 2) {} }; void g() { D d(8); }"
     " void f(D& d, int *a) { for (int i = 0; i < d.m; ++i) a[i] = 0; }", 16),
    ("new", "struct D { int m; D(int k) { m = k; } }; void g() { D *d = new D(8); }"
     " void f(D& d, int *a) { for (int i = 0; i < d.m; ++i) a[i] = 0; }", 8),
    ("member's own value", "struct D { int m = 23; };"
     " void f(D& d, int *a) { for (int i = 0; i < d.m; ++i) a[i] = 0; }", 23),
    ("reference", "static void get(int &r) { r = 25; }"
     f" void f(int *a) {{ int n; get(n); {LOOP} }}", 25),
    ("template", "template <class T> void f(T *a, int n) { for (int i = 0; i < n; ++i) a[i] = 0; }"
     " void g(float *a, double *b) { f(a, 27); f(b, 27); }", 27),
]  # fmt: skip


@pytest.mark.parametrize(("text", "trips"), [case[1:] for case in CPP], ids=[c[0] for c in CPP])
def test_one_value_in_cpp(text: str, trips: int) -> None:
    assert only(text, "a.cpp") == PossibleValues(frozenset((trips,)), frozenset(), trips)


ROWS = "int d[4][2], m[4]; void g(int k) { for (int j = 0; j < 4; j++) d[j][1] = 14;"


@pytest.mark.parametrize("value", ["d[k][0]", "m[k] = 0; n = m[k]"])
def test_elements_of_arrays_of_any_rank_have_values(value: str) -> None:
    text = f"{ROWS} for (int j = 0; j < 4; j++) m[j] = d[j][0]; }}"
    last = solved({"a.c": f"{text} void f(int *a, int k) {{ int n; n = {value}; {LOOP} }}"})[-1]
    assert 14 in last.constants
    assert last.unknown == {"memory"}


@pytest.mark.parametrize(
    ("end", "least"),
    [("2147483647", 0), ("2147483648u", 0), ("2147483645", 2147483645), ("0xffffffffu", 0)],
)
def test_the_largest_number_of_a_type_is_no_size(end: str, least: int) -> None:
    value = only(f"void f(int *a) {{ unsigned n = {end}; {LOOP} }}")
    assert value.least_size == least
    assert value.tells_trips == value.tells_value == bool(least)


def test_a_size_counts_beside_a_number_that_means_no_limit() -> None:
    text = f"void f(int *a, int n) {{ {LOOP} }} void g(int *a) {{ f(a, 0x7fffffff); f(a, 8); }}"
    assert only(text).typical == 8


UNKNOWN = [
    ("external caller", f"void f(int *a, int n) {{ {LOOP} }}", set(), "external-caller"),
    ("input of main", "int main(int n, char **v) { int a[9]; " + LOOP + "}", set(), "input"),
    ("read", 'int scanf(const char *, ...); void f(int *a) { int n = 5; scanf("%d", &n);' + LOOP
     + "}", {5}, "input"),
    ("counter", f"int n = 6; void g(void) {{ n++; }} void f(int *a) {{ {LOOP} }}", {6}, "counter"),
    ("written step", f"int n = 6; void g(void) {{ n = n + 1; }} void f(int *a) {{ {LOOP} }}", {6},
     "counter"),
    ("only counted", f"int n = 0; void g(void) {{ n = n + 1; }} void f(int *a) {{ {LOOP} }}", set(),
     "counter"),
    ("compound", f"int n = 6; void g(void) {{ n += 2; }} void f(int *a) {{ {LOOP} }}", {6},
     "counter"),
    ("address", f"int n = 6; int *g(void) {{ return &n; }} void f(int *a) {{ {LOOP} }}", {6},
     "address-taken"),
    ("memory", f"void f(int *a, int *b, int k) {{ int n = b[k]; {LOOP} }}", set(), "memory"),
    ("unresolved call", f"int g(void); void f(int *a) {{ int n = g(); {LOOP} }}", set(),
     "unresolved-call"),
    ("division by zero", f"void f(int *a) {{ int n = 4 / 0; {LOOP} }}", set(), "unmodelled"),
    ("overflow", f"void f(int *a) {{ long n = 1l << 41; {LOOP} }}", set(), "overflow"),
    ("no bound", "void f(int *a) { while (*a) a++; }", set(), "unmodelled"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "constants", "source"), [case[1:] for case in UNKNOWN], ids=[c[0] for c in UNKNOWN]
)
def test_reasons_for_unknown_keep_the_constants(
    text: str, constants: set[int], source: str
) -> None:
    value = only(text)
    assert value.constants == constants
    assert source in value.unknown
    assert not value.exact


def test_largest_size_is_no_overflow() -> None:
    assert only(f"void f(int *a) {{ long n = 1l << 40; {LOOP} }}").constants == {2**40}


def calls(count: int) -> str:
    passed = "".join(f"f(a, {number});" for number in range(1, count + 1))
    return f"static void f(int *a, int n) {{ {LOOP} }} void g(int *a) {{ {passed} }}"


def test_twelve_constants_are_kept() -> None:
    value = only(calls(12))
    assert value.constants == frozenset(range(1, 13))
    assert value.typical == 7  # of 6 and 7 in the middle the larger one
    assert not value.unknown


def test_thirteen_constants_are_too_many() -> None:
    value = only(calls(13))
    assert not value.constants
    assert value.unknown == {"too-many-values"}


def test_triangular_nest() -> None:
    # the middle of 0 .. 100 is 50
    outer, inner = solved(
        {"a.c": "void f(int *a) { for (int i = 0; i < 100; ++i)"
         " for (int j = 0; j < i; ++j) a[j] = 0; }"}
    )  # fmt: skip
    assert (outer.typical, inner.typical) == (100, 50)


def test_index_behind_its_loop_is_a_counter() -> None:
    text = "void f(int *a) { int i; for (i = 0; i < 9; ++i) a[i] = 0; while (i < 3) a[i] = 1; }"
    assert [value.constants for value in solved({"a.c": text})] == [{9}, set()]


def test_copies_in_a_cycle() -> None:
    # n and m are each given to the other; 4 is all that comes from outside
    text = f"int n = 4, m; void g(void) {{ m = n; n = m; }} void f(int *a) {{ {LOOP} }}"
    assert only(text) == PossibleValues(frozenset((4,)), frozenset(), 4)


def test_recursion_contributes_nothing_to_a_value_from_outside() -> None:
    text = f"static void f(int *a, int n) {{ {LOOP} f(a, n / 2); }} void g(int *a) {{ f(a, 64); }}"
    assert only(text) == PossibleValues(frozenset((64,)), frozenset(("counter",)), 64)


def test_quantity_computed_in_a_cycle_has_one_step_of_it() -> None:
    # grids of 16 and below: the coarse one is half of the fine one, and the fine one is not changed
    text = (
        "struct grid { int n; }; static void make(struct grid *g, int n) { g->n = n; }"
        "static void coarsen(struct grid *f, struct grid *c, int *a) { int n = f->n / 2; make(c,n);"
        f"{LOOP} }} void g(struct grid *f, struct grid *c, int *a)"
        "{ make(f, 16); coarsen(f, c, a); }"
    )
    value = only(text)
    assert value.typical == 8
    assert value.constants <= {4, 8}


def test_sizes_that_vary_together() -> None:
    # typical sizes first: the median of all products would be 8 * 16
    text = (
        "static void f(int *a, int k, int m) { for (int i = 0; i < k * m; ++i) a[i] = 0; }"
        "void g(int *a) { f(a, 16, 16); f(a, 8, 8); }"
    )
    assert only(text) == PossibleValues(frozenset((64, 128, 256)), frozenset(), 256)


FILES = {
    "a.cpp": "#pragma once\nstruct D { int m; int& n(); }; struct O { int nx; };"
    "void run(D& d, int *a); void parse(O *o);\n"
    "int main() { O o; o.nx = 30; parse(&o); D d; int k = o.nx; d.n() = k * k * k; run(d, 0); }",
    "b.cpp": "struct D { int m; int& n(); }; int& D::n() { return m; }"
    "static int size(D& d) { return d.n(); }"
    "void run(D& d, int *a) { for (int i = 0; i < size(d); ++i) a[i] = 0; }",
    "c.cpp": "struct O { int nx; }; int atoi(const char *); void read(int *p) { *p = atoi(0); }"
    "void parse(O *o) { read(&o->nx); }",
}


@given(st.permutations(sorted(FILES)))
def test_order_of_files_changes_no_value(order: list[str]) -> None:
    (trips,) = solved({name: FILES[name] for name in order})
    assert trips == PossibleValues(frozenset((27_000,)), frozenset(("unresolved-call",)), 27_000)


def test_static_functions_of_one_name_are_two() -> None:
    files = {
        f"{name}/u.c": f"static void f(int *a, int n) {{ {LOOP} }} void {name}(int *a)"
        f" {{ f(a, {size}); }}"
        for name, size in (("p", 3), ("q", 5))
    }
    assert [value.constants for value in solved(files)] == [{3}, {5}]
