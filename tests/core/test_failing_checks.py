"""Checks before vector code that never pass: the scalar code is what runs."""

from types import ModuleType

import pytest
from rooflint.core import Compiler
from rooflint.core.code import FAILING, RowSpace
from rooflint.core.lazy import LazyPlan
from rooflint.facts import facts_of, space_of
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
    assert lazy.plan.checks_fail is fails
    assert (code.vector.width == 1) is fails
    assert (FAILING in notes) is fails
    assert lazy.plan.fills(1000) is not fails
    assert lazy.plan.code_for(1000)[0].vector.width == code.vector.width
