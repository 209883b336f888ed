"""Shares of time from perf and callgrind, as recorded of the programs in ``data``."""

from pathlib import Path

import pytest
from rooflint.ir.unit import Span
from rooflint.profiles import ProfileProblem, SourcePart, TimeShares, read_counts, read_shares

DATA = Path(__file__).parent / "data"
REPORT = str(DATA / "spin.report.txt")
SCRIPT = str(DATA / "spin.script.txt")
CHAINS = str(DATA / "spin.chains.txt")
CALLGRIND = str(DATA / "position.callgrind.out")


def lines(first: int, last: int, path: str = "/checkout/spin.cpp") -> SourcePart:
    return SourcePart(path, Span(line=first, column=1, end_line=last, end_column=2))


WEIGHT, WORK, MAIN = lines(3, 3), lines(4, 9), lines(10, 10)


def shares(path: str, *parts: SourcePart) -> TimeShares:
    reading = read_shares([path])
    assert not reading.problems
    return reading.profile.shares(parts)


def report(tmp_path: Path, rows: str, columns: str = "# Overhead  Source:Line") -> str:
    file = tmp_path / "report.txt"
    file.write_text(f"# Samples: 9  of event 'cycles'\n{columns}\n# ....\n#\n{rows}")
    return str(file)


def test_a_report_gives_lines_to_the_functions_that_wrote_them() -> None:
    answer = shares(REPORT, WEIGHT, WORK, MAIN)
    assert answer.parts == pytest.approx((0.1261, 0.8650, 0), abs=2e-4)
    assert answer.outside == pytest.approx(0.0088, abs=3e-4)


def test_a_script_counts_samples() -> None:
    answer = shares(SCRIPT, WEIGHT, WORK, MAIN)
    text = Path(SCRIPT).read_text()
    samples = len(text.splitlines()) // 2
    assert answer.parts == pytest.approx(
        (text.count("spin.cpp:3\n") / samples, 1 - answer.outside - answer.parts[0], 0)
    )
    in_work = text.count("spin.cpp:6\n") + text.count("spin.cpp:7\n")
    assert answer.parts[1] == pytest.approx(in_work / samples)


def test_a_chain_counts_once_for_its_innermost_part(tmp_path: Path) -> None:
    frames = "\t  10b5 weight\n  spin.cpp:3 (inlined)\n\t  10b5 work\n  spin.cpp:7 (inlined)\n"
    chain = f"{frames}\t  10b5 main\n  spin.cpp:10\n\t  99 start\n  libc-start.c:58\n\n"
    file = tmp_path / "chains.txt"
    file.write_text(chain + chain.replace("spin.cpp:10", "other.cpp:4"))
    assert shares(str(file), WEIGHT, WORK, MAIN) == TimeShares((1, 0, 0), 0)
    assert shares(str(file), WORK, MAIN) == TimeShares((1, 0), 0)  # the accessor is its caller's
    assert shares(str(file), MAIN) == TimeShares((0.5,), 0.5)
    # A caller that nothing was inlined to did not run the instruction.
    assert shares(str(file), lines(58, 58, "libc-start.c")).parts == (0,)


def test_recorded_chains_are_credited_to_the_line_that_ran() -> None:
    answer = shares(CHAINS, WEIGHT, WORK, MAIN)
    assert sum(answer.parts) + answer.outside == pytest.approx(1)
    assert answer.parts[1] > 0.5  # the loop ran all the time but for the start of the process
    assert answer.parts[2] == 0
    assert answer.parts[0] > 0
    # The accessor's frame has no remark that it was inlined; its address is that of the caller's.
    assert shares(CHAINS, WORK).parts == pytest.approx((sum(answer.parts),))


def test_a_sample_without_a_place_leaves_the_next_one_its_own(tmp_path: Path) -> None:
    file = tmp_path / "script.txt"
    file.write_text("   10b5 main\n  spin.cpp:7\n   0 [unknown]\n   10b5 main\n  spin.cpp:7\n")
    assert shares(str(file), WORK).parts == pytest.approx((2 / 3,))


def test_the_kernel_and_places_without_a_line_are_outside(tmp_path: Path) -> None:
    rows = (
        "    50.00%  spin.cpp:7\n    25.00%  exc_page_fault+215\n"
        "    15.00%  [kernel.kallsyms][ffffffff81a85b4a]\n    10.00%  :0\n"
    )
    answer = shares(report(tmp_path, rows), WORK)
    assert answer.parts == pytest.approx((0.5,))
    assert answer.outside == pytest.approx(0.5)


def test_graphs_below_rows_and_further_events_are_not_counted(tmp_path: Path) -> None:
    rows = (
        "    80.00%  spin.cpp:7\n            |\n            |--57.02%--main\n\n"
        "    20.00%  spin.cpp:10\n# Samples: 9  of event 'cache-misses'\n"
        "# Overhead  Source:Line\n   100.00%  spin.cpp:10\n"
    )
    assert shares(report(tmp_path, rows), WORK, MAIN).parts == pytest.approx((0.8, 0.2))


def test_a_report_whose_places_may_be_cut_is_refused(tmp_path: Path) -> None:
    columns = "# Overhead  Symbol    Source:Line"
    file = report(tmp_path, "    61.06%  [.] main  spin.cpp:7\n", columns)
    (error,) = read_shares([file]).problems
    assert error.problem is ProfileProblem.OTHER_COLUMNS
    assert "-F overhead,srcline" in str(error)


def test_callgrind_gives_instructions_without_those_of_callees() -> None:
    source = "/project/traps.cpp"
    position, whole = lines(16, 21, source), lines(1, 56, source)
    # The file's own sum is 23,240: 100 + 40 + 15,360 + 40 + 7,660 + 40, once.
    assert shares(CALLGRIND, position, whole) == TimeShares((1, 0), 0)
    assert shares(CALLGRIND, lines(18, 18, source)).parts == pytest.approx((15_360 / 23_240,))
    assert shares(CALLGRIND, lines(17, 17, source)).parts == pytest.approx((7_700 / 23_240,))


@pytest.mark.parametrize(
    "body",
    [
        "fl=(1) a.c\nfn=(1) f\n0x10 3 40\n+0x0 * 60\n",
        "fl=a.c\nfn=f\n16 3 40\nfi=b.h\n* 7 0\nfe=a.c\njump=4 0 3\n* *\n* 3 60\n",
    ],
)
def test_callgrind_positions_may_have_an_address_before_the_line(body: str, tmp_path: Path) -> None:
    file = tmp_path / "callgrind.out"
    body = body.replace("+0x0", "+0")
    file.write_text(f"# callgrind format\npositions: instr line\nevents: Ir\n{body}")
    assert shares(str(file), lines(3, 3, "a.c")) == TimeShares((1,), 0)


@pytest.mark.parametrize("body", ["5 x\n", "1 -4\n", "+\n", "positions: instr\n"])
def test_a_broken_callgrind_file_is_one_line(body: str, tmp_path: Path) -> None:
    file = tmp_path / "callgrind.out"
    file.write_text(f"# callgrind format\npositions: line\nevents: Ir\n{body}")
    (error,) = read_shares([str(file)]).problems
    assert error.problem is ProfileProblem.BROKEN
    assert "line 4" in str(error)


@pytest.mark.parametrize("path", [REPORT, SCRIPT, CALLGRIND])
def test_runs_of_one_format_add_up_to_the_same_shares(path: str) -> None:
    once, twice = read_shares([path]), read_shares([path, path])
    assert not twice.problems
    part = lines(1, 20) if path is not CALLGRIND else lines(1, 20, "/project/traps.cpp")
    assert twice.profile.shares([part]) == once.profile.shares([part])


def test_formats_with_other_units_do_not_add_up() -> None:
    (error,) = read_shares([REPORT, SCRIPT]).problems
    assert error.problem is ProfileProblem.OTHER_UNIT


def test_counts_are_no_profile_of_time_and_time_has_no_counts() -> None:
    (error,) = read_shares([str(DATA / "traps.llvm-cov.json")]).problems
    assert error.problem is ProfileProblem.WITHOUT_TIME
    problems = [each.problem for each in read_counts([REPORT, SCRIPT, CALLGRIND]).problems]
    assert problems == [ProfileProblem.WITHOUT_COUNTS] * 3


def test_a_profile_without_samples_has_no_shares() -> None:
    assert read_shares([]).profile.shares([WORK]) == TimeShares((0,), 0)
