"""Places of loops and branches: as coverage tools count them, and what lines tell of a loop."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import LoopPlace, ProfiledPlaces
from rooflint.profiles import BranchCounts, CountGap, LoopCounts, read_counts

DATA = Path(__file__).parent.parent / "profiles" / "data"


def places(text: str, *, wanted: bool = True) -> ProfiledPlaces:
    return extract(Request("/a.cpp", Flags("c++"), text.encode(), places=wanted)).places


def only_loop(body: str) -> LoopPlace:
    text = f"void abort(void); bool g(int);\nint f(int n, int *p) {{\n{body}\nreturn 0; }}"
    (loop,) = places(text).loops
    return loop


def test_nobody_asks_for_places_without_a_profile() -> None:
    assert places("void f() { for (;;) if (1) return; }", wanted=False) == ProfiledPlaces()


TRAPS = {
    9: LoopCounts(40, 8600),
    14: LoopCounts(20, 120),
    17: LoopCounts(20, 1920),
    28: LoopCounts(1, 400),
    30: LoopCounts(1, 20),
    37: LoopCounts(1, 11),
    38: LoopCounts(1, 11),
    39: LoopCounts(0, 0),
    42: LoopCounts(2, 7),
    47: LoopCounts(1, 7),
    48: LoopCounts(1, 8),
    49: LoopCounts(1, 400),
    52: LoopCounts(1, 6),
}
"""By line, known by reading the program; two loops share line 36."""
NESTED = [LoopCounts(1, 5), LoopCounts(5, 45)]


def loops_of(path: Path) -> tuple[LoopPlace, ...]:
    return extract(Request(str(path), Flags("c++"), places=True)).places.loops


def test_every_loop_is_asked_for_where_llvm_cov_counts_it() -> None:
    profile = read_counts([str(DATA / "traps.llvm-cov.json")])
    loops = loops_of(DATA / "traps.cpp")
    answers = {each.loop.line: profile.loop(each) for each in loops if each.loop.line != 36}
    assert answers == TRAPS
    assert [profile.loop(each) for each in loops if each.loop.line == 36] == NESTED


def test_every_loop_is_asked_for_where_gcov_counts_it() -> None:
    profile = read_counts([str(DATA / "traps.O0.gcov.json")])
    loops = loops_of(DATA / "traps.cpp")
    answers = {each.loop.line: profile.loop(each) for each in loops}
    assert answers == TRAPS | {36: CountGap.SHARED_LINE, 52: CountGap.UNREADABLE_TEST}


def test_both_tools_agree_on_loops_that_jumps_leave() -> None:
    loops = loops_of(DATA / "jumps.cpp")
    exact = read_counts([str(DATA / "jumps.llvm-cov.json")])
    lines = read_counts([str(DATA / "jumps.O0.gcov.json")])
    assert len(loops) > 5
    for loop in loops:
        expected, answer = exact.loop(loop), lines.loop(loop)
        assert isinstance(expected, LoopCounts)
        assert isinstance(answer, CountGap) or answer in (
            expected,
            expected._replace(executions=None),
        )


def test_branches_are_asked_for_where_llvm_cov_counts_them() -> None:
    profile = read_counts([str(DATA / "traps.llvm-cov.json")])
    unit = extract(Request(str(DATA / "traps.cpp"), Flags("c++"), places=True))
    answers = {each.keyword[0]: profile.branch(each) for each in unit.places.branches}
    # position(): 1920 elements are looked at in 20 calls, each of which finds one
    assert answers[18] == BranchCounts(1920, 20)


@pytest.mark.parametrize(
    ("condition", "terms"),
    [
        ("n > 0", 1),
        ("n > 0 && *p", 2),
        ("(n > 0 && *p) && g(n)", 3),
        ("n > 0 || *p", 0),
        ("n > 0 && (*p || n < 9)", 0),
        ("!(n > 0 && *p)", 0),
        ("n ? 1 : *p", 0),
        ("1", 0),
        ("true", 0),
        ("g(n)", 1),
    ],
)
def test_terms_of_a_condition(condition: str, terms: int) -> None:
    assert only_loop(f"while ({condition})\n --n;").test.terms == terms
    assert only_loop(f"do\n --n; while ({condition});").test.terms == terms


@pytest.mark.parametrize(
    ("statement", "leaves"),
    [
        ("++p;", False),
        ("continue;", False),
        ("if (n) break;", True),
        ("if (n) return 1;", True),
        ("if (n) goto end;", True),
        ("if (n) throw 1;", True),
        ("if (n) abort();", True),
        ("if (n) g(n);", False),
        ("switch (n) { case 1: break; }", False),
        ("switch (n) { case 1: return 2; }", True),
        ("auto h = [] { return 1; };", False),
    ],
)
def test_exits(statement: str, leaves: bool) -> None:
    text = f"for (int i = 0; i < n; ++i) {{ {statement} }}\nend: g(n);"
    assert only_loop(text).early_exit is leaves


def test_an_inner_loops_break_leaves_the_inner_loop_alone() -> None:
    text = "void f(int n) {\nfor (int i = 0; i < n; ++i)\nwhile (n) { if (i) break; --n; } }"
    outer, inner = places(text).loops
    assert (outer.early_exit, inner.early_exit) == (False, True)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("g(n);", 3),
        ("n = 4;", 3),
        ("int m = n;", 3),
        ("int m = n;\nint k;", 3),
        ("int k;", 2),
        ("", 2),
        ("if (n) g(n);", 0),
        ("g(n) && g(2);", 0),
        ("n = n ? 1 : 2;", 0),
        ("while (n > 9) --n;", 0),
        ("begin: g(n);", 0),
        ("g(n\n);", 0),
        ("if (n) { g(n); } g(n);", 0),
    ],
)
def test_a_line_that_runs_as_often_as_the_loop_begins(before: str, line: int) -> None:
    text = f"bool g(int);\nint f(int n) {{\n{before}\nfor (;;)\n if (g(1)) return 0; }}"
    assert places(text).loops[-1].line_before == line


def test_the_first_statement_of_a_guarded_block_has_no_line_before_it() -> None:
    assert only_loop("if (n) {\nfor (;;)\n ++p; }").line_before == 0


@pytest.mark.parametrize(
    ("line", "closes"),
    [
        ("for (int i = 0; i < n; ++i) g(i);", True),
        ("for (int i = 0; i < n; ++i) if (i) g(i);", True),
        ("for (int i = 0; i < n; ++i) g(i); if (n) g(n);", False),
        ("for (int i = 0; i < n; ++i) g(i); n = n ? 1 : 2;", False),
        ("n = n ? 1 : 2; for (int i = 0; i < n; ++i) g(i);", True),
    ],
)
def test_whether_a_test_is_the_last_of_its_line(line: str, closes: bool) -> None:
    assert only_loop(line).test.closes_line is closes


def test_two_loops_on_a_line_share_it() -> None:
    text = "void g(int); void f(int n) {\nfor (int i = 0; i < n; ++i) for (;;) g(i);\n}"
    assert [each.test.closes_line for each in places(text).loops] == [False, False]


@pytest.mark.parametrize("condition", ["0", "false", "NEVER"])
def test_a_block_that_macros_write_as_a_loop_is_none(condition: str) -> None:
    text = (
        "#define NEVER 0\n#define ADD(x) do { x += 1; } while (0)\n"
        f"void f(int n, int *p) {{ ADD(n); do {{ ++n; }} while ({condition});\n"
        "for (int i = 0; i < n; ++i) ADD(p[i]); }"
    )
    (loop,) = places(text).loops
    assert loop.loop.line == 4


def test_a_templates_loop_stands_once_whatever_its_instances() -> None:
    text = (
        "template <class T> T s(T *a, int n) { T r = 0; for (int i = 0; i < n; ++i) r += a[i];"
        " return r; } double d(double *a) { return s(a, 9); } float f(float *a) { return s(a, 9); }"
    )
    assert len(places(text).loops) == 1
