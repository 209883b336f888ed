"""Calls whose cycles are known are work; all others leave the numbers a lower bound."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request

LIBRARY = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def kernel_of(body: str, before: str = "", language: str = "c") -> KernelFacts:
    """The loop of a function ``f`` over ``a``, of which ``body`` is one iteration."""
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    text = f"{LIBRARY}{before}\nvoid f(int n, double *a, char *t) {{ {loop} }}"
    flags = Flags("c" if language == "c" else "c++")
    functions = extract(Request("/nowhere/a", flags, text.encode())).functions
    (source,) = [each for each in functions if each.function.name == "f"]
    (facts,) = facts_of(source.function)
    return facts


def priced(facts: KernelFacts) -> dict[str, float]:
    return {call.name: call.cycles for call in facts.kernel.priced}


def test_functions_of_the_library_have_the_cycles_of_the_table() -> None:
    facts = kernel_of('printf("%g", a[i]); if (t[i]) puts(t);')
    assert priced(facts) == {"printf": 180, "puts": 30}
    assert facts.not_covered == ()


@pytest.mark.parametrize("length, gaps", [("256", 0), ("257", 1), ("n", 1)])
def test_a_copy_is_covered_where_it_is_short(length: str, gaps: int) -> None:
    facts = kernel_of(f"memcpy(t, a, {length}); a[i] = 1;")
    assert priced(facts) == {"memcpy": 9}
    assert len(facts.not_covered) == gaps


def test_a_function_of_the_library_that_the_file_defines_is_the_file_s() -> None:
    facts = kernel_of(
        "strcoll(t, t);",
        "int strcoll(const char *a, const char *b) { if (a == b) return 1; return 2; }",
    )
    assert priced(facts) == {"strcoll": 5 + 0.5 + 0.5}  # the call, the comparison, the branch


def test_a_body_counts_half_of_its_branches_and_its_own_calls() -> None:
    facts = kernel_of(
        "a[i] = far(t, i);",
        "double far(char *t, int k) { if (k) { puts(t); return 1; } return 2; }",
    )
    assert priced(facts) == {"far": 5 + 0.5 + 30}
    assert facts.not_covered == ()


def test_paths_that_end_the_program_cost_nothing() -> None:
    facts = kernel_of(
        "a[i] = far(t, i);",
        "double far(char *t, int k) { if (k) { puts(t); abort(); } if (!k) return 1; return 2; }",
    )
    assert priced(facts) == {"far": 5 + 0.5 + 0.5 + 0.5}


@pytest.mark.parametrize(
    "before",
    [
        "double far(char *t, int k);",
        "double other(int k); double far(char *t, int k) { if (k) return 1; return other(k); }",
        "double far(char *t, int k) { if (k) return 1; return far(t, k - 1); }",
        "double (*held)(int); double far(char *t, int k) { if (k) return 1; return held(k); }",
    ],
    ids=["without body", "calls one without body", "calls itself", "calls a pointer"],
)
def test_what_nobody_knows_leaves_a_lower_bound(before: str) -> None:
    facts = kernel_of("a[i] = far(t, i);", before)
    (gap,) = facts.not_covered
    assert gap.is_code
    assert gap.reason.subject == "far"


def test_a_virtual_function_has_no_body_of_its_own() -> None:
    facts = kernel_of(
        "a[i] = shape->area(i);",
        "struct Shape { virtual double area(int k) { if (k) return 1; return 2; } };\n"
        "extern Shape *shape;",
        "c++",
    )
    assert [gap.reason.subject for gap in facts.not_covered] == ["area"]


def test_a_pointer_to_a_function_has_the_name_of_what_holds_it() -> None:
    facts = kernel_of("a[i] = table.next(i);", "struct T { double (*next)(int); } table;")
    (gap,) = facts.not_covered
    assert "next" in gap.reason.subject


def test_a_path_that_ends_the_program_is_left_out_and_named() -> None:
    facts = kernel_of("if (a[i] < 0) { fprintf(stderr, t); abort(); } a[i] = 1;")
    assert priced(facts) == {}
    assert "without the path to `abort`" in facts.kernel.assumptions


def test_an_assertion_within_an_expression_costs_nothing() -> None:
    facts = kernel_of("(a[i] > 0) ? (void)0 : (puts(t), abort()); a[i] = 1;")
    assert priced(facts) == {}
    assert facts.not_covered == ()
