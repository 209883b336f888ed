"""Both replays against the oracle that simulates access by access, on random nests."""

from collections.abc import Callable, Sequence
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooflint.replay import (
    AccessProgram,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
    native,
    portable,
)
from rooflint.replay.caches import PLAIN, LevelPolicy
from rooflint.replay.lowering import lower_function
from rooflint.replay.program import ReferenceKind

Replay = Callable[[AccessProgram, Sequence[ReplayLevel], ReplaySettings], ReplayCounts]

PROPERTY = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FIRST = st.sampled_from((PLAIN, PLAIN, LevelPolicy.WRITE_ALLOCATE, LevelPolicy.WRITE_BACK))
FURTHER = st.sampled_from(
    (PLAIN, PLAIN, PLAIN | LevelPolicy.INCLUSIVE, PLAIN | LevelPolicy.HASHED,
     PLAIN | LevelPolicy.INCLUSIVE | LevelPolicy.HASHED, PLAIN | LevelPolicy.VICTIM)
)  # fmt: skip
SHAPES = st.sampled_from(((1, 1), (1, 3), (2, 2), (4, 1), (8, 2), (3, 2)))


def compiled(
    program: AccessProgram, levels: Sequence[ReplayLevel], given_settings: ReplaySettings
) -> ReplayCounts:
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    return native.replay(program, levels, given_settings, kernel)


@st.composite
def hierarchies(draw: st.DrawFn) -> list[ReplayLevel]:
    """Two levels of any policies that go together."""
    first = draw(FIRST)
    further = draw(FURTHER) if first == PLAIN else PLAIN
    sets, ways = (1, 12) if further & LevelPolicy.HASHED else (4, 3)
    return [ReplayLevel(*draw(SHAPES), first), ReplayLevel(sets, ways, further)]


def oracle_level(simulator: ModuleType, name: str, level: ReplayLevel) -> object:
    holds = {LevelPolicy.INCLUSIVE: "inclusive", LevelPolicy.VICTIM: "victim"}
    held = level.policy & (LevelPolicy.INCLUSIVE | LevelPolicy.VICTIM)
    return simulator.Level(
        name,
        level.sets,
        level.ways,
        write_back=bool(level.policy & LevelPolicy.WRITE_BACK),
        write_allocate=bool(level.policy & LevelPolicy.WRITE_ALLOCATE),
        holds=holds.get(held, "noninclusive"),
    )


def totals(program: AccessProgram, counts: ReplayCounts, level: int) -> tuple[float, ...]:
    """Loads, write-allocates, evicts and passed stores of one run, dirty lines at its end too."""
    loads = allocates = evicts = passed = 0.0
    for number, reference in enumerate(program.references):
        lines = counts.lines(0, level, number)
        if reference.kind & ReferenceKind.WRITES:
            allocates += lines.misses
        else:
            loads += lines.misses
        evicts += lines.evicts + counts.remaining(level, number)
        passed += lines.passed
    return loads, allocates, evicts, passed


@pytest.mark.long
@pytest.mark.parametrize("replay", [compiled, portable.replay])
@PROPERTY
@given(data=st.data())
def test_counts_are_those_of_every_single_access(
    replay: Replay, data: st.DataObject, simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    function = data.draw(nests.random_nests(build))
    levels = data.draw(hierarchies())
    layout = simulator.lay_out(function, {})
    program = lower_function(function, layout, {})
    counts = replay(program, levels, ReplaySettings())
    assert counts.status is ReplayStatus.OK
    walks = simulator.walks(function, layout, {}, simulator.Policy(promote=True))
    expected = simulator.simulate(
        simulator.line_passes(walks),
        [oracle_level(simulator, f"L{n}", level) for n, level in enumerate(levels)],
    )
    for number, level in enumerate(expected):
        assert totals(program, counts, number) == (
            level.loads, level.write_allocates, level.evicts, level.passed_stores
        )  # fmt: skip


@pytest.mark.long
@PROPERTY
@given(data=st.data())
def test_compiled_and_portable_counts_are_identical(
    data: st.DataObject, simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    function = data.draw(nests.random_nests(build))
    levels = data.draw(hierarchies())
    given_settings = ReplaySettings(
        runs=data.draw(st.integers(1, 3)),
        between_lines=data.draw(st.sampled_from((0, 5, 100))),
        modulus=data.draw(st.sampled_from((1, 2, 8))),
        halves=data.draw(st.sampled_from((1, 2))),
        classes=tuple(data.draw(st.lists(st.integers(0, 7), min_size=1, max_size=4, unique=True))),
    )
    program = lower_function(function, simulator.lay_out(function, {}), {})
    one, other = (each(program, levels, given_settings) for each in (compiled, portable.replay))
    assert one.status is other.status is ReplayStatus.OK
    assert list(one.counters) == list(other.counters)
    assert one.work <= other.work


@pytest.mark.long
@PROPERTY
@given(data=st.data())
def test_the_edges_are_what_one_way_changes(
    data: st.DataObject, simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    # by the stack property, hits at the last way are lost with one way less, and a miss of the
    # line that left last is saved by one way more
    function = data.draw(nests.random_nests(build))
    sets, ways = data.draw(st.sampled_from(((1, 3), (2, 2), (8, 2), (3, 4))))
    program = lower_function(function, simulator.lay_out(function, {}), {})
    fewer, counts, more = (
        portable.replay(program, [ReplayLevel(sets, each)], ReplaySettings())
        for each in (ways - 1, ways, ways + 1)
    )
    for number in range(len(program.references)):
        lines = counts.lines(0, 0, number)
        assert fewer.lines(0, 0, number).misses == lines.misses + lines.at_edge
        assert more.lines(0, 0, number).misses == lines.misses - lines.beyond_edge
