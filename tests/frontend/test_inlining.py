"""Which calls remain calls in the IR."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Call, Function, walk


def only(text: str, language: Language = "c") -> Function:
    unit = extract(Request("/nowhere/a", Flags(language), text.encode()))
    assert not unit.refusals
    (found,) = unit.functions
    return found.function


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


def test_a_conversion_to_the_type_of_a_template_is_no_call() -> None:
    text = "template <typename T> void f(int n, T *y) {{ for (int i = 0; i < n; i++) y[i] = {}; }}"
    assert calls(only(text.format("T(0.3) * y[i]"), "c++")) == []
    # what is called may be anything here
    passed = "template <typename T, typename F> void f(int n, T *y, F g) {{ {} }}"
    assert calls(only(passed.format("for (int i = 0; i < n; i++) y[i] = g();"), "c++")) != []


def calls(function: Function) -> list[str]:
    return [node.name for node in walk(function.body) if isinstance(node, Call)]
