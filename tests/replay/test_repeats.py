"""Iterations that are alike are played a few times; second calls only until they are settled."""

from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooflint.ir import Exit, Function, Loop, Node, Poly
from rooflint.replay import (
    AccessProgram,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
    native,
    portable,
)
from rooflint.replay.caches import PLAIN, LevelPolicy
from rooflint.replay.lowering import lower_function
from rooflint.replay.placement import page_layout
from rooflint.replay.prediction import ALIKE, PredictedWork, WorkPrediction, predicted_work
from rooflint.replay.program import ProgramNode
from rooflint.replay.repeats import parts_of

PROPERTY = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
PORTABLE_WORK = 4000
HASHED = PLAIN | LevelPolicy.HASHED
ALL = HASHED | LevelPolicy.INCLUSIVE
INCLUSIVE = PLAIN | LevelPolicy.INCLUSIVE
HIERARCHIES = {
    "two levels": (ReplayLevel(8, 2), ReplayLevel(16, 4)),
    "inclusive": (ReplayLevel(8, 2), ReplayLevel(16, 4, INCLUSIVE)),
    "victim": (ReplayLevel(8, 2), ReplayLevel(1, 40, PLAIN | LevelPolicy.VICTIM)),
    "hashed": (ReplayLevel(8, 2), ReplayLevel(16, 4), ReplayLevel(1, 90, HASHED)),
    "full hashed": (ReplayLevel(8, 2), ReplayLevel(16, 4, INCLUSIVE), ReplayLevel(1, 90, ALL)),
    "three": (ReplayLevel(8, 2), ReplayLevel(16, 4), ReplayLevel(64, 8)),
}  # fmt: skip


def compiled(
    program: AccessProgram, levels: tuple[ReplayLevel, ...], given_settings: ReplaySettings
) -> ReplayCounts:
    kernel = native.library()
    if kernel is None:
        pytest.skip("the package was installed without a C compiler")
    return native.replay(program, levels, given_settings, kernel)


def program_of(function: Function, **sizes: int) -> AccessProgram:
    return lower_function(function, page_layout(function, sizes), sizes)


def played_whole(program: AccessProgram) -> AccessProgram:
    """The same program with every iteration played."""
    code = list(program.code)
    if code[program.root] == ProgramNode.SEQUENCE:
        for at in code[program.root + 2 : program.root + 2 + code[program.root + 1]]:
            if code[at] == ProgramNode.REPEAT:
                code[at] = ProgramNode.LOOP
    return program._replace(code=tuple(code))


@pytest.mark.parametrize("name", HIERARCHIES)
@PROPERTY
@given(data=st.data())
def test_repeated_iterations_count_what_all_of_them_count(
    name: str, data: st.DataObject, simulator: ModuleType, build: ModuleType, nests: ModuleType
) -> None:
    function = nests.repeated(data.draw(nests.random_nests(build)), data.draw(st.integers(1, 30)))
    program = lower_function(function, simulator.lay_out(function, {}), {})
    chosen = ReplaySettings(runs=2, modulus=8, classes=(0, 3, 5), halves=3, limit=1 << 40)
    for given_settings in (chosen._replace(modulus=1, classes=(0,), halves=1), chosen):
        whole = compiled(played_whole(program), HIERARCHIES[name], given_settings)
        one = compiled(program, HIERARCHIES[name], given_settings)
        assert one.status is whole.status is ReplayStatus.OK
        assert list(one.counters) == list(whole.counters)
        if one.work < PORTABLE_WORK:
            other = portable.replay(program, HIERARCHIES[name], given_settings)
            assert list(other.counters) == list(one.counters)


@pytest.mark.long
@pytest.mark.parametrize("levels", [2, 3])
def test_time_steps_beyond_the_first_ones_cost_nothing(
    levels: int, build: ModuleType, nests: ModuleType
) -> None:
    # the compiled replay compares what levels hold, which is less than an iteration touches: the
    # second iteration leaves what it found
    hierarchy = HIERARCHIES["three"][:levels]
    for replay, played in ((compiled, ALIKE), (portable.replay, levels + 2)):
        works = {}
        for times in (played - 1, played, 1000):
            program = program_of(nests.repeated(nests.jacobi2d(build, 60), times))
            works[times] = replay(program, hierarchy, ReplaySettings()).work
        assert works[played - 1] < works[played] == works[1000]


def test_predicted_work_is_of_the_time_steps_that_are_played(
    build: ModuleType, nests: ModuleType
) -> None:
    predicted = [predicted_work(program_of(nests.repeated(nests.jacobi2d(build, 30), times)), 64, 8)
                 for times in (ALIKE, 1000)]  # fmt: skip
    assert predicted[0] == predicted[1]


def kind_of(build: ModuleType, *body: Node, bound: int | str = 9) -> ProgramNode:
    """Of a loop over t with this body."""
    arrays = [build.array(name, "f64", 1000) for name in "ab"]
    t = Loop("t", Poly.constant(0), build.poly(bound), Poly.constant(1), body)
    program = program_of(build.function("f", arrays, t))
    code = program.code
    return ProgramNode(code[code[program.root + 2]])


def test_iterations_that_differ_are_not_repeated(build: ModuleType) -> None:
    a, b = build.array("a", "f64", 1000), build.array("b", "f64", 1000)
    inner = build.loop("i", 0, 100, a["i"].set(b["i"]))
    assert kind_of(build, inner) is ProgramNode.REPEAT
    moving = build.loop("i", 0, 100, a["i + t"].set(b["i"]))
    longer = build.loop("i", 0, "t", a["i"].set(b["i"]))
    folded = build.loop("i", 0, 100, a["(i + t) % 7"].set(b["i"]))
    test = build.Expression("compare", "i32", build.index("t"), build.index(3), name="==")
    guarded = build.branch(test, [inner])
    for body in (moving, longer, folded, guarded):
        assert kind_of(build, inner, body) is ProgramNode.LOOP


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [("break", "REPEAT", "LOOP"), ("continue", "REPEAT", "REPEAT"), ("return", "LOOP", "LOOP")],
)
def test_loops_that_are_left_are_not_repeated(
    kind: str, inside: str, outside: str, build: ModuleType
) -> None:
    a = build.array("a", "f64", 1000)
    test = build.Expression("compare", "i32", build.index("i"), build.index(3), name="==")
    leave = build.branch(test, [Exit(kind)])
    assert kind_of(build, build.loop("i", 0, 9, leave, a["i"].set(a[0]))).name == inside
    test = build.Expression("compare", "i32", build.index(2), build.index(3), name="==")
    leave = build.branch(test, [Exit(kind)])
    assert kind_of(build, build.loop("i", 0, 9, a["i"].set(a[0])), leave).name == outside


@pytest.mark.parametrize("name", HIERARCHIES)
@pytest.mark.parametrize("between", [0, 200])
@pytest.mark.parametrize("nest", ["triad", "small triad", "jacobi", "lu"])
def test_a_second_call_that_is_settled_counts_what_the_first_did(
    name: str, between: int, nest: str, build: ModuleType, nests: ModuleType
) -> None:
    # caches of 1 KiB and 4 KiB: nests that exceed both, one, and none of them
    functions = {"triad": nests.streaming(build, 5000)["triad"], "lu": nests.lu(build)}
    functions["jacobi"] = nests.jacobi2d(build, 30)
    functions["small triad"] = nests.repeated(nests.streaming(build, 30)["triad"], 3)
    program = program_of(functions[nest], n=24)
    runs = ReplaySettings(runs=2, between_lines=between)
    counts = compiled(program, HIERARCHIES[name], runs)
    expected = portable.replay(program, HIERARCHIES[name], runs)
    assert list(counts.counters) == list(expected.counters)


def test_a_second_call_is_played_until_it_is_settled(build: ModuleType, nests: ModuleType) -> None:
    # 9000 iterations are 1125 blocks of 3 lines; 512 of them bring 1536 lines, more than all ways
    program = program_of(nests.streaming(build, 9000)["triad"])
    levels = HIERARCHIES["two levels"]
    once, twice, thrice = (compiled(program, levels, ReplaySettings(runs=runs)).work
                           for runs in (1, 2, 3))  # fmt: skip
    assert once < twice < 1.5 * once
    assert thrice == 3 * once


def test_lines_that_all_stay_in_a_level_take_no_third_iteration(
    build: ModuleType, nests: ModuleType
) -> None:
    # 3 x 75 lines: the second level keeps them and gets stores of the first iteration in the second
    levels = (ReplayLevel(8, 4), ReplayLevel(64, 8))
    works = [compiled(program_of(nests.repeated(nests.streaming(build, 600)["triad"], times)),
                      levels, ReplaySettings()).work for times in (1, 2, 3, 1000)]  # fmt: skip
    assert works[0] < works[1] == works[2] == works[3]


def test_a_second_call_goes_on_with_the_iterations_that_the_first_ended_with(
    build: ModuleType, nests: ModuleType
) -> None:
    repeated = nests.repeated(nests.streaming(build, 600)["triad"], 1000)
    program, levels = program_of(repeated), HIERARCHIES["two levels"]
    once, twice, disturbed = (compiled(program, levels, ReplaySettings(runs=runs, between_lines=n))
                              for runs, n in ((1, 0), (2, 0), (2, 1)))  # fmt: skip
    assert twice.work == once.work < disturbed.work
    played = portable.replay(program, levels, ReplaySettings(runs=2))
    assert list(twice.counters) == list(played.counters)


class CountedPrediction(WorkPrediction):
    """Counts how often a node is evaluated."""

    evaluated = 0

    def of(self, at: int) -> PredictedWork:
        self.evaluated += 1
        return super().of(at)


@pytest.mark.parametrize(("depth", "evaluations"), [(1, 2), (2, 5), (7, 20)])
def test_work_of_loops_that_do_not_differ_is_evaluated_once(
    build: ModuleType, depth: int, evaluations: int
) -> None:
    indices = [f"i{n}" for n in range(depth)]
    a = build.array("a", "f64", *[9] * depth)
    nest = a[tuple(indices)].set(build.number(1.0))
    for index in reversed(indices):
        nest = build.loop(index, 0, 9, nest)
    program = program_of(build.function("f", [a], nest))
    prediction = CountedPrediction(program, 64, 8)
    # a walk of 9 elements has 1 + 9 * 8 / 64 blocks, of a touch and a step each
    assert prediction.of(program.root).touches == pytest.approx(4.25 * 9 ** (depth - 1))
    # a sequence with the walk, and a loop with two sequences around it at each further depth
    assert prediction.evaluated == evaluations


@pytest.mark.parametrize(
    ("lower", "upper", "even"), [(0, 9, True), ("i", 9, False), (0, "i", False)]
)
def test_a_triangle_takes_work_that_differs(
    build: ModuleType, lower: int | str, upper: int | str, even: bool
) -> None:
    a = build.array("a", "f64", 99, 99)
    inner = build.loop("j", lower, upper, a["i", "j"].set(build.number(1.0)))
    program = program_of(build.function("f", [a], build.loop("i", 0, 9, inner)))
    [outer] = parts_of(program.code, program.root)
    assert WorkPrediction(program, 64, 8).is_even(outer) is even


def test_a_stride_that_an_outer_index_sets_takes_work_that_differs(build: ModuleType) -> None:
    a = build.array("a", "f64", 999)
    inner = build.loop("j", 0, 9, a["i * j"].set(build.number(1.0)))
    program = program_of(build.function("f", [a], build.loop("i", 0, 9, inner)))
    [outer] = parts_of(program.code, program.root)
    assert not WorkPrediction(program, 64, 8).is_even(outer)


@pytest.mark.parametrize(("stores", "loads"), [(False, 1), (True, 2)])
def test_only_a_store_in_between_makes_an_element_load_twice(
    build: ModuleType, stores: bool, loads: int
) -> None:
    a, b = build.array("a", "f64", 99), build.array("b", "f64", 99)
    first, second = build.assign("s", a["i"]), build.assign("t", a["i"] + build.carried("t"))
    between = [b["i"].set(build.number(1.0))] if stores else []
    nest = build.loop("i", 0, 99, first, *between, second)
    program = program_of(build.function("f", [a, b], nest))
    assert [each.array for each in program.references].count("a") == loads
