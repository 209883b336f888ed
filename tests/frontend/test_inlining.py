"""Which calls remain calls in the IR."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Arithmetic, Call, Function, Load, Statement, walk

LOOP = "for (int i = 1; i < n; i++)"


def only(text: str, language: Language = "c") -> Function:
    unit = extract(Request("/nowhere/a", Flags(language), text.encode()))
    assert not unit.refusals
    return unit.functions[-1].function


@pytest.mark.parametrize(
    "declaration",
    [
        "__attribute__((noinline)) static double half(double x)",
        "[[gnu::noinline]] double half(double x)",
    ],
)
def test_a_function_that_may_not_be_inlined_stays_a_call(declaration: str) -> None:
    loop = "void f(int n, double *y) { for (int i = 0; i < n; i++) y[i] = half(y[i]); }"
    function = only(f"{declaration} {{ return 0.5 * x; }}\n{loop}", "c++")
    assert "half" in calls(function)
    assert calls(only(f"static double half(double x) {{ return 0.5 * x; }}\n{loop}", "c++")) == []
    # another attribute forbids nothing
    other = "__attribute__((always_inline)) static inline double half(double x)"
    assert calls(only(f"{other} {{ return 0.5 * x; }}\n{loop}", "c++")) == []


SEVERAL = [
    ("two paths", "if (a > b) return a; else return b;", []),
    ("what follows", "if (a > b) return a; b = b * a; return b;", []),
    ("guard before", "if (a < 0) { b = -b; return b; } int c = a * b; return c + 1;", []),
    ("chain", "if (a < 0) return b; else if (a < 9) return a * b; return 2 * b;", []),
    ("one side", "if (a < 0) b = 1; else { if (b < 0) return a; return b; } return b;", []),
    ("some cases of a path", "if (a < 0) { if (b < 0) return a; b++; } return b;", ["g"]),
    ("return in a loop", "for (int k = 0; k < a; k++) if (k * k > b) return k; return b;", ["g"]),
    ("jump", "if (a < 0) goto end; return b; end: return a;", ["g"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "left"), [c[1:] for c in SEVERAL], ids=[c[0] for c in SEVERAL])
@pytest.mark.parametrize("type_", ["int", "double"])
def test_several_returns(body: str, left: list[str], type_: str) -> None:
    """Each gives the same scalar, and nothing behind one runs after it."""
    callee = f"static {type_} g({type_} a, {type_} b) {{ {body} }}"
    loop = "x[i] = g(x[i - 1], y[i]);"
    function = only(f"{callee} void f({type_} *x, {type_} *y, int n) {{ {LOOP} {loop} }}")
    assert calls(function) == left


def test_a_return_without_a_value_ends_a_body_early() -> None:
    callee = "static void g(double *p) { if (*p < 0) return; *p = 1 / *p; }"
    assert calls(only(f"{callee} void f(double *x, int n) {{ {LOOP} g(&x[i]); }}")) == []


def test_a_conversion_to_the_type_of_a_template_is_no_call() -> None:
    text = "template <typename T> void f(int n, T *y) {{ for (int i = 0; i < n; i++) y[i] = {}; }}"
    assert calls(only(text.format("T(0.3) * y[i]"), "c++")) == []
    # what is called may be anything here
    passed = "template <typename T, typename F> void f(int n, T *y, F g) {{ {} }}"
    assert calls(only(passed.format("for (int i = 0; i < n; i++) y[i] = g();"), "c++")) != []


def calls(function: Function) -> list[str]:
    return [node.name for node in walk(function.body) if isinstance(node, Call)]


@pytest.mark.parametrize(
    "body",
    [
        "static const unsigned t[3] = {9, 1, 2}; return t[*h & 1];",
        "unsigned t[2] = {1, 2}; return t[*h & 1];",
        "return *h & 1;",
    ],
)
def test_what_stands_before_a_call_with_a_table_is_kept(body: str) -> None:
    """``5 * *p`` is computed before the initialisers of the table, which no loop runs."""
    callee = f"static unsigned g(const unsigned char *h) {{ {body} }}"
    loop = "x[i] = 5 * p[i - 1] / g(p + i);"
    function = only(f"{callee} void f(int *x, const unsigned char *p, int n) {{ {LOOP} {loop} }}")
    (statement,) = [node for node in walk(function.body) if isinstance(node, Statement)]
    operations = [each.op for each in statement.values if isinstance(each, Arithmetic)]
    assert (operations.count("mul"), operations.count("div")) == (1, 1)


def test_what_stands_before_an_algorithm_is_kept() -> None:
    text = (
        "#include <numeric>\n#include <vector>\n"
        "void f(std::vector<double> &v, double *x, double *y, int n) {"
        f" {LOOP} x[i] = y[i] * std::accumulate(v.begin(), v.end(), 0.0); }}"
    )
    loads = [
        node.accesses[value.access].array
        for node in walk(only(text, "c++").body)
        if isinstance(node, Statement)
        for value in node.values
        if isinstance(value, Load)
    ]
    assert len(set(loads)) == 2
