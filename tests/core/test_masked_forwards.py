"""Loads that wait for stores under masks, as clang 19 orders arms, and what they cost."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.plan import plan_of
from rooflint.core.vectorize.masked_forwards import MaskedForwards, masked_forwards
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine

HEADER = (
    "void f(int n, float *restrict a, float *restrict b, const float *restrict c,"
    " const float *restrict d, float x)\n{{ for (int i = 0; i < n; i++) {{ {} }} }}"
)


def read(body: str) -> tuple[Function, KernelFacts]:
    (source,) = extract(Request("/nowhere/a", Flags("c"), HEADER.format(body).encode())).functions
    return source.function, facts_of(source.function)[-1]


@pytest.mark.parametrize(
    ("body", "loads", "chained"),
    [
        # listings of clang 19 -O3 -march=znver4 for these loops
        ("if (c[i] > 0) a[i] = d[i]; b[i] = a[i];", 0, 0),  # the old value is loaded before
        ("if (c[i] > 0) b[i] = 1; else a[i] = d[i]; b[i] = a[i];", 1, 1),  # the other arm is last
        ("if (c[i] > 0) a[i] = d[i]; if (d[i] > 0) b[i] = a[i];", 1, 1),  # under another mask
        ("if (c[i] > 0) a[i] = d[i]; else a[i] = a[i] + 1;", 0, 0),  # its load is first
        ("if (c[i] > 0) a[i] += d[i]; else a[i] = d[i] + 1;", 1, 1),
        ("if (c[i] > 0) a[i] = d[i]; else a[i] = d[i] + 1; b[i] = a[i];", 0, 0),  # selected
        ("if (c[i] > 0) a[i] += d[i]; else a[i] -= d[i];", 0, 0),  # loaded before both
        # three arms: the two of the inner branch share a load, the first one comes last
        (
            "if (c[i] < 0) a[i] += d[i]; else if (c[i] == 0) a[i] -= d[i]; else a[i] += c[i];",
            1,
            1,
        ),
        # a test of what stays the same leaves the loop
        ("if (c[i] > 0) a[i] += d[i]; else { if (x > 0) a[i] = d[i]; else a[i] += c[i]; }", 0, 0),
        ("a[i] = d[i]; b[i] = a[i];", 0, 0),  # no mask
    ],
)
def test_which_loads_wait(body: str, loads: int, chained: int) -> None:
    _, facts = read(body)
    assert masked_forwards(facts.kernel.loops[-1]) == MaskedForwards(loads=loads, chained=chained)


WAITING = "if (c[i] > 0) a[i] = d[i]; if (d[i] > 0) b[i] = a[i];"


@pytest.mark.parametrize(
    ("body", "compiler", "expected"),
    [
        (WAITING, Compiler(), 27 / 16),
        (WAITING, Compiler("gcc"), 0.0),  # gcc 12 selects in a register
        ("if (c[i] > 0) a[i] = d[i]; b[i] = a[i];", Compiler(), 0.0),
    ],
)
def test_a_vector_takes_as_long_as_its_chain(
    body: str, compiler: Compiler, expected: float
) -> None:
    function, facts = read(body)
    zen4 = find_machine("zen4-9654", (builtin_dir(),))
    assert plan_of(function, facts, zen4, compiler).code.recurrence_cy == expected


def test_cores_that_state_no_cycles_take_none() -> None:
    function, facts = read(WAITING)
    other = find_machine("skylake-sp-6148", (builtin_dir(),))
    assert plan_of(function, facts, other, Compiler()).code.recurrence_cy == 0.0
