"""Two programs tried against each other: sizes, equal results, time by turns, and the gain."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rooflint.machine.probe.host_load import HostLoad
from rooflint.measure.confrontation.forecast import Forecast, Forecaster, ForecastPoint
from rooflint.measure.contents import ResultRun
from rooflint.measure.program import (
    DEFAULT_MEMORY_BYTES,
    IndexFill,
    MemoryState,
    Program,
    RunSettings,
)
from rooflint.measure.protocol import Expectation, Figure, MeasureVerdict, figure
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.results import RunConditions, conditions_of
from rooflint.measure.session import REAL_TIME, TimeSource, best_core
from rooflint.measure.sizes.host import Host
from rooflint.measure.sizes.planning import SizePlanner, SizeRequest
from rooflint.measure.survey.survey import CORE_TRIAL_S
from rooflint.measure.versions.equality import (
    Agreement,
    EmptyResults,
    EqualityAnswer,
    LayoutDifference,
    ResultDifference,
    VersionResults,
    compare_results,
)
from rooflint.measure.versions.gain import (
    GainPlacement,
    MeasuredGain,
    PredictedGain,
    placement,
)
from rooflint.measure.versions.sampling import VersionRunners, sample_versions

RESULT_BYTES: Final = 64 << 20
"""Of contents that are compared; they are held in memory four times."""
RESULT_SECONDS: Final = 20.0
"""For one call on fresh data: its pages become memory one by one."""
PROBE_SECONDS: Final = 10.0


class VersionRequest(Struct, frozen=True, kw_only=True):
    """``points`` holds one; ``required``: how far results have to agree.

    budget_s  of the timing; results are compared before
    """

    function: str
    points: SizeRequest
    required: Agreement
    state: MemoryState = "warm"
    indices: IndexFill = "near"
    budget_s: float = 10.0
    max_bytes: int = DEFAULT_MEMORY_BYTES
    sandbox: bool = True


class VersionPrograms(Struct, frozen=True, kw_only=True):
    """The program as it was, and with the change."""

    before: Program
    after: Program


class VersionInstruments(Struct, frozen=True, kw_only=True):
    """Means of a trial; ``predict`` gives the gain at sizes, with the data in a level."""

    run: Callable[[Program, RunSettings, float], ProcessRun | MeasureRefusal]
    results: Callable[[Program, RunSettings, float], ResultRun | MeasureRefusal]
    predict: Callable[[Mapping[str, int], str], PredictedGain | None]
    forecaster: Forecaster
    host: Host
    load: Callable[[], HostLoad]
    times: TimeSource = REAL_TIME


class VersionMeasurement(Struct, frozen=True, kw_only=True):
    """Two versions at one point; ``refusal`` in place of figures.

    agreement     of the results; ``before``, ``after``: figures of either version
    """

    sizes: Mapping[str, int]
    state: MemoryState
    level: str = ""
    target: str = ""
    touched_bytes: int = 0
    agreement: Agreement | None = None
    before: Figure | None = None
    after: Figure | None = None
    gain: MeasuredGain | None = None
    predicted: PredictedGain | None = None
    refusal: MeasureRefusal | None = None
    conditions: RunConditions | None = None
    seconds: float = 0.0

    @property
    def placement(self) -> GainPlacement | None:
        """Of the measured gain in the predicted range."""
        if self.gain is None or self.predicted is None:
            return None
        return placement(self.gain.ratio, self.predicted)

    @property
    def verdict(self) -> MeasureVerdict:
        """The worse one of the two versions."""
        figures = [each for each in (self.before, self.after) if each is not None]
        if len(figures) < 2:
            return MeasureVerdict.REFUSED
        if not all(each.is_of_loop for each in figures):
            return MeasureVerdict.NOT_THE_LOOP
        stable = all(each.verdict is MeasureVerdict.STABLE for each in figures)
        return MeasureVerdict.STABLE if stable else MeasureVerdict.DISTURBED


def try_versions(
    programs: VersionPrograms, request: VersionRequest, tools: VersionInstruments
) -> VersionMeasurement:
    """Both versions at the point; raises UsageError for a size that does not exist."""
    trial = _Trial(programs, request, tools)
    start = tools.times.now()
    return replace(trial.measurement(), seconds=tools.times.now() - start)


class _Trial:
    """The steps of a trial, each of which may refuse."""

    def __init__(
        self, programs: VersionPrograms, request: VersionRequest, tools: VersionInstruments
    ) -> None:
        self.programs = programs
        self.request = request
        self.tools = tools
        known = self.forecast(request.points.sizes, "")
        self.planner = SizePlanner(programs.before, request.points, known.sizes, known.assumed)

    def measurement(self) -> VersionMeasurement:
        chosen = next(self.planner.points(self.probe))
        sizes = {**self.planner.fixed, **chosen.sizes}
        empty = VersionMeasurement(sizes=sizes, state=self.request.state, target=chosen.target)
        if chosen.refusal is not None:
            return replace(empty, refusal=chosen.refusal)
        settings = self.settings(chosen.sizes)
        probe = self.probe(chosen.sizes, self.request.max_bytes)
        if isinstance(probe, MeasureRefusal):
            return replace(empty, refusal=probe)
        level = self.tools.host.residency(probe.touched_bytes)
        placed = replace(empty, level=level, touched_bytes=probe.touched_bytes)
        equal = self.equality(settings)
        if isinstance(equal, MeasureRefusal):
            return replace(placed, refusal=equal)
        return self.with_times(replace(placed, agreement=equal), settings)

    def settings(self, sizes: Mapping[str, int]) -> RunSettings:
        return RunSettings(
            sizes=self.planner.settings(sizes),
            state=self.request.state,
            indices=self.request.indices,
            max_bytes=self.request.max_bytes,
            sandbox=self.request.sandbox,
        )

    def probe(self, sizes: Mapping[str, int], most_bytes: int) -> ProcessRun | MeasureRefusal:
        most = min(most_bytes, self.request.max_bytes)
        settings = replace(self.settings(sizes), batches=0, max_bytes=most)
        return self.tools.run(self.programs.before, settings, PROBE_SECONDS)

    def forecast(self, sizes: Mapping[str, int], level: str) -> Forecast:
        point = ForecastPoint(sizes=sizes, residency=level)
        return self.tools.forecaster.at(self.request.function, point)

    # results

    def equality(self, settings: RunSettings) -> Agreement | MeasureRefusal:
        before = self.results(self.programs.before, settings)
        after = self.results(self.programs.after, settings)
        if isinstance(before, MeasureRefusal):
            return before
        if isinstance(after, MeasureRefusal):
            return after
        answer = compare_results(before, after, self.request.required)
        if isinstance(answer, ResultDifference):
            return self.unequal(before, settings, answer)
        return self.agreed(answer)

    def results(self, program: Program, settings: RunSettings) -> VersionResults | MeasureRefusal:
        answer = self.tools.results(
            program, replace(settings, results=RESULT_BYTES), RESULT_SECONDS
        )
        if isinstance(answer, MeasureRefusal):
            return answer
        return VersionResults(arrays=program.arrays, cells=program.cells, contents=answer.contents)

    def agreed(
        self, answer: Agreement | LayoutDifference | EmptyResults
    ) -> Agreement | MeasureRefusal:
        if isinstance(answer, LayoutDifference):
            return _refusal(RefusalCode.LAYOUT_CHANGES, answer.name)
        if isinstance(answer, EmptyResults):
            return _refusal(RefusalCode.NO_RESULTS, self.request.function)
        return answer

    def unequal(
        self, before: VersionResults, settings: RunSettings, difference: ResultDifference
    ) -> MeasureRefusal:
        """The difference, unless the version as it was does not even agree with itself."""
        again = self.results(self.programs.before, settings)
        if isinstance(again, MeasureRefusal):
            return again
        own = compare_results(before, again, self.request.required)
        if isinstance(own, ResultDifference):
            values = own.place, own.before, own.after
            return _refusal(RefusalCode.NOT_REPEATABLE, self.request.function, *values)
        return MeasureRefusal(
            code=self.difference_code(settings, before),
            arguments=(difference.place, difference.before, difference.after),
        )

    def difference_code(self, settings: RunSettings, before: VersionResults) -> RefusalCode:
        """Whether results would be equal but for rounding, where bits are required."""
        if self.request.required is Agreement.RELATIVE:
            return RefusalCode.RESULTS_DIFFER
        after = self.results(self.programs.after, settings)
        near: EqualityAnswer | None = None
        if not isinstance(after, MeasureRefusal):
            near = compare_results(before, after, Agreement.RELATIVE)
        return RefusalCode.BITS_DIFFER if near is Agreement.RELATIVE else RefusalCode.RESULTS_DIFFER

    # time

    def with_times(self, point: VersionMeasurement, settings: RunSettings) -> VersionMeasurement:
        runners = VersionRunners(
            before=lambda given, seconds: self.tools.run(self.programs.before, given, seconds),
            after=lambda given, seconds: self.tools.run(self.programs.after, given, seconds),
        )
        cores = self.tools.host.processors
        core = best_core(runners.before, settings, cores, CORE_TRIAL_S) if cores else None
        expectation = self.expectation(point)
        load = self.tools.load()
        samples = sample_versions(
            runners,
            replace(settings, core=core, stream=not expectation.in_cache),
            expectation,
            self.request.budget_s,
            self.tools.times,
        )
        if isinstance(samples, MeasureRefusal):
            return replace(point, refusal=samples)
        before = [run for group in samples.before for run in group]
        after = [run for group in samples.after for run in group]
        timed = replace(
            point,
            before=figure(before, expectation),
            after=figure(after, replace(expectation, least_bytes=None, most_bytes=None)),
            conditions=conditions_of((*before, *after), load, self.tools.load()),
        )
        if timed.verdict in (MeasureVerdict.NOT_THE_LOOP, MeasureVerdict.REFUSED):
            return timed
        predicted = self.tools.predict(point.sizes, point.level)
        return replace(timed, gain=samples.gain, predicted=predicted)

    def expectation(self, point: VersionMeasurement) -> Expectation:
        forecast = self.forecast(point.sizes, point.level)
        return Expectation(
            least_bytes=forecast.least_bytes,
            most_bytes=forecast.most_bytes,
            arrays=forecast.arrays,
            in_cache=self.tools.host.is_private(point.level),
            clock_ghz=self.tools.forecaster.machine.clock_ghz,
            stubbed=bool(self.programs.before.loop_stubs),
        )


def _refusal(code: RefusalCode, *arguments: str) -> MeasureRefusal:
    return MeasureRefusal(code=code, arguments=arguments)
