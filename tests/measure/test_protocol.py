"""From recorded processes to a figure and its verdict."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rooflint.measure.protocol import (
    AGREEMENT_CACHE,
    AGREEMENT_MEMORY,
    CLEAN_RATIO,
    CLEAN_SLACK_S,
    CLOCK_DRIFT,
    MOST_PROCESSES,
    SLICE_S,
    Doubt,
    Expectation,
    MeasureVerdict,
    figure,
    is_clean,
    needs_another,
    process_figure,
)
from rooflint.measure.records import (
    Batch,
    Calibration,
    Completion,
    HeapRecord,
    ProcessRun,
    Sentinel,
)

Samples = Callable[[str], tuple[ProcessRun, ...]]
MakeRun = Callable[..., ProcessRun]
ANYWHERE = Expectation()
BATCH = Batch(
    calls=100,
    wall_s=1e-4,
    processor_s=1e-4,
    ghz_before=2.0,
    ghz_after=2.0,
    ticks=0,
    mark_ticks=0,
    mark_passes=0,
    switches=0,
)


@pytest.mark.parametrize(
    ("wall", "clean"),
    [(CLEAN_RATIO * 1e-4 + CLEAN_SLACK_S, True), (CLEAN_RATIO * 1e-4 + 2 * CLEAN_SLACK_S, False)],
)
def test_a_batch_is_clean_up_to_a_limit_of_wall_time(wall: float, clean: bool) -> None:
    assert is_clean(replace(BATCH, wall_s=wall)) is clean


@pytest.mark.parametrize(("share", "clean"), [(0.99, True), (1.01, False)])
def test_a_batch_is_clean_up_to_a_drift_of_the_clock(share: float, clean: bool) -> None:
    assert is_clean(replace(BATCH, ghz_after=2.0 * (1 - share * CLOCK_DRIFT))) is clean


def test_quiet_processes_give_a_stable_figure(samples: Samples) -> None:
    found = figure(samples("triad_half"), ANYWHERE)
    assert found is not None
    assert (found.verdict, found.doubts) == (MeasureVerdict.STABLE, ())
    # 496 iterations of a vector loop of eight doubles: 62 turns, prologue and fence
    assert 62 < found.cycles.least <= found.cycles.p10 <= found.cycles.median <= found.cycles.p90
    assert found.cycles.p10 == min(found.processes)


@pytest.mark.parametrize("name", ["triad_l1", "stencil_busy"])
def test_processes_that_differ_give_a_disturbed_one(samples: Samples, name: str) -> None:
    found = figure(samples(name), ANYWHERE)
    assert found is not None
    assert (found.verdict, found.doubts) == (MeasureVerdict.DISTURBED, (Doubt.PROCESSES_DIFFER,))
    assert needs_another(samples(name), ANYWHERE)


def test_a_fence_is_no_loop(samples: Samples) -> None:
    runs = samples("nothing")
    found = figure(runs, ANYWHERE)
    assert found is not None
    assert found.verdict is MeasureVerdict.NOT_THE_LOOP
    assert Doubt.TOO_SHORT in found.doubts
    # the call and its fence take 20 ns: only what the fence takes tells that nothing is left
    short = [replace(run, calibration=Calibration(calls=1, restores=False)) for run in runs]
    slow = [
        replace(
            run, batches=tuple([replace(b, processor_s=b.processor_s * 2) for b in run.batches])
        )
        for run in short
    ]
    unaware = figure(slow, ANYWHERE)
    assert unaware is not None
    assert Doubt.TOO_SHORT not in unaware.doubts


def test_calls_longer_than_a_time_slice_count_whole(samples: Samples) -> None:
    runs = samples("memory")
    found = figure(runs, Expectation(in_cache=False))
    assert found is not None
    assert min(batch.processor_s for run in runs for batch in run.batches) > SLICE_S
    assert found.verdict is MeasureVerdict.STABLE


@pytest.mark.parametrize("in_cache", [True, False])
def test_far_data_take_the_same_time_at_any_clock(made_up_run: MakeRun, in_cache: bool) -> None:
    """100 ns at 2 GHz and at 3: other cycles of the core, the same of the machine's 2.4 GHz."""
    where = Expectation(in_cache=in_cache, clock_ghz=2.4)
    slow, fast = (made_up_run(100.0 * ghz, ghz=ghz) for ghz in (2.0, 3.0))
    at_once, later = figure([slow, slow, slow], where), figure([fast, fast, fast], where)
    assert at_once is not None
    assert later is not None
    mixed = figure([slow, fast, fast], where)
    assert mixed is not None
    assert at_once.is_far is later.is_far is not in_cache
    if in_cache:
        assert (at_once.cycles.p10, later.cycles.p10) == pytest.approx((200.0, 300.0))
        assert (at_once.clock_ghz, later.clock_ghz) == (2.0, 3.0)
        assert mixed.verdict is MeasureVerdict.DISTURBED
    else:
        assert (at_once.cycles.p10, later.cycles.p10) == pytest.approx((240.0, 240.0))
        assert (at_once.clock_ghz, later.clock_ghz) == (2.4, 2.4)
        assert mixed.verdict is MeasureVerdict.STABLE
    assert at_once.seconds == pytest.approx(later.seconds)


def test_short_batches_without_a_clean_one_are_interrupted(made_up_run: MakeRun) -> None:
    runs = [made_up_run(1000.0, clean=0) for _ in range(3)]
    found = figure(runs, ANYWHERE)
    assert found is not None
    assert (found.verdict, found.doubts) == (MeasureVerdict.DISTURBED, (Doubt.INTERRUPTED,))
    assert needs_another(runs, ANYWHERE)


@pytest.mark.parametrize(("clean", "stable"), [(10, True), (9, False)])
def test_half_of_the_batches_have_to_be_clean(
    made_up_run: MakeRun, clean: int, stable: bool
) -> None:
    found = figure([made_up_run(1000.0, clean=clean) for _ in range(3)], ANYWHERE)
    assert found is not None
    assert (found.verdict is MeasureVerdict.STABLE) is stable


def test_one_of_the_two_lowest_with_clean_batches_will_do(made_up_run: MakeRun) -> None:
    runs = [made_up_run(1000.0, clean=2), made_up_run(1001.0), made_up_run(1500.0)]
    found = figure(runs, ANYWHERE)
    assert found is not None
    assert found.verdict is MeasureVerdict.STABLE


@pytest.mark.parametrize(
    ("in_cache", "limit"), [(True, AGREEMENT_CACHE), (False, AGREEMENT_MEMORY)]
)
def test_the_two_lowest_have_to_agree(made_up_run: MakeRun, in_cache: bool, limit: float) -> None:
    where = Expectation(in_cache=in_cache)
    for share, stable in ((limit * 0.99, True), (limit * 1.01, False)):
        runs = [made_up_run(1000.0), made_up_run(1000.0 * (1 + share)), made_up_run(9000.0)]
        found = figure(runs, where)
        assert found is not None
        assert (found.verdict is MeasureVerdict.STABLE) is stable
        assert needs_another(runs, where) is not stable


def test_two_processes_are_too_few_and_six_enough(made_up_run: MakeRun) -> None:
    few = [made_up_run(1000.0), made_up_run(1000.0)]
    assert needs_another(few, ANYWHERE)
    found = figure(few, ANYWHERE)
    assert found is not None
    assert found.doubts == (Doubt.FEW_PROCESSES,)
    many = [made_up_run(1000.0 * 1.2**k) for k in range(MOST_PROCESSES)]
    assert needs_another(many[:-1], ANYWHERE)
    assert not needs_another(many, ANYWHERE)


def test_long_batches_of_threads_count_only_where_they_ran_alone(made_up_run: MakeRun) -> None:
    """Processor time tells the time of one thread whatever interrupts it, and none of a team."""
    slow = made_up_run(1e7, batches=10, clean=4)  # 5 ms a call: a hundred calls a batch
    alone, team = process_figure(slow.batches), process_figure(slow.batches, threaded=True)
    assert alone is not None
    assert team is not None
    assert (alone.whole, team.whole) == (True, False)
    runs = [slow] * 3
    found = figure(runs, Expectation(threaded=True))
    assert found is not None
    assert found.doubts == (Doubt.INTERRUPTED,)
    assert figure(runs, Expectation()) != found


@pytest.mark.parametrize(
    ("least", "most", "doubt"),
    [
        (200_000.0, 200_000.0, Doubt.TOUCHED_LITTLE),
        (160_000.0, 160_000.0, None),
        (40_000.0, 200_000.0, None),
        (None, 200_000.0, None),
        (40_000.0, 40_000.0, None),
        (30_000.0, 40_000.0, None),
        (30_000.0, 30_000.0, Doubt.TOUCHED_MUCH),
    ],
)
def test_touched_bytes_are_compared_with_the_expected_ones(
    made_up_run: MakeRun, least: float | None, most: float, doubt: Doubt | None
) -> None:
    """One array of 80 KiB: each may have a page more at either end. Branches may leave out the
    difference of least and most."""
    runs = [made_up_run(1000.0, touched=81920) for _ in range(3)]
    found = figure(runs, Expectation(least_bytes=least, most_bytes=most, arrays=1))
    assert found is not None
    assert found.doubts == (() if doubt is None else (doubt,))


@pytest.mark.parametrize(
    ("least", "most", "doubt"),
    [
        (1e6, 1e6, None),  # 80 KiB of arrays and a megabyte that is allocated
        (1e4, 5e4, None),  # nobody knows how much of it is touched
        (3e6, 3e6, Doubt.TOUCHED_LITTLE),
    ],
)
def test_allocated_memory_may_be_touched(
    made_up_run: MakeRun, least: float, most: float, doubt: Doubt | None
) -> None:
    runs = [replace(made_up_run(1000.0, touched=81920), heap=HeapRecord(bytes=1 << 20))] * 3
    found = figure(runs, Expectation(least_bytes=least, most_bytes=most, arrays=1))
    assert found is not None
    assert found.touched_bytes == 81920 + (1 << 20)
    assert found.doubts == (() if doubt is None else (doubt,))


@pytest.mark.parametrize(("rate", "shared"), [(18.0, False), (17.9, True)])
def test_a_memory_reference_below_its_figure_is_said(
    made_up_run: MakeRun, rate: float, shared: bool
) -> None:
    runs = [made_up_run(1000.0, stream=rate) for _ in range(3)]
    far = figure(runs, Expectation(in_cache=False, stream_gb_s=20.0))
    near = figure(runs, Expectation(in_cache=True, stream_gb_s=20.0))
    assert far is not None
    assert near is not None
    assert (Doubt.MEMORY_SHARED in far.doubts) is shared
    assert near.verdict is MeasureVerdict.STABLE


@pytest.mark.parametrize(("adds", "shared"), [(3.5 / 0.98, False), (3.5 / 0.97, True)])
def test_a_shared_core_is_said(made_up_run: MakeRun, adds: float, shared: bool) -> None:
    found = figure([made_up_run(1000.0) for _ in range(3)], Expectation(adds_per_cy=adds))
    assert found is not None
    assert (Doubt.EXECUTION_UNITS_SHARED in found.doubts) is shared


@pytest.mark.parametrize(
    ("adds", "crowded"),
    [((3.36, 3.37), True), ((3.36, 3.39), False), ((3.39, 3.36), False), ((3.45, 2.0), False)],
)
def test_two_neighboured_processes_do_not_confirm_each_other(
    made_up_run: MakeRun, adds: tuple[float, float], crowded: bool
) -> None:
    """0.98 of the 3.45 that the slowest process shows are 3.381."""
    quiet = Sentinel(ghz=2.0, adds_per_cy=3.45, stream_gb_s=0.0)
    lowest = [
        replace(made_up_run(1000.0), sentinels=(replace(quiet, adds_per_cy=each),)) for each in adds
    ]
    runs = [*lowest, replace(made_up_run(1500.0), sentinels=(quiet,))]
    found = figure(runs, ANYWHERE)
    assert found is not None
    assert (Doubt.EXECUTION_UNITS_SHARED in found.doubts) is crowded
    assert needs_another(runs, ANYWHERE) is crowded


@pytest.mark.parametrize(("glitch", "shared"), [(4.05, False), (4.2, True)])
def test_more_additions_than_chains_tell_nothing(
    made_up_run: MakeRun, glitch: float, shared: bool
) -> None:
    slow = Sentinel(ghz=2.0, adds_per_cy=2.0, stream_gb_s=0.0)
    fast = replace(slow, adds_per_cy=glitch)
    runs = [replace(made_up_run(1000.0), sentinels=(slow, fast)) for _ in range(3)]
    found = figure(runs, Expectation(adds_per_cy=3.45))
    assert found is not None
    assert (Doubt.EXECUTION_UNITS_SHARED in found.doubts) is shared


def test_pages_that_come_late_are_said(made_up_run: MakeRun) -> None:
    late = replace(made_up_run(1000.0), completion=Completion(late_pages=1, ran_away=False))
    found = figure([made_up_run(1000.0), made_up_run(1000.0), late], ANYWHERE)
    assert found is not None
    assert found.doubts == (Doubt.MAPPED_LATE,)


def test_a_stub_in_the_loop_takes_its_time_away(made_up_run: MakeRun) -> None:
    found = figure([made_up_run(1000.0) for _ in range(3)], Expectation(stubbed=True))
    assert found is not None
    assert (found.verdict, found.doubts) == (MeasureVerdict.NOT_THE_LOOP, (Doubt.STUB_IN_LOOP,))


def test_without_batches_there_is_no_figure(made_up_run: MakeRun) -> None:
    assert process_figure([]) is None
    assert figure([made_up_run(1000.0, batches=0)], ANYWHERE) is None


def test_a_pass_between_marks_is_what_counts() -> None:
    marked = replace(BATCH, ticks=1000, mark_ticks=400, mark_passes=200)
    found = process_figure([marked], marked=True)
    assert found is not None
    # 0.1 ms, 40 % of it between marks, 200 passes: 200 ns, 400 cycles at 2 GHz
    assert found.cycles.p10 == pytest.approx(400)
    never = figure([ProcessRun(batches=(BATCH,))] * 3, Expectation(marked=True))
    assert never is not None
    assert never.doubts[0] is Doubt.MARKS_NOT_REACHED


def test_a_clock_read_while_interrupted_flatters_nobody() -> None:
    """Of batches longer than a slice all count: their clock is the median's."""
    slow = [replace(BATCH, processor_s=0.01, wall_s=0.02) for _ in range(9)]
    glitch = replace(slow[0], ghz_before=0.5, ghz_after=0.5)
    found = process_figure([*slow, glitch])
    assert found is not None
    assert found.cycles.least == pytest.approx(0.01 / 100 * 2e9)


@given(st.lists(st.floats(100, 1e6), min_size=1, max_size=6), st.floats(1.1, 10))
def test_a_slower_process_never_changes_the_figure(cycles: list[float], factor: float) -> None:
    runs = [_run(each) for each in cycles]
    found = figure(runs, ANYWHERE)
    more = figure([*runs, _run(max(cycles) * factor)], ANYWHERE)
    assert found is not None
    assert more is not None
    assert more.cycles == found.cycles


@given(st.floats(100, 1e6), st.floats(0.01, 100))
def test_figures_scale_with_time(cycles: float, factor: float) -> None:
    one, other = figure([_run(cycles)], ANYWHERE), figure([_run(cycles * factor)], ANYWHERE)
    assert one is not None
    assert other is not None
    assert other.cycles.p10 == pytest.approx(one.cycles.p10 * factor)


def _run(cycles: float) -> ProcessRun:
    seconds = cycles / 2e9 * 100
    return ProcessRun(batches=(replace(BATCH, processor_s=seconds, wall_s=seconds),))


def _stretched(run: ProcessRun, factor: float) -> ProcessRun:
    slow = [replace(batch, processor_s=batch.processor_s * factor) for batch in run.batches]
    return replace(run, batches=tuple(slow))


@pytest.mark.parametrize(("off", "another"), [(0.014, False), (0.016, True)])
def test_sizes_of_a_slope_have_to_agree_twice_as_well(
    made_up_run: Callable[..., ProcessRun], off: float, another: bool
) -> None:
    runs = [made_up_run(cycles) for cycles in (1000.0, 1000.0 * (1 + off), 2000.0)]
    assert needs_another(runs, replace(ANYWHERE, sloped=True)) is another
    assert not needs_another(runs, ANYWHERE)
    found = figure(runs, replace(ANYWHERE, sloped=True))
    assert found is not None
    assert found.verdict is MeasureVerdict.STABLE
