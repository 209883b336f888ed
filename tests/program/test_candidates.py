"""Calls that run one of several functions: virtual ones, and those through pointers."""

import pytest
from rooflint.facts.kernels import UNKNOWN_CALL_CYCLES
from rooflint.library.calls import library_cost
from rooflint.program.call_costs import MAX_NAMED

from tests.program.test_call_costs import kernel_of, priced, work

SHAPES = """
struct Shape { virtual double area(int k) = 0; };
struct Square : Shape { double area(int k) override { if (k) return 1; return 2; } };
extern Shape *shape;
"""
CIRCLE = "struct Circle : Shape { double area(int k) override { if (k) return 1; return k / k; } };"


def test_a_virtual_function_with_one_body_is_that() -> None:
    facts = kernel_of("a[i] = shape->area(i);", SHAPES, "c++")
    assert priced(facts) == {"area": 0}
    assert facts.not_covered == ()


def test_a_virtual_function_with_several_bodies_takes_their_mean() -> None:
    heavy = f"double area(int k) override {{ {work(20)} if (k) return 1; return 2; }}"
    heavier = f"struct Heavier : Shape {{ {heavy} }};"
    facts = kernel_of("a[i] = shape->area(i);", SHAPES + heavier, "c++")
    assert priced(facts) == {"area": (10 + UNKNOWN_CALL_CYCLES) / 2}
    assert facts.not_covered == ()
    assert "calls of `area` run each of `area` equally often" in facts.kernel.assumptions


def test_a_virtual_function_with_a_body_of_unknown_cost_takes_the_least() -> None:
    open_one = "double far(int); struct Open : Shape { double area(int k) override {"
    open_one += " if (k) return 1; return far(k); } };"
    facts = kernel_of("a[i] = shape->area(i);", SHAPES + open_one, "c++")
    assert priced(facts) == {"area": 0}
    (gap,) = facts.not_covered
    assert gap.reason.kind == "candidates"
    assert gap.reason.subject == "area"


def table_of(number: int) -> str:
    """Functions of ten operators and more, one more for each."""
    return "".join(
        f"double f{k}(int k) {{ {work(20 + 2 * k)} if (k) return 1; return 2; }}"
        for k in range(number)
    )


@pytest.mark.parametrize(("number", "named"), [(MAX_NAMED, MAX_NAMED), (MAX_NAMED + 1, MAX_NAMED)])
def test_a_table_of_pointers_runs_each_function_equally_often(number: int, named: int) -> None:
    table = ", ".join([f"f{k}" for k in range(number)])
    before = table_of(number) + f"double (*table[])(int) = {{ {table} }};"
    facts = kernel_of("a[i] = table[i](i);", before)
    mean = 10 + (number - 1) / 2 + UNKNOWN_CALL_CYCLES
    assert list(priced(facts).values()) == [pytest.approx(mean)]
    assert facts.not_covered == ()
    names = ", ".join([f"`f{k}`" for k in range(named)])
    assert [f"run each of {names} equally often" in each for each in facts.kernel.assumptions] == [
        True
    ]


def test_a_pointer_of_unknown_origin_names_the_functions_of_its_type() -> None:
    before = table_of(2) + "double (*kept[])(int) = { f0, f1 }; double (**where(void))(int);"
    facts = kernel_of("a[i] = where()[i](i);", before)
    assert list(priced(facts).values()) == [10 + UNKNOWN_CALL_CYCLES]
    (gap,) = facts.not_covered
    assert "f0 or f1" in str(gap.reason)


ALLOCATOR = "struct Allocator { void (*release)(void *); };"


@pytest.mark.parametrize(("function", "covered"), [("free", True), ("dispose", False)])
def test_a_pointer_leads_to_functions_of_a_library(function: str, covered: bool) -> None:
    before = f"void dispose(void *); {ALLOCATOR}"
    before += f"struct Allocator by = {{ {function} }};"
    facts = kernel_of("by.release(a + i); a[i] = 1;", before)
    assert (facts.not_covered == ()) == covered
    if covered:
        cost = library_cost("free", "")
        assert cost is not None
        assert list(priced(facts).values()) == [cost.cycles]


def test_two_calls_through_pointers_lead_to_their_own_functions() -> None:
    before = table_of(2) + "struct T { double (*one)(int), (*two)(int); } pair = { f0, f1 };"
    facts = kernel_of("a[i] = pair.one(i);\na[i] += pair.two(i);", before)
    assert sorted(priced(facts).values()) == [
        10 + UNKNOWN_CALL_CYCLES,
        11 + UNKNOWN_CALL_CYCLES,
    ]
    assert facts.not_covered == ()


def test_a_pointer_without_candidates_has_the_name_of_what_holds_it() -> None:
    facts = kernel_of("a[i] = table.next(i);", "struct T { double (*next)(int); } table;")
    (gap,) = facts.not_covered
    assert "next" in gap.reason.subject
