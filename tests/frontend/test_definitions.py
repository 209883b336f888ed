"""The integer assignments of a source: which variable, where, and what it then holds."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, SourceFunction, Statement, walk
from rooflint.ir.text import definition_text

C, CPP = Flags("c"), Flags("c++")


def source_of(text: str, flags: Flags = C) -> SourceFunction:
    path = "/a.cpp" if flags is CPP else "/a.c"
    (found,) = extract(Request(path, flags, text.encode())).functions
    return found


def made(text: str, flags: Flags = C) -> list[list[str]]:
    """The definitions of the function, then those of each loop."""
    function = source_of(text, flags).function
    loops = [node for node in walk(function.body) if isinstance(node, Loop)]
    lists = [function.definitions, *[loop.definitions for loop in loops]]
    return [[definition_text(each) for each in made] for made in lists]


def in_loop(body: str, before: str = "") -> str:
    return (
        f"int f(double *a, const int *col, int n, int m) {{ {before}\n"
        f"for (int i = 0; i < n; i++) {{ {body} }} return m; }}"
    )


@pytest.mark.parametrize(
    ("before", "body", "inside"),
    [
        ("int k;", "k = 2 * i + 1; a[k] = 0;", ["set k: i32 = 2*i + 1"]),
        ("", "int k = 2 * i + 1; a[k] = 0;", ["let k: i32 = 2*i + 1"]),
        ("", "int k; k = i; a[k] = 0;", ["let k: i32", "let k: i32 = i"]),
        ("int k = 4;", "k += 3; a[k] = 0;", ["set k: i32 = 3*i + 7"]),
        (
            "int k = 4;",
            "a[k] = 0; k -= 1; --k;",
            ["set k: i32 = -2*i + 3", "set k: i32 = -2*i + 2"],
        ),
        # two in one statement, in their order
        ("int k, l;", "k = l = i; a[k] = 0;", ["set l: i32 = i", "set k: i32 = i"]),
        # a branch sets the one, a value of memory the other: that is a statement, and no definition
        ("int k = 0;", "if (col[i]) k = i; a[k] = 0;", ["set k: i32 = i in a branch"]),
        ("int k;", "k = col[i]; a[k] = 0;", []),
        ("", "int k = col[i]; a[k] = 0;", ["let k: i32"]),
        # what comes behind a continue may be skipped
        ("int k = 0;", "if (col[i]) continue; k = i; a[k] = 0;", ["set k: i32 = i in a branch"]),
        # what leads out of the loop is of no steady iteration, but code behind it may read k
        ("int k = 0;", "if (a[i] < 0) { k = i; break; } a[i] = 0;", ["set k: i32 = i in a branch"]),
        (
            "int k = 0;",
            "if (a[i] < 0) goto bad; a[i] = 0; continue; bad: k = i; return k;",
            ["set k: i32 = i in a branch"],
        ),
        (
            "int k = 0;",
            "if (a[i] < 0) { k = i; __builtin_trap(); } a[i] = 0;",
            ["set k: i32 = i in a branch"],
        ),
        # a narrower type, and one without a sign
        ("", "unsigned char k = i; a[k] = 0;", ["let k: u8 = i"]),
        ("unsigned long k;", "k = i; a[k] = 0;", ["set k: u64 = i"]),
        # a static variable is not the iteration's own
        ("", "static int k; k = i; a[k] = 0;", ["set k: i32", "set k: i32 = i"]),
    ],
)
def test_an_assignment_that_closes_is_a_definition(
    before: str, body: str, inside: list[str]
) -> None:
    assert made(in_loop(body, before))[1] == inside


def test_what_does_not_close_says_why() -> None:
    _, inside = made(in_loop("a[k] = 0; m = k + 1; k = i;", "int k = 0;"))
    assert inside == [
        "set m: i32 = ?k + 1 (k changes irregularly in the loop)",
        "set k: i32 = i",
    ]


def test_the_header_of_a_loop_is_its_own_definition() -> None:
    text = (
        "void f(double *a, int n, int s) { int i, k; for (i = 0, k = 5; i < n; i++, k += 2)\n"
        "for (int j = 0; j < n; j += s) a[k + j] = 0; }"
    )
    assert made(text) == [
        ["let i: i32", "let k: i32", "let k: i32 = 5"],
        ["set k: i32 = 2*i + 7"],
        [],
    ]


def test_values_move_with_the_index_of_their_loop() -> None:
    text = in_loop("for (int j = 0; j < n; j++) { k = i + j; a[k] = 0; }", "int k;")
    assert made(text)[1:] == [[], ["set k: i32 = i + j"]]


def test_a_sum_that_a_statement_begins_is_in_that_statement() -> None:
    text = in_loop("int s = 0; for (int k = 0; k < n; k++) s += col[k]; a[i] = s;")
    assert made(text)[1] == ["let s: i32"]


def test_a_callee_that_sets_a_variable_gives_it_an_open_value() -> None:
    text = "void set(int *);\n" + in_loop("set(&m); a[m] = 0;")
    assert made(text)[1] == ["set m: i32 = ?m (m is set by a call)"]


REFERENCES = """
void f(double *a, int &count, int n) {{
  int last = 0, &r = last;
  for (int i = 0; i < n; i++) {{ {} }}
  a[last] = count;
}}
"""


@pytest.mark.parametrize(
    ("body", "inside", "along"),
    [
        ("r = 2 * i; a[i] = r;", ["set last: i32 = 2*i"], ["last"]),
        ("count++; a[i] = 0;", ["set count: i32 = count + i + 1"], ["count"]),
        ("int &own = last; own = i; a[i] = 0;", ["set last: i32 = i"], []),
    ],
)
def test_a_reference_sets_the_variable_that_it_stands_for(
    body: str, inside: list[str], along: list[str]
) -> None:
    assert made(REFERENCES.format(body), CPP)[1] == inside
    loop = source_of(REFERENCES.format(body), CPP).function.body[0]
    assert isinstance(loop, Loop)
    assert list(map(str, loop.extra_inductions)) == along


def test_a_sum_through_a_reference_is_carried() -> None:
    text = """
double f(const double *a, int n) {
  double total = 0, &s = total;
  for (int i = 0; i < n; i++) s += a[i];
  return total;
}
"""
    loop = next(n for n in source_of(text, CPP).function.body if isinstance(n, Loop))
    [statement] = loop.body
    assert isinstance(statement, Statement)
    assert [v.op for v in statement.values] == ["load", "carried", "add", "assign"]


def test_a_loop_over_a_range_has_definitions_too() -> None:
    text = """
#include <vector>
int f(std::vector<int> &v) {
  int count = 0;
  for (int x : v) { int twice = 2 * count; count++; v[twice] = x; }
  return count;
}
"""
    assert made(text, CPP)[1] == [
        "let twice: i32 = 2*?count (count changes in the loop)",
        "set count: i32 = ?count + 1 (count changes in the loop)",
    ]


def test_parameters_of_an_inlined_function_are_the_callers_iterations_own() -> None:
    text = (
        "static void put(double *a, int k) { k += 2; a[k] = 0; }\n"
        "void f(double *a, int n) { for (int i = 0; i < n; i++) put(a, i); }"
    )
    functions = extract(Request("/a.c", Flags("c"), text.encode())).functions
    [loop] = [n for f in functions for n in walk(f.function.body) if isinstance(n, Loop)]
    assert [definition_text(d) for d in loop.definitions] == ["let k: i32 = i + 2"]


def test_a_definition_stands_where_the_source_assigns() -> None:
    source = source_of(in_loop("k = i;\n  a[k++] = 0;", "int k;"))
    loop = source.function.body[0]
    assert isinstance(loop, Loop)
    spans = [source.spans[each.origin] for each in loop.definitions]
    assert [(s.line, s.column, s.end_column) for s in spans] == [(2, 31, 36), (3, 5, 8)]
