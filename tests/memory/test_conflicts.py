"""Kinds of misses by hand and by the simulator, and the padding that cures conflicts."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.conflicts import MOST_ARRAYS, ArrayConflict, MissKinds, Padding
from rooflint.memory.engine import (
    EXACT_BUDGET,
    NO_BUDGET,
    REPORT_BUDGET,
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
    assert kinds[1:4] == (counts.compulsory, counts.capacity, counts.conflict)


def rows_of(build: ModuleType, arrays: int, rows: int) -> Function:
    """Sums over columns of arrays that all begin on a page, with rows of a page."""
    names = "abcdefghi"[:arrays]
    made = [build.array(name, "f64", rows, 512) for name in names]
    total = build.carried("s")
    for each in made:
        total = total + each["i", "j"]
    inner = build.loop("i", 0, rows, build.assign("s", total))
    return build.function("f", made, build.loop("j", 0, 8, inner))


def conflicts(function: Function) -> list[ArrayConflict]:
    return list(movement(function, EXACT_BUDGET).conflicts(0, RATES, 0))


def test_a_walk_through_one_set_conflicts_with_itself(build: ModuleType) -> None:
    assert conflicts(columns(build, 512)) == [ArrayConflict("a", ("a",), 112)]


def test_two_arrays_displace_each_other(build: ModuleType) -> None:
    # 6 lines of each in a set of 8 ways: all 12 are loaded in each of 8 columns, and 6 would stay
    expected = [ArrayConflict("a", ("b",), 7 * 6), ArrayConflict("b", ("a",), 7 * 6)]
    assert conflicts(rows_of(build, 2, 6)) == expected
    # 4 lines of each fit
    assert conflicts(rows_of(build, 2, 4)) == []


def test_one_array_too_many_is_any_of_them(build: ModuleType) -> None:
    # 9 lines of three arrays: without one of them the others fit
    found = conflicts(rows_of(build, 3, 3))
    assert [(each.array, each.others) for each in found] == [
        (array, (other,)) for array in "abc" for other in "abc" if other != array
    ]
    assert [each.lines for each in found] == pytest.approx([7 * 3 / 2] * 6)


def test_what_no_single_array_costs_is_that_of_all(build: ModuleType) -> None:
    # 12 lines of four arrays: nine are too many, too
    found = conflicts(rows_of(build, 4, 3))
    assert [(each.array, each.others) for each in found] == [
        (array, tuple(sorted(set("abcd") - {array}))) for array in "abcd"
    ]
    assert sum([each.lines for each in found]) == pytest.approx(7 * 12)


def test_many_arrays_are_not_tried(build: ModuleType) -> None:
    assert conflicts(rows_of(build, MOST_ARRAYS, 2)) != []
    assert conflicts(rows_of(build, MOST_ARRAYS + 1, 2)) == []
    # the closed form does not tell
    assert movement(rows_of(build, 2, 6)).conflicts(0, RATES, 0) == ()


def test_a_replay_may_take_the_budget_whatever_was_predicted(build: ModuleType) -> None:
    # conflicts keep the rounds from being alike, and the prediction takes them for that
    a, b, c = (build.array(name, "f64", 4096) for name in "abc")
    body = a["i"].add(b["512*k + i"] + c["512*k + i"])
    nest = build.loop("t", 0, 50, build.loop("i", 0, 64, build.loop("k", 0, 6, body)))
    moved = movement(build.function("f", [a, b, c], nest), REPORT_BUDGET)
    rates = Rates(find_machine("haswell-ep-e5-2695v3", (builtin_dir(),)), 1)
    [first, *_] = moved.conflicts(0, rates, 0)
    assert first.lines > 1000
