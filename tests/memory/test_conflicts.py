"""Kinds of misses by hand and by the simulator, and the padding that cures conflicts."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.conflicts import MissKinds, Padding
from rooflint.memory.engine import (
    EXACT_BUDGET,
    NO_BUDGET,
    NestReplays,
    ReplayMemo,
    ReplayRequest,
)
from rooflint.scenario.sizes import Sizes

RATES = Rates(find_machine("generic-2level", (builtin_dir(),)), 1)
L1 = RATES.hierarchy[0].above


def movement(function: Function, budget: int = NO_BUDGET) -> FunctionTraffic:
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    request = ReplayRequest(function=function, budget=budget, memo=ReplayMemo())
    replays = NestReplays(request, facts, {}, 64) if budget else None
    return FunctionTraffic(facts, arrays, Sizes({}, {}), 64, replays=replays)


BUDGETS = pytest.mark.parametrize("budget", [NO_BUDGET, EXACT_BUDGET])


def columns(build: ModuleType, width: int) -> Function:
    a = build.array("a", "f64", 16, width)
    body = build.assign("s", build.carried("s") + a["i", "j"])
    return build.function("f", [a], build.loop("j", 0, 8, build.loop("i", 0, 16, body)))


@BUDGETS
def test_a_page_apart(build: ModuleType, budget: int) -> None:
    # 16 lines 4096 B apart lie in one set of 8: each of 8 columns loads its 16 again, though they
    # would fit 32 times: 16 compulsory, 112 conflict
    moved = movement(columns(build, 512), budget)
    assert moved.kinds(0, RATES) == (MissKinds("L1", 16, 0, 112), MissKinds("L2", 16, 0, 0))
    # a line more per row, 4160 B, spreads them over 16 sets
    assert moved.padding(0, RATES, 0) == Padding("a", 4096, 64, 16)


@BUDGETS
def test_nothing_to_cure(build: ModuleType, budget: int) -> None:
    moved = movement(columns(build, 520), budget)
    assert moved.kinds(0, RATES)[0] == MissKinds("L1", 16, 0, 0)
    assert moved.padding(0, RATES, 0) is None


def test_too_much_is_capacity(build: ModuleType) -> None:
    # 1 MiB swept four times: 16384 lines, three times again because L1 and L2 are too small
    a = build.array("a", "f64", 1 << 17)
    body = build.assign("s", build.carried("s") + a["i"])
    inner = build.loop("i", 0, 1 << 17, body)
    moved = movement(build.function("f", [a], build.loop("t", 0, 4, inner)))
    expected = [MissKinds(level, 16384, 3 * 16384, 0) for level in ("L1", "L2")]
    assert list(moved.kinds(0, RATES)) == expected


@pytest.mark.parametrize("width", [256, 512, 1024])
def test_the_simulator_tells_the_same_kinds(
    build: ModuleType, simulator: ModuleType, width: int
) -> None:
    function = columns(build, width)
    layout = simulator.lay_out(function, {})
    trace = simulator.walks(function, layout, {}, simulator.Policy())
    level = simulator.Level("L1", L1.sets, L1.ways)
    [counts] = simulator.simulate(simulator.line_passes(trace, 64), (level,), classify=True)
    kinds = movement(function).kinds(0, RATES)[0]
    assert kinds[1:] == (counts.compulsory, counts.capacity, counts.conflict)
