"""Formats that plugins add: offered what no built-in format takes; a failure costs one file."""

from collections import Counter
from pathlib import Path

import pytest
from rooflint.ir.unit import Span
from rooflint.plugin_api.hookspecs import hookimpl
from rooflint.profiles import (
    CountedRegion,
    FunctionRegions,
    LoopCounts,
    LoopPlace,
    LoopTest,
    ProfileContent,
    ProfileFormat,
    ProfileProblem,
    SourceLine,
    SourcePart,
    TimedLines,
    TimeUnit,
    read_counts,
    read_shares,
)
from rooflint.registry import load_registry

WHOLE = Span(line=1, column=1, end_line=9, end_column=2)
LOOP = LoopPlace(
    path="a.c",
    function=WHOLE,
    loop=Span(line=3, column=3, end_line=4, end_column=9),
    body=(4, 5),
    test=LoopTest(3),
)


class Toy:
    """``toy`` and a word that says what to do."""

    name = "toy"

    def recognises(self, start: bytes) -> bool:
        return start.startswith(b"toy")

    def read(self, path: str, content: bytes) -> ProfileContent:
        del path
        if b"damaged" in content:
            raise ValueError("line 1")
        if b"bug" in content:
            raise ZeroDivisionError("of the plugin")
        regions = (
            CountedRegion(1, 1, 9, 2, 10, 0, 0, 0),
            CountedRegion(4, 5, 4, 9, 70, 0, 0, 0),
        )
        counted = FunctionRegions(path="a.c", extent=WHOLE, regions=regions, branches=())
        weights: Counter[tuple[SourceLine, ...]] = Counter(
            {(SourceLine("a.c", 4),): 30, (SourceLine("b.c", 1),): 10}
        )
        return ProfileContent(regions=(counted,), time=TimedLines(weights, TimeUnit.NANOSECONDS))


class Plugin:
    @hookimpl
    def rooflint_profiles(self) -> list[ProfileFormat]:
        return [Toy()]


def profile(folder: Path, content: bytes) -> str:
    path = folder / "run.toy"
    path.write_bytes(content)
    return str(path)


def test_a_plugin_counts_and_times(tmp_path: Path) -> None:
    formats = load_registry({"toys": Plugin()}, ()).profile_formats
    path = profile(tmp_path, b"toy")
    assert read_counts([path], formats).loop(LOOP) == LoopCounts(10, 70)
    time = read_shares([path], formats).profile
    assert time.shares([SourcePart("a.c", WHOLE)]).parts == (0.75,)
    assert (time.total, time.unit) == (40, TimeUnit.NANOSECONDS)


@pytest.mark.parametrize(
    ("content", "problem", "detail"),
    [
        (b"toy damaged", ProfileProblem.BROKEN, "line 1"),
        (b"toy bug", ProfileProblem.FAILED_PLUGIN, "'toy': ZeroDivisionError: of the plugin"),
        (b"other", ProfileProblem.UNKNOWN_KIND, ""),
    ],
)
def test_a_plugin_that_fails_costs_the_file(
    tmp_path: Path, content: bytes, problem: ProfileProblem, detail: str
) -> None:
    (error,) = read_counts([profile(tmp_path, content)], [Toy()]).problems
    assert error.problem is problem
    assert detail in str(error)


@pytest.mark.parametrize(
    ("event", "unit"),
    [
        ("cpu-clock:pppH", TimeUnit.NANOSECONDS),
        ("task-clock", TimeUnit.NANOSECONDS),
        ("cycles:P", TimeUnit.CYCLES),
        ("cpu_core/cycles/", TimeUnit.CYCLES),
        ("cache-misses", None),
    ],
)
def test_perf_names_the_unit_of_its_events(
    tmp_path: Path, event: str, unit: TimeUnit | None
) -> None:
    path = tmp_path / "perf.txt"
    path.write_text(
        f"# Samples: 4K of event '{event}'\n# Event count (approx.): 1000\n"
        "# Overhead  Source:Line\n   100.00%  a.c:4\n"
    )
    profile = read_shares([str(path)]).profile
    assert (profile.unit, profile.total) == (unit, 1000)


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    (error,) = read_counts([str(tmp_path)]).problems
    assert error.problem is ProfileProblem.UNREADABLE
