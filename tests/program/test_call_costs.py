"""Calls whose cycles are known are work; all others leave the numbers a lower bound."""

from itertools import permutations

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.facts import KernelFacts, facts_of
from rooflint.facts.kernels import UNKNOWN_CALL_CYCLES
from rooflint.facts.text_values import RECURSION_RUNS
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request
from rooflint.program.call_costs import INLINED_CYCLES, MAX_CIRCLE
from rooflint.program.scenarios import ProgramScenario
from rooflint.scenario.call_costs import with_call_costs

LIBRARY = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
STAYING = "#pragma clang attribute push(__attribute__((noinline)), apply_to = function)"


def kernel_of(body: str, before: str = "", language: str = "c", *others: str) -> KernelFacts:
    """The loop of a function ``f`` over ``a``, of which ``body`` is one iteration.

    ``others`` are further files of the program. In C the functions ``before`` it stay calls.
    """
    if language == "c":
        before = f"{STAYING}\n{before}\n#pragma clang attribute pop"
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    own = f"{LIBRARY}{before}\nvoid f(int n, double *a, char *t) {{ {loop} }}"
    flags = Flags("c" if language == "c" else "c++")
    read = [
        extracted_file(Request(f"/nowhere/{name}", flags, text.encode()))
        for name, text in zip("abcdefgh", (own, *others), strict=False)
    ]
    scenario = ProgramScenario([file.equations for file in read]).of_file("/nowhere/a")
    unit = with_call_costs(read[0].unit, scenario.calls)
    (source,) = [each for each in unit.functions if each.function.name == "f"]
    (facts,) = facts_of(source.function)
    return facts


def priced(facts: KernelFacts) -> dict[str, float]:
    return {call.name: call.cycles for call in facts.kernel.priced}


def work(operators: int) -> str:
    """Statements of so many operators that no compiler drops."""
    return "".join([f"k = k + {number};" for number in range(operators // 2)])


def test_functions_of_the_library_have_the_cycles_of_the_table() -> None:
    facts = kernel_of('printf("%g", a[i]); if (t[i]) puts(t);')
    assert priced(facts) == {"printf": 176, "puts": 30}
    assert facts.not_covered == ()


@pytest.mark.parametrize(
    ("length", "cycles", "gaps"),
    [
        ("256", 9, 0),
        ("288", 10, 0),
        ("16384", 513, 0),
        ("16416", 514, 1),
        ("n", 9, 0),  # 250 by its name
        ("8 * n", 9 + (2000 - 256) / 32, 0),
        ("80 * n", 9 + (20_000 - 256) / 32, 1),
    ],
)
def test_a_copy_is_covered_where_both_ends_lie_near(length: str, cycles: float, gaps: int) -> None:
    facts = kernel_of(f"memcpy(t, a, {length}); a[i] = 1;")
    assert priced(facts) == {"memcpy": cycles}  # 9, and 32 bytes a cycle beyond 256
    assert len(facts.not_covered) == gaps


def test_a_copy_in_a_body_has_the_length_that_callers_give_it() -> None:
    facts = kernel_of(
        "put(t, 512);", "void put(char *t, int k) { if (k < 0) return; memset(t, 0, k); return; }"
    )
    # the comparison; behind the return, the copy: 9, and 256 further bytes; the call
    assert priced(facts) == {"put": pytest.approx(0.5 + 17 + UNKNOWN_CALL_CYCLES)}
    assert facts.not_covered == ()


def test_a_function_of_the_library_that_the_file_defines_is_the_file_s() -> None:
    facts = kernel_of(
        "strcoll(t, t);",
        "int strcoll(const char *a, const char *b) { if (a == b) return 1; return 2; }",
    )
    assert priced(facts) == {"strcoll": 0.5}  # the comparison


def test_a_body_counts_its_branches_by_their_patterns_and_its_own_calls() -> None:
    facts = kernel_of(
        "a[i] = far(t, i);",
        "double far(char *t, int k) { if (k == 7) { puts(t); } if (k) return 1; return 2; }",
    )
    # the comparison; puts in a quarter of the calls; the call
    assert priced(facts) == {"far": 0.5 + 0.25 * 60 + UNKNOWN_CALL_CYCLES}
    assert facts.not_covered == ()


def test_loops_in_a_body_run_their_trips() -> None:
    facts = kernel_of(
        "a[i] = far(i);",
        "double far(int k) { for (int j = 0; j < 100; j++) k = k + j; if (k) return 1; return 2; }",
    )
    # a comparison, a step, an addition and an assignment in each of 100 iterations
    assert priced(facts) == {"far": 100 * 4 * 0.5 + UNKNOWN_CALL_CYCLES}


@pytest.mark.parametrize(
    ("operators", "called"), [(int(2 * INLINED_CYCLES), False), (int(2 * INLINED_CYCLES) + 2, True)]
)
def test_a_small_body_is_put_in_place_of_its_call(operators: int, called: bool) -> None:
    before = f"int far(int k) {{ {work(operators)} if (k) return 1; return k; }}"
    facts = kernel_of("a[i] = far(i);", before)
    assert priced(facts) == {"far": 0.5 * operators + UNKNOWN_CALL_CYCLES * called}


@pytest.mark.parametrize(
    "ending",
    ["if (k) { puts(t); abort(); }", "(k > 0) ? (void)0 : (puts(t), exit(1));"],
    ids=["branch", "assertion"],
)
def test_paths_that_end_the_program_cost_nothing(ending: str) -> None:
    text = f"double far(char *t, int k) {{ {ending} if (!k) return 1; return 2; }}"
    facts = kernel_of("a[i] = far(t, i);", text)
    assert priced(facts)["far"] <= 1.5
    assert facts.not_covered == ()


def test_a_body_in_another_file_is_as_good() -> None:
    far = "int far(int k) { if (k) return 1; return other(k) / k; }"
    other = "int other(int k) { if (k) return 1; return 2; }"
    facts = kernel_of("a[i] = far(i);", "int far(int k);", "c", f"int other(int k); {far}", other)
    assert priced(facts) == {"far": 4}  # the division, for eight operators
    assert facts.not_covered == ()


@pytest.mark.parametrize(
    "before",
    [
        "double far(char *t, int k);",
        "double other(int k); double far(char *t, int k) { if (k) return 1; return other(k); }",
        "double (*held)(int); double far(char *t, int k) { if (k) return 1; return held(k); }",
        'double far(char *t, int k) { if (k) return 1; __asm__("nop"); return 2; }',
        "double far(char *t, int k) { again: if (k) return 1; k--; goto again; }",
    ],
    ids=["no body", "calls one without body", "a pointer", "assembly", "jumps back"],
)
def test_what_nobody_knows_leaves_a_lower_bound(before: str) -> None:
    facts = kernel_of("a[i] = far(t, i);", before)
    (gap,) = facts.not_covered
    assert gap.is_code
    assert gap.reason.subject == "far"


def test_a_function_that_calls_itself_runs_as_often_as_weights_say() -> None:
    facts = kernel_of(
        "a[i] = far(t, i);", "double far(char *t, int k) { if (k) return k * 3; return far(t, k); }"
    )
    (call,) = facts.kernel.priced
    once = kernel_of(
        "a[i] = far(t, i);", "double far(char *t, int k) { if (k) return k * 3; return 1; }"
    )
    assert call.cycles == pytest.approx(RECURSION_RUNS * priced(once)["far"])
    assert facts.not_covered == ()
    assert f"{RECURSION_RUNS} calls in each recursion of `far`" in facts.kernel.assumptions


def test_a_recursion_back_to_the_loop_is_paid_where_it_runs() -> None:
    """Each call is an execution of the loop, whose time would count all further ones again."""
    facts = kernel_of("f(n - 1, a, t); a[i] += 1;")
    assert priced(facts) == {"f": 0.0}
    by_way_of = kernel_of(
        "g(n, a, t);",
        "void f(int, double *, char *); void g(int n, double *a, char *t) { f(n, a, t); }",
    )
    assert sum(priced(by_way_of).values()) == 0.0
    body = "void far(int n) { for (int i = 0; i < n; i++) far(i); }"
    assert priced(kernel_of("far(n);", body))["far"] > 0


@pytest.mark.parametrize("functions", [2, MAX_CIRCLE, MAX_CIRCLE + 1])
def test_functions_in_a_circle_run_along_the_ways_into_it(functions: int) -> None:
    """Each has an addition and an assignment, one cycle, and calls the next; the last the first."""
    declared = "".join([f"int c{n}(int k);" for n in range(functions)])
    bodies = "".join(
        [
            f"int c{n}(int k) {{ k = k + {n}; if (k) return 1; return c{(n + 1) % functions}(k); }}"
            for n in range(functions)
        ]
    )
    facts = kernel_of("a[i] = c0(i);", declared + bodies)
    expected = 1.0
    if functions <= MAX_CIRCLE:
        expected = RECURSION_RUNS * functions + UNKNOWN_CALL_CYCLES
    assert priced(facts) == {"c0": expected}
    assert bool(facts.not_covered) == (functions > MAX_CIRCLE)


@pytest.mark.parametrize("order", list(permutations(range(3)))[:3])
def test_a_circle_costs_the_same_in_any_order_of_files(order: tuple[int, ...]) -> None:
    texts = [
        "int c1(int); int c0(int k) { k = k * 3 + 1; if (k) return c1(k); return k; }",
        "int c2(int); int c1(int k) { k = k / 7; if (k > 2) return c2(k); return k; }",
        "int c0(int); int c2(int k) { return c0(k) + k; }",
    ]
    found = priced(kernel_of("a[i] = c0(i);", "int c0(int);", "c", *[texts[n] for n in order]))
    assert found == priced(kernel_of("a[i] = c0(i);", "int c0(int);", "c", *texts))


CPP = "#include <map>\n#include <sstream>\n#include <string>\n"


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ("std::ostringstream o; o << i;", {"basic_ostringstream": 520, "operator<<": 65}),
        ("held[i] = 3;", {"operator[]": 36}),
        ("held[i] += 3;", {"operator[]": 36}),
        ("held[i]++;", {"operator[]": 36}),
    ],
)
def test_objects_of_the_standard_library_cost_what_the_table_says(
    body: str, calls: dict[str, float]
) -> None:
    facts = kernel_of(f"{body} a[i] = 1;", CPP + "extern std::map<int, int> held;", "c++")
    assert priced(facts) == calls
    assert facts.not_covered == ()


OBJECTS = """
#include <string>
struct Plain { double v; };
struct Text { std::string s; };
struct Owner { int k; ~Owner() { if (k) return; k = 2; } };
struct Base : Owner { };
struct Outer { Base part[2]; };
template <class T> void finish(T *m) { m->~T(); }
"""


@pytest.mark.parametrize(
    ("type_", "calls"),
    [
        ("double", {}),
        ("double *", {}),
        ("Plain", {}),
        ("Text", {}),  # its own part is in its making
        ("Owner", {"~Owner": 0.5}),
        ("Outer", {"~Owner": 1.0}),  # two of them
    ],
)
def test_the_end_of_an_object_costs_what_its_classes_declare(
    type_: str, calls: dict[str, float]
) -> None:
    before = f"{OBJECTS} using T = {type_}; extern T *held;"
    facts = kernel_of("held[i].~T(); a[i] = 1;", before, "c++")
    assert priced(facts) == calls
    assert facts.not_covered == ()


@pytest.mark.parametrize("type_", ["double", "double *", "Plain", "Text"])
def test_a_template_ends_numbers_and_plain_objects_without_a_call(type_: str) -> None:
    before = f"{OBJECTS} using T = {type_}; extern T *held;"
    assert kernel_of("finish(held + i); a[i] = 1;", before, "c++").not_covered == ()


def test_the_end_of_an_object_in_another_body_is_part_of_its_cost() -> None:
    before = f"{OBJECTS} void done(Outer *m, double *d); extern Outer *held;"
    text = f"{OBJECTS} using N = double; void done(Outer *m, double *d) {{"
    text += " if (!m) return; m->~Outer(); d->~N(); }"
    facts = kernel_of("done(held + i, a); a[i] = 1;", before, "c++", text)
    assert facts.not_covered == ()


def test_a_jump_forward_is_no_gap() -> None:
    before = "double far(char *t, int k) { if (k) goto end; k = 2; end: return k; }"
    assert kernel_of("a[i] = far(t, i);", before).not_covered == ()


def test_statements_that_do_not_compile_leave_a_lower_bound() -> None:
    text = "int far(int k) { if (k) return 1; missing_type x; undeclared(); return 2; }"
    facts = kernel_of("a[i] = far(i);", "int far(int k);", "c++", text)
    assert [gap.reason.subject for gap in facts.not_covered] == ["far"]


def test_functions_that_see_the_library_s_own_headers_are_the_same_functions() -> None:
    put = "void put(std::{0}string *s, int k) {{ if (k) return; k = 2; }}"
    shim = "namespace std { struct string; }"
    real = "namespace std { inline namespace __cxx11 { struct string; } }"
    facts = kernel_of(
        "put(0, i); a[i] = 1;",
        f"{shim} void put(std::string *s, int k);",
        "c++",
        f"{real} {put.format('')}",
    )
    assert facts.not_covered == ()


def test_the_order_of_files_is_no_matter() -> None:
    texts = (
        "int one(int k); int two(int k) { if (k) return 1; return one(k) / k; }",
        "int two(int k); int one(int k) { if (k) return 1; return two(k) / k / k; }",
    )
    found = {
        str(priced(kernel_of("a[i] = one(i) + two(i);", "int one(int); int two(int);", "c", *each)))
        for each in permutations(texts)
    }
    assert len(found) == 1


def test_a_path_that_ends_the_program_is_left_out_and_named() -> None:
    facts = kernel_of("if (a[i] < 0) { fprintf(stderr, t); abort(); } a[i] = 1;")
    assert priced(facts) == {}
    assert "without the path to `abort`" in facts.kernel.assumptions


def test_an_assertion_within_an_expression_costs_nothing() -> None:
    facts = kernel_of("(a[i] > 0) ? (void)0 : (puts(t), abort()); a[i] = 1;")
    assert priced(facts) == {}
    assert facts.not_covered == ()


def test_a_way_that_reports_an_error_is_rare() -> None:
    ways = "case 0: a[i] = 1; break; case 1: a[i] = 2; break;"
    facts = kernel_of(f"switch (t[i]) {{ {ways} default: fprintf(stderr, t); a[i] = 0; break; }}")
    # behind the two others: 1/3 and 1/2 of what is left go there
    assert priced(facts) == {"fprintf": pytest.approx(2 / 3 * 1 / 2 * 0.12 * 176)}


@pytest.mark.parametrize(("condition", "share"), [("i == n", 0.25), ("i < n", 0.5)])
def test_a_call_in_a_branch_counts_as_often_as_the_branch_is_taken(
    condition: str, share: float
) -> None:
    facts = kernel_of(f"if ({condition}) puts(t); a[i] = 1;")
    assert priced(facts) == {"puts": share * 60}
    facts = kernel_of(f"if ({condition}) a[i] = 2; else puts(t);")
    assert priced(facts) == {"puts": (1 - share) * 60}
