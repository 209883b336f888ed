"""The value of the last iteration that meets a condition; verdicts are those of clang 19.1 and
gcc 12.2."""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.code import VectorPlan
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Reason
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

PARAMETERS = "(double *restrict a, const double *restrict b, int k, long n)"


def vectors(declared: str, body: str, driver: str) -> VectorPlan:
    loop = f"{declared} for (long i = 0; i < n; i++) {{ {body} }} return t;"
    text = f"double f{PARAMETERS}\n{{ {loop} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    code = CodeGeneration(opt_level="3", march="native")
    target = find_machine("hsw", (builtin_dir(),))
    return plan_of(source.function, facts, target, compiler_of(code, driver)).code.vector


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("double t = 0;", "if (b[i] < 0) t = b[i];"),
        ("double t = 0;", "if (b[i] < 0) t = a[i];"),
        ("int t = 0;", "if (b[i] < 0) t = (int)i;"),
    ],
)
def test_clang_leaves_them_scalar(declared: str, body: str) -> None:
    assert vectors(declared, body, "clang-19").reason == Reason("last-value", ("t",))
    assert vectors(declared, body, "gcc-12").width > 1


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("int t = -1;", "if (b[i] < 0) t = 1;"),
        ("int t = -1;", "if (b[i] < 0) t = k;"),
        ("double t = 0;", "t = b[i] * 2; a[i] = t + 1;"),
    ],
)
def test_steady_and_unconditional_values_are_vectors(declared: str, body: str) -> None:
    assert vectors(declared, body, "clang-19").width > 1
