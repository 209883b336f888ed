"""Bounds of lines in closed form, against a replay of every access."""

from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.engine import (
    EXACT_BUDGET,
    NO_BUDGET,
    NestReplays,
    ReplayMemo,
    ReplayRequest,
)
from rooflint.memory.line_counts import CountedLines, CountMethod
from rooflint.scenario import COLD_ENTRY, CacheEntry, EntryOrigin, EntryState
from rooflint.scenario.sizes import Sizes

RATES = Rates(find_machine("generic-2level", (builtin_dir(),)), 1)
STEADY = CacheEntry(EntryState.STEADY, EntryOrigin.COMMAND_LINE)


def counted(function: Function, budget: int, entry: CacheEntry = COLD_ENTRY) -> CountedLines:
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    request = ReplayRequest(function=function, budget=budget, memo=ReplayMemo())
    replays = NestReplays(request, facts, {}, 64)
    traffic = FunctionTraffic(facts, arrays, Sizes({}, {}), 64, entry=entry, replays=replays)
    return traffic.counted(RATES)


def two_rows(build: ModuleType, rows: int) -> Function:
    """Sums of rows and of the rows below, each of 100 elements and not aligned."""
    a = build.array("a", "f64", rows + 1, 100)
    body = build.assign("t", build.carried("t") + a["i", "j"] + a["i + 1", "j"])
    nest = build.loop("i", 0, rows, build.loop("j", 0, 100, body))
    return build.function("f", [a], nest)


def test_references_that_stay_in_their_sets_come_to_each_line_of_a_walk_once(
    build: ModuleType,
) -> None:
    [[near], [far]] = counted(two_rows(build, 50), NO_BUDGET, STEADY).links
    # a walk's references come to 100 / 8 lines and two at the ends; 16 lines are of the call
    assert near.interval is not None
    low, high = near.interval
    assert low == pytest.approx(0.995 * (51 * 12.5 - 512), rel=0.01)
    assert high == 2 * 50 * 14.5 + 16
    assert far.interval is not None
    assert tuple(far.interval) == (0.0, high)


def test_loops_around_others_may_miss_with_each_access(build: ModuleType) -> None:
    a, b = build.array("a", "f64", 64), build.array("b", "f64", 64, 4096)
    inner = build.loop("j", 0, 4096, b["i", "j"].set(build.number(1.0)))
    nest = build.loop("i", 0, 64, a["i"].set(build.number(2.0)), inner)
    function = build.function("f", [a, b], nest)
    [[around, _], _] = counted(function, NO_BUDGET).links
    assert around.interval is not None
    assert around.interval.high == 64


@settings(max_examples=60, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("entry", [COLD_ENTRY, STEADY])
def test_bounds_hold_what_a_replay_counts(
    entry: CacheEntry, build: ModuleType, nests: ModuleType, data: st.DataObject
) -> None:
    function = data.draw(nests.random_nests(build))
    exact = counted(function, EXACT_BUDGET, entry)
    bounded = counted(function, NO_BUDGET, entry)
    if exact.method is not CountMethod.EXACT:
        return
    for links, others in zip(bounded.links, exact.links, strict=True):
        for own, other in zip(links, others, strict=True):
            assert own.interval is not None
            assert own.interval.low <= other.incoming <= own.interval.high
