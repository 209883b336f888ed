"""Counts of the loops of ``data/traps.cpp``, known by reading the program."""

import gzip
import json
from pathlib import Path

import pytest
from rooflint.ir.unit import Span
from rooflint.profiles import (
    BranchCounts,
    BranchPlace,
    CountGap,
    LoopAnswer,
    LoopCounts,
    LoopPlace,
    LoopTest,
    ProfileProblem,
    read_counts,
)

DATA = Path(__file__).parent / "data"
SOURCE = "/project/traps.cpp"
LLVM_COV = str(DATA / "traps.llvm-cov.json")
GCOV = str(DATA / "traps.O0.gcov.json")
OPTIMISED = str(DATA / "traps.O2.gcov.json")

TOTAL = Span(line=7, column=20, end_line=12, end_column=2)
FEW = Span(line=14, column=1, end_line=14, end_column=107)
POSITION = Span(line=16, column=1, end_line=21, end_column=2)
MAIN = Span(line=23, column=1, end_line=56, end_column=2)
LAMBDA = Span(line=40, column=16, end_line=45, end_column=4)


def place(
    function: Span,
    keyword: tuple[int, int],
    end: tuple[int, int],
    body: tuple[int, int],
    test: LoopTest | None = None,
    *,
    post_test: bool = False,
    early_exit: bool = False,
    line_before: int = 0,
) -> LoopPlace:
    return LoopPlace(
        path=SOURCE,
        function=function,
        loop=Span(line=keyword[0], column=keyword[1], end_line=end[0], end_column=end[1]),
        body=body,
        test=test or LoopTest(keyword[0]),
        post_test=post_test,
        early_exit=early_exit,
        line_before=line_before,
    )


LEFT_EARLY = place(POSITION, (17, 3), (19, 16), (18, 5), early_exit=True, line_before=16)
SHARED = LoopTest(36, closes_line=False)
MACRO_AND_BODY = place(MAIN, (47, 3), (47, 14), (47, 3))
EXPECTED = {
    "template": (place(TOTAL, (9, 3), (10, 15), (10, 5)), LoopCounts(40, 8600)),
    "one-line function": (place(FEW, (14, 58), (14, 95), (14, 85)), LoopCounts(20, 120)),
    "left by return": (LEFT_EARLY, LoopCounts(20, 1920)),
    "header from a macro": (place(MAIN, (28, 3), (28, 48), (28, 15)), LoopCounts(1, 400)),
    "plain": (place(MAIN, (30, 3), (35, 4), (30, 32)), LoopCounts(1, 20)),
    "outer": (place(MAIN, (36, 3), (36, 69), (36, 31), SHARED), LoopCounts(1, 5)),
    "inner": (place(MAIN, (36, 31), (36, 69), (36, 59), SHARED), LoopCounts(5, 45)),
    "and": (place(MAIN, (37, 14), (37, 42), (37, 38), LoopTest(37, terms=2)), LoopCounts(1, 11)),
    "do": (place(MAIN, (38, 3), (38, 29), (38, 6), post_test=True), LoopCounts(1, 11)),
    "never runs": (place(MAIN, (39, 19), (39, 56), (39, 47)), LoopCounts(0, 0)),
    "lambda": (place(LAMBDA, (42, 5), (43, 17), (43, 7)), LoopCounts(2, 7)),
    "loop and body from a macro": (MACRO_AND_BODY, LoopCounts(1, 7)),
    "body from a macro": (place(MAIN, (48, 3), (48, 43), (48, 31)), LoopCounts(1, 8)),
    "range": (place(MAIN, (49, 3), (51, 15), (50, 5)), LoopCounts(1, 400)),
    "or": (place(MAIN, (52, 3), (53, 9), (53, 5), LoopTest(52, terms=0)), LoopCounts(1, 6)),
}
PLACES = {name: place for name, (place, _) in EXPECTED.items()}
PLAIN = PLACES["plain"]


@pytest.mark.parametrize("name", EXPECTED)
def test_llvm_cov_answers_for_every_loop(name: str) -> None:
    loop, expected = EXPECTED[name]
    assert read_counts([LLVM_COV]).loop(loop) == expected


@pytest.mark.parametrize("name", EXPECTED)
def test_gcov_answers_where_a_line_has_one_loop_and_a_test_it_can_read(name: str) -> None:
    loop, expected = EXPECTED[name]
    answer: LoopAnswer = expected
    if name in ("outer", "inner"):
        answer = CountGap.SHARED_LINE
    if name == "or":
        answer = CountGap.UNREADABLE_TEST
    assert read_counts([GCOV]).loop(loop) == answer


@pytest.mark.parametrize("recording", [LLVM_COV, GCOV])
def test_a_lambdas_loop_counts_as_often_as_the_lambda_runs(recording: str) -> None:
    inside = PLACES["lambda"]._replace(function=MAIN)
    assert read_counts([recording]).loop(inside) == LoopCounts(2, 7)


def test_gcov_knows_no_executions_of_a_loop_left_early_without_the_line_before_it() -> None:
    answer = read_counts([GCOV]).loop(LEFT_EARLY._replace(line_before=0))
    assert answer == LoopCounts(None, 1920)
    assert isinstance(answer, LoopCounts)
    assert answer.trips is None


def test_trips_are_iterations_of_one_execution() -> None:
    assert LoopCounts(20, 1920).trips == 96
    assert LoopCounts(0, 0).trips is None


def test_gcov_of_an_optimised_build_is_refused_with_the_reason() -> None:
    profile = read_counts([OPTIMISED])
    (problem,) = profile.problems
    assert problem.problem is ProfileProblem.OPTIMISED
    assert str(problem) == (
        f"{OPTIMISED}: comes from an optimised build, whose lines gcov miscounts; "
        "compile with --coverage -O0, and where functions are always_inline with clang's coverage"
    )
    assert all(profile.loop(each) is CountGap.UNKNOWN_FILE for each in PLACES.values())


@pytest.mark.parametrize("recording", [LLVM_COV, GCOV])
def test_runs_add_up(recording: str) -> None:
    assert read_counts([recording, recording]).loop(PLAIN) == LoopCounts(2, 40)


def test_llvm_cov_answers_before_gcov_and_gcov_where_it_has_no_answer() -> None:
    both = read_counts([GCOV, LLVM_COV])
    assert [both.loop(loop) for loop in PLACES.values()] == [
        answer for _, answer in EXPECTED.values()
    ]
    nested = PLACES["inner"]
    assert both.loop(nested) == LoopCounts(5, 45)


@pytest.mark.parametrize("recording", [LLVM_COV, GCOV])
def test_a_function_that_moved_has_no_counts(recording: str) -> None:
    def moved(span: Span) -> Span:
        return span._replace(line=span.line + 1, end_line=span.end_line + 1)

    below = PLAIN._replace(function=moved(MAIN), loop=moved(PLAIN.loop), body=(31, 32))
    assert read_counts([recording]).loop(below) is CountGap.CHANGED_SOURCE


@pytest.mark.parametrize("recording", [LLVM_COV, GCOV])
def test_a_function_that_began_later_is_another_one(recording: str) -> None:
    later = PLAIN._replace(function=MAIN._replace(line=24))
    assert read_counts([recording]).loop(later) is CountGap.CHANGED_SOURCE


@pytest.mark.parametrize("recording", [LLVM_COV, GCOV])
def test_a_function_that_was_not_compiled_has_no_record(recording: str) -> None:
    behind = Span(line=60, column=1, end_line=70, end_column=2)
    assert read_counts([recording]).loop(PLAIN._replace(function=behind)) is CountGap.NO_RECORD


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        ("/project/./src/../traps.cpp", True),
        ("/elsewhere/checkout/traps.cpp", True),
        ("traps.cpp", True),
        ("/project/trap.cpp", False),
    ],
)
@pytest.mark.parametrize("recording", [LLVM_COV, GCOV])
def test_files_match_by_normal_path_and_else_by_their_last_parts(
    recording: str, path: str, matches: bool
) -> None:
    profile = read_counts([recording])
    answer = profile.loop(PLAIN._replace(path=path))
    assert answer == (LoopCounts(1, 20) if matches else CountGap.UNKNOWN_FILE)
    assert profile.unmatched([path]) == (() if matches else (SOURCE,))


def test_a_name_that_two_files_share_equally_matches_none(tmp_path: Path) -> None:
    document = json.loads(Path(LLVM_COV).read_text())
    for function in document["data"][0]["functions"]:
        function["filenames"] = ["/other/traps.cpp"] * len(function["filenames"])
    other = tmp_path / "other.json"
    other.write_text(json.dumps(document))
    profile = read_counts([LLVM_COV, str(other)])
    assert profile.loop(PLAIN._replace(path="/third/traps.cpp")) is CountGap.UNKNOWN_FILE
    assert profile.loop(PLAIN._replace(path="/third/other/traps.cpp")) == LoopCounts(1, 20)


def test_a_macro_with_two_conditions_does_not_show_which_one_is_the_loops(tmp_path: Path) -> None:
    document = json.loads(Path(LLVM_COV).read_text())
    for function in document["data"][0]["functions"]:
        function["branches"] += [each for each in function["branches"] if each[6] == 2]
    twice = tmp_path / "twice.json"
    twice.write_text(json.dumps(document))
    assert read_counts([str(twice)]).loop(MACRO_AND_BODY) is CountGap.INSIDE_MACRO


def test_packed_files_are_read(tmp_path: Path) -> None:
    packed = tmp_path / "traps.gcov.json.gz"
    packed.write_bytes(gzip.compress(Path(GCOV).read_bytes()))
    assert read_counts([str(packed)]).loop(PLAIN) == LoopCounts(1, 20)


BRANCHES = {
    "leaves a loop": (POSITION, (18, 5), (19, 7), BranchCounts(1920, 20)),
    "never true": (MAIN, (39, 3), (39, 17), BranchCounts(1, 0)),
    "in a loop": (MAIN, (50, 5), (51, 7), BranchCounts(400, 299)),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_llvm_cov_counts_branches_and_gcov_does_not_know_their_ways(name: str) -> None:
    function, keyword, then, expected = BRANCHES[name]
    branch = BranchPlace(path=SOURCE, function=function, keyword=keyword, then=then)
    assert read_counts([LLVM_COV]).branch(branch) == expected
    assert read_counts([LLVM_COV, LLVM_COV, GCOV]).branch(branch) == BranchCounts(
        2 * expected.evaluations, 2 * expected.taken
    )
    assert read_counts([GCOV]).branch(branch) is CountGap.LINES_ONLY
    assert read_counts([]).branch(branch) is CountGap.UNKNOWN_FILE


def test_a_branch_that_a_macro_writes_whole_shows_no_ways() -> None:
    branch = BranchPlace(path=SOURCE, function=MAIN, keyword=(47, 3), then=(47, 3))
    assert read_counts([LLVM_COV]).branch(branch) is CountGap.INSIDE_BRANCH_MACRO


def test_probability_is_that_of_the_guarded_part() -> None:
    assert BranchCounts(400, 299).probability == pytest.approx(0.7475)
    assert BranchCounts(0, 0).probability is None


@pytest.mark.parametrize("recording", [LLVM_COV, GCOV])
@pytest.mark.parametrize(
    ("function", "calls"), [(TOTAL, 40), (FEW, 20), (POSITION, 20), (MAIN, 1), (LAMBDA, 2)]
)
def test_calls_of_a_function_add_up_over_its_instances(
    recording: str, function: Span, calls: int
) -> None:
    profile = read_counts([recording])
    assert profile.calls(SOURCE, function) == calls
    assert profile.calls("/project/absent.cpp", function) is CountGap.UNKNOWN_FILE
    behind = Span(line=60, column=1, end_line=70, end_column=2)
    assert profile.calls(SOURCE, behind) is CountGap.NO_RECORD


JUMPS = Span(line=1, column=1, end_line=27, end_column=2)
LEFT_BY_JUMPS = {
    "do with break": (
        place(
            JUMPS, (4, 3), (7, 20), (4, 6), LoopTest(7),
            post_test=True, early_exit=True, line_before=3,
        ),
        LoopCounts(1, 8),
    ),
    "do with continue": (
        place(JUMPS, (10, 5), (13, 21), (10, 8), LoopTest(13), post_test=True),
        LoopCounts(6, 60),
    ),
    "for around do": (place(JUMPS, (8, 3), (15, 4), (8, 31)), LoopCounts(1, 6)),
    "for with continue": (place(JUMPS, (16, 3), (19, 4), (16, 31)), LoopCounts(1, 9)),
    "while with a side effect": (place(JUMPS, (21, 3), (22, 11), (22, 5)), LoopCounts(1, 3)),
}  # fmt: skip
ENDLESS = place(
    JUMPS, (23, 3), (25, 4), (23, 12), LoopTest(23, terms=0), early_exit=True, line_before=20
)


@pytest.mark.parametrize("recording", ["jumps.llvm-cov.json", "jumps.O0.gcov.json"])
@pytest.mark.parametrize("name", LEFT_BY_JUMPS)
def test_jumps_inside_a_body_do_not_change_what_is_counted(recording: str, name: str) -> None:
    loop, expected = LEFT_BY_JUMPS[name]
    answer = read_counts([str(DATA / recording)]).loop(loop._replace(path="jumps.cpp"))
    assert answer == expected


def test_a_loop_without_a_test_has_counts_of_llvm_cov_only() -> None:
    endless = ENDLESS._replace(path="jumps.cpp")
    assert read_counts([str(DATA / "jumps.llvm-cov.json")]).loop(endless) == LoopCounts(1, 22)
    gap = read_counts([str(DATA / "jumps.O0.gcov.json")]).loop(endless)
    assert gap is CountGap.UNREADABLE_TEST
