"""The timing protocol: from samples of several processes to a figure and a verdict on it.

Pure functions of recorded samples. A busy host stretches wall time, not processor time, and long
batches meet more disturbances than short ones; so a figure is the tenth percentile of the
processor time of short batches that were hardly interrupted, times the clock that ran around them.
The minimum would reward glitches of counters, the median would follow the load.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rooflint.measure.records import Batch, ProcessRun, Sentinel

CLEAN_RATIO: Final = 1.01
CLEAN_SLACK_S: Final = 0.3e-6
"""A batch is clean if its wall time is at most so much above its processor time."""
SLICE_S: Final = 3e-3
"""A call longer than a scheduler's time slice is interrupted on any busy host."""
CLOCK_DRIFT: Final = 0.02
"""The clock before and after a clean batch differs by no more than this share."""
QUANTILE: Final = 0.1
FEWEST_PROCESSES: Final = 3
MOST_PROCESSES: Final = 6
AGREEMENT_CACHE: Final = 0.03
AGREEMENT_MEMORY: Final = 0.10
"""The two lowest processes of a stable figure differ by no more than this share."""
SLOPED_SHARE: Final = 0.5
"""Of that agreement which more processes are run for where a slope is wanted: through half of the
largest size it multiplies the spread of either end by 1.3, and more where a call has a start."""
CLEAN_SHARE: Final = 0.5
STREAM_SHARE: Final = 0.9
"""Of its undisturbed rate at which the memory reference runs at least."""
ADDS_SHARE: Final = 0.98
"""Of the additions a cycle of a quiet core. Of 150 processes of a triad in L1 on Emerald Rapids,
the 16 slowest, 25 to 110 % above the fastest, had medians of 2.87 to 3.28; the fastest and those in
the middle had 3.45. A recorded process that was 62 % above the fastest had 3.36."""
CHAINS: Final = 4
"""Chains of the reference: more additions a cycle mean that its clock was interrupted."""
SHORTEST_CALL_S: Final = 20e-9
"""A call that returns sooner did not run the loop."""


class MeasureVerdict(Enum):
    """How far a figure can be trusted."""

    STABLE = "stable"
    DISTURBED = "disturbed"
    NOT_THE_LOOP = "not the loop"
    REFUSED = "refused"


class Doubt(Enum):
    """Why a figure is not stable, or is not one of the loop."""

    PROCESSES_DIFFER = "the two lowest processes differ"
    INTERRUPTED = "most batches were interrupted"
    EXECUTION_UNITS_SHARED = "independent additions ran below their rate"
    MEMORY_SHARED = "the memory reference ran below its rate"
    TOO_SHORT = "a call returns at once"
    TOUCHED_LITTLE = "less than half of the expected bytes were touched"
    TOUCHED_MUCH = "more than twice the expected bytes were touched"
    FEWER_ITERATIONS = "a call is too short for its iterations"
    STUB_IN_LOOP = "the loop calls a function that a stub replaces"
    MARKS_NOT_REACHED = "the nest did not run"
    MAPPED_LATE = "pages became memory while batches ran"
    START_OF_CALL = "most of a call is not its iterations"
    UNEVEN_SIZES = "the sizes of the slope do not lie on a line"
    UNSURE_SLOPE = "the spread of the sizes leaves the slope uncertain"
    FEW_PROCESSES = "the budget ended before three processes"


class Quantiles(Struct, frozen=True, kw_only=True):
    """Cycles per call over the batches of one process."""

    least: float
    p10: float
    median: float
    p90: float


class ProcessFigure(Struct, frozen=True, kw_only=True):
    """One process: cycles per call or, with marks, per pass of the nest.

    whole        batches were longer than a time slice: all of them count, by processor time
    adds_per_cy  median of the independent additions between batches; None where there were none
    """

    cycles: Quantiles
    seconds: float
    clock_ghz: float
    batches: int
    clean: int
    whole: bool
    adds_per_cy: float | None = None


class Figure(Struct, frozen=True, kw_only=True):
    """A measurement: the lowest of its processes. ``doubts`` are empty where it is stable.

    is_far  cycles are not those of the core: its data lie where other clocks decide
    """

    cycles: Quantiles
    seconds: float
    clock_ghz: float
    processes: tuple[float, ...]
    batches: int
    clean: int
    touched_bytes: int
    verdict: MeasureVerdict
    doubts: tuple[Doubt, ...] = ()
    is_far: bool = False

    @property
    def spread(self) -> float:
        """Of the two lowest processes, as a share of the lowest."""
        lowest = sorted(self.processes)[:2]
        return lowest[-1] / lowest[0] - 1 if lowest and lowest[0] else 0.0

    @property
    def is_of_loop(self) -> bool:
        """Whether it is one of the loop, however steady."""
        return self.verdict in (MeasureVerdict.STABLE, MeasureVerdict.DISTURBED)


class Expectation(Struct, frozen=True, kw_only=True):
    """Knowledge of the analysis before the run.

    least_bytes, most_bytes  that a call touches, by the branches taken; None where it does not know
    arrays         of the function: each may add a page to what is touched at either end
    in_cache       whether all data stay in caches that no other core shares
    adds_per_cy, stream_gb_s  the references of this machine when it was quiet, None where unknown
    clock_ghz      whose cycles count where caches are shared; None for those of the core
    marked         whether a nest between marks is measured
    stubbed        whether a loop calls a function that a stub replaces
    sloped         whether the figure is one of several for a slope
    threaded       whether calls are timed on the wall, as those of several threads are
    """

    least_bytes: float | None = None
    most_bytes: float | None = None
    arrays: int = 0
    in_cache: bool = True
    adds_per_cy: float | None = None
    stream_gb_s: float | None = None
    clock_ghz: float | None = None
    marked: bool = False
    stubbed: bool = False
    sloped: bool = False
    threaded: bool = False

    @property
    def far_clock_ghz(self) -> float | None:
        """The clock whose cycles count: shared caches and memory have clocks of their own, and take
        the same time, not the same cycles, when the core's clock rises."""
        return None if self.in_cache else self.clock_ghz


PAGE: Final = 4096


def is_clean(batch: Batch) -> bool:
    """Whether a batch ran uninterrupted, at one clock."""
    drift = abs(batch.ghz_after - batch.ghz_before) / max(batch.ghz_before, batch.ghz_after)
    return batch.wall_s <= CLEAN_RATIO * batch.processor_s + CLEAN_SLACK_S and drift <= CLOCK_DRIFT


def seconds_of(batch: Batch, marked: bool) -> float:
    """Processor seconds of a call; of a pass between the marks where there are marks."""
    if not marked:
        return batch.processor_s / batch.calls
    if not batch.mark_passes or not batch.ticks:
        return 0.0
    return batch.processor_s * batch.mark_ticks / batch.ticks / batch.mark_passes


def process_figure(
    batches: Sequence[Batch],
    marked: bool = False,
    threaded: bool = False,
    clock_ghz: float | None = None,
) -> ProcessFigure | None:
    """The figure of one process, in cycles of the core or of ``clock_ghz``; None without a batch.
    The time of threads is that on the wall: batches that were interrupted say nothing, however long
    they are."""
    if not batches:
        return None
    clean = list(filter(is_clean, batches))
    whole = not threaded and min([batch.processor_s for batch in batches]) > SLICE_S
    counted = batches if whole else clean or batches
    clock = clock_ghz or _quantile(sorted(map(_ghz, counted)), 0.5)
    one_clock = clock_ghz if counted is clean else clock
    seconds = sorted([seconds_of(batch, marked) for batch in counted])
    return ProcessFigure(
        cycles=_quantiles(_cycles(counted, marked, one_clock)),
        seconds=_quantile(seconds, QUANTILE),
        clock_ghz=clock,
        batches=len(batches),
        clean=len(clean),
        whole=whole,
    )


def _cycles(batches: Sequence[Batch], marked: bool, clock: float | None) -> list[float]:
    """By the clock around each batch, or by one for all: without clean batches the clock around one
    may have been interrupted itself, which would flatter it."""
    ghz = [_ghz(batch) if clock is None else clock for batch in batches]
    seconds = [seconds_of(batch, marked) for batch in batches]
    return sorted([each * rate * 1e9 for each, rate in zip(seconds, ghz, strict=True)])


def _quantiles(cycles: Sequence[float]) -> Quantiles:
    return Quantiles(
        least=cycles[0],
        p10=_quantile(cycles, QUANTILE),
        median=_quantile(cycles, 0.5),
        p90=_quantile(cycles, 1 - QUANTILE),
    )


def agreement(expectation: Expectation) -> float:
    """The share by which the two lowest processes of a stable figure may differ."""
    return AGREEMENT_CACHE if expectation.in_cache else AGREEMENT_MEMORY


def needs_another(runs: Sequence[ProcessRun], expectation: Expectation) -> bool:
    """Whether one more process is worth its time."""
    if len(runs) < FEWEST_PROCESSES:
        return True
    if len(runs) >= MOST_PROCESSES:
        return False
    figures = _process_figures(runs, expectation)
    wanted = agreement(expectation) * (SLOPED_SHARE if expectation.sloped else 1)
    agree = _agree(figures, wanted)
    return not agree or _is_interrupted(figures) or _is_crowded(figures, expectation)


def figure(runs: Sequence[ProcessRun], expectation: Expectation) -> Figure | None:
    """The figure of all processes; None where none has a batch."""
    figures = _process_figures(runs, expectation)
    if not figures:
        return None
    best = min(figures, key=lambda each: each.cycles.p10)
    touched = max(run.touched_bytes for run in runs)
    elsewhere = tuple(_not_the_loop(best, runs, touched, expectation))
    disturbed = tuple(_disturbances(figures, runs, expectation))
    verdict = MeasureVerdict.STABLE
    if elsewhere or disturbed:
        verdict = MeasureVerdict.NOT_THE_LOOP if elsewhere else MeasureVerdict.DISTURBED
    return Figure(
        cycles=best.cycles,
        seconds=best.seconds,
        clock_ghz=best.clock_ghz,
        processes=tuple([each.cycles.p10 for each in figures]),
        batches=best.batches,
        clean=best.clean,
        touched_bytes=touched,
        verdict=verdict,
        doubts=elsewhere + disturbed,
        is_far=expectation.far_clock_ghz is not None,
    )


def not_all_iterations(measured: Figure) -> Figure:
    """The figure of a call that did not run the iterations that the analysis counts."""
    doubts = (Doubt.FEWER_ITERATIONS, *measured.doubts)
    return replace(measured, verdict=MeasureVerdict.NOT_THE_LOOP, doubts=doubts)


def with_doubts(measured: Figure, doubts: Sequence[Doubt]) -> Figure:
    """The figure; disturbed where it was stable and there are doubts about its slope."""
    if measured.verdict is not MeasureVerdict.STABLE or not doubts:
        return measured
    return replace(measured, verdict=MeasureVerdict.DISTURBED, doubts=tuple(doubts))


def _process_figures(
    runs: Sequence[ProcessRun], expectation: Expectation
) -> tuple[ProcessFigure, ...]:
    figures = []
    for run in runs:
        found = process_figure(
            run.batches, expectation.marked, expectation.threaded, expectation.far_clock_ghz
        )
        if found is not None:
            figures.append(replace(found, adds_per_cy=_adds_per_cy(run.sentinels)))
    return tuple(figures)


def _adds_per_cy(sentinels: Sequence[Sentinel]) -> float | None:
    rates = [each.adds_per_cy for each in sentinels]
    possible = sorted([rate for rate in rates if rate <= CHAINS * (1 + CLOCK_DRIFT)])
    return _quantile(possible, 0.5) if possible else None


def _agree(figures: Sequence[ProcessFigure], share: float) -> bool:
    lowest = sorted(each.cycles.p10 for each in figures)[:2]
    return len(lowest) == 2 and lowest[1] <= lowest[0] * (1 + share)


def _is_interrupted(figures: Sequence[ProcessFigure]) -> bool:
    """Whether most batches of both of the lowest processes, which confirm each other, were."""
    lowest = sorted(figures, key=lambda each: each.cycles.p10)[:2]
    return not any(each.whole or each.clean >= CLEAN_SHARE * each.batches for each in lowest)


def _is_crowded(figures: Sequence[ProcessFigure], expectation: Expectation) -> bool:
    """Whether both of the lowest processes shared their core's execution units with another
    thread: they then confirm each other in a figure that is too high."""
    rates = [each.adds_per_cy for each in figures if each.adds_per_cy is not None]
    quiet = max([*rates, expectation.adds_per_cy or 0.0], default=0.0)
    lowest = sorted(figures, key=lambda each: each.cycles.p10)[:2]
    known = [each.adds_per_cy for each in lowest if each.adds_per_cy is not None]
    return bool(known) and max(known) < ADDS_SHARE * quiet


def _not_the_loop(
    best: ProcessFigure, runs: Sequence[ProcessRun], touched: int, expectation: Expectation
) -> list[Doubt]:
    doubts = []
    if expectation.marked and not any(b.mark_passes for run in runs for b in run.batches):
        doubts.append(Doubt.MARKS_NOT_REACHED)
    elif best.seconds - _fence_s(runs) < SHORTEST_CALL_S:
        doubts.append(Doubt.TOO_SHORT)
    if expectation.stubbed:
        doubts.append(Doubt.STUB_IN_LOOP)
    arrays = max(run.array_bytes for run in runs)
    return [*doubts, *_amount(arrays, touched, expectation)]


def _amount(arrays: int, touched: int, expectation: Expectation) -> list[Doubt]:
    """Whether so many bytes may be those of the loop: of ``arrays`` all are touched, the rest is
    allocated at least."""
    slack = 2 * PAGE * expectation.arrays
    least, most = expectation.least_bytes, expectation.most_bytes
    if least is not None and touched + slack < least / 2:
        return [Doubt.TOUCHED_LITTLE]
    if most is not None and arrays - slack > 2 * most:
        return [Doubt.TOUCHED_MUCH]
    return []


def _fence_s(runs: Sequence[ProcessRun]) -> float:
    """Seconds between two calls: as long as a short call takes."""
    fences = [run.calibration.fence_s for run in runs if run.calibration is not None]
    return min(fences, default=0.0)


def _disturbances(
    figures: Sequence[ProcessFigure], runs: Sequence[ProcessRun], expectation: Expectation
) -> list[Doubt]:
    doubts = []
    if len(figures) < FEWEST_PROCESSES:
        doubts.append(Doubt.FEW_PROCESSES)
    elif not _agree(figures, agreement(expectation)):
        doubts.append(Doubt.PROCESSES_DIFFER)
    if _is_interrupted(figures):
        doubts.append(Doubt.INTERRUPTED)
    doubts += _neighbours(figures, runs, expectation)
    if any(run.completion is not None and run.completion.late_pages for run in runs):
        doubts.append(Doubt.MAPPED_LATE)
    return doubts


def _neighbours(
    figures: Sequence[ProcessFigure], runs: Sequence[ProcessRun], expectation: Expectation
) -> list[Doubt]:
    """Jobs that share the core or the memory."""
    doubts = []
    if _is_crowded(figures, expectation):
        doubts.append(Doubt.EXECUTION_UNITS_SHARED)
    if _is_memory_shared([each for run in runs for each in run.sentinels], expectation):
        doubts.append(Doubt.MEMORY_SHARED)
    return doubts


def _is_memory_shared(sentinels: Sequence[Sentinel], expectation: Expectation) -> bool:
    """Whether even the best of the references shows a job that shares the memory."""
    stream = max([each.stream_gb_s for each in sentinels], default=0.0)
    quiet = expectation.stream_gb_s
    return not expectation.in_cache and quiet is not None and stream < STREAM_SHARE * quiet


def _ghz(batch: Batch) -> float:
    return max(batch.ghz_before, batch.ghz_after)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the values lie, by the nearest rank."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
