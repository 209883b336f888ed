"""Lines of kernels from a replay: machines' caches, state on entry, budgets, intervals."""

from collections.abc import Sequence
from math import ceil, sqrt
from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Call, Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory.engine import (
    EXACT_BUDGET,
    NO_BUDGET,
    ClosedFormReason,
    NestReplays,
    ReplayMemo,
    ReplayRequest,
    levels_of,
    link_lines,
)
from rooflint.memory.engine.budget import CLASS_MODULUS, CLASSES_SPARE, LEAST_WINDOW_BUDGET
from rooflint.memory.engine.lines import doubt
from rooflint.memory.hierarchy import links_of
from rooflint.memory.line_counts import CountedLines, CountMethod, LineCounts
from rooflint.replay import ReplayLevel
from rooflint.replay.caches import PLAIN, LevelPolicy

L1, L2 = ReplayLevel(64, 8), ReplayLevel(512, 8)


def replayed_lines(
    function: Function,
    levels: Sequence[ReplayLevel],
    *,
    between_bytes: float | None = None,
    budget: int = EXACT_BUDGET,
) -> CountedLines | ClosedFormReason:
    request = ReplayRequest(function=function, budget=budget, memo=ReplayMemo())
    return NestReplays(request, facts_of(function), {}, 64).lines(tuple(levels), between_bytes)


def lines(found: CountedLines | ClosedFormReason, link: int) -> list[dict[str, tuple[float, ...]]]:
    assert isinstance(found, CountedLines)
    return [{name: tuple(each) for name, each in own.arrays.items()} for own in found.links[link]]


def two_kernels(build: ModuleType) -> Function:
    # a has 250 lines, b 500; neither stays in a cache of 64 lines
    a, b = build.array("a", "f64", 2000), build.array("b", "f64", 4000)
    first = build.loop("i", 0, 2000, a["i"].set(build.number(0)))
    second = build.loop("j", 0, 4000, build.assign("t", build.carried("t") + b["j"]))
    return build.function("f", [a, b], first, second)


def test_lines_belong_to_the_kernel_and_array_that_move_them(build: ModuleType) -> None:
    function = two_kernels(build)
    found = replayed_lines(function, [ReplayLevel(8, 8), L2])
    assert lines(found, 0) == [{"a": (0, 250, 250)}, {"b": (500, 0, 0)}]
    assert lines(found, 1) == [{"a": (0, 250, 250)}, {"b": (500, 0, 0)}]


def test_in_the_steady_state_data_that_fit_stay(build: ModuleType) -> None:
    # 750 lines: more than the 512 of L1, where each sweep pushes out the next one's, in the 4096
    # of L2 they stay; a's lines leave L1 once a call
    function = two_kernels(build)
    found = replayed_lines(function, (L1, L2), between_bytes=0)
    assert lines(found, 0) == [{"a": (0, 250, 250)}, {"b": (500, 0, 0)}]
    assert lines(found, 1) == [{"a": (0, 0, 0)}, {"b": (0, 0, 0)}]


def test_streams_that_meet_in_one_set_conflict_in_an_innermost_loop(build: ModuleType) -> None:
    # nine pages of 4 KiB: element i of all of them lies in one set of eight ways
    names = [f"a{n}" for n in range(9)]
    arrays = [build.array(name, "f64", 512) for name in names]
    total = arrays[0]["i"]
    for each in arrays[1:]:
        total = total + each["i"]
    nest = build.loop("i", 0, 512, build.assign("t", build.carried("t") + total))
    function = build.function("f", arrays, nest)
    [found] = lines(replayed_lines(function, (L1,)), 0)
    assert found == dict.fromkeys(names, (512, 0, 0))


@pytest.mark.parametrize(
    ("budget", "method"),
    # twice 251 + 501 blocks with a touch each and 4 steps to set up each of the two walks; so small
    # a budget is for each of two kernels
    [(3024 // 2, CountMethod.EXACT),
     (3024 // 2 - 1, CountMethod.SAMPLED_SETS),
     (NO_BUDGET, None)],
)  # fmt: skip
def test_budgets_decide_how_many_sets_are_replayed(
    build: ModuleType, budget: int, method: CountMethod | None
) -> None:
    found = replayed_lines(two_kernels(build), (L1, L2), budget=budget)
    assert (found.method if isinstance(found, CountedLines) else None) is method
    if isinstance(found, CountedLines):
        [own, _] = found.links[0]
        assert own.arrays["a"].allocate == pytest.approx(250, rel=0.05)


@pytest.mark.parametrize(
    ("spare", "method"), [(0, CountMethod.SAMPLED_SETS), (-1, CountMethod.WINDOWS)]
)
def test_eight_classes_may_exceed_the_budget(
    build: ModuleType, spare: int, method: CountMethod
) -> None:
    # 5 000 001 blocks with a touch each, of which eight classes are an eighth, and a walk's 4 steps
    a = build.array("a", "f64", 40_000_000)
    nest = build.loop("i", 0, 40_000_000, build.assign("t", build.carried("t") + a["i"]))
    work = 2 * 5_000_001 / 8 + 4
    budget = ceil(work / CLASSES_SPARE) + spare
    assert budget >= LEAST_WINDOW_BUDGET
    found = replayed_lines(build.function("f", [a], nest), (L1, L2), budget=budget)
    assert isinstance(found, CountedLines)
    assert found.method is method


@pytest.mark.parametrize(
    ("lines", "method"), [(3124, CountMethod.EXACT), (3125, CountMethod.SAMPLED_SETS)]
)
def test_touches_in_all_sets_take_an_eighth_of_a_reports_budget(
    build: ModuleType, lines: int, method: CountMethod
) -> None:
    # a block more than lines, with a touch each, in two runs
    a = build.array("a", "f64", 8 * lines)
    nest = build.loop("i", 0, 8 * lines, build.assign("t", build.carried("t") + a["i"]))
    found = replayed_lines(build.function("f", [a], nest), (L1, L2), budget=100_000)
    assert isinstance(found, CountedLines)
    assert found.method is method


@pytest.mark.parametrize(
    ("lines", "method"), [(1024, CountMethod.EXACT), (1088, CountMethod.SAMPLED_SETS)]
)
def test_data_of_a_quarter_of_the_largest_sets_are_not_sampled(
    build: ModuleType, lines: int, method: CountMethod
) -> None:
    # pages of 64 lines, of which L2 holds 4096; ten sweeps are more than an eighth of the budget
    a = build.array("a", "f64", 8 * lines)
    sweep = build.loop("i", 0, 8 * lines, build.assign("t", build.carried("t") + a["i"]))
    sweeps = build.loop("n", 0, 10, a["n"].set(build.number(1.0)), sweep)
    found = replayed_lines(build.function("f", [a], sweeps), (L1, L2), budget=100_000)
    assert isinstance(found, CountedLines)
    assert found.method is method


def test_steps_may_take_all_of_a_reports_budget(build: ModuleType) -> None:
    # a single line: 15 000 iterations with two accesses and a step each, in two runs
    a = build.array("a", "f64", 8)
    body = build.branch(build.index("i % 2"), [a["i % 8"].set(build.number(1.0))])
    function = build.function("f", [a], build.loop("i", 0, 15_000, body))
    found = replayed_lines(function, (L1, L2), budget=100_000)
    assert isinstance(found, CountedLines)
    assert found.method is CountMethod.EXACT


def test_samples_that_differ_widen_the_interval(build: ModuleType) -> None:
    # eight classes of sets, one of which holds all: 64 of them would hold eight times as much
    assert doubt([8.0] * 8, 8.0) == 0
    assert doubt([64.0, *[0.0] * 7], 8.0) == pytest.approx(64 * sqrt(7 / 8))
    assert doubt([5.0, 3.0], 8.0) == 2
    assert doubt([7.0], 1.0) == 0


def test_caches_whose_sets_form_no_classes_are_not_sampled(build: ModuleType) -> None:
    odd = ReplayLevel(CLASS_MODULUS - 1, 8)
    found = replayed_lines(two_kernels(build), [odd], budget=1500)
    assert found == ClosedFormReason("a replay of its accesses is beyond the budget")


def test_the_interval_has_what_one_way_changes(build: ModuleType) -> None:
    # 9 lines in a set of 8, again and again: one way more would keep them all but once
    a = build.array("a", "f64", 9 * 8)
    nest = build.loop("t", 0, 100, build.loop("i", 0, 9, build.assign("s", a["8*i"])))
    found = replayed_lines(build.function("f", [a], nest), [ReplayLevel(1, 8)])
    assert isinstance(found, CountedLines)
    [own] = found.links[0]
    assert own.arrays["a"].load == 900
    # 99 * 9 and half a per cent fewer; half a per cent and a call's 16 lines more
    low, high = own.interval or (0, 0)
    assert low == pytest.approx(900 * 0.995 - 891)
    assert high == pytest.approx(900 * 1.005 + 16)


def test_what_other_code_touches_between_calls_pushes_data_out(build: ModuleType) -> None:
    # 4096 lines of L2: as many others leave nothing, far fewer leave most
    function = two_kernels(build)
    flushed = lines(replayed_lines(function, (L1, L2), between_bytes=4096 * 64), 1)
    assert flushed == [{"a": (0, 250, 250)}, {"b": (500, 0, 0)}]
    some = lines(replayed_lines(function, (L1, L2), between_bytes=64), 1)
    assert some == [{"a": (0, 0, 0)}, {"b": (0, 0, 0)}]


def test_replays_of_equal_accesses_are_shared(build: ModuleType) -> None:
    memo = ReplayMemo()
    found = []
    for _ in range(2):
        function = two_kernels(build)
        request = ReplayRequest(function=function, budget=EXACT_BUDGET, memo=memo)
        replays = NestReplays(request, facts_of(function), {}, 64)
        found += [replays.lines((L1,), entry) for entry in (None, 0.0)]
    assert found[:2] == found[2:]
    assert len(memo.samples) == 1


def test_lines_that_a_victim_cache_takes_and_hands_back(build: ModuleType) -> None:
    # 750 lines stay in L2 and its victim together, not in L2: what L2 drops comes back from L3
    machine = find_machine("skylake-sp-6148", [builtin_dir()])
    links = links_of(machine, 1)
    small = (ReplayLevel(8, 8), ReplayLevel(64, 2), levels_of(machine, 1)[2])
    found = replayed_lines(two_kernels(build), small, between_bytes=0)
    assert isinstance(found, CountedLines)
    [own, _] = link_lines(found, links).links[1]
    assert own.arrays["a"] == LineCounts(0, 250, 250)
    [own, _] = link_lines(found, links).links[2]
    assert own.arrays["a"] == LineCounts(0, 0, 0)


def test_code_without_a_place_is_not_counted(build: ModuleType) -> None:
    function = build.function("f", [], Call("g", ()))
    assert replayed_lines(function, (L1,)) == ClosedFormReason("it touches no array")


def test_levels_of_machines() -> None:
    skylake = find_machine("skylake-sp-6148", [builtin_dir()])
    first, second, third = levels_of(skylake, 1)
    assert first == ReplayLevel(64, 8, PLAIN)
    assert second.sets == 1024
    assert third.policy & LevelPolicy.HASHED
    assert third.policy & LevelPolicy.VICTIM
    assert levels_of(find_machine("cell", [builtin_dir()]), 1) == ()
