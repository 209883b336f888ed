"""Counts of a call: the difference of two processes, over that of their calls."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.measure.build import build_program
from rooflint.measure.counters.counting import (
    CallCounts,
    CountObstacle,
    EventRates,
    LinkCount,
    count_call,
    event_rates,
    settings_of_two,
)
from rooflint.measure.counters.events import core_events
from rooflint.measure.counters.likwid import MEMORY_GROUP
from rooflint.measure.counters.tools import Counters, CounterTool, Tally
from rooflint.measure.program import MeasureMode, Program, RunSettings
from rooflint.measure.subject import Subject, find_subject

HARNESS = """\
#!{python}
import os, sys
given = dict(part.split("=", 1) for part in sys.argv[1:])
batch = (
    '{{"record":"batch","calls":%s,"wall_s":1e-4,"processor_s":1e-4,"ghz_before":2,"ghz_after":2,'
    '"ticks":1,"mark_ticks":0,"mark_passes":0,"switches":0}}\\n' % given["calls"]
)
end = '{{"record":"done","late_pages":0,"ran_away":false}}\\n'
os.write(int(given["result"]), (batch * int(given["batches"]) + {end}).encode())
"""
RATES = {
    "cycles:u": 900.0,
    "instructions:u": 500.0,
    "r0151:u": 48.0,
    "r10f0:u": 16.0,
    "r1ff1:u": 2.0,
}
CALL_S = 1e-6


def program(folder: Path, end: str = "end") -> Program:
    """A script in place of the harness; one without its last record was ended."""
    path = folder / "program"
    path.write_text(HARNESS.format(python=sys.executable, end=end))
    path.chmod(0o755)
    return Program(
        function="f",
        mode=MeasureMode.FUNCTION,
        executable=str(path),
        commands=(),
        compiler="",
        flags=(),
        sizes=(),
        arrays=(),
    )


def counters(*tallies: Tally, core: str | None = "icelake-server") -> Counters:
    return Counters(tallies=tallies, core=core_events(core))


def perf_tally(path: str, *events: str) -> Tally:
    listed = ("cycles:u", "instructions:u", *events)
    return Tally(tool=CounterTool.PERF, path=path, events=listed)


def test_lines_of_a_call_by_perf(tmp_path: Path, fake_perf: Callable[..., str]) -> None:
    events = core_events("icelake-server")
    assert events is not None
    tally = perf_tally(fake_perf(RATES), *[event.perf for event in events.lines])
    found = count_call(program(tmp_path), counters(tally), RunSettings(), CALL_S, 10.0, "L3-MEM")
    assert found == CallCounts(
        tool=CounterTool.PERF,
        cycles=900.0,
        instructions=500.0,
        links=(
            LinkCount(link="L1-L2", load=48.0, evict=16.0),
            LinkCount(link="L2-L3", load=2.0, evict=None),  # r02f2 is not supported there
        ),
    )
    assert not found.is_scaled


@pytest.mark.parametrize(("share", "scaled"), [(98.9, True), (99.0, False)])
def test_counters_that_take_turns_are_said(
    share: float, scaled: bool, tmp_path: Path, fake_perf: Callable[..., str]
) -> None:
    tally = perf_tally(fake_perf(RATES, share))
    found = count_call(program(tmp_path), counters(tally), RunSettings(), CALL_S, 10.0, "L3-MEM")
    assert isinstance(found, CallCounts)
    assert found.is_scaled is scaled


def test_lines_of_a_call_by_likwid(tmp_path: Path, fake_likwid: Callable[..., str]) -> None:
    """Channels of the memory add up, and are those of the socket."""
    path = fake_likwid({"RETIRED_INSTRUCTIONS": 7.0, "ANY_DATA_CACHE_FILLS_ALL": 3.0,
                        "CAS_COUNT_RD": 2.0, "CAS_COUNT_WR": 1.0})  # fmt: skip
    core = core_events("znver4")
    assert core is not None
    events = (core.cycles, core.instructions, *[event.likwid for event in core.lines])
    tallies = (
        Tally(tool=CounterTool.LIKWID, path=path, events=events),
        Tally(tool=CounterTool.LIKWID, path=path, events=(MEMORY_GROUP,)),
    )
    found = count_call(
        program(tmp_path), counters(*tallies, core="znver4"), RunSettings(), CALL_S, 10.0, "L3-MEM"
    )
    assert isinstance(found, CallCounts)
    assert (found.cycles, found.instructions) == (None, 7.0)
    assert found.links == (
        LinkCount(link="L1-L2", load=3.0, evict=None),
        LinkCount(link="L2-L3", load=None, evict=None),
        LinkCount(link="L3-MEM", load=4.0, evict=1.0, of_socket=True),
    )


def test_a_process_that_the_tool_upsets(tmp_path: Path, fake_perf: Callable[..., str]) -> None:
    tally = perf_tally(fake_perf(RATES))
    ended = program(tmp_path, end="''")
    found = count_call(ended, counters(tally), RunSettings(), CALL_S, 10.0, "L3-MEM")
    assert found is CountObstacle.ENDED


def test_a_tool_that_prints_something_else(tmp_path: Path) -> None:
    path = tmp_path / "perf"
    path.write_text('#!/bin/sh\necho "some words" > "$5"\nwhile [ "$1" != -- ]; do shift; done\n'
                    'shift\nexec "$@"\n')  # fmt: skip
    path.chmod(0o755)
    found = event_rates(program(tmp_path), perf_tally(str(path)), RunSettings(), CALL_S, 10.0)
    assert found is CountObstacle.UNREADABLE


@pytest.mark.parametrize(
    ("call_s", "calls", "batches"),
    [
        (1e-6, 175, 143),  # 0.05 s / (2 * 175 µs)
        (1e-3, 1, 25),
        (0.1, 1, 2),
        (0.0, 1, 200),
    ],
)
def test_two_processes_differ_in_their_calls_alone(call_s: float, calls: int, batches: int) -> None:
    few, many = settings_of_two(RunSettings(), call_s)
    assert (few.calls, few.batches) == (calls, batches)
    assert (many.calls, many.batches) == (3 * calls, batches)
    assert not few.fence


SOFTWARE = """\
void f(int n, double *restrict a, const double *b)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] / (a[i] + 3);
}
"""


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("perf"), reason="no perf")
def test_perf_counts_a_confined_process(tmp_path: Path) -> None:
    """Software events need no hardware: the time of a call, and no faults once data are mapped."""
    source = tmp_path / "f.c"
    source.write_text(SOFTWARE)
    subject = find_subject(str(source), FlagFinder(extra=["gcc", "-O2"]).flags(str(source)))
    assert isinstance(subject, Subject)
    built = build_program(subject, str(tmp_path), compiler="gcc")
    assert isinstance(built, Program)
    tally = Tally(
        tool=CounterTool.PERF,
        path=shutil.which("perf") or "",
        events=("task-clock:u", "page-faults:u"),
    )
    found = event_rates(built, tally, RunSettings(sizes=(("n", 10_000),)), 1e-5, 60.0)
    assert isinstance(found, EventRates)
    clock_ms, faults = found.per_call["task-clock:u"], found.per_call["page-faults:u"]
    assert clock_ms is not None
    assert faults is not None
    # 10 000 divisions take 10 µs at a billion a second, 200 µs at 20 cycles each and 1 GHz
    assert 1e-3 < clock_ms < 1.0
    assert faults < 0.01
