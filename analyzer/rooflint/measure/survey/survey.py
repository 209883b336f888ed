"""A function measured at all points that were asked for: sizes, levels, sweeps, cores."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rooflint.machine.probe.host_load import HostLoad
from rooflint.measure.confrontation.forecast import Forecast, Forecaster
from rooflint.measure.counters.counting import CallCounts, CountObstacle
from rooflint.measure.program import (
    DEFAULT_MEMORY_BYTES,
    IndexFill,
    MemoryState,
    Program,
    RunSettings,
)
from rooflint.measure.protocol import (
    Expectation,
    agreement,
    figure,
)
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.results import PointMeasurement, conditions_of
from rooflint.measure.session import (
    REAL_TIME,
    PlannedSize,
    Runner,
    SessionPlan,
    SessionSamples,
    TimeSource,
    best_core,
    sample,
)
from rooflint.measure.sizes.host import Host
from rooflint.measure.sizes.levels import SMALLEST
from rooflint.measure.sizes.planning import PointSizes, SizePlanner, SizeRequest
from rooflint.measure.survey.points import FunctionForecasts, with_models
from rooflint.measure.survey.slope import SlopePoint, per_iteration, sizes_below
from rooflint.measure.teams.scaling import with_scaling
from rooflint.memory import LinkStream, Rates

SHORT_CALLS: Final = 25
"""Calls in a batch of 0.175 ms from which one takes less than 7 µs, some 20 000 cycles: its
prologue and the fence after it, 100 to 200 cycles, may then be 1 % of it."""
SMALLEST_SLOPE: Final = 4
"""Smaller loops have two iterations or fewer at the other end of a slope."""
LINEAR: Final = 0.1
"""The iterations of a single loop are proportional to its size, but for a few at its ends."""
PROBE_SHARE: Final = 1 / 3
"""Of the time left for a point that one process may take to find extents: larger data would leave
none for the measurement."""
SEARCH_SHARE: Final = 0.5
"""Of the time of a point for the search for its sizes: its processes need the other half."""
LEAST_PROBE_S: Final = 1.0
"""A call returns in this time on a busy computer, unless its data are large."""
FAR_WEIGHT: Final = 3.0
"""A point in a shared level takes so many times as long: half a gigabyte is mapped in 3 s."""
MANY_BYTES: Final = 4 << 20
"""From which on processes are told what they will touch: a fault a page takes some 5 µs, 5 ms for
so many, and one page more at each end of an array does not count."""
CORE_TRIAL_S: Final = 2.0


class SurveyRequest(Struct, frozen=True, kw_only=True):
    """The function, and the points of it; ``lines`` of the nest, first and last, where one is.

    cores       every point is measured with each of these numbers of cores
    budget_s    for everything after the build, on a quiet computer
    stretch     times that it may grow at most where several jobs share each processor
    """

    function: str
    points: SizeRequest
    state: MemoryState = "warm"
    indices: IndexFill = "near"
    cores: tuple[int, ...] = (1,)
    lines: tuple[int, int] | None = None
    budget_s: float = 10.0
    stretch: float = 1.0
    max_bytes: int = DEFAULT_MEMORY_BYTES
    sandbox: bool = True


CallCounter = Callable[[RunSettings, float, float], CallCounts | CountObstacle]
"""Counts a call that takes so many seconds, with a limit in seconds for each process."""


class Instruments(Struct, frozen=True, kw_only=True):
    """Means of a survey; ``load`` of the computer is asked for around each point, ``count`` where
    it has counters."""

    run: Runner
    forecaster: Forecaster
    host: Host
    load: Callable[[], HostLoad]
    times: TimeSource = REAL_TIME
    count: CallCounter | None = None


def survey(
    program: Program, request: SurveyRequest, tools: Instruments
) -> tuple[PointMeasurement, ...]:
    """Every point, compared with the models; raises UsageError for a size that does not exist."""
    return _Survey(program, request, tools).points()


class _Survey:
    """The points one after another; each gets a share of the time that is left."""

    def __init__(self, program: Program, request: SurveyRequest, tools: Instruments) -> None:
        self.program = program
        self.request = request
        self.tools = tools
        self.start = tools.times.now()
        self.budget_s = request.budget_s * self.crowding()
        self.deadline = self.search_end = self.budget_s
        self.core: int | None = None
        self.least = 0
        self.forecasts = FunctionForecasts(tools.forecaster, request.function, request.lines)
        known = self.forecasts.at(request.points.sizes, "")
        self.planner = SizePlanner(program, request.points, known.sizes, known.assumed)
        self.is_threaded = program.is_threaded and tools.forecaster.is_parallel(request.function)
        self.passes = 1 if request.state == "cold" else 0
        self.probed: tuple[tuple[tuple[str, int], ...], ProcessRun] | None = None

    def points(self) -> tuple[PointMeasurement, ...]:
        measured: list[PointMeasurement] = []
        sizes = self.planner.points(self.search)
        weights = self.weights()
        for number, weight in enumerate(weights):
            left = max(0.0, self.budget_s - self.spent())
            share = left * weight / sum(weights[number:])
            end = self.deadline = self.spent() + share
            self.search_end = self.spent() + share * SEARCH_SHARE
            chosen = next(sizes)
            for turn, cores in enumerate(self.request.cores):
                left = max(0.0, end - self.spent())
                self.deadline = self.spent() + left / (len(self.request.cores) - turn)
                measured.append(self.point(chosen, cores))
        return with_scaling(with_models(measured, self.forecasts, self.planner.free))

    def weights(self) -> list[float]:
        """Data that other cores share take longer to map and to agree."""
        targets = self.request.points.targets
        if not targets:
            return [1.0] * self.request.points.count
        private = [self.tools.host.is_private(target.level) for target in targets]
        return [1.0 if each else FAR_WEIGHT for each in private]

    def crowding(self) -> float:
        """Jobs that share a processor: each waits for the others."""
        jobs = self.tools.load().load / max(1, len(self.tools.host.processors))
        return min(self.request.stretch, max(1.0, jobs))

    def spent(self) -> float:
        return self.tools.times.now() - self.start

    def settings(self, sizes: Mapping[str, int]) -> RunSettings:
        return RunSettings(
            sizes=self.planner.settings(sizes),
            state=self.request.state,
            indices=self.request.indices,
            least=self.least,
            core=self.core,
            max_bytes=self.request.max_bytes,
            passes=self.passes,
            sandbox=self.request.sandbox,
        )

    def search(self, sizes: Mapping[str, int], most_bytes: int) -> ProcessRun | MeasureRefusal:
        """A probe while there is time for the search."""
        in_time = self.spent() <= self.search_end
        return self.probe(sizes, most_bytes) if in_time else self.out_of_time()

    def probe(self, sizes: Mapping[str, int], most_bytes: int) -> ProcessRun | MeasureRefusal:
        """A process that finds extents and times nothing. What follows the first pass of a nest may
        be impossible here."""
        settings = self.settings(sizes)
        if self.probed is not None and self.probed[0] == settings.sizes:
            return self.probed[1]
        finding = replace(settings, batches=0, max_bytes=min(most_bytes, self.request.max_bytes))
        answer = self.extents(finding)
        if _is_division(answer) and not self.least:
            self.least = 1
            return self.probe(sizes, most_bytes)
        if isinstance(answer, MeasureRefusal) and self.request.lines is not None:
            single = self.extents(replace(finding, passes=1))
            if isinstance(single, ProcessRun):
                self.passes, answer = 1, single
        if isinstance(answer, ProcessRun):
            self.probed = settings.sizes, answer
        return answer

    def extents(self, finding: RunSettings) -> ProcessRun | MeasureRefusal:
        left = self.deadline - self.spent()
        return self.tools.run(finding, max(LEAST_PROBE_S, left * PROBE_SHARE))

    def point(self, chosen: PointSizes, cores: int) -> PointMeasurement:
        empty = PointMeasurement(
            sizes={**self.planner.fixed, **chosen.sizes},
            cores=cores,
            state=self.request.state,
            level="",
            target=chosen.target,
            limited=chosen.limited,
            refusal=chosen.refusal,
        )
        if chosen.refusal is not None:
            return empty
        if self.deadline <= self.spent():
            return replace(empty, refusal=self.out_of_time())
        begin = self.spent()
        probe = self.probe(chosen.sizes, self.request.max_bytes)
        if isinstance(probe, MeasureRefusal):
            return replace(empty, refusal=probe)
        if self.core is None:
            self.choose_core(chosen, probe.touched_bytes)
        before = self.tools.load()
        level = self.level(probe.touched_bytes, cores)
        plan = self.on_cores(self.plan(chosen, probe, level), cores)
        left = max(0.0, self.deadline - self.spent())
        samples = sample(self.tools.run, plan, left, self.tools.times)
        if isinstance(samples, MeasureRefusal):
            # it has returned for the probe
            late = samples.code is RefusalCode.NO_RETURN
            return replace(empty, refusal=self.out_of_time() if late else samples)
        forecast = self.forecasts.at(empty.sizes, level, cores)
        measured = replace(
            empty,
            level=level,
            touched_bytes=probe.touched_bytes,
            iterations=forecast.iterations,
            figure=figure(samples.runs, plan.whole.expectation),
            forecast=forecast,
            conditions=conditions_of(samples.every, before, self.tools.load()),
            seconds=self.spent() - begin,
        )
        measured = self.with_iterations(measured, plan, samples)
        return replace(measured, counted=self.call_counts(measured, plan.whole.settings))

    def call_counts(
        self, point: PointMeasurement, settings: RunSettings
    ) -> CallCounts | CountObstacle | None:
        if self.tools.count is None or point.figure is None:
            return None
        if self.request.lines is not None:
            return CountObstacle.MARKS
        if self.request.state == "cold":
            return CountObstacle.COLD
        if point.cores > 1:
            return CountObstacle.SEVERAL_CORES
        limit_s = max(LEAST_PROBE_S, self.deadline - self.spent())
        return self.tools.count(settings, point.figure.seconds, limit_s)

    def out_of_time(self) -> MeasureRefusal:
        return MeasureRefusal(code=RefusalCode.BUDGET, arguments=(self.program.function,))

    def choose_core(self, chosen: PointSizes, touched_bytes: int) -> None:
        """Few data tell how often a core is interrupted as well as many do."""
        cores = self.tools.host.processors
        if len(cores) > 1:
            part = max(1, touched_bytes // MANY_BYTES)
            fewer = {name: max(SMALLEST, value // part) for name, value in chosen.sizes.items()}
            settings = self.settings(fewer if part > 1 else chosen.sizes)
            self.core = best_core(self.tools.run, settings, cores, CORE_TRIAL_S)
        elif cores:
            self.core = cores[0]

    def level(self, touched_bytes: int, cores: int) -> str:
        """The level that holds the data: threads share them, processes have their own."""
        each = -(-touched_bytes // cores) if self.is_threaded else touched_bytes
        return self.tools.host.residency(each, cores)

    def on_cores(self, plan: SessionPlan, cores: int) -> SessionPlan:
        """The same with a thread or a process on each of so many cores at once."""
        if cores == 1:
            return plan
        used = self.tools.host.cores[:cores]

        def together(size: PlannedSize) -> PlannedSize:
            if not self.is_threaded:
                return PlannedSize(replace(size.settings, team=used), size.expectation)
            expectation = replace(size.expectation, threaded=True)
            return PlannedSize(replace(size.settings, threads=used), expectation)

        return SessionPlan(whole=together(plan.whole), smaller=tuple(map(together, plan.smaller)))

    def plan(self, chosen: PointSizes, probe: ProcessRun, level: str) -> SessionPlan:
        """Several sizes where the start of a call counts, one where it does not."""
        whole = self.planned(chosen.sizes, level)
        if probe.touched_bytes >= MANY_BYTES:
            extents = tuple([(each.low, each.high) for each in probe.extents])
            whole = PlannedSize(replace(whole.settings, extents=extents), whole.expectation)
        calls = probe.calibration.calls if probe.calibration is not None else 0
        if calls < SHORT_CALLS or self.request.state == "cold":
            return SessionPlan(whole=whole)
        smaller = [self.planned(sizes, level) for sizes in self.smaller(chosen)]
        if not smaller:
            return SessionPlan(whole=whole)
        return SessionPlan(whole=_sloped(whole), smaller=tuple(map(_sloped, smaller)))

    def planned(self, sizes: Mapping[str, int], level: str) -> PlannedSize:
        stream = not self.tools.host.is_private(level)
        forecast = self.forecasts.at({**self.planner.fixed, **sizes}, level)
        settings = replace(self.settings(sizes), stream=stream)
        return PlannedSize(settings, self.expectation(forecast, level))

    def smaller(self, chosen: PointSizes) -> list[dict[str, int]]:
        """Sizes for a slope, smallest first: those that a point chooses; where it chooses none,
        those of the loops. A nest has one smaller size: its inner loops start too, and more often
        at larger sizes."""
        values = {**self.planner.fixed, **chosen.sizes}
        known = self.forecasts.at(values, "").sizes
        names = tuple(chosen.sizes) or [n for n in self.planner.settable if n in known]
        if not names or any(values[name] < SMALLEST_SLOPE for name in names):
            return []
        rows = [{**chosen.sizes, **row} for row in sizes_below({n: values[n] for n in names})]
        return rows if self.is_single_loop(values, rows[0]) else rows[:1]

    def is_single_loop(self, values: Mapping[str, int], fewer: Mapping[str, int]) -> bool:
        """Whether iterations grow as the sizes do."""
        many = self.forecasts.at(values, "").iterations
        few = self.forecasts.at({**self.planner.fixed, **fewer}, "").iterations
        if not many or not few:
            return False
        shares = [fewer[name] / values[name] for name in fewer]
        return all(abs(few / many / share - 1) <= LINEAR for share in shares)

    def expectation(self, forecast: Forecast, level: str) -> Expectation:
        rate = None
        if self.tools.forecaster.describes(self.tools.host.core):
            machine = self.tools.forecaster.machine
            rate = Rates(machine, 1).of_stream(LinkStream(machine.links[-1], "load"))
        return Expectation(
            least_bytes=forecast.least_bytes,
            most_bytes=forecast.most_bytes,
            arrays=forecast.arrays,
            in_cache=self.tools.host.is_private(level),
            adds_per_cy=self.tools.host.adds_per_cy,
            stream_gb_s=rate.gb_s if rate is not None else None,
            clock_ghz=self.tools.forecaster.machine.clock_ghz,
            marked=self.request.lines is not None,
            stubbed=bool(self.program.loop_stubs),
        )

    def with_iterations(
        self, point: PointMeasurement, plan: SessionPlan, samples: SessionSamples
    ) -> PointMeasurement:
        """Cycles per iteration, by the slope where there is one that can be."""
        if point.figure is None or not point.iterations:
            return point
        points = self.slope_points(point, plan, samples)
        is_nest = self.request.lines is not None
        return per_iteration(point, points, agreement(plan.whole.expectation), is_nest)

    def slope_points(
        self, point: PointMeasurement, plan: SessionPlan, samples: SessionSamples
    ) -> list[SlopePoint]:
        """The smaller sizes that were measured and have fewer iterations."""
        points = []
        for size, runs in zip(plan.smaller, samples.smaller, strict=True):
            forecast = self.forecast_of(size, point)
            iterations = forecast.iterations or 0.0
            found = figure(runs, size.expectation)
            if found is not None and 0 < iterations < (point.iterations or 0):
                points.append(SlopePoint(iterations, found, forecast))
        return points

    def forecast_of(self, size: PlannedSize, point: PointMeasurement) -> Forecast:
        """The models at a smaller size of a point, with the data in its level."""
        sizes = {**self.planner.fixed, **dict(size.settings.sizes)}
        return self.forecasts.at(sizes, point.level, point.cores)


def _sloped(size: PlannedSize) -> PlannedSize:
    """The size as one of several for a slope."""
    return PlannedSize(size.settings, replace(size.expectation, sloped=True))


def _is_division(answer: ProcessRun | MeasureRefusal) -> bool:
    """Whether an integer was divided by zero."""
    return isinstance(answer, MeasureRefusal) and answer.code is RefusalCode.DIVISION
