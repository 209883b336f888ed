"""Work of functions: what is counted, and where; loops by pattern, also in headers."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations, WorkSite


def read(text: str) -> Equations:
    return file_equations(Request("/a.c", Flags("c"), text.encode()))


def site(file: Equations, loop: int = -1, arm: int = -1) -> WorkSite:
    (only,) = [each for each in file.work if (each.loop, each.arm) == (loop, arm)]
    return only


OPERATORS = [
    ("a[1] = b + n * 2;", (3, 1, 0)),  # = + *, a[1]
    ("*a += b / n;", (1, 1, 1)),
    ("b = n / 4 + n % 8;", (4, 0, 0)),  # divisions by constants are multiplications
    ("b %= n;", (0, 0, 1)),
    ("b = -n > 0 ? 1 : ++n;", (4, 0, 0)),  # = - > ?:, and ++ on a path of its own
    ("a = &a[2];", (1, 1, 0)),
]


@pytest.mark.parametrize(("statement", "counts"), OPERATORS)
def test_operators(statement: str, counts: tuple[int, int, int]) -> None:
    work = site(read(f"void f(int *a, int b, int n) {{ {statement} }}"))
    assert (work.operators, work.accesses, work.divisions) == counts


def test_work_lies_in_loops_and_on_paths() -> None:
    file = read("void f(int *a, int n) { for (int i = 0; i < n; i++) if (n) a[i] = 1; n = 2; }")
    assert site(file).operators == 1  # n = 2; the loop's index is declared
    assert site(file, 0).operators == 2  # i < n, i++
    assert (site(file, 0, 0).operators, site(file, 0, 0).accesses) == (1, 1)


PATTERNS = [
    ("for (int i = 0; i < n; i++) ;", "counted"),
    ("for (;;) ;", "endless"),
    ("while (1) ;", "endless"),
    ("do { if (n) break; n++; } while (0);", "once"),
    ("while (*s) s++;", "text"),
    ("for (int i = 0; s[i] != 'a'; i++) ;", "text"),
    ("for (; p; p = p->next) ;", "list"),
    ("for (int i = 1; i < n; i *= 2) ;", "doubling"),
    ("for (int i = n; i > 0; i = i >> 1) ;", "doubling"),
    ("while (n > m()) ;", "other"),
]


@pytest.mark.parametrize(("loop", "pattern"), PATTERNS)
def test_patterns_of_loops(loop: str, pattern: str) -> None:
    declarations = "struct l { struct l *next; }; int m(void);"
    (only,) = read(f"{declarations} void f(int n, char *s, struct l *p) {{{loop}}}").loops
    assert only.pattern == pattern


def test_loops_of_headers(tmp_path: Path) -> None:
    header = tmp_path / "b.h"
    header.write_text("\nstatic void g(int *a) { for (int i = 0; i < 7; i++)\n a[i] = 0; }\n")
    source = tmp_path / "a.c"
    source.write_text('#include "b.h"\nvoid f(int *a) { g(a); }\n')
    file = file_equations(Request(str(source), Flags("c")))
    (loop,) = file.loops
    assert (loop.header, loop.span.line, loop.span.end_line) == (str(header), 2, 3)
    assert [each.header for each in file.functions] == [str(header), ""]


def test_ways_of_a_switch() -> None:
    file = read(
        "void g(void); void f(int n) { for (;;) switch (n) {"
        " case 1: case 2: g(); break; case 3: if (n) break; g(); default: g(); } }"
    )
    ways = [each for each in file.branches if each.condition == "case"]
    assert [each.ways for each in ways] == [3, 3, 3]
    # a break ends the switch, and no loop
    assert [each.then for each in file.branches if each.condition == "nonzero"] == ["goes-on"]
    assert len({call.arm for call in file.calls}) == 3


def test_what_follows_continue_lies_on_the_other_path() -> None:
    file = read("void g(void); void f(int n) { while (n) { g(); if (n) continue; g(); } g(); }")
    assert [call.arm for call in file.calls] == [-1, 1, -1]


def test_flags_of_debugging() -> None:
    file = read("int verbose; void g(void); void f(int n) { if (verbose) g(); if (n) g(); }")
    assert [each.condition for each in file.branches] == ["debug", "nonzero"]


def test_counters_are_no_indices() -> None:
    file = read(
        "void f(int *a, int n) {"
        " int k = 0; for (int i = 0; i < n; i++) if (a[i]) k += 2; a[0] = k; }"
    )
    steps = [(file.quantities[each.target].name, each.step is None) for each in file.counters]
    assert steps == [("k", True), ("k", False)]
    assert [(each.loop, each.arm) for each in file.counters] == [(-1, -1), (0, 0)]


def test_what_falls_is_no_counter() -> None:
    assert not read("void f(int n, int k) { while (n) { n--; n -= k; n = n - k; } }").counters
