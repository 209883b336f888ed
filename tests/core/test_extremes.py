"""Minima and maxima that a branch keeps: one operation where the instruction set has it."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.code import Code
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

MACHINE = find_machine("zen4-9654", (builtin_dir(),))
HEADER = (
    "void f(int n, double *y, const double *x)"
    " {{ double m = y[0], k = y[1]; {} y[0] = m; y[1] = k; }}"
)


def scalar_code(body: str) -> Code:
    text = HEADER.format(f"for (int i = 0; i < n; i++) {{ {body} }}")
    (source,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    return plan_of(source.function, facts_of(source.function)[-1], MACHINE, Compiler("gcc")).scalar


def kinds(body: str) -> set[str]:
    """Classes of the operations on floating-point numbers."""
    made = [op.kind for op in scalar_code(body).operations if op.role == "arithmetic"]
    return {kind.partition(".")[0] for kind in made}


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] < m) m = x[i];",
        "if (m > x[i]) m = x[i];",
        "if (x[i] > m) m = x[i];",
        "if (m < -x[i]) m = -x[i];",
    ],
)
def test_a_strict_comparison_is_one_extreme(body: str) -> None:
    assert "max" in kinds(body) and "test" not in kinds(body)


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] <= m) m = x[i];",  # equal numbers and NaN take the other operand of minsd
        "if (x[i] < m) m = x[i] + 1;",
        "if (x[i] < k) m = x[i];",
        "if (x[i] < m) { m = x[i]; k = i; }",
    ],
)
def test_others_compare(body: str) -> None:
    assert "max" not in kinds(body)


def test_four_side_by_side_take_a_port_each() -> None:
    """Two units do extremes, so that four chains of two cycles fill both."""
    body = "".join([f"if (x[4 * i + {k}] < m{k}) m{k} = x[4 * i + {k}];" for k in range(4)])
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    names = ", ".join([f"m{k} = y[{k}]" for k in range(4)])
    ends = "".join([f"y[{k}] = m{k};" for k in range(4)])
    text = f"void f(int n, double *y, const double *x) {{ double {names}; {loop} {ends} }}"
    (source,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    code = plan_of(source.function, facts_of(source.function)[-1], MACHINE, Compiler("gcc")).scalar
    assert code.recurrence_cy == 2
    assert code.overlapping_cy == 2
