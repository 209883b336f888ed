"""Integers that a loop computes: which of them keep its iterations in their order."""

from collections.abc import Callable

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.ir.text import definition_text
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal, Result

C, CPP = Flags("c"), Flags("c++")
Change = Callable[[Function], Result]


def lowered(text: str, flags: Flags = C) -> Function:
    path = "/a.cpp" if flags is CPP else "/a.c"
    return extract(Request(path, flags, text.encode())).functions[0].function


def nest(body: str, before: str = "", behind: str = "", header: str = "int i = 0") -> Function:
    return lowered(
        "int f(double (*restrict a)[64], double *restrict b, const int *restrict c, int n) {\n"
        f"{before} for ({header}; i < n; i++) for (int j = 0; j < n; j++) {{ {body} }} {behind} }}"
    )


def reason(result: Result) -> str:
    return result.reason if isinstance(result, ChangeRefusal) else ""


def swapped(function: Function) -> Result:
    return transform.interchange(function, "i", ("j", "i"))


@pytest.mark.parametrize(
    ("before", "body", "behind", "why"),
    [
        # set in each iteration, and nobody reads what the last one leaves
        ("int k;", "k = i + j; a[i][j] = k;", "return 0;", ""),
        ("", "int k = i + j; a[i][j] = k;", "return 0;", ""),
        ("unsigned char k;", "k = i; a[i][j] = k;", "return 0;", ""),
        # read behind the loop: returned, handed to a call, in a subscript, in an assignment
        ("int k = 0;", "k = i + j; a[i][j] = k;", "return k;", "k is used after the loop"),
        ("int k = 0;", "k = i + j; a[i][j] = k;", "g(k); return 0;", "k is used after the loop"),
        (
            "int k = 0;",
            "k = i + j; a[i][j] = k;",
            "b[k] = 0; return 0;",
            "k is used after the loop",
        ),
        (
            "int k = 0;",
            "k = i + j; a[i][j] = k;",
            "int m = k + 1; b[m] = 0; return 0;",
            "k is used after the loop",
        ),
        ("unsigned k = 0;", "k = i; a[i][j] = k;", "return k;", "k is used after the loop"),
        # set anew before it is read
        ("int k;", "k = i + j; a[i][j] = k;", "k = 3; b[k] = 0; return k;", ""),
        # an induction of its own is known behind the loop
        ("int k = 0;", "k += 3; a[i][j] = 1;", "return k;", ""),
        # set on one branch only
        (
            "int k = 0;",
            "if (c[i]) k = j; a[i][j] = 1;",
            "return k;",
            "k may be set in a branch of the loop",
        ),
        ("int k = 0;", "if (c[i]) k = j; a[i][j] = 1;", "return 0;", ""),
        (
            "int k = 0;",
            "if (c[i]) k++; a[i][j] = 1;",
            "return 0;",
            "k changes in a way that is not modelled",
        ),
        # the condition that decides is in no node, so that nobody knows what it reads
        (
            "int k = 0;",
            "int l = 0; if (k > 3) l = 1; a[i][j] = c[l]; k = i;",
            "return 0;",
            "k changes in a way that is not modelled",
        ),
        (
            "",
            "int l = 0; if (i > 3) l = 1; a[i][j] = c[l];",
            "return 0;",
            "l changes in a way that is not modelled",
        ),
        ("", "int k; if (c[i]) k = 1; else k = 2; a[i][j] = c[k];", "return 0;", ""),
        # read before it is set: what the iteration before left
        (
            "int k = 0;",
            "a[i][j] = c[k]; k = i + j;",
            "return 0;",
            "k changes in a way that is not modelled",
        ),
        # a value of memory, which a statement gives
        ("int k;", "k = c[j]; a[i][j] = k;", "return 0;", ""),
        ("int k = 0;", "k = c[j]; a[i][j] = k;", "b[k] = 0; return 0;", "k is used after the loop"),
    ],
)
def test_interchange(before: str, body: str, behind: str, why: str) -> None:
    assert reason(swapped(nest(body, before, f"{behind}"))) == why


def test_a_value_of_an_outer_loop_is_the_same_in_all_iterations_inside() -> None:
    text = (
        "void f(double *restrict a, const double *restrict b, const int *c, int n) {{\n"
        "for (int t = 0; t < n; t++) {{ {} k; if (c[t]) k = 1; else k = 2;\n"
        "for (int i = 0; i < n; i++) a[i] = b[i + k]; }} }}"
    )
    for kind in ("int", "short", "unsigned long"):
        function = lowered(text.format(kind))
        assert isinstance(transform.parallelise(function, "t.i"), ChangedFunction)
        assert isinstance(transform.vectorise(function, "t.i"), ChangedFunction)


@pytest.mark.parametrize(
    ("before", "body", "why"),
    [
        ("", "int k = 2 * i; b[k] = 0;", ""),
        ("int k;", "k = 2 * i; b[k] = 0;", "k is set anew in each iteration of i"),
        ("int k = 0;", "k += 2; b[k] = 0;", "k is set anew in each iteration of i"),
        ("", "static int k; k = i; b[i] = k;", "k is set anew in each iteration of i"),
        # for the loop inside it is another's, for the one around its own
        ("", "int k = 0; for (int j = 0; j < 4; j++) { k = j; b[4 * i + k] = 1; }", ""),
        ("", "int k; for (int j = 0; j < 4; j++) k = j; b[i] = 1;", ""),
    ],
)
def test_threads(before: str, body: str, why: str) -> None:
    function = lowered(
        f"void f(double *b, int n) {{ {before} for (int i = 0; i < n; i++) {{ {body} }} }}"
    )
    assert reason(transform.parallelise(function, "i")) == why


RANGE = """
#include <vector>
int f(std::vector<double> &v, double *b) {{
  int count = 0, last = 0, &r = last;
  for (double &x : v) {{ {} }}
  return count + last;
}}
"""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("x = 1;", ""),
        ("int own = 3; x = own;", ""),
        ("x = 1; count++;", "count changes in a way that is not modelled"),
        ("x = 1; if (x > 0) last = 3;", "last may be set in a branch of the loop"),
        ("x = 1; r = 7;", "last is set anew in each iteration of x"),
    ],
)
def test_threads_over_a_range(body: str, why: str) -> None:
    function = lowered(RANGE.format(body), CPP)
    assert reason(transform.parallelise(function, "x")) == why


def definitions_of(result: Result) -> dict[str, list[str]]:
    assert isinstance(result, ChangedFunction), result
    loops = transform.sites(result.function)
    return {name: [definition_text(d) for d in s.loop.definitions] for name, s in loops.items()}


def test_definitions_go_with_the_iterations_that_make_them() -> None:
    function = nest("k = i + j; a[i][j] = k;", "int k;", "return 0;")
    made = "set k: i32 = i + j"
    assert definitions_of(swapped(function)) == {"j": [], "j.i": [made]}
    assert definitions_of(transform.tile(function, "i", {"j": 4})) == {
        "j_block": [],
        "j_block.i": [],
        "j_block.i.j": [made],
    }
    two = [made, "set k: i32 = i + j + 1"]
    assert definitions_of(transform.unroll(function, "i.j", 2))["i.j"] == two
    jammed = definitions_of(transform.unroll_and_jam(function, "i", 2))
    assert jammed["i.j"] == [made, "set k: i32 = i + j + 1"]
    peeled = definitions_of(transform.peel(function, "i.j", "first"))
    assert peeled == {"i": ["set k: i32 = i in a branch"], "i.j": [made]}


def test_fused_loops_define_what_both_do() -> None:
    function = lowered(
        "void f(double *restrict a, double *restrict b, int n) { int k;\n"
        "for (int i = 0; i < n; i++) { k = 2 * i; a[k] = 0; }\n"
        "for (int j = 0; j < n; j++) { int m = j + 1; b[m] = 0; } }"
    )
    made = definitions_of(transform.fuse(function, "i"))
    assert made == {"i": ["set k: i32 = 2*i", "let m: i32 = i + 1"]}


def test_a_value_without_rewritable_text_stays_open() -> None:
    function = lowered(
        "void f(double *restrict a, const double *restrict x, int n) {\n"
        "for (int i = 0; i < n; i++) { int k = (int)x[i] % 7; int m = k + i; a[i] = 0; } }"
    )
    inside = definitions_of(transform.unroll(function, "i", 2))["i"]
    assert inside[0].startswith("let k: i32")
    assert len(inside) == 4
