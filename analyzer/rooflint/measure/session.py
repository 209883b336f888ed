"""A measurement in time: which processes run, where, how long, and when there are enough.

Each process has new addresses and new pages, and its code lies elsewhere in the lines that it is
fetched by; what stays the same over several of them belongs to the loop. Several sizes are measured
by turns where a slope between them is wanted: calls overlap with the work around them, and have a
prologue, which the slope leaves out.
"""

import time
from collections.abc import Callable, Sequence
from itertools import starmap
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rooflint.measure.program import ArrayPlacement, RunSettings
from rooflint.measure.protocol import (
    FEWEST_PROCESSES,
    Expectation,
    is_clean,
    needs_another,
)
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode

Runner = Callable[[RunSettings, float], ProcessRun | MeasureRefusal]
"""One process, ended after so many seconds; a refusal where it gave no measurement."""

PLACEMENTS: Final = tuple(
    starmap(
        ArrayPlacement,
        ((64, 2496), (1088, 1216), (2112, 1728), (576, 2880), (3136, 1472), (1600, 3264)),
    )
)
"""Where arrays begin in a page, a process each: lines of their own, spread over the page. A core
takes a load for one of what a store just before has written if both lie a multiple of 4 KiB apart:
loads 40 to 256 B behind the stores of another array took two to ten times as long in L1 of a Zen 4.
The arrays of a process are whole and odd numbers of lines apart, so that 64 of them share no line
of a page, and neighbours lie 832 B apart at least; those that lie near each other in one process
do not in the next."""
APART_S: Final = 0.5
"""From the start of the first process to that of the last: a disturbance may last so long."""
TRIAL_S: Final = 0.02
"""Processor time after which the clean share of a core shows."""
TRIED_CORES: Final = 4
MOST_BATCHES: Final = 250
"""Of a process: its tenth percentile then stands on 25 batches; another process tells more."""
LEAST_S: Final = 0.03
MOST_S: Final = 0.5
"""Processor time for the batches of a process, where single calls are longer than a batch."""
FIRST_SHARE: Final = 1 / 3
"""Of the time of a process that its batches get at first; the rest is for its start and for other
jobs on the core."""
LEAST_PROCESS_S: Final = 0.5
"""Wall time that any process gets, however little is left."""
OVERDRAFT: Final = 0.1
"""Of the budget that the last process may exceed it by."""


class TimeSource(Struct, frozen=True):
    """The clock of a session, and how it waits."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep


REAL_TIME: Final = TimeSource()


class PlannedSize(Struct, frozen=True):
    """Settings to measure at, and what the processes shall find."""

    settings: RunSettings
    expectation: Expectation


class SessionPlan(Struct, frozen=True, kw_only=True):
    """The size to measure and, for a slope, ``smaller`` ones."""

    whole: PlannedSize
    smaller: tuple[PlannedSize, ...] = ()


class SessionSamples(Struct, frozen=True, kw_only=True):
    """Processes at the size, and at each smaller one; ``seconds`` that all of it took."""

    runs: tuple[ProcessRun, ...]
    smaller: tuple[tuple[ProcessRun, ...], ...]
    seconds: float

    @property
    def every(self) -> tuple[ProcessRun, ...]:
        """All processes."""
        return (*self.runs, *[run for runs in self.smaller for run in runs])


def best_core(
    run: Runner, settings: RunSettings, cores: Sequence[int], seconds: float
) -> int | None:
    """The core with the largest share of clean batches in a short trial; None where none ran."""
    shares: list[tuple[float, int]] = []
    for core in cores[:TRIED_CORES]:
        tried = replace(settings, core=core, budget_s=TRIAL_S)
        answer = run(tried, seconds)
        if isinstance(answer, ProcessRun) and answer.batches:
            clean = sum(map(is_clean, answer.batches)) / len(answer.batches)
            shares.append((clean, -core))
    return -max(shares)[1] if shares else None


def sample(
    run: Runner, plan: SessionPlan, budget_s: float, times: TimeSource = REAL_TIME
) -> SessionSamples | MeasureRefusal:
    """Processes until their two lowest agree, or the budget is spent; the refusal of one that
    gives no measurement."""
    return _Session(run, plan, budget_s, times).samples()


class _Session:
    """The processes so far, and what one of them costs."""

    def __init__(self, run: Runner, plan: SessionPlan, budget_s: float, times: TimeSource) -> None:
        self.run = run
        self.plan = plan
        self.budget_s = budget_s
        self.times = times
        self.start = times.now()
        self.full: list[ProcessRun] = []
        self.smaller: list[list[ProcessRun]] = [[] for _ in plan.smaller]
        self.cost_s = 0.0
        self.share_s = _within(budget_s / FEWEST_PROCESSES / self.sizes() * FIRST_SHARE)

    def samples(self) -> SessionSamples | MeasureRefusal:
        while self.is_wanted() and self.is_affordable():
            self.keep_apart()
            begin = self.times.now()
            refusal = self.round()
            if refusal is not None and self.is_late(refusal):
                break
            if refusal is not None:
                return refusal
            self.learn(self.times.now() - begin)
        return SessionSamples(
            runs=tuple(self.full),
            smaller=tuple(map(tuple, self.smaller)),
            seconds=self.times.now() - self.start,
        )

    def is_late(self, refusal: MeasureRefusal) -> bool:
        """Whether the budget ended a process of a function that has returned before."""
        return refusal.code is RefusalCode.NO_RETURN and bool(self.full)

    def is_wanted(self) -> bool:
        """A slope stands on half of the smaller sizes."""
        if needs_another(self.full, self.plan.whole.expectation):
            return True
        shaky = [
            needs_another(runs, size.expectation)
            for runs, size in zip(self.smaller, self.plan.smaller, strict=True)
        ]
        return 2 * sum(shaky) > len(shaky)

    def is_affordable(self) -> bool:
        return not self.full or self.spent() + self.cost_s <= self.budget_s * (1 + OVERDRAFT)

    def spent(self) -> float:
        return self.times.now() - self.start

    def keep_apart(self) -> None:
        """Waits before the process that may be the last."""
        if len(self.full) == FEWEST_PROCESSES - 1:
            missing = min(APART_S, self.budget_s - self.cost_s) - self.spent()
            if missing > 0:
                self.times.wait(missing)

    def round(self) -> MeasureRefusal | None:
        """One process at each size."""
        turn = len(self.full)
        placement = PLACEMENTS[turn % len(PLACEMENTS)]
        sizes = (self.plan.whole, *self.plan.smaller)
        for size, runs in zip(sizes, (self.full, *self.smaller), strict=True):
            left = max(self.budget_s * (1 + OVERDRAFT) - self.spent(), LEAST_PROCESS_S)
            timed = replace(
                size.settings,
                placement=placement,
                code_place=turn,
                budget_s=self.share_s,
                batches=MOST_BATCHES,
            )
            answer = self.run(timed, left)
            if isinstance(answer, MeasureRefusal):
                return answer
            runs.append(answer)
        return None

    def learn(self, seconds: float) -> None:
        """Shares out what is left, by what the last round cost."""
        last = [runs[-1] for runs in (self.full, *self.smaller) if runs]
        timed_s = min(seconds, sum([batch.wall_s for run in last for batch in run.batches]))
        started_s = seconds - timed_s
        stretch = max(1.0, timed_s / (self.share_s * self.sizes()))
        rounds = max(1, FEWEST_PROCESSES - len(self.full))
        left_s = self.budget_s - self.spent() - rounds * started_s
        self.share_s = _within(min(self.share_s, left_s / rounds / self.sizes() / stretch))
        self.cost_s = started_s + self.share_s * self.sizes() * stretch

    def sizes(self) -> int:
        return 1 + len(self.plan.smaller)


def _within(share_s: float) -> float:
    return min(MOST_S, max(LEAST_S, share_s))
