"""Processes that run at once, as one: law by law, and two real ones on two cores."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.measure.build import build_program
from rooflint.measure.process import refusal_of
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.protocol import is_clean, process_figure, seconds_of
from rooflint.measure.records import Batch, Completion, ProcessRun, Sentinel, Stop
from rooflint.measure.refusals import RefusalCode
from rooflint.measure.subject import Subject, find_subject
from rooflint.measure.teams.team import joined_run, run_team

MakeRun = Callable[..., ProcessRun]
CODE = """\
#include <stdlib.h>
void copy(int n, double *restrict a, const double *restrict b)
{
    if (n < 0)
        exit(1);
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}
"""
SECONDS = 60.0


def joined(*runs: ProcessRun) -> Batch:
    return joined_run(runs).batches[0]


@pytest.mark.parametrize("cores", [1, 2, 7])
def test_cores_that_do_not_disturb_each_other_share_the_time(
    made_up_run: MakeRun, cores: int
) -> None:
    alone = made_up_run(1000.0)
    together = process_figure(joined_run([alone] * cores).batches)
    assert together is not None
    assert together.cycles.p10 == pytest.approx(1000.0 / cores)
    assert together.clean == together.batches == len(alone.batches)


@given(st.floats(10.0, 1e6), st.floats(10.0, 1e6))
def test_rates_add_up(first: float, second: float) -> None:
    seconds = seconds_of(joined(_run(first), _run(second)), marked=False)
    assert 1 / seconds == pytest.approx(1 / first + 1 / second)


def _run(seconds: float, **changes: float) -> ProcessRun:
    calls = 3
    batch = Batch(
        calls=calls,
        wall_s=seconds * calls,
        processor_s=seconds * calls,
        ghz_before=2.0,
        ghz_after=2.0,
        ticks=0,
        mark_ticks=0,
        mark_passes=0,
        switches=0,
    )
    end = Completion(late_pages=0, ran_away=False)
    return ProcessRun(batches=(replace(batch, **changes),), completion=end)


@pytest.mark.parametrize(
    ("changes", "clean"),
    [
        ({}, True),
        ({"wall_s": 3.02e-3}, True),
        ({"wall_s": 3.04e-3}, False),
        ({"begin_s": 2e-5}, True),
        ({"begin_s": 4e-5}, False),
        ({"ghz_after": 1.97}, True),
        ({"ghz_after": 1.95}, False),
    ],
)
def test_a_batch_is_clean_where_all_were_at_once(changes: dict[str, float], clean: bool) -> None:
    """3 ms: 1 % of it may pass otherwise, and 0.3 us."""
    assert is_clean(joined(_run(1e-3), _run(1e-3, **changes))) is clean
    assert is_clean(joined(_run(1e-3, **changes), _run(1e-3))) is clean


def test_the_worst_core_tells_of_neighbours(made_up_run: MakeRun) -> None:
    quiet = Sentinel(ghz=3.0, adds_per_cy=3.5, stream_gb_s=20.0)
    busy = Sentinel(ghz=2.9, adds_per_cy=1.8, stream_gb_s=0.0)
    runs = [replace(made_up_run(9.0), sentinels=(each,)) for each in (quiet, busy)]
    (seen,) = joined_run(runs).sentinels
    assert seen == Sentinel(ghz=2.9, adds_per_cy=1.8, stream_gb_s=20.0)


def test_one_that_failed_stands_for_all(made_up_run: MakeRun) -> None:
    fine = made_up_run(9.0)
    lost = ProcessRun(end="exited")
    stopped = ProcessRun(end="exited", stop=Stop(why="fault", detail=0))
    assert joined_run([fine, lost]) is lost
    assert joined_run([lost, stopped, fine]) is stopped


@pytest.fixture
def program(tmp_path: Path) -> Program:
    path = tmp_path / "copy.c"
    path.write_text(CODE)
    subject = find_subject(str(path), FlagFinder(extra=["gcc", "-O2"]).flags(str(path)))
    assert isinstance(subject, Subject)
    folder = tmp_path / "build"
    folder.mkdir()
    built = build_program(subject, str(folder), compiler="gcc")
    assert isinstance(built, Program)
    return built


def team(size: int) -> RunSettings:
    cores = sorted(os.sched_getaffinity(0))
    return RunSettings(
        sizes=(("n", size),),
        team=tuple([cores[place % len(cores)] for place in range(2)]),
        budget_s=0.01,
        batches=5,
    )


def test_two_processes_make_the_same_batches(program: Program) -> None:
    run = run_team(program, team(1000), SECONDS)
    assert refusal_of(program, team(1000), run) is None
    assert run.end == "returned"
    assert 1 <= len(run.batches) <= 5
    assert all(batch.begin_s > 0 for batch in run.batches)
    assert run.extents[0].high >= 8000


def test_a_team_whose_processes_end_is_refused_at_once(program: Program) -> None:
    refusal = refusal_of(program, team(-1), run_team(program, team(-1), SECONDS))
    assert refusal is not None
    assert refusal.code is RefusalCode.ENDED_PROGRAM
