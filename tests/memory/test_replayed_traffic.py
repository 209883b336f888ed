"""Traffic of kernels from replays: figures, how they were counted, and where they were not."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.engine import (
    EXACT_BUDGET,
    NO_BUDGET,
    REPORT_BUDGET,
    NestReplays,
    ReplayMemo,
    ReplayRequest,
)
from rooflint.memory.line_counts import CountMethod
from rooflint.scenario import COLD_ENTRY, CacheEntry, EntryOrigin, EntryState
from rooflint.scenario.sizes import Sizes

RATES = Rates(find_machine("generic-2level", (builtin_dir(),)), 1)
STEADY = CacheEntry(EntryState.STEADY, EntryOrigin.COMMAND_LINE)


def movement(
    function: Function, budget: int = EXACT_BUDGET, entry: CacheEntry = COLD_ENTRY
) -> FunctionTraffic:
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    request = ReplayRequest(function=function, budget=budget, memo=ReplayMemo())
    replays = NestReplays(request, facts, {}, 64)
    return FunctionTraffic(facts, arrays, Sizes({}, {}), 64, entry=entry, replays=replays)


def streams(build: ModuleType, number: int) -> Function:
    """Sums of arrays of a page each: element i of all of them lies in one set."""
    names = [f"a{n}" for n in range(number)]
    arrays = [build.array(name, "f64", 512) for name in names]
    total = arrays[0]["i"]
    for each in arrays[1:]:
        total = total + each["i"]
    body = build.assign("t", build.carried("t") + total)
    return build.function("f", arrays, build.loop("i", 0, 512, body))


def test_streams_that_conflict_in_an_innermost_loop_miss_with_every_access(
    build: ModuleType,
) -> None:
    found = movement(streams(build, 12)).traffic(0, RATES)
    near = found.links[1]
    assert near.method is CountMethod.EXACT
    assert near.load_bytes == 12 * 64
    # 12 streams of 64 lines each touch 768 lines; the rest are conflicts
    kinds = movement(streams(build, 12)).kinds(0, RATES)[0]
    assert (kinds.compulsory, kinds.capacity, kinds.conflict) == (768, 0, 12 * 512 - 768)


def test_a_replay_beyond_the_budget_leaves_the_closed_form_and_says_so(build: ModuleType) -> None:
    found = movement(streams(build, 9), budget=1).traffic(0, RATES)
    assert {link.method for link in found.links[1:]} == {CountMethod.CLOSED_FORM}
    # 9 * 64 lines less the 512 of the cache come in any case, and at most one with each access
    low, high = found.links[1].interval or (0.0, 0.0)
    assert low == pytest.approx(0.995 * 64 * 64 / 512)
    assert high == 9 * 64
    note = "traffic in closed form: a replay of its accesses is beyond the budget"
    assert note in found.assumptions
    assert note not in movement(streams(build, 3)).traffic(0, RATES).assumptions


def test_the_interval_holds_the_lines_that_come_in(build: ModuleType) -> None:
    # 3 * 64 lines of 512 iterations; half a per cent and the 16 lines of a call
    link = movement(streams(build, 3)).traffic(0, RATES).links[1]
    assert link.load_bytes == 64 * 192 / 512
    low, high = link.interval or (0, 0)
    assert low == pytest.approx(link.load_bytes * 0.995)
    assert high == pytest.approx(link.load_bytes * 1.005 + 64 * 16 / 512)


def test_both_states_on_entry_come_from_one_replay(build: ModuleType) -> None:
    cold = movement(streams(build, 3))
    steady = cold.with_entry(STEADY)
    assert cold.traffic(0, RATES).links[1].load_bytes == 24
    assert steady.traffic(0, RATES).links[1].load_bytes == 0
    assert steady.level_of_data(0, RATES) == "L1"
    assert [each.load_lines for each in cold.totals(RATES)] == [192, 192]


def test_gathers_are_not_replayed(build: ModuleType) -> None:
    index, a = build.array("index", "i32", 100), build.array("a", "f64", 100)
    body = build.assign("s", build.carried("s") + a[build.unknown("index[i]")])
    function = build.function("f", [index, a], build.loop("i", 0, 100, body))
    found = movement(function).traffic(0, RATES)
    assert found.links[1].method is CountMethod.CLOSED_FORM
    assert "traffic in closed form: the addresses of a are not known" in found.assumptions
    # a hit or a line of 64 bytes an iteration: nothing else is known of a[index[i]]
    assert found.links[0].interval is None
    assert [link.interval for link in found.links[1:]] == [(0.0, 64.0)] * 2


@pytest.mark.parametrize(("budget", "method"), [(NO_BUDGET, CountMethod.CLOSED_FORM),
                                                (EXACT_BUDGET, CountMethod.EXACT)])  # fmt: skip
def test_executions_alone_may_exceed_the_budget(
    build: ModuleType, budget: int, method: CountMethod
) -> None:
    found = movement(streams(build, 3), budget).traffic(0, RATES)
    assert found.links[1].method is method


@pytest.mark.parametrize(
    ("arrays", "entry", "certain"),
    # as many streams as ways, and one more; 3 * 64 lines stay in the caches from call to call
    [(8, COLD_ENTRY, True), (9, COLD_ENTRY, False), (3, STEADY, False)],
)
def test_one_sweep_over_arrays_is_certain_in_closed_form(
    build: ModuleType, arrays: int, entry: CacheEntry, certain: bool
) -> None:
    function = streams(build, arrays)
    found = movement(function, NO_BUDGET, entry).traffic(0, RATES)
    assert found.links[1].method is CountMethod.CLOSED_FORM
    low, high = found.links[1].interval or (0.0, 0.0)
    # half a per cent to both sides, and the 16 lines of a call
    lines = 64 * arrays
    assert ((high - low) * 512 / 64 == pytest.approx(0.01 * lines + 16)) is certain
    assert any("closed form" in note for note in found.assumptions) is not certain
    if certain:
        exact = movement(function, EXACT_BUDGET, entry).traffic(0, RATES)
        assert [link.total_bytes for link in found.links] == [
            link.total_bytes for link in exact.links
        ]


@pytest.mark.parametrize(("references", "method"), [(1, CountMethod.CLOSED_FORM),
                                                    (2, CountMethod.WINDOWS)])  # fmt: skip
def test_what_is_certain_in_closed_form_needs_no_windows(
    build: ModuleType, references: int, method: CountMethod
) -> None:
    # 10^9 elements are beyond any budget of reports; two references may meet in a line
    a = build.array("a", "f64", 1_000_000_000 + 800)
    total = build.carried("t") + a["i"]
    total = total + a["i + 800"] if references == 2 else total
    nest = build.loop("i", 0, 1_000_000_000, build.assign("t", total))
    found = movement(build.function("f", [a], nest), REPORT_BUDGET).traffic(0, RATES)
    assert found.links[1].method is method
    low, high = found.links[1].interval or (0, 0)
    assert low <= 8 <= high
