"""Elements that gcc's vector code loads once for each instruction that takes them from memory. The
numbers of loads are those of gcc 12's code for these loops."""

from collections.abc import Callable

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.code import Code, CorePlan
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request

SKX, HSW = "skylake-sp-6148", "haswell-ep-e5-2695v3"
GCC, CLANG = Compiler("gcc"), Compiler()
Plan = Callable[..., CorePlan]


def planned(plan: Plan, body: str, machine: str, compiler: Compiler) -> Code:
    parameters = "int n, double *restrict a, const double *restrict b, double c"
    source = f"void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}".encode()
    [found] = extract(Request("/nowhere/f.c", Flags("c"), source)).functions
    return plan(found.function, machine, compiler).code


def loads(code: Code) -> float:
    return sum(op.times for op in code.operations if op.role == "load")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("double t = b[i]; a[i] = (t + c) * (t - 3);", 2),
        ("double t = a[i]; a[i] = (t + c) * (t - 3);", 2),
        ("double t = b[i]; a[i] = (t + c) / t;", 2),
        # the selection takes the value from a register
        ("double t = b[i]; a[i] = __builtin_fabs(t - 1) < c ? 1.0 : t;", 2),
        # so do a square, a minuend and a comparison, and what comes after them
        ("double t = b[i]; a[i] = t * t + t;", 1),
        ("double t = b[i]; a[i] = t > c ? t : c * 2;", 1),
        ("double t = b[i]; a[i] = t + c;", 1),
    ],
)
def test_each_instruction_takes_the_element_from_memory(
    plan: Plan, body: str, expected: float
) -> None:
    for machine in (SKX, HSW):
        code = planned(plan, body, machine, GCC)
        assert code.vector.width > 1
        assert loads(code) == expected, machine


def test_scalar_code_and_clang_load_once(plan: Plan) -> None:
    body = "double t = b[i]; a[i] = (t + c) * (t - 3);"
    scalar = GCC._replace(vectorise=False)
    assert [loads(planned(plan, body, SKX, each)) for each in (scalar, CLANG)] == [1, 1]
