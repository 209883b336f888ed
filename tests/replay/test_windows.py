"""Long loops in pieces: exact where nothing is left out, sums of polynomials, honest refusals."""

from types import ModuleType

import pytest
from rooflint.ir import Function
from rooflint.replay import (
    AccessProgram,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
    native,
    portable,
)
from rooflint.replay.caches import DISCARDED, LoopPiece, LoopPieces
from rooflint.replay.long_loops import LEAST_TRIPS, long_loops
from rooflint.replay.lowering import lower_function
from rooflint.replay.placement import page_layout
from rooflint.replay.prediction import ALIKE, predicted_work
from rooflint.replay.program import ProgramNode
from rooflint.replay.windows import FIRST_BANK, WindowPlan, window_plans

LEVELS = (ReplayLevel(8, 2), ReplayLevel(16, 4))


def program_of(function: Function, **sizes: int) -> AccessProgram:
    return lower_function(function, page_layout(function, sizes), sizes)


def replayed(program: AccessProgram, settings: ReplaySettings) -> ReplayCounts:
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    return native.replay(program, LEVELS, settings, kernel)


def pieces(program: AccessProgram, trips: int, *listed: LoopPiece) -> ReplaySettings:
    """The first long loop in these pieces."""
    [loop, *_] = long_loops(program, 64, 2)
    assert loop.trips == trips
    return ReplaySettings(
        windows=(LoopPieces(node=loop.node, trips=trips, pieces=listed),), banks=FIRST_BANK + 1
    )


def totals(program: AccessProgram, counts: ReplayCounts, level: int) -> tuple[float, float]:
    """Lines that come in, and dirty ones that leave sooner or later."""
    lines = [counts.lines(0, level, each) for each in range(len(program.references))]
    remaining = [counts.remaining(level, each) for each in range(len(program.references))]
    return sum([each.misses for each in lines]), sum([each.evicts for each in lines] + remaining)


@pytest.mark.parametrize("name", ["triad", "jacobi", "gemm"])
def test_pieces_that_leave_nothing_out_count_everything(
    name: str, build: ModuleType, nests: ModuleType
) -> None:
    functions = {**nests.streaming(build, 40), "jacobi": nests.jacobi2d(build, 42)}
    functions["gemm"] = nests.gemm(build)
    program = program_of(functions[name], **dict.fromkeys(("ni", "nj", "nk"), 40))
    parts = [LoopPiece(begin=0, end=7, bank=0), LoopPiece(begin=7, end=25, bank=FIRST_BANK),
             LoopPiece(begin=25, end=40, bank=0)]  # fmt: skip
    counts = replayed(program, pieces(program, 40, *parts)).half(0, (1.0, 0.0, 1.0))
    for level in (0, 1):
        whole = replayed(program, ReplaySettings())
        assert totals(program, counts, level) == totals(program, whole, level)


def test_a_window_behind_full_levels_counts_what_the_whole_loop_counts_there(
    build: ModuleType, nests: ModuleType
) -> None:
    # three rows of 198 elements are 75 lines, more than both levels hold: one row fills them
    program = program_of(nests.jacobi2d(build, 200))
    window = LoopPiece(begin=100, end=108, bank=FIRST_BANK)
    apart = pieces(
        program,
        198,
        LoopPiece(begin=0, end=2, bank=0),
        LoopPiece(begin=96, end=100, bank=DISCARDED, empties=True),
        window,
    )
    whole = pieces(program, 198, LoopPiece(begin=0, end=100, bank=DISCARDED), window,
                   LoopPiece(begin=108, end=198, bank=DISCARDED))  # fmt: skip
    found, expected = (replayed(program, each).half(0, (0.0, 0.0, 1.0)) for each in (apart, whole))
    for level in (0, 1):
        assert totals(program, found, level) == totals(program, expected, level)
        assert sum([found.lines(0, level, n).unsure for n in range(5)]) == 0


def test_misses_into_room_that_lines_of_skipped_iterations_may_fill_are_unsure(
    build: ModuleType, nests: ModuleType
) -> None:
    # 8 doubles a line: 10 lines of each array in the window, none of which the levels had
    program = program_of(nests.streaming(build, 800)["copy"])
    window = LoopPiece(begin=400, end=480, bank=FIRST_BANK)
    for empties, unsure in ((True, 16), (False, 0)):
        before = LoopPiece(begin=320, end=320, bank=DISCARDED, empties=empties)
        counts = replayed(program, pieces(program, 800, before, window))
        counts = counts.half(0, (0.0, 0.0, 1.0))
        lines = [counts.lines(0, 0, each) for each in (0, 1)]
        assert sum([each.misses for each in lines]) == 20
        # the first level has room for 16 lines
        assert sum([each.unsure for each in lines]) == unsure


@pytest.mark.parametrize(("trips", "status"), [(800, ReplayStatus.OK), (801, ReplayStatus.VARYING)])
def test_a_loop_of_other_trips_ends_the_replay(
    trips: int, status: ReplayStatus, build: ModuleType, nests: ModuleType
) -> None:
    program = program_of(nests.streaming(build, 800)["copy"])
    [loop] = long_loops(program, 64, 2)
    part = LoopPiece(begin=0, end=9, bank=FIRST_BANK)
    settings = ReplaySettings(
        windows=(LoopPieces(node=loop.node, trips=trips, pieces=(part,)),), banks=FIRST_BANK + 1
    )
    assert replayed(program, settings).status is status


@pytest.mark.parametrize(
    "parts",
    [
        [LoopPiece(begin=5, end=4, bank=0)],
        [LoopPiece(begin=0, end=5, bank=0), LoopPiece(begin=4, end=9, bank=0)],
        [LoopPiece(begin=0, end=801, bank=0)],
        [LoopPiece(begin=0, end=9, bank=FIRST_BANK + 1)],
        [LoopPiece(begin=0, end=9, bank=-1)],
        [LoopPiece(begin=0, end=9, bank=0, empties=True)],
    ],
)
def test_pieces_that_are_no_part_of_the_loop_are_refused(
    parts: list[LoopPiece], build: ModuleType, nests: ModuleType
) -> None:
    program = program_of(nests.streaming(build, 800)["copy"])
    assert replayed(program, pieces(program, 800, *parts)).status is ReplayStatus.INVALID


def test_the_replay_in_python_plays_no_windows(build: ModuleType, nests: ModuleType) -> None:
    program = program_of(nests.streaming(build, 800)["copy"])
    settings = pieces(program, 800, LoopPiece(begin=0, end=9, bank=0))
    assert portable.replay(program, LEVELS, settings).status is ReplayStatus.INVALID


def plans_of(program: AccessProgram, lines: int = 64) -> list[WindowPlan]:
    work = predicted_work(program, 64, 8)
    assert work is not None
    return list(window_plans(program, work, 64, 8, lines))


def test_weights_add_up_to_the_sum_of_a_parabola(build: ModuleType, nests: ModuleType) -> None:
    # what a window counts is the sum of t * t - 300 * t + 7 over its iterations
    plans = plans_of(program_of(nests.jacobi2d(build, 4000)))
    assert [len(plan.fine) - FIRST_BANK for plan in plans] == [9, 5, 5, 5, 3]

    def summed(begin: int, end: int) -> int:
        return sum([t * t - 300 * t + 7 for t in range(begin, end)])

    for plan in plans:
        [loop] = plan.loops
        assert loop.trips == 3998
        for weights in (plan.fine, plan.coarse):
            if sum(map(bool, weights[FIRST_BANK:])) < 3:
                continue  # two windows follow a line
            total = sum([weights[p.bank] * summed(p.begin, p.end) for p in loop.pieces])
            assert total == pytest.approx(summed(0, 3998), rel=1e-4)


def test_plans_take_ever_less_work(build: ModuleType, nests: ModuleType) -> None:
    program = program_of(nests.gemm(build), ni=400, nj=400, nk=400)
    whole = predicted_work(program, 64, 8)
    assert whole is not None
    works = [plan.work.total for plan in plans_of(program)]
    assert works == sorted(works, reverse=True)
    assert works[-1] < whole.total / 30


def test_what_a_plan_predicts_is_what_its_pieces_take(build: ModuleType, nests: ModuleType) -> None:
    program = program_of(nests.lu(build), n=300)
    for plan in plans_of(program):
        settings = ReplaySettings(windows=plan.loops, banks=len(plan.fine))
        counts = replayed(program, settings)
        assert counts.status is ReplayStatus.OK
        assert counts.work <= 3 * plan.work.total


@pytest.mark.parametrize(("trips", "number"), [(LEAST_TRIPS - 1, 0), (LEAST_TRIPS, 1)])
def test_short_loops_are_no_long_ones(
    trips: int, number: int, build: ModuleType, nests: ModuleType
) -> None:
    program = program_of(nests.streaming(build, trips)["copy"])
    assert len(long_loops(program, 64, 8)) == number


def test_loops_in_a_loop_of_alike_iterations_are_long_ones(build: ModuleType) -> None:
    a = build.array("a", "f64", 100, 100)
    nest = build.loop("t", 0, 3, build.loop("i", 0, 100, build.loop("j", 0, 100, a["i", "j"].set(
        build.number(0)))))  # fmt: skip
    program = program_of(build.function("f", [a], nest))
    [loop] = long_loops(program, 64, 8)
    assert (loop.trips, loop.executions) == (100, ALIKE)
    assert program.code[loop.node] == ProgramNode.LOOP


@pytest.mark.parametrize(
    ("element", "stride", "phases"), [("f64", 1, 8), ("f32", 1, 16), ("f64", 8, 1), ("f64", 2, 4)]
)
def test_windows_are_as_long_as_lines_take_to_repeat(
    element: str, stride: int, phases: int, build: ModuleType
) -> None:
    a = build.array("a", element, 8000)
    body = build.assign("t", build.carried("t") + a[f"{stride}*i"])
    program = program_of(build.function("f", [a], build.loop("i", 0, 900, body)))
    [loop] = long_loops(program, 64, 8)
    assert loop.phases == phases


@pytest.mark.parametrize("trips", [100_000, 3_000_000])
def test_windows_of_a_walk_see_a_line_in_each_class(
    trips: int, build: ModuleType, nests: ModuleType
) -> None:
    # eight elements of 8 B lie on a line, and eight classes of 64 are replayed
    program = program_of(nests.streaming(build, trips)["copy"])
    plans = plans_of(program)
    assert plans
    for plan in plans:
        [loop] = plan.loops
        counted = [piece for piece in loop.pieces if piece.bank >= FIRST_BANK]
        assert min([piece.end - piece.begin for piece in counted]) >= 8 * 64
