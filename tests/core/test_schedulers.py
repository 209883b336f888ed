"""Entries of the schedulers: what instructions hold of them while they wait."""

from types import ModuleType

import pytest
from rooflint.core import Compiler
from rooflint.core.code import reach
from rooflint.core.graph.chains import chains_of
from rooflint.core.issue.latency import Latencies
from rooflint.core.issue.operations import Operations
from rooflint.core.issue.schedulers import ScheduledCode, carried_values, scheduler_use
from rooflint.core.plan import Planner
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import CoreModel, Machine, builtin_dir, find_machine

GCC = Compiler("gcc")
ENTRIES = 64


@pytest.fixture(scope="module")
def machine() -> Machine:
    return find_machine("zen4-9654", (builtin_dir(),))


def core_of(machine: Machine) -> CoreModel:
    assert machine.core is not None
    return machine.core


def sums(build: ModuleType, count: int) -> Function:
    """``b[i] = (a[i] + a[i+1]) + a[i+2] ...``: so many additions in order."""
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    total = a["i"]
    for step in range(1, count + 1):
        total = total + a[f"i+{step}"]
    function: Function = build.function("f", [a, b], build.loop("i", 0, "n", b["i"].set(total)))
    return function


def test_additions_in_order_hold_entries_until_their_turn(
    build: ModuleType, machine: Machine
) -> None:
    function = sums(build, 27)
    plan = Planner(function, facts_of(function)[-1], machine, GCC).plan()
    # loads take 8 cycles; the k-th of 27 additions of 3 cycles waits 8 + 3 k, and the store 89
    waits = sum(8 + 3 * k for k in range(27)) + 89
    assert plan.scalar.waiting.least_cy == pytest.approx(waits / (ENTRIES + 14), rel=1e-3)
    assert plan.scalar.bound == "schedulers"
    assert plan.scalar.t_ol_cy == plan.scalar.waiting.least_cy
    # nothing comes from an earlier iteration
    assert plan.scalar.waiting.held == 0


def test_few_additions_wait_for_no_entry(build: ModuleType, machine: Machine) -> None:
    function = sums(build, 3)
    plan = Planner(function, facts_of(function)[-1], machine, GCC).plan()
    assert 0 < plan.scalar.waiting.least_cy < plan.scalar.overlapping_cy
    assert plan.scalar.bound != "schedulers"


@pytest.mark.parametrize(("stored", "waiting"), [(False, 1), (True, 2)])
def test_a_chain_holds_an_entry_for_each_instruction_that_waits(
    build: ModuleType, machine: Machine, stored: bool, waiting: int
) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    body = [build.assign("s", build.carried("s") + a["i"])]
    if stored:
        body.append(b["i"].set(build.scalar("s")))
    function = build.function("f", [a, b], build.loop("i", 0, "n", *body))
    scalar = Planner(function, facts_of(function)[-1], machine, GCC).plan().scalar
    assert scalar.waiting.held == pytest.approx(waiting / ENTRIES)
    # the reorder buffer would hold more
    assert reach(scalar, core_of(machine), 100) == pytest.approx(ENTRIES / waiting / 100)


def test_a_core_that_states_no_entries_has_enough(build: ModuleType, machine: Machine) -> None:
    function = sums(build, 27)
    planner = Planner(function, facts_of(function)[-1], machine, GCC)
    latencies = Latencies(planner.graph, Operations(core_of(machine)), None)
    code = ScheduledCode(
        1, frozenset(), carried_values(planner.graph, chains_of(planner.graph), ())
    )
    buffers = core_of(machine).buffers
    silent = scheduler_use(latencies, buffers._replace(vector_rs=None), code)
    assert silent == scheduler_use(latencies, buffers._replace(vector_rs=None, rs=None), code)
    assert (silent.held, silent.least_cy) == (0, 0)
    # entries for all instructions together serve where the vectors have none of their own
    own = scheduler_use(latencies, buffers, code)
    assert scheduler_use(latencies, buffers._replace(vector_rs=None, rs=ENTRIES), code) == own
    more = scheduler_use(latencies, buffers._replace(vector_rs=2 * ENTRIES), code)
    assert 0 < more.least_cy < own.least_cy


def test_what_an_iteration_has_loaded_for_the_next_one_waits_for_nothing(
    build: ModuleType,
) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    made = build.carried("y") * build.scalar("k") + build.carried("x2")
    body = [
        build.assign("y", made),
        build.assign("x2", build.carried("x1")),
        build.assign("x1", a["i"]),
        b["i"].set(build.scalar("y")),
    ]
    function = build.function("f", [a, b], build.loop("i", 0, "n", *body))
    planner = Planner(function, facts_of(function)[-1], find_machine("zen4", (builtin_dir(),)), GCC)
    found = carried_values(planner.graph, planner.chains, planner.memory.flows)
    assert found == {planner.graph.carried["y"]}
