"""Of an ``if`` with a constant condition, as of switched-off logging, only what runs is there."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Branch, Call, Loop, Unit, walk

HEAD = """
int printf(const char *, ...);
int next(void);
enum { TRACE = 0, CHECKED = 1 };
#define DEBUG 0
#define LOG(x) do { if (DEBUG) printf("%g", x); } while (0)
"""


def unit_of(body: str, language: str = "c") -> Unit:
    text = f"{HEAD}void f(int n, int x, double *a) {{ {body} }}"
    flags = Flags("c" if language == "c" else "c++")
    return extract(Request("/nowhere/a", flags, text.encode()))


def kinds_in(unit: Unit, kind: type[Loop] | type[Call] | type[Branch]) -> int:
    nodes = [node for each in unit.functions for node in walk(each.function.body)]
    return sum(isinstance(node, kind) for node in nodes)


@pytest.mark.parametrize(
    "condition",
    ["0", "DEBUG", "DEBUG > 1", "TRACE", "DEBUG && a[i] > 1", "a[i] > 1 && DEBUG", "!CHECKED",
     "sizeof(long) == 4"],
)  # fmt: skip
def test_what_never_runs_costs_a_loop_nothing(condition: str) -> None:
    loop = f'for (int i = 0; i < n; i++) {{ if ({condition}) printf("%d", i); a[i] += 1; }}'
    unit = unit_of(loop)
    assert (kinds_in(unit, Loop), kinds_in(unit, Branch), kinds_in(unit, Call)) == (1, 0, 0)


@pytest.mark.parametrize(
    "condition", ["x", "a[i] > 1", "DEBUG || x", "CHECKED && x", "next() && DEBUG", "(x = 0)"]
)
def test_what_a_run_decides_stays_a_branch(condition: str) -> None:
    unit = unit_of(f'for (int i = 0; i < n; i++) if ({condition}) printf("%d", i);')
    assert kinds_in(unit, Branch) == 1


def test_a_logging_macro_leaves_nothing() -> None:
    unit = unit_of("for (int i = 0; i < n; i++) { LOG(a[i]); a[i] += 1; }")
    assert kinds_in(unit, Branch) == kinds_in(unit, Call) == 0


@pytest.mark.parametrize(
    "text",
    [
        "if (CHECKED) for (int i = 0; i < n; i++) a[i] += 1; else a[0] = 1;",
        "if (DEBUG) a[0] = 1; else for (int i = 0; i < n; i++) a[i] += 1;",
        "if (CHECKED || x) { if (!DEBUG) for (int i = 0; i < n; i++) a[i] += 1; }",
    ],
)
def test_the_path_that_always_runs_has_no_branch_around(text: str) -> None:
    unit = unit_of(text)
    assert (kinds_in(unit, Loop), kinds_in(unit, Branch)) == (1, 0)


def test_loops_that_never_run_are_neither_modelled_nor_refused() -> None:
    unit = unit_of(
        "if (DEBUG) { while (x--) for (int i = 0; i < n; i++) a[i] += 1; }"
        "for (int i = 0; i < n; i++) a[i] += 2;"
    )
    assert (kinds_in(unit, Loop), unit.refusals) == (1, ())


def test_a_directive_on_a_path_that_never_runs_is_for_no_other_loop() -> None:
    text = (
        "if (DEBUG) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] += 1;\n}\n"
        "for (int i = 0; i < n; i++) a[i] += 2;"
    )
    unit = unit_of(text)
    assert [type(node) for node in unit.functions[0].function.body] == [Loop]


def test_a_path_that_a_jump_leads_into_stays() -> None:
    unit = unit_of("if (x) goto in; if (DEBUG) { in: for (int i = 0; i < n; i++) a[i] += 1; }")
    assert unit.loops + len(unit.refusals) == 1


def test_an_argument_of_a_template_decides() -> None:
    text = (
        "template<bool LOUD> static void g(int n, double *a) {"
        ' for (int i = 0; i < n; i++) { if (LOUD) printf("%d", i); a[i] += 1; } }'
        "void f(int n, double *a) { g<false>(n, a); }"
    )
    unit = extract(Request("/nowhere/a", Flags("c++"), f"{HEAD}{text}".encode()))
    assert (kinds_in(unit, Loop), kinds_in(unit, Branch)) == (1, 0)


def test_a_constant_of_the_file_decides_in_both_languages() -> None:
    loop = 'for (int i = 0; i < n; i++) { if (LOUD) printf("%d", i); a[i] += 1; }'
    for language, constant in (("c", "static const int"), ("c++", "static const int"),
                               ("c++", "constexpr bool")):  # fmt: skip
        text = f"{HEAD}{constant} LOUD = 0;\nvoid f(int n, double *a) {{ {loop} }}"
        flags = Flags("c" if language == "c" else "c++")
        unit = extract(Request("/nowhere/a", flags, text.encode()))
        assert kinds_in(unit, Branch) == 0, (language, constant)
