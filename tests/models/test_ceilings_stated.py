"""Ceilings that a machine file states, judged beside those of chains."""

from types import ModuleType

import pytest
from rooflint.core import LazyPlan
from rooflint.facts import facts_of
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.plugin_api.hookspecs import Context
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import SizeLayer
from rooflint_plugins.models.ceilings.ladders import Rung
from rooflint_plugins.models.ceilings.subject import CeilingSubject
from rooflint_plugins.models.ceilings.verdicts import judge_compute, pages, unit_stride


@pytest.fixture
def subject(build: ModuleType) -> CeilingSubject:
    """``s += a[4*i]`` on one core of Sandy Bridge: an addition of 3 cycles an iteration."""
    return walking(build, 4)


def walking(build: ModuleType, step: int) -> CeilingSubject:
    machine = find_machine("sandybridge-ep-e5-2680", (builtin_dir(),))
    a = build.array("a", "f64", None)
    body = build.assign("s", build.carried("s") + a["i"])
    function = build.function("f", [a], build.loop("i", 0, 1 << 20, body, step=step))
    [facts] = facts_of(function)
    arrays = {array.name: array for array in function.arrays}
    sizes = resolve([facts], function, (SizeLayer("c", {}),))
    rates = Rates(machine, 1)
    traffic = FunctionTraffic([facts], arrays, sizes, machine.line_bytes).traffic(0, rates)
    core = LazyPlan(function, facts, machine)
    context = Context(function, facts, traffic, machine, 1, sizes, rates, core=core)
    return CeilingSubject(context, core.plan, "flop", 1.0, 1)


@pytest.mark.parametrize("name", ["tlp", "load-balance"])
def test_neither_threads_nor_balance_lengthen_what_a_core_waits_for(
    subject: CeilingSubject, name: str
) -> None:
    # one add in 3 cycles; the floor of a chain is 1/3 flop a cycle and core, and threads of equal
    # pieces, twice the floor, are more cores: of the ILP factor of 3 the loop has 1
    rungs = (Rung(name, 2.0, "stated", ""), Rung("ilp", 3.0, "stated", ""))
    first, chain = judge_compute(rungs, 1 / 3, subject)
    assert first.verdict.broken
    assert chain.verdict.reached == pytest.approx(1.0)
    assert not chain.verdict.broken


def test_what_a_step_makes_of_the_floor_is_due_to_it(subject: CeilingSubject) -> None:
    # twice the floor by a ceiling that the loop breaks: a chain has half of what is then allowed
    rungs = (Rung("fp-10-percent", 2.0, "stated", ""), Rung("ilp", 3.0, "stated", ""))
    share, chain = judge_compute(rungs, 1 / 3, subject)
    assert share.verdict.broken
    assert chain.verdict.reached == pytest.approx(0.5)


@pytest.mark.parametrize(("step", "short"), [(1, True), (7, True), (8, False), (9, False)])
def test_a_step_of_a_whole_line_is_no_unit_stride(
    build: ModuleType, step: int, short: bool
) -> None:
    # 8 doubles are a line of 64 B: each iteration takes another
    assert unit_stride(walking(build, step), 2.0).broken is short


@pytest.mark.parametrize(("step", "stays"), [(511, True), (512, False), (513, False)])
def test_a_step_of_a_whole_page_leaves_it(build: ModuleType, step: int, stays: bool) -> None:
    # 512 doubles are 4096 B
    assert pages(walking(build, step), 2.0).broken is stays
