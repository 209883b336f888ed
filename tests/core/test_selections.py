"""Branches that only choose a value are selections; what does more stays a branch."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.graph.simplify import convert_branches
from rooflint.core.plan import plan_of
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Branch, Function
from rooflint.machine import builtin_dir, find_machine

MACHINE = find_machine("skylake-sp-6148", (builtin_dir(),))
HEADER = "void f(int n, float *restrict y, const float *restrict x, float top, int k)\n{{ {} }}"
LOOP = "for (int i = 0; i < n; i++) {{ {} }}"
TERNARY = "y[i] = x[i] > top ? top : x[i];"


def read(body: str) -> tuple[Function, KernelFacts]:
    text = HEADER.format(LOOP.format(body))
    (source,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    return source.function, facts_of(source.function)[-1]


def cycles(body: str, compiler: Compiler) -> float:
    function, facts = read(body)
    code = plan_of(function, facts, MACHINE, compiler).code
    return max(code.overlapping_cy, code.issue_cy, code.non_overlapping_cy)


@pytest.mark.parametrize("compiler", [Compiler(), Compiler("gcc"), Compiler("gcc", level=2)])
@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] > top) y[i] = top; else y[i] = x[i];",
        "float v = x[i]; if (v > top) v = top; y[i] = v;",
        "float v; if (x[i] > top) v = top; else v = x[i]; y[i] = v;",
    ],
)
def test_a_choice_costs_what_the_conditional_operator_does(body: str, compiler: Compiler) -> None:
    assert cycles(body, compiler) == cycles(TERNARY, compiler)


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] > top) y[i] = top;",  # the other way stores nothing
        "if (x[i] > top) y[i] = top; else y[i + 1] = x[i];",
        "if (x[i] > top) y[i] = top; else y[i] = 1 / x[i];",  # may trap
        "if (x[i] > top) { y[i] = top; y[i + n] = 0; } else y[i] = x[i];",
        "if (i != k) y[i] = x[i]; else y[i] = top;",  # x[k] may not be there
        "if (x[i] > top) break;",
    ],
)
def test_anything_else_stays_a_branch(body: str) -> None:
    _, facts = read(body)
    kernel = facts.kernel
    converted = convert_branches(kernel)
    assert converted.statements == kernel.statements
    assert any(isinstance(node, Branch) for node in converted.loops[-1].body)


def test_a_maximum_over_iterations_keeps_its_chain() -> None:
    # the value that the other way keeps is that of the last iteration
    _, facts = read("if (x[i] > top) top = x[i]; y[0] = top;")
    values = convert_branches(facts.kernel).statements[0].values
    assert [value.op for value in values] == ["load", "carried", "compare", "select", "assign"]


def test_without_optimisation_a_branch_stays() -> None:
    body = "if (x[i] > top) y[i] = top; else y[i] = x[i];"
    assert cycles(body, Compiler(level=0)) != cycles(TERNARY, Compiler(level=0))
