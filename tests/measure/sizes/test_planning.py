"""The sizes of the points of a survey."""

from collections.abc import Callable, Mapping

import pytest
from rooflint.errors import UsageError
from rooflint.measure.program import MeasureMode, Program, ProgramSize
from rooflint.measure.records import ArrayExtent, ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.sizes.levels import LevelTarget
from rooflint.measure.sizes.planning import MOST_LATE, PointSizes, SizePlanner, SizeRequest
from rooflint.measure.sizes.sweep import Sweep

MIB = 1 << 20


def program(*sizes: ProgramSize) -> Program:
    return Program(
        function="f",
        mode=MeasureMode.FUNCTION,
        executable="f",
        commands=(),
        compiler="gcc",
        flags=(),
        sizes=sizes,
        arrays=(),
    )


N = ProgramSize(name="n", value=1000, origin="default")
M = ProgramSize(name="m", value=1000, origin="default")
FLAG = ProgramSize(name="flag", value=1000, origin="default")
MACRO = ProgramSize(name="STEPS", value=4, origin="macro", settable=False)
ASSUMED = frozenset(("n", "m"))


def plan(
    request: SizeRequest, *sizes: ProgramSize, assumed: frozenset[str] = ASSUMED
) -> SizePlanner:
    return SizePlanner(program(*sizes), request, dict.fromkeys(assumed, 7), assumed)


def probe_of(data: Callable[[Mapping[str, int]], int]) -> Callable[..., ProcessRun]:
    def probe(sizes: Mapping[str, int], most_bytes: int) -> ProcessRun:
        return ProcessRun(extents=(ArrayExtent(name="a", low=0, high=data(sizes)),))

    return probe


def square(sizes: Mapping[str, int]) -> int:
    return 8 * sizes["n"] * sizes["m"]


def points(planner: SizePlanner, data: Callable[[Mapping[str, int]], int]) -> list[PointSizes]:
    return list(planner.points(probe_of(data)))


def test_sizes_come_from_the_user_the_source_and_the_program() -> None:
    planner = SizePlanner(
        program(N, M, FLAG, MACRO),
        SizeRequest(sizes={"n": 50}),
        {"n": 50, "m": 64, "other": 9},
        frozenset(),
    )
    assert planner.fixed == {"n": 50, "m": 64, "flag": 1000, "STEPS": 4}
    assert planner.settings({}) == (("n", 50), ("m", 64), ("flag", 1000))
    assert planner.settings({"m": 5})[1] == ("m", 5)


def test_free_sizes_are_those_that_nobody_told() -> None:
    assert plan(SizeRequest(sizes={}), N, M, FLAG).free == ("n", "m", "flag")
    assert plan(SizeRequest(sizes={"n": 5}), N, M, FLAG).free == ("m", "flag")
    assert plan(SizeRequest(sizes={}), N, FLAG, assumed=frozenset()).free == ("n", "flag")
    assert plan(SizeRequest(sizes={}), FLAG, MACRO).free == ("flag",)
    given = ProgramSize(name="n", value=5, origin="given")
    assert plan(SizeRequest(sizes={}), given, M).free == ("m",)


def test_one_point_without_a_wish() -> None:
    assert points(plan(SizeRequest(sizes={}), N), square) == [PointSizes(sizes={})]


def test_free_sizes_grow_together_to_fill_a_level() -> None:
    targets = (LevelTarget(level="L2", data_bytes=MIB),)
    (found,) = points(plan(SizeRequest(sizes={}, targets=targets), N, M), square)
    assert found.target == "L2"
    assert found.sizes["n"] == found.sizes["m"]
    assert 0.9 * MIB < square(found.sizes) <= MIB


def test_a_sweep_may_hold_the_amount_of_data() -> None:
    sweep = Sweep(name="n", first=100, last=10_000, points=3)
    request = SizeRequest(sizes={}, sweep=sweep, hold_bytes=MIB)
    found = points(plan(request, N, M), square)
    assert [each.sizes["n"] for each in found] == [100, 1000, 10_000]
    assert all(0.85 * MIB < square(each.sizes) <= MIB for each in found)
    alone = points(plan(SizeRequest(sizes={}, sweep=sweep), N, M), square)
    assert [dict(each.sizes) for each in alone] == [{"n": 100}, {"n": 1000}, {"n": 10_000}]
    assert request.count == 3


def test_a_sweep_needs_a_size_that_a_run_can_set() -> None:
    sweep = Sweep(name="k", first=1, last=2)
    with pytest.raises(UsageError, match="--sweep: f has no size 'k', it has n, m"):
        plan(SizeRequest(sizes={}, sweep=sweep), N, M)
    with pytest.raises(UsageError, match="it has none that a run can set"):
        plan(SizeRequest(sizes={}, sweep=Sweep(name="STEPS", first=1, last=2)), MACRO)


@pytest.mark.parametrize(
    ("sizes", "given"), [((), {}), ((N,), {"n": 5}), ((MACRO,), {})], ids=["none", "given", "macro"]
)
def test_nothing_is_open(sizes: tuple[ProgramSize, ...], given: dict[str, int]) -> None:
    targets = (LevelTarget(level="L1", data_bytes=MIB),)
    (found,) = points(plan(SizeRequest(sizes=given, targets=targets), *sizes), square)
    assert found.refusal is not None
    assert found.refusal.code is RefusalCode.UNKNOWN_SIZE


def test_data_that_stay_the_same_are_said() -> None:
    targets = (LevelTarget(level="L1", data_bytes=MIB),)
    (found,) = points(plan(SizeRequest(sizes={}, targets=targets), N), lambda _: 4096)
    assert found.refusal is not None
    assert found.refusal.arguments == ("f", "that changes what it touches", "n")


def test_a_run_that_takes_too_long_limits_the_data() -> None:
    late = MeasureRefusal(code=RefusalCode.NO_RETURN, arguments=("f", "1"))

    late_sizes: list[int] = []

    def probe(sizes: Mapping[str, int], most_bytes: int) -> ProcessRun | MeasureRefusal:
        if sizes["n"] > 5000:
            late_sizes.append(sizes["n"])
            return late
        return probe_of(lambda s: 8 * s["n"])(sizes, most_bytes)

    targets = (LevelTarget(level="MEM", data_bytes=MIB),)
    (found,) = plan(SizeRequest(sizes={}, targets=targets), N).points(probe)
    assert found.limited
    assert 64 < found.sizes["n"] <= 5000
    assert late_sizes == sorted(late_sizes, reverse=True)
    assert len(late_sizes) == MOST_LATE
    fault = MeasureRefusal(code=RefusalCode.FAULT, arguments=("f", "0x0"))
    (found,) = plan(SizeRequest(sizes={}, targets=targets), N).points(lambda *_: fault)
    assert found.refusal == fault


def test_the_size_for_a_shared_level_does_not_depend_on_time() -> None:
    """Otherwise a busy computer would measure another level and call it the same."""
    late = MeasureRefusal(code=RefusalCode.NO_RETURN, arguments=("f", "1"))

    def probe(sizes: Mapping[str, int], most_bytes: int) -> ProcessRun | MeasureRefusal:
        return late if sizes["n"] > slow else probe_of(lambda s: 8 * s["n"])(sizes, most_bytes)

    targets = (LevelTarget(level="MEM", data_bytes=MIB, whole=True),)
    slow = MIB // 8
    (found,) = plan(SizeRequest(sizes={}, targets=targets), N).points(probe)
    assert found.refusal is None
    assert not found.limited
    assert 0.97 * MIB <= 8 * found.sizes["n"] <= MIB
    slow //= 2
    (found,) = plan(SizeRequest(sizes={}, targets=targets), N).points(probe)
    assert found.refusal is not None
    assert found.refusal.code is RefusalCode.SLOW_LEVEL
    assert found.refusal.arguments == ("f", "MEM")


@pytest.mark.parametrize("level", ["L1", ""])
@pytest.mark.parametrize("is_stopped", [True, False])
def test_data_that_are_too_large_at_all_sizes_are_said(level: str, is_stopped: bool) -> None:
    """The probe is stopped at twice the target, or returns with more than it."""
    targets = (LevelTarget(level=level, data_bytes=4096),)
    stopped = MeasureRefusal(code=RefusalCode.OVER_MEMORY, arguments=("f", "8192"))

    def probe(sizes: Mapping[str, int], most_bytes: int) -> ProcessRun | MeasureRefusal:
        assert most_bytes == 8192
        return stopped if is_stopped else probe_of(lambda _: 4097)(sizes, most_bytes)

    (found,) = plan(SizeRequest(sizes={}, targets=targets), N).points(probe)
    assert found.refusal is not None
    assert found.refusal.code is RefusalCode.PAST_LEVEL
    assert found.refusal.arguments == ("f", level or "4096 bytes")
