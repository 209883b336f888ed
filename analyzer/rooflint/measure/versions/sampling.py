"""Processes of two versions by turns: A B B A, so that what drifts meets both alike."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rooflint.measure.program import RunSettings
from rooflint.measure.protocol import Expectation, agreement
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal
from rooflint.measure.session import (
    FIRST_SHARE,
    LEAST_PROCESS_S,
    LEAST_S,
    MOST_BATCHES,
    MOST_S,
    OVERDRAFT,
    PLACEMENTS,
    REAL_TIME,
    Runner,
    TimeSource,
)
from rooflint.measure.versions.gain import MeasuredGain, lowest_cycles, measured_gain

FEWEST_GROUPS: Final = 3
MOST_GROUPS: Final = len(PLACEMENTS)
GROUP: Final = "ABBA"
CACHE_AGREEMENT: Final = 0.01
"""Share by which the lowest times of two groups may differ in caches of one core: a ratio is to be
known to 2 %, and two of them make it."""


class VersionRunners(Struct, frozen=True, kw_only=True):
    """A process of either version."""

    before: Runner
    after: Runner


class VersionSamples(Struct, frozen=True, kw_only=True):
    """Groups of processes; those of a group have their arrays at one place of a page.

    clock_ghz  whose cycles count; None for those of the core
    """

    before: tuple[tuple[ProcessRun, ...], ...]
    after: tuple[tuple[ProcessRun, ...], ...]
    seconds: float
    clock_ghz: float | None = None

    @property
    def gain(self) -> MeasuredGain | None:
        """Time before over time after."""
        return measured_gain(self.before, self.after, self.clock_ghz)


def sample_versions(
    runners: VersionRunners,
    settings: RunSettings,
    expectation: Expectation,
    budget_s: float,
    times: TimeSource = REAL_TIME,
) -> VersionSamples | MeasureRefusal:
    """Groups until the lowest times of both versions agree, or the budget is spent."""
    start = times.now()
    before: list[tuple[ProcessRun, ...]] = []
    after: list[tuple[ProcessRun, ...]] = []
    processes = FEWEST_GROUPS * len(GROUP)
    share_s = min(MOST_S, max(LEAST_S, budget_s / processes * FIRST_SHARE))
    limit_s = budget_s * (1 + OVERDRAFT)
    cost_s = 0.0
    while len(before) < MOST_GROUPS:
        begin = times.now()
        if before and begin - start + cost_s > limit_s:
            break
        if len(before) >= FEWEST_GROUPS and _are_steady(before, after, expectation):
            break
        timed = replace(
            settings,
            placement=PLACEMENTS[len(before)],
            budget_s=share_s,
            batches=MOST_BATCHES,
        )
        group = _group(runners, timed, max(limit_s - (begin - start), LEAST_PROCESS_S))
        if isinstance(group, MeasureRefusal):
            return group
        before.append(group[0])
        after.append(group[1])
        cost_s = times.now() - begin
    return VersionSamples(
        before=tuple(before),
        after=tuple(after),
        seconds=times.now() - start,
        clock_ghz=expectation.far_clock_ghz,
    )


def _group(
    runners: VersionRunners, settings: RunSettings, seconds: float
) -> tuple[tuple[ProcessRun, ...], tuple[ProcessRun, ...]] | MeasureRefusal:
    before: list[ProcessRun] = []
    after: list[ProcessRun] = []
    for version in GROUP:
        run, runs = (runners.before, before) if version == "A" else (runners.after, after)
        answer = run(settings, seconds)
        if isinstance(answer, MeasureRefusal):
            return answer
        runs.append(answer)
    return tuple(before), tuple(after)


def _are_steady(
    before: Sequence[Sequence[ProcessRun]],
    after: Sequence[Sequence[ProcessRun]],
    expectation: Expectation,
) -> bool:
    """Whether two groups agree about the lowest time, for each version."""
    limit = CACHE_AGREEMENT if expectation.in_cache else agreement(expectation)
    clock_ghz = expectation.far_clock_ghz
    return all(_agree(groups, limit, clock_ghz) for groups in (before, after))


def _agree(groups: Sequence[Sequence[ProcessRun]], limit: float, clock_ghz: float | None) -> bool:
    figures = [lowest_cycles(runs, clock_ghz) for runs in groups]
    lowest = sorted(filter(None, figures))[:2]
    return len(lowest) == 2 and lowest[1] <= lowest[0] * (1 + limit)
