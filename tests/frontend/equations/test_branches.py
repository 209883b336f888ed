"""Branches of a file: the form of the condition, where the paths lead, and what lies on them."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations


def read(body: str) -> Equations:
    text = (
        "void abort(void); void g(void); void last(void) { abort(); }"
        " extern struct file *stderr; int put(struct file *, int);"
        f" int f(int n, int m, int *p) {{ {body} return 0; }}"
    )
    return file_equations(Request("/a.c", Flags("c"), text.encode()))


CONDITIONS = [
    ("n", "nonzero"),
    ("!p", "zero"),
    ("n == 0", "zero"),
    ("p == ((void *)0)", "zero"),  # as the macro NULL has it
    ("(void *)0 != p", "unequal"),
    ("n == m", "equal"),
    ("n != 0", "nonzero"),
    ("n != m", "unequal"),
    ("n < 0", "negative"),
    ("n < 1", "ordered"),
    ("n > 0", "ordered"),
    ("n && m", "other"),
]


@pytest.mark.parametrize(("condition", "pattern"), CONDITIONS)
def test_condition(condition: str, pattern: str) -> None:
    (branch,) = read(f"if ({condition}) g();").branches
    assert (branch.condition, branch.then, branch.orelse) == (pattern, "goes-on", None)


PATHS = [
    ("g();", "goes-on"),
    ("{ g(); return 1; }", "return"),
    ("{ g(); abort(); }", "no-return"),
    ("last();", "no-return"),
    ("break;", "leaves-loop"),
    ("goto end;", "leaves-loop"),
    ("continue;", "next-iteration"),
    ("{ if (m) return 1; }", "goes-on"),
    ("(m, abort());", "no-return"),
    ("{ put(stderr, m); g(); }", "reports-error"),
    ("{ put(0, m); g(); }", "goes-on"),
]


@pytest.mark.parametrize(("path", "pattern"), PATHS)
def test_path(path: str, pattern: str) -> None:
    body = f"for (int i = 0; i < n; ++i) {{ if (n == m) g(); else {path} }} end: g();"
    branch = read(body).branches[0]
    assert (branch.then, branch.orelse, branch.loop) == ("goes-on", pattern, 0)


def test_what_lies_on_a_path() -> None:
    file = read(
        "g(); if (n) { g(); } else if (m) { for (int i = 0; i < n; ++i) g(); } else g(); g();"
    )
    assert [branch.arm for branch in file.branches] == [-1, 1]
    assert [loop.arm for loop in file.loops] == [2]
    calls = [call for call in file.calls if file.quantities[call.callee].name == "g"]
    assert [call.arm for call in calls] == [-1, 0, 2, 3, -1]
    assert [call.loop for call in calls] == [-1, -1, 0, -1, -1]


@pytest.mark.parametrize(
    ("way", "pattern"),
    [
        ("put(stderr, n); break;", "reports-error"),
        ("abort();", "no-return"),
        ("return 1;", "goes-on"),
    ],
)
def test_ways_of_a_switch_are_rare_by_what_they_do(way: str, pattern: str) -> None:
    first, second = read(f"switch (n) {{ case 1: g(); break; default: {way} }}").branches
    assert (first.condition, first.then, first.ways) == ("case", "goes-on", 2)
    assert (second.condition, second.then, second.ways) == ("case", pattern, 2)


def test_a_conditional_expression_has_two_paths() -> None:
    file = read("n = m ? 1 : (abort(), 2);")
    (branch,) = file.branches
    assert (branch.condition, branch.then, branch.orelse) == ("nonzero", "goes-on", "no-return")
