"""Integers that an iteration takes over from the one before; verdicts are those of gcc 12.2 and
clang 19.1 at ``-O3 -march=haswell``."""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.code import CorePlan
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

PARAMETERS = "(int *restrict a, int *restrict b, unsigned seed, int n)"


def plan(declared: str, body: str, driver: str) -> CorePlan:
    loop = f"{declared} for (int i = 0; i < n; i++) {{ {body} }} return t;"
    text = f"int f{PARAMETERS}\n{{ {loop} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    code = CodeGeneration(opt_level="3", march="native")
    target = find_machine("hsw", (builtin_dir(),))
    return plan_of(source.function, facts, target, compiler_of(code, driver))


@pytest.mark.parametrize("driver", ["gcc-12", "clang-19"])
@pytest.mark.parametrize(
    ("declared", "body", "is_vector"),
    [
        ("int t = 0;", "seed = 1664525u * seed + 1013904223u; a[i] = seed >> 20;", False),
        ("int t = 0;", "if (a[i] > 3) t = 1; b[i] = t;", False),
        ("int t = 0, s = 1;", "t += s * a[i]; s = -s;", False),
        ("int t = 0, m = 0;", "if (a[i] > m) { m = a[i]; t = i; }", False),
        ("int t = 0, m = 0;", "if (a[i] > m) m = a[i]; t += m;", False),
        ("int t = 0;", "t = 0; if (a[i] > 3) t = 1; b[i] = t;", True),
        ("int t = 0;", "if (a[i] > 3) t = 1; else t = 2; b[i] = t;", True),
        ("int t = 0;", "if (a[i] > 3) t = 1;", True),
        ("int t = 0;", "if (a[i] > 3) t++;", True),
        ("int t = 0;", "if (a[i] > 3) t += a[i];", True),
        ("int t = 0;", "if (a[i] > t) t = a[i];", True),
    ],
)
def test_verdicts(declared: str, body: str, is_vector: bool, driver: str) -> None:
    assert (plan(declared, body, driver).code.vector.width > 1) == is_vector


def test_latencies_are_those_of_the_operations() -> None:
    """A product of integers takes 3 cycles, an addition 1."""
    body = "seed = 1664525u * seed + 1013904223u; a[i] = seed >> 20;"
    assert plan("int t = 0;", body, "gcc-12").code.t_core_cy == 4


def test_a_conditional_count_is_an_addition() -> None:
    """Eight iterations of counting need an addition more than eight of setting a flag do."""
    counted = plan("int t = 0;", "if (a[i] > 3) t++;", "clang-19").code
    flagged = plan("int t = 0;", "if (a[i] > 3) t = 1;", "clang-19").code
    assert counted.overlapping_cy > flagged.overlapping_cy


@pytest.mark.parametrize("driver", ["gcc-12", "clang-19"])
@pytest.mark.parametrize(
    ("body", "is_vector"),
    [
        ("int d = a[i] + b[i], e = b[i] - 1; a[i + 1] = d + 3 * e;", False),
        ("int d = a[i] - b[i]; a[i + 1] = 7 - 2 * d;", False),
        ("int d = a[i] + b[i], e = b[i] - 1; a[i + 1] = d > e ? d : e;", False),
        ("int d = a[i] + b[i], e = b[i] - 1; if (d < e) e = d; a[i + 1] = e;", False),
        ("int d = a[i] + b[i], e = b[i] - 1; a[i] = d + 3 * e;", True),
        ("int d = a[i] + b[i], e = b[i] - 1; a[i] = d > e ? d : e;", True),
    ],
)
def test_sums_of_what_variables_hold_wait_for_it(driver: str, body: str, is_vector: bool) -> None:
    """An element that a later iteration loads: what a closed form of loaded values is made of."""
    assert (plan("int t = 0;", body, driver).code.vector.width > 1) == is_vector
