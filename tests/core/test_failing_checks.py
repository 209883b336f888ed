"""Checks before vector code that never pass: the scalar code is what runs."""

from types import ModuleType

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.code import FAILING, RowSpace
from rooflint.core.lazy import LazyPlan
from rooflint.facts import facts_of, space_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine

GCC, CLANG = Compiler("gcc"), Compiler("clang")


def paths(build: ModuleType, element: str, length: str) -> Function:
    """``p[i][j] += p[i][element] + p[k][j]`` over ``k``, ``i`` and ``j < length``."""
    p = build.array("p", "i32", "n", "n")
    body = p["i", "j"].set(p["i", "j"] + (p["i", element] + p["k", "j"]))
    inner = build.loop("j", 0, length, body)
    nest = build.loop("k", 0, "n", build.loop("i", 0, "n", inner))
    function: Function = build.function("f", [p], nest)
    return function


@pytest.mark.parametrize("compiler", [GCC, CLANG], ids=["gcc", "clang"])
@pytest.mark.parametrize(
    ("element", "length", "fails"),
    [
        ("k", "n", True),  # k runs over the row that is stored
        ("k", "n-1", False),  # and is past it once
        ("n", "n", False),  # behind the row
        ("m", "n", False),  # somewhere
    ],
)
def test_an_element_of_the_row_that_is_stored_fails_the_check(
    build: ModuleType, compiler: Compiler, element: str, length: str, fails: bool
) -> None:
    machine = find_machine("zen4-9654", (builtin_dir(),))
    function = paths(build, element, length)
    facts = facts_of(function)[-1]
    lazy = LazyPlan(function, facts, machine, compiler)
    values = {"n": 1000, "m": 7}
    space = space_of(facts.kernel.loops, values)
    code, notes = lazy.code_for(RowSpace(space, values, 64))
    # both compilers report the loop as vectorised all the same
    assert lazy.plan.code.vector.width > 1
    assert (lazy.plan.failure == "overlap") is fails
    assert (code.vector.width == 1) is fails
    assert (FAILING["overlap"] in notes) is fails
    assert lazy.plan.fills(1000) is not fails
    assert lazy.plan.code_for(1000)[0].vector.width == code.vector.width


# listings of clang 19 -O3 -march=znver4: a version for a step of 1 alone, or gathers for any
STEPS = [
    ("b[i * inc]", {"inc": 3}, True),
    ("b[i * inc]", {"inc": 1}, False),
    ("b[i * inc]", {}, False),  # nothing is known of the step
    ("b[i * inc + 3]", {"inc": 2}, True),
    ("b[2 * i * inc]", {"inc": 3}, False),
    ("b[i * n]", {"n": 40}, False),  # a square: the step is as long as the loop
    ("b[3 * i]", {}, False),
]


@pytest.mark.parametrize(("element", "values", "fails"), STEPS)
def test_llvm_has_vectors_for_a_step_of_one_alone(
    element: str, values: dict[str, int], fails: bool
) -> None:
    text = "void f(double *restrict a, const double *restrict b, long n, long inc)"
    text += f" {{ for (long i = 0; i < n; i++) a[i] = 2 * {element}; }}"
    (source,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    machine = find_machine("zen4-9654", (builtin_dir(),))
    for compiler in (GCC, CLANG):
        plan = LazyPlan(source.function, facts_of(source.function)[-1], machine, compiler).plan
        failure = plan.at(values).failure
        assert (failure == "step") is (fails and compiler == CLANG)
