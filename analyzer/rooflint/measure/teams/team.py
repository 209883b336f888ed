"""Processes of one program that run at once, each on a core of its own, as one process."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from mmap import mmap
from typing import Final

from msgspec.structs import replace

from rooflint.measure.process import TeamSeat, run_program
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.records import Batch, Completion, ProcessRun, Sentinel

_SHARED_BYTES: Final = 4096
"""Of the memory in which they wait for each other; its first byte says that one has ended."""


def run_team(program: Program, settings: RunSettings, seconds: float) -> ProcessRun:
    """The processes of ``settings.team`` joined to one; one that failed in place of all."""
    cores = settings.team
    descriptor = os.memfd_create("rooflint-team")
    try:
        os.ftruncate(descriptor, _SHARED_BYTES)
        with mmap(descriptor, _SHARED_BYTES) as shared:

            def member(rank: int) -> ProcessRun:
                seat = TeamSeat(descriptor=descriptor, size=len(cores), rank=rank)
                # one of them reads the memory reference while the others wait
                own = replace(settings, core=cores[rank], stream=settings.stream and not rank)
                run = run_program(program, own, seconds, seat)
                if run.completion is None:
                    shared[0] = 1
                return run

            with ThreadPoolExecutor(len(cores)) as pool:
                return joined_run(list(pool.map(member, range(len(cores)))))
    finally:
        os.close(descriptor)


def joined_run(runs: Sequence[ProcessRun]) -> ProcessRun:
    """One process that does the work of all: its calls take as long as theirs divided by them."""
    failed = [run for run in runs if run.completion is None]
    if failed:
        return next((run for run in failed if run.stop is not None), failed[0])
    return replace(
        runs[0],
        batches=tuple(map(_joined_batch, zip(*[run.batches for run in runs], strict=False))),
        sentinels=tuple(map(_joined_sentinel, zip(*[run.sentinels for run in runs], strict=False))),
        completion=_joined_completion([run.completion for run in runs if run.completion]),
    )


def _joined_batch(batches: Sequence[Batch]) -> Batch:
    """The calls of all in the time in which they made them together.

    Its wall time exceeds its processor time by as much as in the batch that was interrupted most,
    and by the time in which some had not begun: a batch is clean where all were at once.
    """
    calls = sum([batch.calls for batch in batches])
    processor_s = calls / sum([batch.calls / batch.processor_s for batch in batches])
    begins = [batch.begin_s for batch in batches]
    waited = max(map(_waited_s, batches))
    late = max(begins) - min(begins)
    uneven = max(batches, key=_drift)
    return Batch(
        calls=calls,
        wall_s=processor_s + waited + late,
        processor_s=processor_s,
        ghz_before=uneven.ghz_before,
        ghz_after=uneven.ghz_after,
        ticks=sum([batch.ticks for batch in batches]),
        mark_ticks=sum([batch.mark_ticks for batch in batches]),
        mark_passes=sum([batch.mark_passes for batch in batches]),
        switches=sum([batch.switches for batch in batches]),
        begin_s=min(begins),
    )


def _waited_s(batch: Batch) -> float:
    return max(0.0, batch.wall_s - batch.processor_s)


def _drift(batch: Batch) -> float:
    return abs(batch.ghz_after / batch.ghz_before - 1)


def _joined_sentinel(sentinels: Sequence[Sentinel]) -> Sentinel:
    """The core that was worst off; the memory of the one that read it."""
    return Sentinel(
        ghz=min([each.ghz for each in sentinels]),
        adds_per_cy=min([each.adds_per_cy for each in sentinels]),
        stream_gb_s=max([each.stream_gb_s for each in sentinels]),
    )


def _joined_completion(ends: Sequence[Completion]) -> Completion:
    return Completion(
        late_pages=sum([end.late_pages for end in ends]),
        ran_away=any(end.ran_away for end in ends),
    )
