"""Which kernels have the same core plan: those of the same code, whatever is around it."""

from types import ModuleType

from msgspec.structs import replace
from rooflint.core import Compiler, PlanCache
from rooflint.core.code import CorePlan
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine


def test_kernels_of_the_same_code_are_planned_once(build: ModuleType) -> None:
    machine = find_machine("generic-2level", (builtin_dir(),))
    plans = PlanCache()

    def planned(function: Function, compiler: Compiler | None = None) -> CorePlan:
        [facts] = facts_of(function)
        return plans.of(function, facts, machine, compiler or Compiler()).plan

    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    loop = build.loop("i", 0, "n", a["i"].set(b["i"] * 2.0))
    function = build.function("f", [a, b], loop)
    known = planned(function)
    assert planned(build.function("g", [a, b], build.loop("t", 0, "m", loop))) is known
    # what the plan rests on: arrays that may overlap, flags, the loop
    promised = replace(function, arrays=tuple([x._replace(restrict=True) for x in function.arrays]))
    assert planned(promised) is not known
    assert planned(function, Compiler(level=1)) is not known
    longer = build.loop("i", 0, "n", a["i"].set(b["i"] * 2.0 + 1.0))
    assert planned(build.function("f", [a, b], longer)) is not known
