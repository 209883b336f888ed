"""Regimes and blocks from replays at other sizes, against replays of everything."""

from collections.abc import Mapping, Sequence
from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function, Poly
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.engine import EXACT_BUDGET, REPORT_BUDGET, NestReplays, ReplayRequest
from rooflint.memory.engine.replays import ReplayMemo
from rooflint.memory.layers import Layer
from rooflint.memory.line_counts import CountedLines, CountMethod
from rooflint.memory.regimes import (
    Block,
    CoreCache,
    CountedLink,
    CountedRegime,
    Regimes,
    regimes_of,
)
from rooflint.scenario.sizes import Size, Sizes

SNB = Rates(find_machine("snb", (builtin_dir(),)), 1)


def replays(function: Function, budget: int, values: dict[str, int]) -> NestReplays:
    request = ReplayRequest(function=function, budget=budget, memo=ReplayMemo())
    return NestReplays(request, facts_of(function), values, 64)


def regimes(function: Function, **values: int) -> Regimes:
    arrays = {array.name: array for array in function.arrays}
    sizes = Sizes({name: Size(value, "command line") for name, value in values.items()}, values)
    nest = replays(function, REPORT_BUDGET, values)
    moved = FunctionTraffic(facts_of(function), arrays, sizes, 64, replays=nest)
    return moved.regimes(0, SNB, replayed=True)


def misses(function: Function, level: int, executions: int, **values: int) -> float:
    """Lines of a level for eight iterations, all of them replayed."""
    found = replays(function, EXACT_BUDGET, values).lines(SNB.replay_levels, None)
    assert isinstance(found, CountedLines)
    return 8 * found.links[level][0].incoming / executions


def columns(build: ModuleType) -> Function:
    """Reads columns and writes rows: m rows of b have to stay until the next column. Rows are
    nine lines long, so that a column reaches all sets."""
    a, b = build.array("a", "f64", 64, "m"), build.array("b", "f64", "m", 72)
    nest = build.loop("j", 0, "m", a["i", "j"].set(b["j", "i"]))
    return build.function("columns", [a, b], build.loop("i", 0, 64, nest))


def star(build: ModuleType) -> Function:
    a, b = build.array("a", "f64", 12, "N"), build.array("b", "f64", 12, "N")
    total = a["j", "i - 1"] + a["j", "i + 1"] + a["j - 1", "i"] + a["j + 1", "i"]
    nest = build.loop("i", 1, "N - 1", b["j", "i"].set(total))
    return build.function("star", [a, b], build.loop("j", 1, 11, nest))


def test_the_regime_of_now_ends_where_the_replayed_lines_change(build: ModuleType) -> None:
    function = columns(build)
    found = regimes(function, m=300)
    (number,) = [n for n, each in enumerate(found.regimes) if each.now]
    now, after = found.regimes[number : number + 2]
    end = int(now.condition.rpartition(" ")[2])
    # two lines for eight iterations: one of a and one of b; then one of a, and of b one for each
    before, behind = int(end / 1.05) | 1, int(end * 1.05) | 1
    assert misses(function, 0, 64 * before, m=before) < (2 + 9) / 2
    assert misses(function, 0, 64 * behind, m=behind) > (2 + 9) / 2
    # 512 lines: the condition has room for 456 of b beside 57 of a, and no set is crowded yet
    assert end != 455
    assert now.traffic[0].misses == pytest.approx(2, rel=0.05)
    assert after.traffic[0].misses == pytest.approx(9, rel=0.05)
    assert now.method is not CountMethod.CLOSED_FORM
    assert after.condition.startswith(f"{end} < m")


class Rows:
    """A nest that misses once for eight iterations, and nine times beyond three rows."""

    def at(self, sizes: Mapping[str, int]) -> CountedRegime:
        lines = CountedLink("L1-L2", misses=1.0 if sizes["m"] <= 3 else 9.0, evicts=0.0)
        return CountedRegime((lines,), CountMethod.SAMPLED_SETS)

    def tried_blocks(self, blocks: Sequence[Block], sizes: Mapping[str, int]) -> tuple[Block, ...]:
        return tuple(blocks)


def test_the_end_of_a_regime_of_a_few_rows_is_found() -> None:
    """The mean of two sizes with one between them may be the lower of the two."""
    rows = Layer("rows of b", required=Poly({("m",): 8}))
    levels = [CoreCache("L1", "L1-L2", capacity_bytes=24)]
    found = regimes_of([rows], levels, {"m": 2}, Rows())
    assert [each.condition for each in found] == ["m <= 3", "m > 3"]
    assert [each.traffic[0].misses for each in found] == [1.0, 9.0]


def test_regimes_that_go_on_from_each_other_leave_no_gap(build: ModuleType) -> None:
    for m in (20, 100, 1000, 5000):
        found = regimes(columns(build), m=m).regimes
        ends = [each.condition.rpartition("<= ")[2] for each in found[:-1]]
        begins = [each.condition.removeprefix("m > ").partition(" < ")[0] for each in found[1:]]
        assert ends == begins
        assert sum(each.now for each in found) == 1


def test_a_nest_that_data_place_has_regimes_in_closed_form(build: ModuleType) -> None:
    a, b = build.array("a", "f64", 64, "m"), build.array("b", "f64", "m", 64)
    nest = build.loop("j", 0, "m", a["i", "j"].set(b[build.unknown("col[j]", "j"), 0]))
    found = regimes(build.function("f", [a, b], build.loop("i", 0, 64, nest)), m=100)
    assert {each.method for each in found.regimes} <= {CountMethod.CLOSED_FORM}


def test_a_block_is_shown_with_the_share_of_misses_that_it_leaves(build: ModuleType) -> None:
    (block,) = regimes(star(build), N=4000).blocks
    assert (block.loop, block.level) == ("i", "L1")
    assert block.method is not CountMethod.CLOSED_FORM
    # three rows of a and one of b where rows leave, one of each where they stay
    assert block.share_left == pytest.approx(0.5, abs=0.1)


def test_no_block_is_shown_that_would_change_results(build: ModuleType) -> None:
    a = build.array("a", "f64", 12, "N")
    # a value goes one row down and one column back: blocks of columns would come too late
    total = a["j - 1", "i + 1"] + a["j - 1", "i - 1"]
    nest = build.loop("i", 1, "N - 1", a["j", "i"].set(total))
    function = build.function("f", [a], build.loop("j", 1, 11, nest))
    arrays = {array.name: array for array in function.arrays}
    values = {"N": 8000}
    sizes = Sizes({"N": Size(8000, "command line")}, values)
    assert FunctionTraffic(facts_of(function), arrays, sizes, 64).regimes(0, SNB).blocks
    assert regimes(function, N=8000).blocks == ()


def test_no_block_is_shown_that_leaves_the_misses(build: ModuleType) -> None:
    # one row of twelve is read again: what blocks save is the first row of all
    a, b = build.array("a", "f64", 3, "N"), build.array("b", "f64", 3, "N")
    nest = build.loop("i", 0, "N", b["j", "i"].set(a["j", "i"] + a["j - 1", "i"]))
    function = build.function("f", [a, b], build.loop("j", 1, 2, nest))
    assert regimes(function, N=8000).blocks == ()


def test_a_nest_whose_loops_the_compiler_exchanges_has_no_block(build: ModuleType) -> None:
    function, other = star(build), star(build)  # equal loops, and other objects
    values = {"N": 4000}
    sizes = Sizes({"N": Size(4000, "command line")}, values)
    arrays = {array.name: array for array in function.arrays}
    request = ReplayRequest(function=function, budget=REPORT_BUDGET, memo=ReplayMemo())
    nest = NestReplays(request, facts_of(other), values, 64)
    moved = FunctionTraffic(facts_of(other), arrays, sizes, 64, replays=nest)
    found = moved.regimes(0, SNB, replayed=True)
    assert found.regimes and found.blocks == ()
