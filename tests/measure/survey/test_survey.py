"""All points of a function, on processes that are made up and forecasts that are real."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from rooflint.machine.probe.host_load import HostLoad
from rooflint.measure.confrontation.forecast import Forecaster
from rooflint.measure.program import MeasureMode, Program, ProgramSize, RunSettings
from rooflint.measure.protocol import Doubt, MeasureVerdict
from rooflint.measure.records import ArrayExtent, Calibration, ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.results import PointMeasurement
from rooflint.measure.session import TRIAL_S, TimeSource
from rooflint.measure.sizes.host import Host, HostCache
from rooflint.measure.sizes.levels import targets
from rooflint.measure.sizes.planning import SizeRequest
from rooflint.measure.survey.slope import LEAST_CALL_CYCLES, LEAST_CYCLES, MOST_UNPREDICTED
from rooflint.measure.survey.survey import (
    MANY_BYTES,
    SHORT_CALLS,
    Instruments,
    SurveyRequest,
    survey,
)
from rooflint.pipeline import Options
from rooflint.registry import load_registry

MakeRun = Callable[..., ProcessRun]
MIB = 1 << 20
HOST = Host(
    cpu="some",
    core="skylake-avx512",
    caches=(
        HostCache(level="L1", capacity_bytes=32 << 10),
        HostCache(level="L2", capacity_bytes=MIB),
        HostCache(level="L3", capacity_bytes=32 * MIB, cores=8),
    ),
    memory_bytes=64 * MIB,
    processors=(3, 5),
    cores=(3, 5),
)
SOURCE = """\
void scale(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] = 2 * b[i];
}
"""
PROGRAM = Program(
    function="scale",
    mode=MeasureMode.FUNCTION,
    executable="scale",
    commands=(),
    compiler="gcc",
    flags=(),
    sizes=(ProgramSize(name="n", value=1000, origin="default"),),
    arrays=(),
)


@pytest.fixture(scope="module")
def forecaster(tmp_path_factory: pytest.TempPathFactory) -> Forecaster:
    path = tmp_path_factory.mktemp("survey") / "scale.c"
    path.write_text(SOURCE, encoding="utf-8")
    options = Options(machines=("skylake-sp-6148",), models=("ecm", "roofline"))
    return Forecaster(str(path), options, load_registry())


class Computer:
    """Runs ``scale``: ``cycles`` an iteration, ``start`` a call, by the level of the data."""

    def __init__(self, make: MakeRun, forecaster: Forecaster) -> None:
        self.make = make
        self.forecaster = forecaster
        self.time = 0.0
        self.start = 100.0
        self.step: dict[int, float] = {}
        self.cycles = {"L1": 1.0, "L2": 1.0, "L3": 3.0, "MEM": 9.0}
        self.calls = SHORT_CALLS
        self.clean: dict[int | None, int] = {}
        self.asked: list[RunSettings] = []
        self.refusal: MeasureRefusal | None = None
        self.survives = False
        self.refused_least: MeasureRefusal | None = None
        self.process_s = 0.01
        self.load = 1.5
        self.stretch = 1.0
        self.lines: tuple[int, int] | None = None
        self.program = PROGRAM

    def run(self, settings: RunSettings, seconds: float) -> ProcessRun | MeasureRefusal:
        self.asked.append(settings)
        self.time += self.process_s
        if self.refusal is not None and (settings.passes != 1 or not self.survives):
            return self.refusal
        if self.refused_least is not None and not settings.least:
            return self.refused_least
        n = dict(settings.sizes)["n"]
        touched = 2 * -(-8 * n // 4096) * 4096
        if touched > settings.max_bytes:
            return MeasureRefusal(code=RefusalCode.OVER_MEMORY, arguments=("scale", "0"))
        cycles = self.start + self.cycles[HOST.residency(touched)] * n
        cycles += sum([extra for least, extra in self.step.items() if n >= least])
        made = self.make(cycles, clean=self.clean.get(settings.core), touched=touched, stream=25.0)
        made = replace(made, calibration=Calibration(calls=self.calls, restores=False))
        extents = tuple([ArrayExtent(name=name, low=0, high=touched // 2) for name in "ab"])
        batches = made.batches[: settings.batches]
        return replace(made, extents=extents, batches=batches)

    def survey(
        self, points: SizeRequest, budget_s: float = 30.0, cores: tuple[int, ...] = (1,)
    ) -> tuple[PointMeasurement, ...]:
        tools = Instruments(
            run=self.run,
            forecaster=self.forecaster,
            host=HOST,
            load=lambda: HostLoad(load=self.load, steal_s=0.0),
            times=TimeSource(now=lambda: self.time, wait=self.wait),
        )
        request = SurveyRequest(
            function="scale",
            points=points,
            budget_s=budget_s,
            stretch=self.stretch,
            cores=cores,
            lines=self.lines,
        )
        return survey(self.program, request, tools)

    def wait(self, seconds: float) -> None:
        self.time += seconds


@pytest.fixture
def computer(made_up_run: MakeRun, forecaster: Forecaster) -> Computer:
    return Computer(made_up_run, forecaster)


def test_a_nest_whose_function_ends_is_left_after_a_pass(computer: Computer) -> None:
    computer.refusal = MeasureRefusal(code=RefusalCode.ENDED_PROGRAM, arguments=("scale",))
    computer.survives = True
    (whole,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert whole.refusal == computer.refusal
    assert {each.passes for each in computer.asked} == {0}
    computer.lines, computer.asked = (3, 4), []
    (nest,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert nest.refusal is None
    assert [each.passes for each in computer.asked[:3]] == [0, 1, 1]
    assert {each.passes for each in computer.asked[1:]} == {1}
    computer.survives, computer.asked = False, []
    (lost,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert lost.refusal == computer.refusal


def test_a_slow_search_leaves_time_for_the_measurement(computer: Computer) -> None:
    computer.process_s = 0.6
    (point,) = computer.survey(levels("L2"), budget_s=3.0)
    assert point.refusal is None
    assert point.limited
    assert point.figure is not None
    (quick,) = Computer(computer.make, computer.forecaster).survey(levels("L2"), budget_s=6.0)
    assert not quick.limited
    assert quick.touched_bytes > point.touched_bytes > 0


def levels(names: str) -> SizeRequest:
    return SizeRequest(sizes={}, targets=targets(names, HOST, 1 << 30))


def test_each_level_has_a_point(computer: Computer) -> None:
    points = computer.survey(levels("L1,L2,L3"))
    assert [point.level for point in points] == ["L1", "L2", "L3"]
    assert [point.target for point in points] == ["L1", "L2", "L3"]
    # the cycles of a shared level are those of the machine file, at 2.4 in place of 2 GHz
    for point, cycles in zip(points, (1.0, 1.0, 3.6), strict=True):
        assert point.verdict is MeasureVerdict.STABLE
        assert point.per_iteration == "slope"
        assert point.cy_per_iteration == pytest.approx(cycles)
        assert point.forecast is not None
        assert point.forecast.residency == point.level
        assert point.conditions is not None
        assert point.conditions.load == 1.5


def test_each_number_of_cores_is_a_point(computer: Computer) -> None:
    one, two = computer.survey(levels("L1"), cores=(1, 2))
    assert (one.cores, two.cores) == (1, 2)
    assert one.sizes == two.sizes
    # the made-up computer takes the same time on any number of cores
    assert two.scaling is not None
    assert two.scaling.speedup == pytest.approx(1.0)
    assert {settings.team for settings in computer.asked} == {(), (3, 5)}
    ecm = {each.cores: each.models[0] for each in (one, two)}
    assert ecm[2].cycles == pytest.approx((ecm[1].cycles or 0.0) / 2)


PARALLEL = SOURCE.replace("    for", "#pragma omp parallel for\n    for")


@pytest.mark.parametrize(
    ("text", "flag", "threads", "team", "level"),
    [
        (PARALLEL, "-fopenmp", (3, 5), (), "L1"),
        (PARALLEL, "-qopenmp", (3, 5), (), "L1"),
        (PARALLEL, "-fopenmp-simd", (), (3, 5), "L2"),
        (SOURCE, "-fopenmp", (), (3, 5), "L2"),
    ],
)
def test_threads_share_the_data_and_processes_do_not(
    made_up_run: MakeRun,
    tmp_path: Path,
    text: str,
    flag: str,
    threads: tuple[int, ...],
    team: tuple[int, ...],
    level: str,
) -> None:
    """48 KiB of data: more than one L1, less than two of them."""
    path = tmp_path / "scale.c"
    path.write_text(text, encoding="utf-8")
    options = Options(machines=("skylake-sp-6148",), models=("ecm",))
    computer = Computer(made_up_run, Forecaster(str(path), options, load_registry()))
    computer.program = replace(PROGRAM, flags=(flag,))
    (point,) = computer.survey(SizeRequest(sizes={"n": 3072}), cores=(2,))
    assert point.level == level
    assert {settings.threads for settings in computer.asked} == {(), threads}
    assert {settings.team for settings in computer.asked} == {(), team}


def test_memory_that_is_short_limits_the_last_level(computer: Computer) -> None:
    (point,) = computer.survey(levels("MEM"))
    assert (point.target, point.level, point.limited) == ("MEM", "L3", True)
    assert point.touched_bytes <= 32 * MIB


def test_calls_that_are_long_need_no_slope(computer: Computer) -> None:
    computer.calls = SHORT_CALLS - 1
    (point,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert point.per_iteration == "call"
    assert point.cy_per_iteration == pytest.approx(1.1)
    sizes = {dict(settings.sizes)["n"] for settings in computer.asked}
    assert sizes == {1000}


@pytest.mark.parametrize(("start", "by"), [(990.0, "slope"), (1010.0, "call")])
def test_a_slope_far_below_the_call_is_not_trusted(
    computer: Computer, start: float, by: str
) -> None:
    computer.start = start
    (point,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert point.per_iteration == by


def test_a_call_that_is_mostly_its_start_is_doubted(computer: Computer) -> None:
    computer.start = 1010.0
    (point,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert point.figure is not None
    assert point.figure.doubts == (Doubt.START_OF_CALL,)
    assert point.verdict is MeasureVerdict.DISTURBED


@pytest.mark.parametrize(("share", "is_loop"), [(0.9, False), (1.1, True)])
def test_a_loop_is_not_hundreds_of_times_faster_than_predicted(
    computer: Computer, share: float, is_loop: bool
) -> None:
    """A function that returns early is."""
    request = SizeRequest(sizes={"n": 50000})
    computer.start = 0.0
    computer.calls = 1
    (usual,) = computer.survey(request)
    assert usual.forecast is not None
    assert usual.iterations is not None
    most = max([model.cycles or 0.0 for model in usual.forecast.models]) / usual.iterations
    assert most > MOST_UNPREDICTED * LEAST_CYCLES
    computer.cycles["L2"] = share * most / MOST_UNPREDICTED
    (point,) = computer.survey(request)
    assert point.figure is not None
    assert point.figure.is_of_loop is is_loop
    assert (Doubt.FEWER_ITERATIONS in point.figure.doubts) is not is_loop


@pytest.mark.parametrize(("cycles", "is_loop"), [(0.0019, False), (0.0050, True)])
def test_no_core_runs_iterations_faster_than_it_can(
    computer: Computer, cycles: float, is_loop: bool
) -> None:
    computer.start = 0.0
    computer.calls = 1
    computer.cycles["L2"] = cycles
    (point,) = computer.survey(SizeRequest(sizes={"n": 50000}))
    assert point.figure is not None
    assert point.figure.is_of_loop is is_loop
    assert (Doubt.FEWER_ITERATIONS in point.figure.doubts) is not is_loop


def test_an_exit_that_is_predicted_at_small_sizes_only_is_no_part_of_the_slope(
    computer: Computer,
) -> None:
    computer.step = {600: 20.0}
    (point,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert (point.verdict, point.per_iteration) == (MeasureVerdict.STABLE, "slope")
    assert point.cy_per_iteration == pytest.approx(1.0)


def test_sizes_that_do_not_lie_on_a_line_are_doubted(computer: Computer) -> None:
    computer.step = {600: 20.0, 900: 20.0}
    (point,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert point.figure is not None
    assert point.figure.doubts == (Doubt.UNEVEN_SIZES,)


def test_the_quietest_core_is_used(computer: Computer) -> None:
    computer.clean = {3: 2, 5: 20}
    computer.survey(SizeRequest(sizes={"n": 1000}))
    assert {settings.core for settings in computer.asked[3:]} == {5}


def test_few_data_tell_the_quietest_core(computer: Computer) -> None:
    computer.clean = {3: 2, 5: 20}
    (point,) = computer.survey(levels("MEM"))
    trials = [each for each in computer.asked if each.budget_s == TRIAL_S]
    assert [trial.core for trial in trials] == [3, 5]
    assert point.touched_bytes > 6 * MANY_BYTES
    assert all(16 * dict(trial.sizes)["n"] < 2 * MANY_BYTES for trial in trials)


def test_a_refusal_takes_the_place_of_a_figure(computer: Computer) -> None:
    computer.refusal = MeasureRefusal(code=RefusalCode.FAULT, arguments=("scale", "0x0"))
    points = computer.survey(levels("L1,L2"))
    assert [point.verdict for point in points] == [MeasureVerdict.REFUSED] * 2
    assert {point.refusal for point in points} == {computer.refusal}


def test_points_without_time_say_so(computer: Computer) -> None:
    points = computer.survey(levels("L1,L2"), budget_s=0.0)
    codes = [point.refusal.code for point in points if point.refusal is not None]
    assert codes == [RefusalCode.BUDGET] * 2


def test_suspects_come_from_all_levels(computer: Computer) -> None:
    computer.cycles |= {"L1": 0.19, "L2": 0.51, "L3": 9.0}
    points = computer.survey(levels("L1,L2,L3"))
    found = [model.suspect for model in points[2].models if model.model == "ecm"]
    assert found[0] is not None
    assert found[0].link == "L2-L3"


def test_whose_figures_these_are(forecaster: Forecaster) -> None:
    assert forecaster.describes("skylake-avx512")
    assert not forecaster.describes("znver4")
    assert not forecaster.describes(None)


@pytest.mark.parametrize(
    ("load", "stretch", "is_stable"),
    [(6.0, 4.0, True), (2.0, 4.0, False), (6.0, 1.0, False), (99.0, 2.0, False)],
    ids=["busy", "quiet", "a budget of the user's", "only so far"],
)
def test_a_usual_budget_grows_with_the_jobs_on_each_processor(
    computer: Computer, load: float, stretch: float, is_stable: bool
) -> None:
    """Three processes and a probe of 1 s each, five sizes of a slope: 17 s of the 3 x 6 or so."""
    computer.load, computer.stretch, computer.process_s = load, stretch, 1.0
    computer.calls = 1
    (point,) = computer.survey(SizeRequest(sizes={"n": 1000}), budget_s=2.5)
    assert point.figure is not None
    assert (point.verdict is MeasureVerdict.STABLE) is is_stable


@pytest.mark.parametrize("cycles", [LEAST_CALL_CYCLES - 1, LEAST_CALL_CYCLES])
def test_a_short_call_without_a_slope_is_mostly_its_start(computer: Computer, cycles: int) -> None:
    """With three iterations there are no smaller sizes."""
    computer.start, computer.cycles["L1"] = cycles - 3, 1.0
    (point,) = computer.survey(SizeRequest(sizes={"n": 3}))
    assert point.figure is not None
    doubted = Doubt.START_OF_CALL in point.figure.doubts
    assert doubted is (cycles < LEAST_CALL_CYCLES)
    computer.lines = (3, 4)
    (nest,) = computer.survey(SizeRequest(sizes={"n": 3}))
    assert nest.figure is not None
    assert Doubt.START_OF_CALL not in nest.figure.doubts


def test_a_function_that_divides_by_integers_gets_none_that_is_zero(computer: Computer) -> None:
    divides = MeasureRefusal(code=RefusalCode.DIVISION, arguments=("scale",))
    computer.refused_least = divides
    (point,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert point.refusal is None
    assert [each.least for each in computer.asked[:2]] == [0, 1]
    assert {each.least for each in computer.asked[1:]} == {1}
    computer.refusal, computer.asked = divides, []
    (lost,) = computer.survey(SizeRequest(sizes={"n": 1000}))
    assert lost.refusal == divides
    assert [each.least for each in computer.asked] == [0, 1]
