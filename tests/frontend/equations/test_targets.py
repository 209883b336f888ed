"""Calls and addresses of functions: through pointers, of virtual ones, and implied ones."""

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
