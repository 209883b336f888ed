"""Outputs of perf and likwid, written by their documented formats (``man perf-stat``, section CSV;
``likwid.lua``, ``printOutput``)."""

from pathlib import Path

import pytest
from rooflint.errors import AnalysisError
from rooflint.measure.counters.likwid import event_list, likwid_command, read_likwid
from rooflint.measure.counters.perf_stat import perf_command, read_perf_stat
from rooflint.measure.counters.readings import CountState

OUTPUTS = Path(__file__).with_name("outputs")


def output(name: str) -> str:
    return (OUTPUTS / f"{name}.txt").read_text(encoding="utf-8")


def test_perf_counts_every_event() -> None:
    readings = read_perf_stat(output("perf_icelake"), "p")
    assert [(each.event, each.count) for each in readings] == [
        ("cycles:u", 181_273_312),
        ("instructions:u", 224_517_908),
        ("r0151:u", 18_883_112),
        ("r10f0:u", 6_294_011),
        ("r1ff1:u", 5_012),
        ("r02f2:u", 1_733),
    ]
    assert {each.state for each in readings} == {CountState.COUNTED}
    assert {each.share for each in readings} == {1.0}


def test_perf_says_how_long_a_counter_was_at_its_event() -> None:
    cycles, instructions, lines, clock = read_perf_stat(output("perf_multiplexed"), "p")
    assert cycles.count == 98_112_034
    assert cycles.share == pytest.approx(0.6002)
    assert (instructions.state, instructions.count) == (CountState.NOT_COUNTED, 0.0)
    assert lines.share == pytest.approx(0.3998)
    assert (clock.event, clock.count, clock.unit) == ("task-clock:u", 52.11, "msec")


def test_perf_of_a_virtual_machine_without_counters() -> None:
    readings = read_perf_stat(output("perf_virtual"), "p")
    assert [each.state for each in readings] == [CountState.NOT_SUPPORTED] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12;;cycles:u", "p:1: expected 5 fields of 'perf stat -x'"),
        ("# a\n\nmany;;cycles:u;1;100.00;;", "p:3: expected a count, got 'many'"),
    ],
)
def test_what_perf_does_not_print(text: str, message: str) -> None:
    with pytest.raises(AnalysisError, match=f"^{message}$"):
        read_perf_stat(text, "p")


def test_the_command_of_perf_keeps_the_programs_own_arguments_apart() -> None:
    command = perf_command("/usr/bin/perf", ["cycles:u", "cpu/event=0x51,umask=0x1/u"], "out")
    assert command == (
        "/usr/bin/perf", "stat", "-x", ";", "-o", "out",
        "-e", "cycles:u", "-e", "cpu/event=0x51,umask=0x1/u", "--",
    )  # fmt: skip


def test_likwid_counts_by_group() -> None:
    custom, memory = read_likwid(output("likwid_l2_mem"), "l")
    assert (custom.group, custom.region, memory.group) == ("Custom", "", "MEM")
    assert {each.event: each.count for each in custom.readings}["L1D_REPLACEMENT"] == 18_883_112
    assert [each.event for each in custom.readings if each.state is CountState.NOT_COUNTED] == [
        "L2_LINES_IN_ALL"
    ]
    assert [(each.event, each.count) for each in memory.readings] == [
        ("INSTR_RETIRED_ANY", 12_451_790_012),
        ("CAS_COUNT_RD", 24_544_320),
        ("CAS_COUNT_WR", 6_148_200),
        ("CAS_COUNT_RD", 24_502_660),
        ("CAS_COUNT_WR", 6_159_144),
        ("CAS_COUNT_RD", 0),
    ]


def test_likwid_counts_by_region() -> None:
    (table,) = read_likwid(output("likwid_regions"), "l")
    assert (table.group, table.region) == ("L2", "triad")
    assert [(each.event, each.count) for each in table.readings] == [
        ("RETIRED_INSTRUCTIONS", 5_067_253_000),
        ("CPU_CLOCKS_UNHALTED", 2_533_626_500),
        ("DATA_CACHE_REFILLS_ALL", 79_175_828),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\nTABLE,Group 1 Raw", "l:2: expected a group of 'likwid-perfctr -O'"),
        (
            "TABLE,Group 1 Raw,L2,1\nEvent,Counter,HWThread 0\nL1D,PMC0,few",
            "l:3: expected counts of L1D, got \\['few'\\]",
        ),
    ],
)
def test_what_likwid_does_not_print(text: str, message: str) -> None:
    with pytest.raises(AnalysisError, match=f"^{message}$"):
        read_likwid(text, "l")


def test_events_of_likwid_get_a_counter_each() -> None:
    assert event_list(["C:FIXC1", "A", "B"]) == "C:FIXC1,A:PMC0,B:PMC1"
    assert event_list(["C:PMC1", "I:PMC0", "A", "B"]) == "C:PMC1,I:PMC0,A:PMC2,B:PMC3"
    assert likwid_command("likwid-perfctr", "L2", 3, "out") == (
        "likwid-perfctr", "-f", "-C", "3", "-g", "L2", "-O", "-o", "out",
    )  # fmt: skip
