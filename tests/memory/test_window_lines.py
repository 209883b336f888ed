"""Lines from windows of long loops: against the simulator of every access, and what is in doubt."""

from collections.abc import Sequence
from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.memory.closed_form import ClosedForm, ReuseCache
from rooflint.memory.engine import ClosedFormReason, NestReplays, ReplayMemo, ReplayRequest
from rooflint.memory.engine.budget import LEAST_WINDOW_BUDGET
from rooflint.memory.hierarchy import CacheGeometry, MemoryLink
from rooflint.memory.line_counts import (
    CountedLines,
    CountMethod,
    KernelLines,
    LineCounts,
    LineInterval,
)
from rooflint.memory.window_lines import FITTING_SHARE, OPEN_SHARE, WindowCloser
from rooflint.replay import ReplayLevel, native
from rooflint.replay.placement import page_layout

LEVELS = (ReplayLevel(16, 4), ReplayLevel(32, 8))
"""Sixteen sets form no classes, so that windows alone can be less than everything."""

pytestmark = pytest.mark.skipif(
    native.library() is None, reason="the package was installed without a C compiler"
)


def counted(
    function: Function, sizes: dict[str, int], budget: int, levels: Sequence[ReplayLevel] = LEVELS
) -> CountedLines | ClosedFormReason:
    request = ReplayRequest(function=function, budget=budget, memo=ReplayMemo())
    return NestReplays(request, facts_of(function), sizes, 64).lines(tuple(levels), None)


def nest(name: str, build: ModuleType, nests: ModuleType) -> tuple[Function, dict[str, int]]:
    if name == "gemm":
        return nests.gemm(build), dict.fromkeys(("ni", "nj", "nk"), 100)
    if name == "lu":
        return nests.lu(build), {"n": 120}
    if name == "heat":
        return nests.heat3d(build), {"n": 60}
    return nests.jacobi2d(build, 400), {}


@pytest.mark.parametrize("name", ["gemm", "lu", "heat", "jacobi"])
def test_the_interval_holds_the_lines_of_every_single_access(
    name: str, build: ModuleType, nests: ModuleType, simulator: ModuleType
) -> None:
    function, sizes = nest(name, build, nests)
    found = counted(function, sizes, 400_000)
    assert isinstance(found, CountedLines)
    assert found.method is CountMethod.WINDOWS
    trace = simulator.walks(
        function, page_layout(function, sizes), sizes, simulator.Policy(promote=True)
    )
    levels = [simulator.Level(f"L{n}", each.sets, each.ways) for n, each in enumerate(LEVELS)]
    for own, level in zip(found.links, simulator.simulate(
            simulator.line_passes(trace), levels), strict=True):  # fmt: skip
        low = sum([each.interval.low for each in own if each.interval])
        high = sum([each.interval.high for each in own if each.interval])
        assert low <= level.misses <= high
        incoming = sum([each.incoming for each in own])
        assert incoming == pytest.approx(level.misses, rel=0.06)
        evicts = sum([lines.evict for each in own for lines in each.arrays.values()])
        # a twentieth more: no parabola tells how often each row of a triangle leaves
        assert evicts == pytest.approx(level.evicts, rel=0.11)


def test_no_windows_below_the_budget_that_planning_takes(
    build: ModuleType, nests: ModuleType
) -> None:
    function, sizes = nests.jacobi2d(build, 400), dict[str, int]()
    for budget, method in ((LEAST_WINDOW_BUDGET, CountMethod.WINDOWS),
                           (LEAST_WINDOW_BUDGET - 1, None)):  # fmt: skip
        found = counted(function, sizes, budget)
        assert (found.method if isinstance(found, CountedLines) else None) is method


def closer(build: ModuleType, nests: ModuleType) -> WindowCloser:
    """Of a copy: 1000 lines of each of two arrays."""
    function = nests.streaming(build, 8000)["copy"]
    facts = facts_of(function)
    reuse = ReuseCache().of({each.name: each for each in function.arrays}, {}, 64)
    cold = ClosedForm(reuse, facts, None)
    return WindowCloser(closed=cold, cold=cold, touched=(2000.0,))


def closed(
    closer: WindowCloser, cache: CacheGeometry, *, low: float, high: float, unsure: float
) -> KernelLines:
    own = KernelLines(
        arrays={"a": LineCounts(0, high / 2, high / 2), "b": LineCounts(high / 2, 0, 0)},
        interval=LineInterval(low, high),
        unsure=unsure,
    )
    link = MemoryLink(
        name="L1-MEM", near="L1", above=cache, victim=None, allocates=True, through=False, last=True
    )
    found = closer.lines(CountedLines(method=CountMethod.WINDOWS, links=((own,),)), [link])
    return found.links[0][0]


def test_lines_that_come_for_the_first_time_are_certain(
    build: ModuleType, nests: ModuleType
) -> None:
    # windows leave all open; 2000 lines are missed at least once, less half a per cent
    own = closed(closer(build, nests), CacheGeometry(1, 500), low=0, high=2000, unsure=2000)
    assert own.interval == (2000 * 0.995, 2000)
    assert own.method is None


def test_the_closed_form_says_what_windows_leave_open(build: ModuleType, nests: ModuleType) -> None:
    # twice as many misses, half of them in doubt: the closed form knows 2000
    own = closed(closer(build, nests), CacheGeometry(1, 500), low=0, high=4000, unsure=4000)
    assert own.interval == (2000 * 0.995, 4000)
    assert own.method is CountMethod.CLOSED_FORM
    assert own.incoming == pytest.approx(2000)


@pytest.mark.parametrize(
    ("share", "method"), [(OPEN_SHARE, None), (OPEN_SHARE * 1.01, CountMethod.CLOSED_FORM)]
)
def test_few_open_misses_leave_the_windows_their_lines(
    share: float, method: CountMethod | None, build: ModuleType, nests: ModuleType
) -> None:
    unsure = 4000 * share
    own = closed(
        closer(build, nests), CacheGeometry(1, 500), low=4000 - unsure, high=4000, unsure=unsure
    )
    assert own.method is method


@pytest.mark.parametrize("fits", [True, False])
def test_data_that_fit_a_level_without_sets_stay_there(
    fits: bool, build: ModuleType, nests: ModuleType
) -> None:
    lines = round(2000 / FITTING_SHARE) + (1 if fits else -1)
    own = closed(closer(build, nests), CacheGeometry(1, lines), low=0, high=8000, unsure=8000)
    assert own.interval is not None
    assert own.interval.high == (2000 * 1.005 + 16 if fits else 8000)


def test_what_exceeds_the_capacity_is_missed_in_the_steady_state(
    build: ModuleType, nests: ModuleType
) -> None:
    given = closer(build, nests)
    function = nests.streaming(build, 8000)["copy"]
    reuse = ReuseCache().of({each.name: each for each in function.arrays}, {}, 64)
    steady = given._replace(closed=ClosedForm(reuse, facts_of(function), 0.0))
    own = closed(steady, CacheGeometry(1, 500), low=0, high=2000, unsure=2000)
    assert own.interval == (1500 * 0.995, 2000)


@pytest.mark.parametrize(("ways", "method"), [(19, None), (20, CountMethod.CLOSED_FORM)])
def test_data_that_exceed_a_level_with_sets_leave_the_windows_their_lines(
    ways: int, method: CountMethod | None, build: ModuleType, nests: ModuleType
) -> None:
    # 2000 lines in 100 sets of 19 or 20 ways
    own = closed(closer(build, nests), CacheGeometry(100, ways), low=0, high=4000, unsure=4000)
    assert own.method is method
    assert own.incoming == pytest.approx(4000 if method is None else 2000)
