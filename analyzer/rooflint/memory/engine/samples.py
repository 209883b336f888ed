"""Replays of a program through all sets of the caches, or through two samples of them."""

from collections.abc import Sequence
from typing import Final

from rooflint.memory.engine.budget import (
    CLASS_MODULUS,
    FEWEST_CLASSES,
    LEAST_WINDOW_BUDGET,
    ReplayRefusal,
    WorkLimits,
)
from rooflint.records import NamedTuple
from rooflint.replay import (
    AccessProgram,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
    native,
)
from rooflint.replay.caches import LevelPolicy
from rooflint.replay.prediction import PredictedWork, predicted_work
from rooflint.replay.windows import WindowPlan, window_plans

PORTABLE_WORK: Final = 50_000
"""The replay in Python does 0.2 to 0.45 million touches a second."""
SMALL_DATA_SHARE: Final = 0.25
"""Of the largest level with sets. So few lines lie unevenly in the classes, since arrays begin on
pages, and all sets hold them at little cost."""
SPARE_WORK: Final = 4
"""A replay ends after so many times the predicted work, and not within the budget: predictions do
not know how often conflicts keep the rows of a loop from being alike."""


class CallSequence(NamedTuple):
    """How often the function runs: once with caches cold, and again after ``between_lines``
    touched elsewhere. ``cold``: the first call is the one asked for."""

    runs: int
    between_lines: int = 0
    cold: bool = False


class SetSamples(NamedTuple):
    """Counts of disjoint sets, as many in each; all sets together are ``factor`` times as many.

    ``coarse``: the same counts from half of the windows, where long loops were played in windows.
    ``work``: touches and steps of the replay.
    """

    counts: tuple[ReplayCounts, ...]
    factor: float
    work: int
    coarse: tuple[ReplayCounts, ...] = ()


class _ReplayPlan(NamedTuple):
    """A choice: all sets or some ``classes`` of them, all iterations or ``windows``."""

    work: PredictedWork
    classes: tuple[int, ...] = ()
    windows: WindowPlan | None = None


def set_samples(
    program: AccessProgram,
    levels: Sequence[ReplayLevel],
    line_bytes: int,
    calls: CallSequence,
    limits: WorkLimits,
) -> SetSamples | ReplayRefusal:
    """All sets, or parts of some classes of them; a refusal where that is over the limits."""
    if not levels:
        return ReplayRefusal.NO_CACHES
    predicted = predicted_work(program, line_bytes, levels[0].ways)
    if predicted is None:
        return ReplayRefusal.UNDEFINED
    plan = _plan_within(limits, program, predicted, levels, line_bytes, calls)
    if plan is None:
        return ReplayRefusal.BUDGET
    settings = ReplaySettings(
        line_bytes=line_bytes,
        limit=max(limits.total, int(SPARE_WORK * plan.work.total)) + CLASS_MODULUS,
        runs=calls.runs,
        between_lines=calls.between_lines,
    )
    factor = 1.0
    if plan.classes:
        parts = FEWEST_CLASSES if plan.windows is None else 2
        settings = settings._replace(modulus=CLASS_MODULUS, classes=plan.classes, halves=parts)
        factor = CLASS_MODULUS / len(plan.classes)
    if plan.windows is not None:
        settings = settings._replace(windows=plan.windows.loops, banks=len(plan.windows.fine))
    counts = _replay(program, levels, settings, plan.work.total)
    if counts is None:
        return ReplayRefusal.NO_KERNEL
    if counts.status is not ReplayStatus.OK:
        return _REFUSALS.get(counts.status, ReplayRefusal.UNDEFINED)
    return _samples(counts, settings.halves, factor, plan.windows)


_REFUSALS: Final = {
    ReplayStatus.LIMIT: ReplayRefusal.BUDGET,
    ReplayStatus.VARYING: ReplayRefusal.BUDGET,
}


def _samples(
    counts: ReplayCounts, halves: int, factor: float, windows: WindowPlan | None
) -> SetSamples:
    if windows is None:
        own = tuple([counts.half(each) for each in range(halves)])
        return SetSamples(counts=own, factor=factor, work=counts.work)
    return SetSamples(
        counts=tuple([counts.half(each, windows.fine) for each in range(halves)]),
        factor=factor,
        work=counts.work,
        coarse=tuple([counts.half(each, windows.coarse) for each in range(halves)]),
    )


def _plan_within(
    limits: WorkLimits,
    program: AccessProgram,
    predicted: PredictedWork,
    levels: Sequence[ReplayLevel],
    line_bytes: int,
    calls: CallSequence,
) -> _ReplayPlan | None:
    """The most accurate replay that the budget allows.

    A second run mostly ends when it comes to what the first one held, so classes do without it.
    """
    between = PredictedWork(float(calls.between_lines), 0.0)
    played = predicted.times(calls.runs).plus(between)
    is_small = _is_small(program, _lines_in_sets(levels) * line_bytes)
    if played.total <= limits.total and (is_small or played.touches <= limits.touches):
        return _ReplayPlan(played)
    if classes := _classes(levels, played, limits.touches):
        return _ReplayPlan(played, classes)
    fewest = _fewest_classes(limits.classes, predicted.plus(between), levels)
    if fewest is not None or limits.total < LEAST_WINDOW_BUDGET:
        return fewest
    return _windows_within(limits.total, program, predicted, levels, line_bytes, between)


def _windows_within(
    budget: int,
    program: AccessProgram,
    predicted: PredictedWork,
    levels: Sequence[ReplayLevel],
    line_bytes: int,
    between: PredictedWork,
) -> _ReplayPlan | None:
    """The most accurate windows; ``between``: work between two runs."""

    def fits(work: PredictedWork) -> bool:
        return _through_fewest(work.plus(between)) <= budget

    lines = _lines_in_sets(levels)
    for plan in window_plans(program, predicted, line_bytes, levels[0].ways, lines, fits):
        found = _sets_within(budget, plan.work.plus(between), levels)
        if found is not None:
            return found._replace(windows=plan)
    return None


def _lines_in_sets(levels: Sequence[ReplayLevel]) -> int:
    """Of the largest level that is no hashed one."""
    return max([each.sets * each.ways for each in levels if not _is_hashed(each)], default=0)


def _is_small(program: AccessProgram, level_bytes: int) -> bool:
    """Whether the data take little of the largest level with sets."""
    data = program.data_bytes
    return data is not None and data <= SMALL_DATA_SHARE * level_bytes


def _sets_within(
    budget: int, work: PredictedWork, levels: Sequence[ReplayLevel]
) -> _ReplayPlan | None:
    if work.total <= budget:
        return _ReplayPlan(work)
    classes = _classes(levels, work, budget)
    return _ReplayPlan(work, classes) if classes else None


def _fewest_classes(
    budget: int, work: PredictedWork, levels: Sequence[ReplayLevel]
) -> _ReplayPlan | None:
    """Eight classes, where they take no more than the budget."""
    least = _through_fewest(work)
    classes = _classes(levels, work, int(least) + 1) if least <= budget else ()
    return _ReplayPlan(work, classes[:FEWEST_CLASSES]) if classes else None


def _through_fewest(work: PredictedWork) -> float:
    """The same work through eight classes."""
    return work.steps + work.touches * FEWEST_CLASSES / CLASS_MODULUS


def _is_hashed(level: ReplayLevel) -> bool:
    return bool(level.policy & LevelPolicy.HASHED)


def _classes(levels: Sequence[ReplayLevel], work: PredictedWork, budget: int) -> tuple[int, ...]:
    """As many classes of sets as the budget allows; none where that is too few.

    A class is closed at every level whose sets are a multiple of the modulus. Each residue modulo
    2, 4 and 8 is among them once in eight: evenly spaced ones would meet the crowded sets only.
    """
    whole = all(level.sets % CLASS_MODULUS == 0 for level in levels if not _is_hashed(level))
    left = budget - work.steps
    number = int(CLASS_MODULUS * left / work.touches) if left > 0 and work.touches else 0
    if not whole or number < FEWEST_CLASSES:
        return ()
    number = min(CLASS_MODULUS // 2, number // FEWEST_CLASSES * FEWEST_CLASSES)
    return tuple([9 * each % CLASS_MODULUS for each in range(number)])


def _replay(
    program: AccessProgram, levels: Sequence[ReplayLevel], settings: ReplaySettings, work: float
) -> ReplayCounts | None:
    """A hashed level has its share of the classes' capacity. None: no kernel for so much work."""
    share = len(settings.classes) / settings.modulus
    own = [
        level._replace(ways=max(1, round(level.ways * share))) if _is_hashed(level) else level
        for level in levels
    ]
    kernel = native.library()
    if kernel is not None:
        return native.replay(program, own, settings, kernel)
    if work > PORTABLE_WORK:
        return None
    from rooflint.replay import portable  # noqa: PLC0415 - only without a compiled replay

    return portable.replay(program, own, settings)
