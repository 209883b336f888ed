"""Counts by hand: state on entry, ends of a replay, and what a program leaves out."""

import random
from types import ModuleType

import pytest
from rooflint.ir import Call, Exit, Function
from rooflint.replay import (
    AccessProgram,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
    native,
    portable,
)
from rooflint.replay.lowering import lower_function
from rooflint.replay.program import ExitKind, ProgramNode, ProgramWriter
from rooflint.replay.progressions import unplaced_array

L1, L2 = ReplayLevel(64, 8), ReplayLevel(512, 8)
PAGE = 4096


def triad(build: ModuleType, n: int) -> Function:
    a, b, c = (build.array(name, "f64", n) for name in "abc")
    body = a["i"].set(b["i"] + c["i"] * build.scalar("s"))
    return build.function("triad", [a, b, c], build.loop("i", 0, n, body))


def page_layout(function: Function, n: int) -> dict[str, int]:
    """Page after page, the first one high above zero."""
    pages = -(-8 * n // PAGE)
    return {each.name: (1000 + k * pages) * PAGE for k, each in enumerate(function.arrays)}


def misses(program: AccessProgram, settings: ReplaySettings, level: int, run: int) -> float:
    counts = portable.replay(program, (L1, L2), settings)
    assert counts.status is ReplayStatus.OK
    return sum([counts.lines(run, level, n).misses for n in range(len(program.references))])


@pytest.mark.parametrize(
    ("n", "cold", "steady"),
    # three arrays of n doubles; 24 KB fit 32 KiB, 33.6 KB do in part, 120 KB fit 256 KiB only
    [(1000, (375, 375), (0, 0)), (1400, (525, 525), (423, 0)), (5000, (1875, 1875), (1875, 0))],
)
def test_the_second_run_finds_what_the_first_left(
    build: ModuleType, n: int, cold: tuple[int, int], steady: tuple[int, int]
) -> None:
    function = triad(build, n)
    program = lower_function(function, page_layout(function, n), {})
    settings = ReplaySettings(runs=2)
    assert tuple(misses(program, settings, level, 0) for level in (0, 1)) == cold
    assert tuple(misses(program, settings, level, 1) for level in (0, 1)) == steady


def test_code_between_two_runs_pushes_lines_out(build: ModuleType) -> None:
    function = triad(build, 1000)
    program = lower_function(function, page_layout(function, 1000), {})
    for between, left in ((0, 0), (L1.sets * L1.ways, 375)):
        settings = ReplaySettings(runs=2, between_lines=between)
        assert misses(program, settings, 0, 1) == left


def test_a_limit_ends_a_replay(build: ModuleType) -> None:
    # 1000 iterations are 125 blocks of 3 lines, played once: 125 * (3 + 1) steps
    program = lower_function(triad(build, 1000), {"a": 0, "b": 1 << 20, "c": 2 << 20}, {})
    for limit, status in ((500, ReplayStatus.OK), (499, ReplayStatus.LIMIT)):
        assert portable.replay(program, (L1, L2), ReplaySettings(limit=limit)).status is status


def test_a_division_by_zero_has_no_counts(build: ModuleType) -> None:
    a = build.array("a", "f64", 100)
    nest = build.loop(
        "i", 0, 4, build.loop("j", 0, build.poly("4 % i"), a["i"].set(build.number(0)))
    )
    program = lower_function(build.function("f", [a], nest), {"a": PAGE}, {})
    counts = portable.replay(program, (L1,), ReplaySettings())
    assert counts.status is ReplayStatus.UNDEFINED
    assert set(counts.counters) == {0}


def test_what_has_no_place_is_left_out_with_its_reason(build: ModuleType) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 100)
    gather = build.loop("i", 0, 9, a["i"].set(b[build.unknown("col[i]", "i")]))
    open_loop = build.loop("j", 0, "m", b["j"].set(build.number(0)))
    function = build.function("f", [a, b], gather, open_loop, Call("g", ("a",)))
    program = lower_function(function, {"a": PAGE, "b": 2 * PAGE}, {})
    assert [(each.arrays, each.reason) for each in program.left_out] == [
        (("b",), "the addresses of b are not known"),
        (("b",), "the trip count of j needs m"),
        (("a",), "the call of g"),
    ]
    assert [each.array for each in program.references] == ["a"]


def test_the_first_array_that_data_place_is_named_before_anything_is_laid_out(
    build: ModuleType,
) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 100)
    plain = build.loop("i", 0, 9, a["i"].set(b["i"]))
    gather = build.loop("i", 0, 9, a["i"].set(b[build.unknown("col[i]", "i")]))
    assert unplaced_array(build.function("f", [a, b], plain)) is None
    assert unplaced_array(build.function("f", [a, b], plain, gather)) == "b"


@pytest.mark.parametrize("kind", ["break", "return", "continue"])
def test_exits_that_indices_decide(build: ModuleType, kind: str) -> None:
    # a line of a each iteration; the loop ends, or skips the store of iteration 3
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 1000)
    test = build.Expression("compare", "i32", build.index("i"), build.index(3), name="==")
    leave = build.branch(test, [Exit(kind)])
    nest = build.loop("i", 0, 10, leave, b["8*i"].set(build.number(0)))
    function = build.function("f", [a, b], nest, a[0].set(build.number(0)))
    program = lower_function(function, {"a": PAGE, "b": 2 * PAGE}, {})
    counts = portable.replay(program, (L1,), ReplaySettings())
    stored = {each.array: counts.lines(0, 0, n).misses for n, each in enumerate(program.references)}
    assert stored == {"break": {"b": 3, "a": 1}, "return": {"b": 3, "a": 0},
                      "continue": {"b": 9, "a": 1}}[kind]  # fmt: skip


def test_broken_programs_are_refused() -> None:
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    writer = ProgramWriter()
    zero = writer.affine(0, [])
    body = writer.node(ProgramNode.EXIT, ExitKind.BREAK)
    root = writer.node(ProgramNode.LOOP, 0, zero, zero, zero, body)
    sound = AccessProgram(code=tuple(writer.code), root=root, slots=1, references=())
    drawn = random.Random(1)
    for _ in range(2000):
        code = list(sound.code)
        code[drawn.randrange(len(code))] = drawn.choice((-(2**63), -1, 0, 1, 2, 9, 300, 2**62))
        counts = native.replay(
            sound._replace(code=tuple(code)), (L1,), ReplaySettings(limit=1000), kernel
        )
        assert counts.status in ReplayStatus


def test_a_kernel_of_another_layout_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    # a checkout keeps what an earlier state of it compiled
    kernel = native.library()
    native.library.cache_clear()
    monkeypatch.setattr(native, "LAYOUT", native.LAYOUT + 1)
    assert native.library() is None
    native.library.cache_clear()
    monkeypatch.undo()
    assert (native.library() is None) == (kernel is None)
