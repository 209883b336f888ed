"""Which tool counts here, each tried on a short process."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.core.external.tools import locate
from rooflint.measure.counters.tools import (
    AbsenceCause,
    Counters,
    CounterSystem,
    CounterTool,
    Tally,
    ToolAbsence,
    caution,
    find_counters,
)

BOTH = {"cycles:u": 9.0, "instructions:u": 5.0}
CORE = {"CPU_CLK_UNHALTED_CORE": 9.0}
NO_LIKWID = ToolAbsence(tool=CounterTool.LIKWID, cause=AbsenceCause.NOT_INSTALLED)


DEVICES = Path("/sys/bus/event_source/devices")


def looking(level: int | None = 2, **paths: str) -> CounterSystem:
    """Has these programs, by name with underscores, and ``true``."""

    def find(name: str) -> str | None:
        return locate(name) if name == "true" else paths.get(name.replace("-", "_"))

    return CounterSystem(find, lambda: level)


def test_perf_counts_the_lines_of_a_core_it_knows(fake_perf: Callable[..., str]) -> None:
    perf = fake_perf(BOTH)
    found = find_counters("znver4", looking(perf=perf))
    assert isinstance(found, Counters)
    codes = ("rdf44:u", "r0864:u", "r1f71:u", "r1f72:u")
    assert found.tallies == (
        Tally(tool=CounterTool.PERF, path=perf, events=("cycles:u", "instructions:u", *codes)),
    )
    assert found.tool is CounterTool.PERF


def test_perf_counts_cycles_of_any_core(fake_perf: Callable[..., str]) -> None:
    found = find_counters(None, looking(perf=fake_perf(BOTH)))
    assert isinstance(found, Counters)
    assert [tally.events for tally in found.tallies] == [("cycles:u", "instructions:u")]


def test_a_machine_without_counters(fake_perf: Callable[..., str]) -> None:
    assert find_counters("znver4", looking(perf=fake_perf({}))) == (
        ToolAbsence(tool=CounterTool.PERF, cause=AbsenceCause.NOT_SUPPORTED),
        NO_LIKWID,
    )


def test_no_tool_at_all() -> None:
    perf = ToolAbsence(tool=CounterTool.PERF, cause=AbsenceCause.NOT_INSTALLED)
    assert find_counters("znver4", looking()) == (perf, NO_LIKWID)


@pytest.mark.parametrize(
    ("level", "cause", "detail"),
    [
        (3, AbsenceCause.NOT_PERMITTED, "perf_event_paranoid 3"),
        (2, AbsenceCause.FAILED, "false: exit code 1"),
        (None, AbsenceCause.FAILED, "false: exit code 1"),
    ],
)
def test_a_perf_that_fails(level: int | None, cause: AbsenceCause, detail: str) -> None:
    """``false`` in its place; the level of caution says whether users may count at all."""
    found = find_counters("znver4", looking(level, perf=locate("false") or ""))
    perf = ToolAbsence(tool=CounterTool.PERF, cause=cause, detail=detail)
    assert found == (perf, NO_LIKWID)


@pytest.mark.parametrize(("text", "level"), [("2\n", 2), ("-1\n", -1), ("", None)])
def test_the_kernels_level_of_caution(text: str, level: int | None, tmp_path: Path) -> None:
    file = tmp_path / "perf_event_paranoid"
    assert caution(file) is None
    file.write_text(text)
    assert caution(file) == level


def test_likwid_counts_where_perf_does_not(fake_likwid: Callable[..., str]) -> None:
    likwid = fake_likwid(CORE)
    found = find_counters("icelake-server", looking(likwid_perfctr=likwid))
    assert isinstance(found, Counters)
    (tally,) = found.tallies  # no memory: its counters are not there
    assert tally.events[:3] == (
        "CPU_CLK_UNHALTED_CORE:FIXC1", "INSTR_RETIRED_ANY:FIXC0", "L1D_REPLACEMENT",
    )  # fmt: skip
    unknown = find_counters("znver2", looking(likwid_perfctr=likwid))
    assert isinstance(unknown, tuple)
    assert (unknown[1].cause, unknown[1].detail) == (AbsenceCause.NO_EVENTS, "znver2")


def test_likwid_adds_the_memory_to_what_perf_counts(
    fake_perf: Callable[..., str], fake_likwid: Callable[..., str]
) -> None:
    likwid = fake_likwid({**CORE, "CAS_COUNT_RD": 3.0})
    found = find_counters("haswell", looking(perf=fake_perf(BOTH), likwid_perfctr=likwid))
    assert isinstance(found, Counters)
    assert [(tally.tool, tally.is_of_memory) for tally in found.tallies] == [
        (CounterTool.PERF, False),
        (CounterTool.LIKWID, True),
    ]


def test_this_computer_says_what_it_has() -> None:
    """A kernel without a unit that counts, as in most virtual machines, is no reason to fail."""
    found = find_counters(None)
    has_unit = any(DEVICES.glob("cpu*"))
    assert has_unit or not isinstance(found, Counters)
    if isinstance(found, tuple) and not has_unit:
        assert found[0].cause in (AbsenceCause.NOT_INSTALLED, AbsenceCause.NOT_SUPPORTED)
