"""Page walks by hand: which loops outrun a TLB, and how often."""

from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import Tlb, builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.pages import page_walks
from rooflint.memory.reuse import Reuse
from rooflint.memory.subnest_footprints import SubnestFootprints
from rooflint.scenario.sizes import Sizes

PAGE = 4096
N = 4000
"""Rows of doubles: 32 000 bytes, more than seven pages."""


def columns(build: ModuleType, by_rows: bool = False) -> Function:
    a = build.array("a", "f64", N, N)
    body = build.assign("s", build.carried("s") + a["i", "j"])
    outer, inner = ("i", "j") if by_rows else ("j", "i")
    return build.function("f", [a], build.loop(outer, 0, N, build.loop(inner, 0, N, body)))


def walks(function: Function, entries: int) -> dict[str, float]:
    arrays = {array.name: array for array in function.arrays}
    pages = Reuse(SubnestFootprints(arrays, {}, PAGE))
    return page_walks(facts_of(function)[0], pages, entries)


def test_a_column_of_more_pages_than_entries_walks_at_each_step(build: ModuleType) -> None:
    assert walks(columns(build), 3072) == pytest.approx({"a": N * N}, rel=0.01)


def test_a_column_whose_pages_stay_walks_once_a_page(build: ModuleType) -> None:
    # 4000 * 32 000 B in pages of 4096 B
    assert walks(columns(build), 4500) == pytest.approx({"a": N * 32000 / 4096}, rel=0.01)


def test_rows_hide_their_walks(build: ModuleType) -> None:
    assert walks(columns(build, by_rows=True), 3072) == {}


def test_steps_of_an_eighth_of_a_page_count(build: ModuleType) -> None:
    def stepping(elements: int) -> Function:
        a = build.array("a", "f64", 1 << 20)
        body = build.assign("s", build.carried("s") + a["i"])
        return build.function("f", [a], build.loop("i", 0, 1 << 20, body, step=elements))

    # 512 B: a page for eight iterations, 2048 in all; 504 B: as data in a row
    assert walks(stepping(64), 100) == pytest.approx({"a": 2048}, rel=0.01)
    assert walks(stepping(63), 100) == {}


def test_traffic_tells_walks_of_an_iteration(build: ModuleType) -> None:
    function = columns(build)
    arrays = {array.name: array for array in function.arrays}
    movement = FunctionTraffic(facts_of(function), arrays, Sizes({}, {}), 64)
    known = replace(find_machine("generic-2level", (builtin_dir(),)), tlb=Tlb(3072, 17))
    assert movement.traffic(0, Rates(known, 1)).page_walks == pytest.approx({"a": 1}, rel=0.01)
    unknown = replace(known, tlb=None)
    assert movement.traffic(0, Rates(unknown, 1)).page_walks == {}
