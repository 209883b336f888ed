"""Weights of functions and loops without a profile: each rule of the call graph, and laws."""

from collections.abc import Callable, Mapping
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.ir.unit import Span
from rooflint.program.linking import link_files
from rooflint.program.run_counts import LoopKeyword, RunCounts
from rooflint.program.weights import ProgramWeights, program_weights


def equations(name: str, text: str) -> Equations:
    flags = Flags("c") if name.endswith(".c") else Flags("c++")
    return file_equations(Request(f"/{name}", flags, text.encode()))


def weights(files: Mapping[str, str]) -> ProgramWeights:
    return program_weights(link_files([equations(*each) for each in files.items()]))


def executions(text: str, name: str = "a.c") -> dict[str, float]:
    return {each.function.name: each.weight.executions for each in weights({name: text}).functions}


LEAF = "int n, m; static void g(void) { for (int i = 0; i < 9; i++) n += m * i; }"


def calls_in_main(body: str) -> float:
    return executions(f"void abort(void); {LEAF} int main(void) {{ {body} return 0; }}")["g"]


CALLS = [
    ("two calls", "g(); g();", 2),
    ("loop", "for (int i = 0; i < 30; i++) g();", 30),
    ("nest", "for (int i = 0; i < 30; i++) for (int j = 0; j < 4; j++) g();", 120),
    ("comparison", "if (n < m) g(); else { g(); g(); }", 1.5),
    ("equality", "if (n == m) g();", 0.25),
    ("null", "if (!n) g();", 0.25),
    ("otherwise", "if (n == m) n++; else g();", 0.75),
    ("paths in paths", "if (n) if (m) g();", 0.25),
    ("return", "if (n < m) { g(); return 1; }", 0.15),
    ("no return", "if (n < m) { g(); abort(); }", 0),
    ("other path of one without return", "if (n < m) abort(); else g();", 1),
    ("debug", "int verbose = n; if (verbose) g();", 0),
    ("exit of a loop", "for (int i = 0; i < 100; i++) if (n < m) { g(); break; }", 1),
    ("loop that may be left", "for (int i = 0; i < 100; i++) { g(); if (n < m) break; }", 50),
    ("after continue", "for (int i = 0; i < 100; i++) { if (n < m) continue; g(); }", 50),
    ("one of two ways", "switch (n) { case 1: g(); break; case 2: default: ; }", 0.5),
    ("open bound", "for (int i = 0; i < n; i++) g();", 32),
    ("macro's loop", "do g(); while (0);", 1),
    ("condition", "do g(); while (n < m);", 4),
    ("loop that does not run", "for (int i = 0; i < 0; i++) g();", 0),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_executions_of_a_call(body: str, expected: float) -> None:
    assert calls_in_main(body) == pytest.approx(expected)


def test_recursion_counts_eight_times_once() -> None:
    text = f"{LEAF} static void f(int k) {{ g(); f(k - 1); f(k - 2); }} int main(void) {{ f(n); }}"
    found = executions(text)
    assert (found["f"], found["g"]) == (8, 8)


def test_recursion_over_two_functions() -> None:
    text = (
        f"{LEAF} static void b(int); static void a(int k) {{ b(k); b(k); }}"
        "static void b(int k) { g(); a(k - 1); } int main(void) { a(n); }"
    )
    found = executions(text)
    assert (found["a"], found["b"], found["g"]) == (8, 16, 16)


def test_virtual_call_goes_to_overriders_in_equal_parts() -> None:
    text = (
        "struct A { virtual int n() = 0; }; struct B : A { int n() { return 1; } };"
        "struct C : B { int n() { return 2; } };"
        "int f(A *a) { int s = 0; for (int i = 0; i < 8; i++) s += a->n(); return s; }"
        "int main() { C c; return f(&c); }"
    )
    found = weights({"a.cpp": text}).functions
    assert [each.weight.executions for each in found if each.function.name == "n"] == [4, 4]


def test_constructors_and_destructors_run() -> None:
    text = (
        "struct A { int n; A() { for (int i = 0; i < 5; i++) n += i; } ~A() { n = 0; } };"
        "int main() { for (int i = 0; i < 6; i++) A a; }"
    )
    found = executions(text, "a.cpp")
    assert (found["A"], found["~A"]) == (6, 6)


def test_library_function_calls_back() -> None:
    text = (
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));"
        "void *bsearch(const void *, const void *, unsigned long, unsigned long,"
        " int (*)(const void *, const void *)); int atexit(void (*)(void));"
        "int less(const void *a, const void *b) { return 0; }"
        "int like(const void *a, const void *b) { return 0; } void end(void) { }"
        "int main(void) { int a[64]; qsort(a, 64, 4, less); bsearch(a, a, 64, 4, like);"
        " atexit(end); }"
    )
    found = executions(text)
    assert found["less"] == 64 * log2(64)
    assert found["like"] == log2(64)
    assert found["end"] == 1


def test_library_has_each_function_without_a_caller_as_an_entry() -> None:
    text = (
        f"{LEAF} void a(void) {{ g(); }} void b(void) {{ g(); g(); }}"
        "static void d(int); void c(int k) { d(k); } static void d(int k) { c(k); }"
    )
    found = executions(text)
    assert (found["a"], found["b"], found["g"]) == (1, 1, 3)
    assert found["c"] == found["d"] == 8  # a circle is entered at its first function


def test_functions_that_main_does_not_reach_do_not_run() -> None:
    cold = "void never(void); void h(void) { for (int i = 0; i < 9; i++) n -= m * i; }"
    text = f"{LEAF} {cold} int main(void) {{ int debug = n; if (debug) h(); }}"
    found = {each.function.name: each for each in weights({"a.c": text}).functions}
    assert (found["g"].reached, found["g"].weight.executions) == (False, 0)
    assert (found["h"].reached, found["h"].weight.executions) == (True, 0)


def test_share_is_that_of_the_entry_with_most_of_it() -> None:
    # a spends nearly all of its time in g, b in a loop of its own
    text = (
        f"{LEAF} void a(void) {{ for (int i = 0; i < 50; i++) g(); }}"
        "void b(void) { g(); for (int i = 0; i < 99999; i++) m += n * i; }"
    )
    shares = {each.function.name: each.weight.share for each in weights({"a.c": text}).functions}
    assert shares["g"] > 0.8
    assert shares["a"] == pytest.approx(1 - shares["g"])
    assert shares["b"] > 0.99


def test_each_main_is_a_program_of_its_own() -> None:
    text = "int n; int main(void) {{ for (int i = 0; i < {}; i++) n += i; }}"
    found = weights({"a.c": text.format(3), "b.c": text.format(30000)}).functions
    assert [each.weight.share for each in found] == [1, 1]


def test_programs_of_one_run_may_share_names() -> None:
    helper = "int n; void f(void) {{ for (int i = 0; i < {}; i++) n += i; }}"
    found = weights(
        {
            "a.c": helper.format(3) + "int main(void) { f(); }",
            "b.c": helper.format(5) + "int main(void) { f(); f(); }",
        }
    )
    calls = [
        (each.function.path, each.weight.executions)
        for each in found.functions
        if each.function.name == "f"
    ]
    assert calls == [("/a.c", 1), ("/b.c", 2)]


def test_cost_of_an_accessor_is_its_callers() -> None:
    text = (
        "struct s { int n; }; static int get(struct s *p) { return p->n + 1; }"
        "int main(void) { struct s a; int k = 0; for (int i = 0; i < 100; i++) k += get(&a); }"
    )
    found = {each.function.name: each for each in weights({"a.c": text}).functions}
    assert found["get"].accessor
    assert found["get"].weight.executions == 100
    assert found["get"].weight.share == 0
    assert found["main"].weight.share == 1


def test_weight_of_a_loop() -> None:
    text = (
        "static void f(int *a, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 6; j++)"
        " a[i] += j; } int main(void) { int a[9]; for (int k = 0; k < 7; k++) f(a, 5); }"
    )
    outer, inner, calling = weights({"a.c": text}).loops
    assert (outer.weight.executions, outer.iterations) == (7, 35)
    assert (inner.weight.executions, inner.iterations) == (35, 210)
    assert (calling.weight.executions, calling.iterations) == (1, 7)
    assert inner.weight.share > outer.weight.share


def test_calls_in_a_loop_cost_what_they_call_in_turn() -> None:
    # g has a loop, and so h, which calls it, adds only its own operators
    text = (
        f"{LEAF} static void h(int k) {{ n += k * k / m; m += n * k; n -= m * k; g(); }}"
        "int main(void) { for (int k = 0; k < 7; k++) h(k); }"
    )
    found = weights({"a.c": text})
    operators = {each.function.name: each.operators for each in found.functions}
    (calling,) = [each for each in found.loops if each.span.column > 150]
    assert calling.callees == pytest.approx(operators["h"] + operators["g"])
    assert calling.loopless == pytest.approx(operators["h"])


def test_trips_that_are_given_take_the_place_of_solved_ones() -> None:
    program = link_files([equations("a.c", f"{LEAF} int main(void) {{ g(); }}")])
    (loop,) = program_weights(program, trips=[40.0]).loops
    assert loop.iterations == 40


COUNTED = [
    ("counter set in a loop", "for (int r = 0; r < 10; r++) { n = 0;"
     " for (int j = 0; j < 12; j++) n++; for (int i = 0; i < n; i++) g(); }", 120),
    ("elements of an array", "int c[10]; for (int r = 0; r < 10; r++) c[r] = 0;"
     " for (int j = 0; j < 400; j++) c[m]++; for (int i = 0; i < c[m]; i++) g();", 40),
    ("computed from a counter", "n = 0; for (int j = 0; j < 12; j++) n += 2; m = 3 * n;"
     " for (int i = 0; i < m; i++) g();", 72),
]  # fmt: skip


@pytest.mark.parametrize(("body", "calls"), [c[1:] for c in COUNTED], ids=[c[0] for c in COUNTED])
def test_sizes_that_loops_count_up(body: str, calls: float) -> None:
    assert calls_in_main(body) == pytest.approx(calls)


def test_counter_that_a_function_only_grows_tells_nothing() -> None:
    text = (
        f"{LEAF} int k; static void more(void) {{ k++; }}"
        "int main(void) { more(); for (int i = 0; i < k; i++) g(); }"
    )
    assert executions(text)["g"] == 32  # as any other global variable


FILES = {
    "a.c": "void f(int); void h(int); int main(void) { for (int i = 0; i < 3; i++) f(4); h(2); }",
    "b.c": "void h(int); int s; void f(int n) { for (int i = 0; i < n; i++) h(i); }",
    "c.c": "int t[99]; void h(int k) { for (int i = 0; i < 20; i++) t[i] += k / (i + k); }",
}


@given(st.permutations(sorted(FILES)))
def test_order_of_files_changes_no_weight(order: list[str]) -> None:
    found = weights({name: FILES[name] for name in order})
    assert {each.function.name: each.weight.executions for each in found.functions} == {
        "main": 1, "f": 3, "h": 13,
    }  # fmt: skip
    assert sum(each.weight.share for each in found.functions) == pytest.approx(1)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_executions_grow_with_trips(outer: int, inner: int) -> None:
    text = (
        f"{LEAF} static void f(void) {{ for (int i = 0; i < {inner}; i++) g(); }}"
        f"int main(void) {{ for (int i = 0; i < {outer}; i++) f(); }}"
    )
    assert executions(text)["g"] == pytest.approx(outer * inner)


def test_no_functions_no_weights() -> None:
    assert weights({"a.c": "int n = 4;"})[:2] == ((), ())


def test_callback_costs_the_function_that_hands_it_on_nothing() -> None:
    text = (
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));"
        "int less(const void *a, const void *b) { return *(int *)a < *(int *)b; }"
        "int main(void) { int a[4096]; qsort(a, 4096, 4, less); }"
    )
    found = {each.function.name: each for each in weights({"a.c": text}).functions}
    assert not found["less"].accessor  # nobody can inline it
    assert found["less"].weight.share > 0.99


COUNTED_FILE = (
    "int n, m;\n"
    "static void g(void) { m++; for (int i = 0; i < 9; i++) n += m * i; }\n"
    "static void f(int k) {\n"
    "  for (int i = 0; i < k; i++)\n"
    "    if (m < i)\n"
    "      g();\n"
    "}\n"
    "int main(int c, char **v) { f(c); f(n); }\n"
)


def counted_weights(counts: RunCounts) -> ProgramWeights:
    return program_weights(link_files([equations("a.c", COUNTED_FILE)]), counts={"/a.c": counts})


def of_line(calls: Mapping[int, int]) -> Callable[[Span], int | None]:
    return lambda span: calls.get(span.line)


def test_counts_of_a_run_take_the_place_of_trips_and_branches() -> None:
    counts = RunCounts(
        loops={LoopKeyword(4, 3): 500},
        branches={5: 0.1},
        calls=of_line({3: 20, 8: 1}),
    )
    found = counted_weights(counts)
    calls = {each.function.name: each.weight.executions for each in found.functions}
    assert calls == pytest.approx({"main": 1, "f": 20, "g": 50})  # g was not counted: 500 * 0.1
    loops = {each.span.line: each.iterations for each in found.loops}
    assert loops == pytest.approx({2: 450, 4: 500})
    assert sum(each.weight.share for each in found.functions) == pytest.approx(1)


def test_function_that_did_not_run_has_no_share() -> None:
    counts = RunCounts(loops={LoopKeyword(4, 3): 0}, branches={}, calls=of_line({2: 0, 3: 2, 8: 1}))
    found = {each.function.name: each.weight for each in counted_weights(counts).functions}
    assert (found["g"].executions, found["g"].share) == (0, 0)


def test_loops_of_a_function_without_counted_calls_have_their_own_trips() -> None:
    counts = RunCounts(loops={LoopKeyword(4, 3): 500}, branches={}, calls=of_line({}))
    plain = program_weights(link_files([equations("a.c", COUNTED_FILE)]))
    assert counted_weights(counts).loops == plain.loops


WRAPPED = """
double a[999]; int n;
static void work(void) { for (int i = 0; i < 999; i++) a[i] += 1; }
static void plain(void) { a[0] = n * 3 + n * 5 + n * 7 + n * 9; }
static void to_work(void) { work(); }
static void to_plain(void) { plain(); }
int main(void) { for (int i = 0; i < 10; i++) { CALL(); a[1] += i; } }
"""


@pytest.mark.parametrize(("name", "has_loop"), [("work", True), ("plain", False)])
def test_a_function_without_work_of_its_own_hides_nothing_of_what_it_calls(
    name: str, has_loop: bool
) -> None:
    found = []
    for called in (name, f"to_{name}"):
        program = weights({"a.c": WRAPPED.replace("CALL", called)})
        mains = {n for n, each in enumerate(program.functions) if each.function.name == "main"}
        (loop,) = [each for each in program.loops if each.function in mains]
        found.append((loop.callees, loop.loopless))
    (whole, plain), wrapped = found
    assert whole >= 90
    assert wrapped == pytest.approx((whole, plain))
    assert plain == (0 if has_loop else whole)


LIBRARY = """
void *NAME(double *a, double sum) { for (int i = 0; i < 1000; i++) a[i] = a[i] / sum; return a; }
void solve(double *a) {
  for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) a[i] += a[j];
}
"""


@pytest.mark.parametrize(
    ("name", "alone"), [("solver_new", False), ("initTree", False), ("renew", True)]
)
def test_what_makes_an_object_is_a_part_of_its_use(name: str, alone: bool) -> None:
    def share(*texts: str) -> float:
        files = {f"{number}.c": text for number, text in enumerate(texts)}
        found = weights(files).functions
        return next(each.weight.share for each in found if each.function.name == name)

    text = LIBRARY.replace("NAME", name)
    assert share(text) == (1 if alone else pytest.approx(0.00026, rel=0.1))
    # nothing else in its file tells what the object is for
    made, used = text.split("void solve")
    assert share(made, f"void solve{used}") == 1


@pytest.mark.parametrize(
    ("short", "rows", "part"),
    [
        (100, 10, 1.0),  # a hundredth of the other one
        (100, 100_000, 0.026),  # less than a ten-thousandth, and of 1 ms
        (10_000, 100_000, 1.0),  # longer than the ten-thousandth
    ],
)
def test_a_short_entry_of_a_library_is_no_run_of_its_own(
    short: int, rows: int, part: float
) -> None:
    own = "i < 1000; i++) a[i] = a"
    text = LIBRARY.replace("NAME", "scale").replace(own, own.replace("1000", str(short)))
    text = text.replace("i < 1000; i++) for", f"i < {rows}; i++) for")
    found = weights({"a.c": text}).functions
    (scale,) = [each for each in found if each.function.name == "scale"]
    assert scale.weight.share == pytest.approx(part, rel=0.1)
