"""Replays of a program through all sets of the caches, or through two samples of them."""

from collections.abc import Sequence
from typing import Final

from rooflint.memory.engine.budget import CLASS_MODULUS, FEWEST_CLASSES, ReplayRefusal
from rooflint.records import NamedTuple
from rooflint.replay import (
    AccessProgram,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
    native,
    portable,
)
from rooflint.replay.caches import LevelPolicy
from rooflint.replay.prediction import PredictedWork, predicted_work

PORTABLE_WORK: Final = 50_000
"""The replay in Python does 0.2 to 0.45 million touches a second."""
SPARE_WORK: Final = 4
"""A replay ends after so many times the predicted work."""


class CallSequence(NamedTuple):
    """How often the function runs: once with caches cold, and again after ``between_lines``
    touched elsewhere. ``cold``: the first call is the one asked for."""

    runs: int
    between_lines: int = 0
    cold: bool = False


class SetSamples(NamedTuple):
    """Counts of disjoint sets; all sets together are ``factor`` times as many.

    ``work``: touches and steps of the replay.
    """

    counts: tuple[ReplayCounts, ...]
    factor: float
    work: int


def set_samples(
    program: AccessProgram,
    levels: Sequence[ReplayLevel],
    line_bytes: int,
    calls: CallSequence,
    budget: int,
) -> SetSamples | ReplayRefusal:
    """All sets, or two halves of some classes of them; a refusal where that is over the budget."""
    if not levels:
        return ReplayRefusal.NO_CACHES
    predicted = predicted_work(program, line_bytes, levels[0].ways)
    if predicted is None:
        return ReplayRefusal.UNDEFINED
    work = predicted.times(calls.runs).plus(PredictedWork(float(calls.between_lines), 0.0))
    settings = ReplaySettings(
        line_bytes=line_bytes,
        limit=int(SPARE_WORK * work.total) + CLASS_MODULUS,
        runs=calls.runs,
        between_lines=calls.between_lines,
    )
    factor = 1.0
    if work.total > budget:
        classes = _classes(levels, work, budget)
        if not classes:
            return ReplayRefusal.BUDGET
        settings = settings._replace(modulus=CLASS_MODULUS, classes=classes, halves=2)
        factor = CLASS_MODULUS / len(classes)
    counts = _replay(program, levels, settings, work.total)
    if counts is None:
        return ReplayRefusal.NO_KERNEL
    if counts.status is not ReplayStatus.OK:
        over = counts.status is ReplayStatus.LIMIT
        return ReplayRefusal.BUDGET if over else ReplayRefusal.UNDEFINED
    halves = [counts.half(each) for each in range(settings.halves)]
    return SetSamples(counts=tuple(halves), factor=factor, work=counts.work)


def _classes(levels: Sequence[ReplayLevel], work: PredictedWork, budget: int) -> tuple[int, ...]:
    """As many classes of sets as the budget allows; none where that is too few.

    A class is closed at every level whose sets are a multiple of the modulus. Each residue modulo
    2, 4 and 8 is among them once in eight: evenly spaced ones would meet the crowded sets only.
    """
    whole = all(
        level.sets % CLASS_MODULUS == 0 for level in levels if not level.policy & LevelPolicy.HASHED
    )
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
        level._replace(ways=max(1, round(level.ways * share)))
        if level.policy & LevelPolicy.HASHED
        else level
        for level in levels
    ]
    kernel = native.library()
    if kernel is not None:
        return native.replay(program, own, settings, kernel)
    return portable.replay(program, own, settings) if work <= PORTABLE_WORK else None
