"""Kernels by hand and their core plans."""

from collections.abc import Callable
from types import ModuleType

import pytest
from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine

Planner = Callable[..., CorePlan]


@pytest.fixture(scope="session")
def plan() -> Planner:
    """``plan(function, "snb")``: of its last kernel, for clang -O3 unless told."""

    def planned(
        function: Function, machine: str, compiler: Compiler | None = None, kernel: int = -1
    ) -> CorePlan:
        target = find_machine(machine, (builtin_dir(),))
        return plan_of(function, facts_of(function)[kernel], target, compiler or Compiler())

    return planned


@pytest.fixture(scope="session")
def loops(build: ModuleType, nests: ModuleType) -> dict[str, Function]:
    """One-loop kernels and the matrix product, by name; all on doubles."""
    a, b, c = (build.array(name, "f64", "n") for name in "abc")
    kahan = (
        build.assign("y", a["i"] - build.carried("c")),
        build.assign("t", build.carried("s") + build.scalar("y")),
        build.assign("c", (build.scalar("t") - build.carried("s")) - build.scalar("y")),
        build.assign("s", build.scalar("t")),
    )
    bodies = {
        "kahan": kahan,
        "divide": (a["i"].set(b["i"] / c["i"]),),
        "sqrt": (a["i"].set(build.op("sqrt", b["i"])),),
        "recurrence": (a["i"].set(a["i - 1"] * 0.5 + b["i"]),),
        "exp": (a["i"].set(build.call("exp", b["i"])),),
    }
    found = {
        name: build.function(name, [a, b, c], build.loop("i", 1, "n", *body))
        for name, body in bodies.items()
    }
    m, p, q = (build.array(name, "f64", "n", "n") for name in "ABC")
    update = q["i", "j"].add(m["i", "k"] * p["k", "j"])
    for name, order in (("matmul ikj", "ikj"), ("matmul ijk", "ijk")):
        nest = update
        for index in reversed(order):
            nest = build.loop(index, 0, "n", nest)
        found[name] = build.function("matmul", [m, p, q], nest)
    found["jacobi2d"], found["heat3d"] = nests.jacobi2d(build), nests.heat3d(build)
    return {**nests.streaming(build), **found}
