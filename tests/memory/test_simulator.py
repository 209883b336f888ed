"""The LRU simulator: counts by hand, and the laws that any LRU cache keeps."""

from collections import Counter
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooflint.ir import Function

Counts = Any
"""A ``LevelCounts``; fixtures hand out modules, whose classes have no static names here."""


def run(
    sim: ModuleType, function: Function, *levels: object, **options: bool
) -> tuple[Counts, ...]:
    """Cold caches, arrays one after the other on line boundaries."""
    layout = sim.lay_out(function, {})
    counts: tuple[Counts, ...] = sim.simulate(
        sim.line_passes(sim.walks(function, layout, {})), levels, **options
    )
    return counts


def lines_of(sim: ModuleType, lines: list[int]) -> list[object]:
    return [sim.Pass([2 * line], 1) for line in lines]


def test_a_stream_loads_allocates_and_evicts_each_line_once(
    simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    # copy of 1000 doubles: 8000 B are 125 lines on each side; 8 KiB hold neither
    function = nests.streaming(build, 1000)["copy"]
    [l1] = run(simulator, function, simulator.Level("L1", 16, 8))
    assert (l1.loads, l1.write_allocates, l1.evicts) == (125, 125, 125)
    assert (l1.requests, l1.hits) == (2000, 2000 - 250)


def test_an_update_loads_what_it_stores(
    simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    # a[i] += b[i]: the load of a comes first, so its lines are loads; only a's 125 go back
    [l1] = run(simulator, nests.streaming(build, 1000)["update"], simulator.Level("L1", 16, 8))
    assert (l1.loads, l1.write_allocates, l1.evicts) == (250, 0, 125)


def test_without_flush_what_stays_is_not_written_back(
    simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    # 128 lines hold the last 64 of each array, so 125 - 64 lines of a were replaced
    function = nests.streaming(build, 1000)["copy"]
    [l1] = run(simulator, function, simulator.Level("L1", 1, 128), flush=False)
    assert l1.evicts == 125 - 64


@pytest.mark.parametrize(
    ("step", "lines"),
    # 1000 doubles from a line boundary: every 16th in a line of its own; of every third, at most
    # 21 doubles apart in 8 rounds of 3 lines, all lines are met; backwards the same
    [(16, 63), (3, 125), (8, 125), (9, 112)],
)
def test_strides(simulator: ModuleType, build: ModuleType, step: int, lines: int) -> None:
    a = build.array("a", "f64", 1000)
    body = build.assign("t", build.carried("t") + a["i"])
    function = build.function("strided", [a], build.loop("i", 0, 1000, body, step=step))
    [l1] = run(simulator, function, simulator.Level("L1", 8, 8))
    assert l1.misses == lines


@pytest.mark.parametrize(("ways", "misses"), [(1, 2 * 512), (2, 2 * 512 // 8)])
def test_two_streams_in_one_set_thrash_a_single_way(
    simulator: ModuleType, build: ModuleType, ways: int, misses: int
) -> None:
    # 512 doubles are 4 KiB = 64 sets of 64 B: a[i] and b[i] always meet in one set
    a, b = build.array("a", "f64", 512), build.array("b", "f64", 512)
    body = build.assign("t", build.carried("t") + a["i"] * b["i"])
    function = build.function("dot", [a, b], build.loop("i", 0, 512, body))
    [l1] = run(simulator, function, simulator.Level("L1", 64, ways), classify=True)
    assert l1.misses == misses
    assert (l1.compulsory, l1.capacity, l1.conflict) == (128, 0, misses - 128)


@pytest.mark.parametrize(
    ("capacity_lines", "misses"),
    # a column of 64 rows walks 64 lines and comes back to them for the next 7 columns; LRU of one
    # line less has just dropped each of them
    [(64, 64 * 64 // 8), (63, 64 * 64)],
)
def test_transposed_access(
    simulator: ModuleType, build: ModuleType, capacity_lines: int, misses: int
) -> None:
    a = build.array("a", "f64", 64, 64)
    body = build.assign("t", build.carried("t") + a["j", "i"])
    function = build.function("columns", [a], build.loop("i", 0, 64, build.loop("j", 0, 64, body)))
    [l1] = run(simulator, function, simulator.Level("L1", 1, capacity_lines), classify=True)
    assert l1.misses == misses
    assert (l1.compulsory, l1.capacity, l1.conflict) == (512, misses - 512, 0)


@pytest.mark.parametrize(
    ("capacity_lines", "broken"),
    # Rows of r = 8 lines. From a line of row i to its next use one sweep later come the rest of
    # its row, the row above or below on either side of it, and the row of b: 4r lines with it.
    # One line less loses one line of each row, three less lose all but nothing is reused later.
    [(32, 0), (31, 61), (29, 61 * 2 * 8)],
)
def test_the_layer_condition_of_a_stencil_holds_to_the_line(
    simulator: ModuleType,
    build: ModuleType,
    nests: ModuleType,
    capacity_lines: int,
    broken: int,
) -> None:
    # n = 64: a's 64 rows and b's 62 are compulsory. A sweep uses 3 rows of a, 62 sweeps 186; the
    # first use of each row is compulsory: 186 - 64 = 2 * 61 reuses of 8 lines rest on the condition
    [l1] = run(simulator, nests.jacobi2d(build, 64), simulator.Level("L1", 1, capacity_lines))
    assert l1.misses == (64 + 62) * 8 + broken


def test_levels_behind_each_other(
    simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    # 4 sums over 64 lines: each time through 32, once through 64
    function = nests.streaming(build, 512)["sum"]
    function = build.function(
        "sums", [build.array("a", "f64", 512)], build.loop("t", 0, 4, *function.body)
    )
    levels = (simulator.Level("L1", 4, 8), simulator.Level("L2", 8, 8))
    l1, l2 = run(simulator, function, *levels, classify=True)
    assert (l1.loads, l2.requests, l2.loads) == (4 * 64, 4 * 64, 64)
    assert (l1.compulsory, l1.capacity, l1.conflict) == (64, 3 * 64, 0)


def test_a_victim_cache_adds_to_the_capacity(simulator: ModuleType) -> None:
    # 3 sweeps over 12 lines: neither 4 nor 8 hold them, 4 + 8 do. All replaced lines go there,
    # clean ones too: of 36 loads 4 stay in L1, 32 go
    sweeps = lines_of(simulator, list(range(12)) * 3)
    levels = (simulator.Level("L2", 1, 4), simulator.Level("L3", 1, 8, holds="victim"))
    l2, l3 = simulator.simulate(sweeps, levels)
    assert (l2.loads, l2.clean_evicts, l2.evicts) == (36, 32, 0)
    assert (l3.loads, l3.hits) == (12, 24)
    inclusive = (simulator.Level("L2", 1, 4), simulator.Level("L3", 1, 8))
    assert simulator.simulate(sweeps, inclusive)[1].loads == 36


def test_a_dirty_line_comes_back_dirty_from_a_victim_cache(simulator: ModuleType) -> None:
    # store 0; loads of 1, 2 push it out; a load brings it back; it is written to memory once
    passes = [simulator.Pass([1], 1), *lines_of(simulator, [1, 2, 0])]
    levels = (simulator.Level("L2", 1, 2), simulator.Level("L3", 1, 4, holds="victim"))
    l2, l3 = simulator.simulate(passes, levels)
    assert (l2.write_allocates, l2.loads, l3.hits) == (1, 3, 1)
    # once to L3, and at the flush past it
    assert (l2.evicts, l3.evicts) == (2, 1)


@pytest.mark.parametrize(("holds", "l1_loads"), [("noninclusive", 3), ("inclusive", 4)])
def test_an_inclusive_level_takes_its_lines_from_the_nearer_ones(
    simulator: ModuleType, holds: str, l1_loads: int
) -> None:
    # the hit on 0 does not reach L2, which replaces 0 for 2 and, if inclusive, takes it from L1
    levels = (simulator.Level("L1", 1, 3), simulator.Level("L2", 1, 2, holds=holds))
    l1, _ = simulator.simulate(lines_of(simulator, [0, 1, 0, 2, 0]), levels)
    assert l1.loads == l1_loads


def test_inclusion_writes_back_the_newer_copy(simulator: ModuleType) -> None:
    # 0 is dirty in L1 only when L2 replaces it: one line over each link
    levels = (simulator.Level("L1", 1, 4), simulator.Level("L2", 1, 1, holds="inclusive"))
    passes = [simulator.Pass([1], 1), *lines_of(simulator, [1])]
    l1, l2 = simulator.simulate(passes, levels, flush=False)
    assert (l1.evicts, l2.evicts) == (1, 1)


def test_a_dirty_line_that_the_next_level_lost_goes_past_it(simulator: ModuleType) -> None:
    # L2 (one line) has lost 0 when the flush writes it back: it crosses both links
    levels = (simulator.Level("L1", 1, 4), simulator.Level("L2", 1, 1))
    passes = [simulator.Pass([1], 1), *lines_of(simulator, [1])]
    l1, l2 = simulator.simulate(passes, levels)
    assert (l1.evicts, l2.evicts) == (1, 1)


def test_stores_that_do_not_allocate_or_go_through(
    simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    function = nests.streaming(build, 64)["copy"]
    # without write-allocate all 64 stores miss and go on; nothing of a is ever held
    around = simulator.Level("L1", 8, 8, write_allocate=False)
    l1, l2 = run(simulator, function, around, simulator.Level("L2", 16, 8))
    assert (l1.loads, l1.write_allocates, l1.evicts, l1.passed_stores) == (8, 0, 0, 64)
    assert (l2.loads, l2.write_allocates, l2.evicts) == (8, 8, 8)
    # write-through: a's 8 lines are fetched, each store goes on, nothing is dirty
    through = simulator.Level("L1", 8, 8, write_back=False)
    l1, l2 = run(simulator, function, through, simulator.Level("L2", 16, 8))
    assert (l1.loads, l1.write_allocates, l1.evicts, l1.passed_stores) == (8, 8, 0, 64)
    assert (l2.loads, l2.write_allocates, l2.evicts) == (8, 8, 8)


def test_misses_by_array(simulator: ModuleType, build: ModuleType, nests: ModuleType) -> None:
    function = nests.streaming(build, 1000)["add"]
    layout = simulator.lay_out(function, {})
    owner = simulator.owner_of(layout)
    passes = simulator.line_passes(simulator.walks(function, layout, {}))
    [l1] = simulator.simulate(passes, [simulator.Level("L1", 16, 8)], owner=owner)
    assert l1.by_owner == {"a": 125, "b": 125, "c": 125}


def test_levels_that_make_no_sense_are_refused(simulator: ModuleType) -> None:
    level = simulator.Level
    with pytest.raises(ValueError, match="0 sets of 8 ways"):
        simulator.Hierarchy([level("L1", 0, 8)])
    with pytest.raises(ValueError, match="equally long"):
        simulator.Hierarchy([level("L1", 8, 8), level("L2", 8, 8, line_bytes=128)])
    with pytest.raises(ValueError, match="L3: a victim cache needs"):
        simulator.Hierarchy(
            [level("L2", 8, 8, write_back=False), level("L3", 8, 8, holds="victim")]
        )


PROPERTY = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@PROPERTY
@given(data=st.data())
def test_passes_count_what_single_accesses_count(
    data: st.DataObject, simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    function = data.draw(nests.random_nests(build))
    sets, ways = data.draw(st.sampled_from([(1, 1), (1, 3), (2, 2), (4, 1), (8, 2)]))
    first = simulator.Level("L1", sets, ways, **data.draw(st.sampled_from(
        [{}, {}, {"write_back": False}, {"write_allocate": False}]
    )))  # fmt: skip
    holds = st.sampled_from(("noninclusive", "inclusive"))
    if first.write_back and first.write_allocate:
        holds = st.sampled_from(("noninclusive", "inclusive", "victim"))
    levels = [first, simulator.Level("L2", 4, 3, holds=data.draw(holds))]
    classify = data.draw(st.booleans())
    layout = simulator.lay_out(function, {})
    single = simulator.Hierarchy(levels, classify)
    for address, size, write in simulator.touches(function, layout, {}):
        for line in range(address // 64, (address + size - 1) // 64 + 1):
            single.access(line, write)
    single.flush()
    passes = simulator.line_passes(simulator.walks(function, layout, {}))
    assert single.counts() == simulator.simulate(passes, levels, classify)


@PROPERTY
@given(data=st.data())
def test_laws_of_lru(
    data: st.DataObject, simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    function = data.draw(nests.random_nests(build))
    layout = simulator.lay_out(function, {})
    passes = list(simulator.line_passes(simulator.walks(function, layout, {})))
    lines = [code >> 1 for codes, times in passes for _ in range(times) for code in codes]
    compulsory = len(set(lines))
    stored = len({code >> 1 for codes, _ in passes for code in codes if code & 1})
    sets = data.draw(st.sampled_from((1, 2, 3, 8)))
    fewer = None
    for ways in (1, 2, 3, 4, 6, 8, 16, 300):
        level = simulator.Level("L1", sets, ways)
        [counts] = simulator.simulate(passes, [level], classify=True)
        assert counts.misses >= compulsory == counts.compulsory
        assert counts.evicts >= stored
        assert fewer is None or counts.misses <= fewer
        assert counts.compulsory + counts.capacity + counts.conflict == counts.misses
        fewer = counts.misses
    assert fewer == compulsory


@PROPERTY
@given(data=st.data())
def test_fully_associative_lru_hits_below_the_stack_distance(
    data: st.DataObject, simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    function = data.draw(nests.random_nests(build))
    layout = simulator.lay_out(function, {})
    passes = list(simulator.line_passes(simulator.walks(function, layout, {})))
    lines = [code >> 1 for codes, times in passes for _ in range(times) for code in codes]
    distances = Counter(simulator.stack_distances(lines))
    for ways in (1, 2, 3, 5, 8, 13, 40):
        [counts] = simulator.simulate(passes, [simulator.Level("L1", 1, ways)])
        assert counts.misses == sum(
            number for distance, number in distances.items() if distance is None or distance >= ways
        )
