"""Vectors that the vector before has stored: in a register, or through memory."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

HASWELL = find_machine("hsw", (builtin_dir(),))
FMA_CY, LOAD_CY = 5, 7


@pytest.mark.parametrize("name", ["clang", "gcc"])
@pytest.mark.parametrize(
    ("distance", "width", "cycles"),
    [
        (2, 2, FMA_CY / 2),
        (4, 4, FMA_CY / 4),
        # two vectors apart: the load waits for the store
        (8, 4, (LOAD_CY + FMA_CY) / 8),
    ],
)
def test_recurrences(name: str, distance: int, width: int, cycles: float) -> None:
    text = (
        "void f(double *restrict a, const double *restrict b, long n)\n"
        f"{{ for (long i = {distance}; i < n; i++) a[i] = a[i - {distance}] * 0.5 + b[i]; }}"
    )
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    compiler = Compiler("clang") if name == "clang" else Compiler("gcc", contract="fast")
    code = plan_of(source.function, facts, HASWELL, compiler).code
    assert code.vector.width == width
    assert code.recurrence_cy == pytest.approx(cycles)


@pytest.mark.parametrize(
    ("body", "is_vector"),
    [
        # the next value is loaded before the store that needs the last one, or behind it
        ("a[i] = x + b[i]; x = b[i];", True),
        ("a[i] = x * 2; x = b[i] + c[i]; c[i] = a[i];", False),
        ("x = b[i] + c[i]; a[i] = x * 2;", True),
    ],
)
def test_clang_stores_nothing_behind_the_next_value(body: str, is_vector: bool) -> None:
    text = (
        "void f(double *restrict a, const double *restrict b, double *restrict c, double x,"
        f" long n) {{ for (long i = 0; i < n; i++) {{ {body} }} }}"
    )
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    code = plan_of(source.function, facts, HASWELL, Compiler("clang")).code
    assert (code.vector.width > 1) == is_vector
