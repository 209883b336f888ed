"""Signatures: every form of declarator down to numbers, and what lies outside of a function."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.declared.signatures import file_signatures
from rooflint.frontend.request import Request
from rooflint.ir.signature import (
    DeclaredType,
    FixedArrayType,
    NumberType,
    OpaqueType,
    PointerType,
    RecordType,
    Signature,
    StandardVectorType,
)


def signatures(text: str, language: Language = "c") -> dict[str, Signature]:
    suffix = ".c" if language == "c" else ".cpp"
    file = file_signatures(Request(f"/code{suffix}", Flags(language), text.encode()))
    assert not file.error
    return {each.name: each for each in file.signatures}


def shape(kind: DeclaredType | None) -> str:
    """The type in a line: ``*`` a pointer, ``[n]`` an array, ``{}`` a record, ``<>`` a vector."""
    if kind is None:
        return "void"
    if isinstance(kind, NumberType):
        return f"{kind.kind[0]}{8 * kind.bytes}"
    if isinstance(kind, PointerType):
        return ("function*" if kind.function else f"{shape(kind.target)}*") + "^" * kind.leads_back
    if isinstance(kind, FixedArrayType):
        return f"{shape(kind.element)}[{kind.length or ''}]"
    if isinstance(kind, StandardVectorType):
        return f"<{shape(kind.element)}>"
    if isinstance(kind, RecordType):
        return "{" + " ".join(f"{each.name}:{shape(each.type)}" for each in kind.members) + "}"
    assert isinstance(kind, OpaqueType)
    return f"?{kind.bytes}"


C_FORMS = [
    ("int n", "i32"),
    ("unsigned char c", "i8"),
    ("_Bool b", "b8"),
    ("long double x", "f128"),
    ("enum e { A, B } e", "i32"),
    ("const double *restrict a", "f64*"),
    ("double a[10]", "f64*"),
    ("double a[3][4]", "f64[4]*"),
    ("int n, int m, double a[n][m]", "f64[]*"),
    ("int m, double (*a)[m]", "f64[]*"),
    ("double (*a)[7]", "f64[7]*"),
    ("double (*restrict a)[3][5]", "f64[5][3]*"),
    ("double **a", "f64**"),
    ("double *a[8]", "f64**"),
    ("void *a", "void*"),
    ("int (*f)(int)", "function*"),
    ("double _Complex z", "f64[2]"),
    ("struct { double x; int n[3]; } *p", "{x:f64 n:i32[3]}*"),
    ("struct s { int a : 3; float b; } s", "{b:f32}"),
    ("union { float f; int i; } u", "{f:f32}"),
    ("struct p { struct { int k; }; union { double d; long l; }; } p", "{k:i32 d:f64}"),
    ("struct list { struct list *next; int v; } *p", "{next:{next:?16*^ v:i32}*^ v:i32}*"),
    ("struct hidden *p", "?0*"),
]


@pytest.mark.parametrize(("declared", "expected"), C_FORMS)
def test_c_declarators(declared: str, expected: str) -> None:
    function = signatures(f"void f({declared}) {{}}")["f"]
    assert shape(function.parameters[-1].type) == expected


CXX_FORMS = [
    ("double &x", "f64", True),
    ("const std::vector<double> &v", "<f64>", True),
    ("std::vector<std::vector<float>> v", "<<f32>>", False),
    ("std::vector<bool> v", "?", False),
    ("std::complex<float> z", "f32[2]", False),
    ("double (&a)[4]", "f64[4]", True),
    ("Derived &d", "{x:f64 y:i32}", True),
    ("ns::Inner *p", "{z:f32}*", False),
    ("Box<double> b", "{v:f64*}", False),
    ("Kind k", "i8", False),
]


@pytest.mark.parametrize(("declared", "expected", "reference"), CXX_FORMS)
def test_cxx_declarators(declared: str, expected: str, reference: bool) -> None:
    text = (
        "#include <complex>\n#include <vector>\n"
        "struct Base { double x; };\nclass Derived : public Base { int y; };\n"
        "namespace ns { namespace { struct Inner { float z; }; } }\n"
        "template <class T> struct Box { T *v; };\nenum class Kind : char { A };\n"
        f"void f({declared}) {{}}\n"
    )
    parameter = signatures(text, "c++")["f"].parameters[-1]
    assert shape(parameter.type).startswith(expected)
    assert parameter.reference is reference


def test_names_of_functions_have_their_scopes() -> None:
    text = """
    namespace a { namespace { void f() {} } inline namespace v1 { static void g(int) {} } }
    struct S { void m() const {} static void s() {} S() {} };
    template <class T> struct Box { T v; void put(T x) { v = x; } };
    template <class T> void copy(T *a, int n) { for (int i = 0; i < n; i++) a[i] = a[0]; }
    void use(Box<float> &b, double *d) { b.put(1); copy(d, 3); }
    void later();
    """
    found = signatures(text, "c++")
    assert set(found) == {
        "a::f", "a::v1::g", "S::m", "S::s", "S::S", "Box<float>::put", "copy", "use",
    }  # fmt: skip
    assert found["S::m"].owner is not None
    assert found["S::m"].spelling == "void () const"
    assert found["S::s"].owner is None
    assert found["Box<float>::put"].template
    assert found["copy"].spelling == "void (double *, int)"
    assert not found["copy"].dependent


def test_a_template_without_an_instance_is_dependent() -> None:
    text = "template <class T> void f(T *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }"
    assert signatures(text, "c++")["f"].dependent


def test_outer_variables_and_functions_of_all_that_is_called() -> None:
    text = """
    #include <stdio.h>
    extern double table[];
    static int count = 3;
    int unset;
    const int fixed = 4;
    int unused;
    double far(double);
    static void inner(void) { static int kept; kept++; unset++; far(fixed); fputs("", stderr); }
    void f(double *a) { for (int i = 0; i < count; i++) a[i] = table[i]; inner(); }
    """
    function = signatures(text)["f"]
    outer = {each.name: each for each in function.outer}
    assert set(outer) == {"table", "count", "unset", "fixed"}
    assert not outer["table"].defined
    assert shape(outer["table"].type) == "f64[]"
    assert outer["count"].initialised
    assert outer["unset"].defined
    assert not outer["unset"].initialised
    assert outer["fixed"].const
    assert "far" in function.unseen
    assert "inner" not in function.unseen


def test_a_variable_that_is_declared_in_a_block_only() -> None:
    text = """
    extern int outside;
    void f(double *a)
    {
        extern int inside, outside;
        for (int i = 0; i < inside; i++) a[i] = outside;
    }
    """
    outer = {each.name: each.in_block for each in signatures(text)["f"].outer}
    assert outer == {"inside": True, "outside": False}


def test_loops_are_the_outermost_ones() -> None:
    text = """void f(int n, double *a)
    {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[j] += i;
        while (n)
            n--;
    }
    """
    loops = signatures(text)["f"].loops
    assert [(each.line, each.end_line) for each in loops] == [(3, 5), (6, 7)]
    assert not signatures(text)["f"].drives


def test_a_loop_that_calls_another_file_is_no_nest_where_it_has_loops_inside() -> None:
    text = """#include <math.h>
    int far(double *);
    void f(int n, double *a)
    {
        for (int r = 0; r < 100; r++) {
            for (int i = 0; i < n; i++)
                a[i] = sqrt(a[i]);
            far(a);
        }
        for (int i = 0; i < n; i++)
            far(a + i);
    }
    """
    function = signatures(text)["f"]
    assert [each.line for each in function.loops] == [6, 10]
    assert function.drives
    assert function.loop_calls == ("far",)


CASTS = """\
struct grid { int n; double *x; };
struct base { int kind; };
struct derived { int kind; double *table; };
struct option { int flag; void *next; };
struct holder { void *data; struct base *potential; };
void implicit(void *p) { struct grid *g = p; for (int i = 0; i < g->n; i++) g->x[i] = 1; }
void explicit(void *p) { ((struct grid *)(p))->x[0] = 1; }
void member(struct holder *h) { float *f = (float *)h->data; f[0] = 1; }
void larger(struct holder *h) { ((struct derived *)h->potential)->table[0] = 1; }
void list(struct option *o) { while (o->next) o = (struct option *)o->next; }
void unused(void *p, struct derived *d) { ((struct base *)d)->kind = 1; }
void local(void *p) { typedef struct { int n; } inner; ((inner *)p)->n = 1; }
void within(void *p) { struct inner { int n; }; ((struct inner *)p)->n = 1; }
void bytes(char *p) { ((double *)p)[0] = 1; }
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_pointer_to_void_has_the_type_it_is_converted_to(language: Language) -> None:
    text = CASTS if language == "c" else CASTS.replace("= p;", "= (struct grid *)p;")
    text = text.replace("explicit(", "shown(")
    found = {n: shape(s.parameters[0].type) for n, s in signatures(text, language).items()}
    grid, derived = "{n:i32 x:f64*}", "{kind:i32 table:f64*}"
    holder = f"{{data:f32* potential:{derived}*}}*"
    assert found == {
        "implicit": f"{grid}*",
        "shown": f"{grid}*",
        "member": holder,
        "larger": holder,
        "list": "{flag:i32 next:{flag:i32 next:?16*^}*^}*",
        "unused": "void*",
        "local": "void*",
        "within": "void*",
        "bytes": "i8*",
    }
