"""Calls and addresses of functions: through pointers, of virtual ones, and implied ones."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations, IntegerTerm


def read(text: str, name: str = "a.c") -> Equations:
    flags = Flags("c" if name.endswith(".c") else "c++")
    return file_equations(Request(f"/{name}", flags, text.encode()))


def called(file: Equations) -> list[tuple[str, str]]:
    return [(file.quantities[c.caller].name, file.quantities[c.callee].name) for c in file.calls]


def test_call_through_a_pointer_has_the_type_of_its_functions() -> None:
    file = read(
        "typedef int (*op)(int, double); struct s { op f; };"
        "int f(op a, struct s *b, op c[3]) { return a(1, 2.) + b->f(1, 2.) + c[1](1, 2.); }"
    )
    assert [call.signature for call in file.pointer_calls] == ["int (int, double)"] * 3
    assert not file.calls


def test_addresses_of_functions() -> None:
    file = read(
        "int g(int); int h(int); int k(int); struct s { int (*f)(int); int n; };"
        "static struct s table[2] = {{g, 1}, {&h, 2}};"
        "int f(int (*p)(int)) { p = &k; return p(1) + g(2); }"
    )
    taken = [(file.quantities[a.function].name, a.caller >= 0) for a in file.addresses]
    assert taken == [("g", False), ("h", False), ("k", True)]
    assert {each.signature for each in file.addresses} == {"int (int)"}


FLOWS = [
    ("assignment", "void f(int (*p)(int)) { p = g; p = &h; p = (op)k; }", "f#0: g h k"),
    ("copy of a copy", "op w; void f(op *p) { op q = w; w = p[2]; *p = q; }",
     "q: w, w: f#0, f#0: q"),
    ("member", "struct s { op f; }; void f(struct s *a, struct s b) { a->f = g; b.f = h; }",
     "f: g h"),
    ("argument", "void e(op p, int n); void f(op q) { e(q, 1); e(c ? g : h, c); }",
     "e#0: f#0 g h"),
    ("result", "op e(void) { return c ? g : 0; } void f(void) { op q = e(); }", "e(): g, q: e()"),
    ("array", "op t[] = {g, &h, [4] = k};", "t: g h k"),
    ("array of arrays", "op t[2][2] = {{g, h}, {k, g}};", "t: g h k g"),
    ("table of objects", "struct s { int n; op f; } t[] = {{1, g}, {2, h}};", "f: g h"),
    ("members by name", "struct s { op a, b, c; } t = {.b = g, h, .a = k};",
     "b: g, c: h, a: k"),
    ("member of a member", "struct s { op a; int n; }; struct r { int m; struct s i; op b; };"
     "struct r t = {.i.a = g, .b = h}, u = {1, {g, 2}, k};", "a: g, b: h, a: g, b: k"),
    ("no pointers", "struct s { int n; int *p; } t = {1, 0}; void f(int *q) { q = t.p; e2(q); }",
     ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [f[1:] for f in FLOWS], ids=[f[0] for f in FLOWS])
def test_flows_of_pointers(text: str, expected: str) -> None:
    """What gets a pointer to functions, and from where: each in the order of the file."""
    declared = "typedef int (*op)(int); int g(int), h(int), k(int), c; void e2(int *);"
    flows = read(f"{declared} {text}").pointer_flows
    found: list[tuple[str, str]] = [(short(each.holder), short(each.source)) for each in flows]
    wanted = [
        (holder, source)
        for part in expected.split(", ")
        if part
        for holder, sources in [part.split(": ")]
        for source in sources.split()
    ]
    assert sorted(found) == sorted(wanted)


def short(key: str) -> str:
    """The last name of a key of clang."""
    return [part for part in key.split("@") if not part.isdigit()][-1]


def test_flows_by_a_constructor() -> None:
    text = "struct A { void (*f)(); A(void (*p)()) : f(p) { } }; void g(); void h() { A a(g); }"
    flows = read(text, "a.cpp").pointer_flows
    assert [each.source for each in flows] == [flows[1].holder, flows[1].source]
    assert short(flows[0].holder) == "f"


def test_function_that_is_an_argument() -> None:
    file = read(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));"
        "int less(const void *, const void *); void f(int *a) { qsort(a, 40, 4, less); }"
    )
    (address,) = file.addresses
    assert file.quantities[address.receiver].name == "qsort"
    assert address.count == IntegerTerm(40)


CLASSES = """
struct A { A(); virtual ~A(); virtual int n(); };
struct B : A { int n() override { return 1; } };
struct C : B { ~C() { } int n() { return 2; } };
int f(A *a) { return a->n(); }
void g() { C c; A *a = new C; delete a; }
void operator+=(A &, int) { }
void h(A &a) { a += 1; }
"""


def test_functions_of_classes() -> None:
    file = read(CLASSES, "a.cpp")
    overrides = {
        file.quantities[each.result].key: [file.quantities[o].key for o in each.overrides]
        for each in file.functions
        if file.quantities[each.result].name == "n"
    }
    assert [len(each) for each in overrides.values()] == [1, 2]  # those of distant bases too
    of_b, of_c = overrides
    assert of_b in overrides[of_c]
    assert ("f", "n") in called(file)
    assert ("g", "~C") in called(file)  # the end of c
    assert ("g", "~A") in called(file)  # delete
    assert ("g", "C") not in called(file)  # no class declares it
    assert ("h", "operator+=") in called(file)


def test_name_of_a_called_function_is_no_address() -> None:
    assert not read("int g(int); int f(void) { return g(1) + (g)(2); }").addresses
