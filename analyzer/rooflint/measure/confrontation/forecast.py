"""Predictions of a function at the point where it is measured, by the pipeline of ``analyze``.

The file is read once. Each point is then analysed with its sizes, its cores and the level that
held the data, so that nothing but the measurement differs from what ``analyze`` would say.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.core import Compiler
from rooflint.core.external.tools import gcc_release
from rooflint.errors import UsageError
from rooflint.facts import facts_of
from rooflint.ir import Array, Call, Refusal, SourceFunction, walk
from rooflint.machine import Machine
from rooflint.measure.confrontation.footprints import (
    NestFacts,
    counting_names,
    finite_span,
    footprint_of,
    is_within,
    nest_facts,
)
from rooflint.measure.confrontation.times import sum_of_times
from rooflint.measure.confrontation.unconditional import without_choices
from rooflint.memory import LinkTraffic
from rooflint.pipeline import Options
from rooflint.pipeline.files import analyse_unit
from rooflint.pipeline.front_end import unit_of
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.cores import is_parallel
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.drawing import TimePlot
from rooflint.plugin_api.prediction import LimitKind, Prediction
from rooflint.plugin_api.report import FunctionReport, KernelReport, MachineResult
from rooflint.records import NamedTuple
from rooflint.registry import Registry
from rooflint.scenario import COLD_ENTRY
from rooflint.scenario.sizes import SizeLayer, size_key


def as_installed(compiler: Compiler, driver: str) -> Compiler:
    """The compiler with the release of the program ``driver``, which builds what is measured, where
    its plans depend on that (gcc)."""
    if compiler.version is not None or not driver:
        return compiler
    return compiler._replace(version=gcc_release(driver))


class ModelForecast(Struct, frozen=True, kw_only=True):
    """One model on all loops of the function.

    cycles    per call; None where it has no answer for some loop, or a trip count is unknown
    limit     of the loop that takes most of them: ``bottleneck`` and its kind
    prices    the farthest level whose link it charges there; empty where none limits
    is_part   the loops do more than the cycles cover, or code beside them calls other loops
    times     of a call by contributions, where the model says so of all loops
    """

    model: str
    cycles: float | None
    bottleneck: str
    limit: LimitKind
    prices: str = ""
    is_part: bool = False
    times: TimePlot | None = None


class Forecast(Struct, frozen=True, kw_only=True):
    """A function at a point, before it runs.

    iterations      of the loop that runs most often, per call or, of a nest, per pass of it; None
                    where a count is unknown, guessed, or another in each pass
    expected_bytes  that a call touches with every branch taken; None where some access is not known
                    in closed form, an iteration count is guessed, or passes of a nest touch
                    different data. ``least_bytes``: with none taken
    most_bytes      of its arrays from the first byte touched to the last; None also where it calls
                    functions, which touch data of their own
    refused         loops of the function that are not analysed
    sizes           every size that the analysis used; ``assumed`` are those without a given value,
                    and ``guessed_trips`` those of them that decide how often a loop runs
    traffic         bytes of a call over each link, nearest first; empty where the iterations of a
                    loop are unknown or guessed
    layers          of each loop, the level that holds each layer of its arrays; where it is another
                    at a neighbouring size, a layer condition lies between them
    """

    machine: str
    levels: tuple[str, ...]
    residency: str
    iterations: float | None
    expected_bytes: float | None
    least_bytes: float | None
    most_bytes: float | None
    arrays: int
    refused: int
    sizes: Mapping[str, int]
    assumed: frozenset[str]
    guessed_trips: frozenset[str]
    layers: tuple[Mapping[str, str], ...]
    models: tuple[ModelForecast, ...]
    traffic: tuple[LinkTraffic, ...] = ()


class ForecastPoint(Struct, frozen=True, kw_only=True):
    """Where a function is measured; ``lines`` of the nest, first and last, where one is."""

    sizes: Mapping[str, int]
    residency: str = ""
    cores: int = 1
    lines: tuple[int, int] | None = None


class Forecaster:
    """The functions of one file, analysed at any point."""

    def __init__(self, path: str, options: Options, registry: Registry) -> None:
        """Raises RooflintError where the file, a machine or a setting is wrong."""
        self.path = path
        self.unit = unit_of(path, options)
        resolver = SetupResolver(options, registry)
        flags = ConfiguredFlags(options, resolver.configs).flags(path)
        driver = options.compiler or flags.code.driver
        self.compiler: Compiler = as_installed(resolver.compiler(path, flags.code), driver)
        self._setup = resolver.setup_for(path)._replace(compiler=self.compiler)
        if len(self._setup.machines) != 1:
            named = ", ".join([machine.name for machine in self._setup.machines])
            raise UsageError(f"measure: expected one --machine to compare with, got {named}")

    @property
    def machine(self) -> Machine:
        """Whose models predict."""
        return self._setup.machines[0]

    def describes(self, core: str | None) -> bool:
        """Whether the models are of a core with this name of LLVM's."""
        tools = self.machine.tools
        return core is not None and tools is not None and tools.cpu == core

    def functions(self) -> tuple[SourceFunction, ...]:
        """The functions of the file that have loops."""
        return self.unit.functions

    def is_parallel(self, function: str) -> bool:
        """Whether threads share a loop of the function."""
        return any(
            is_parallel(facts.kernel.regions)
            for source in self.unit.functions
            if source.function.name == function
            for facts in facts_of(source.function)
        )

    def at(self, function: str, point: ForecastPoint) -> Forecast:
        """The forecast of a function; one without models where it has no loop analysed."""
        known = point.residency in self.machine.levels
        sources = [each for each in self.unit.functions if each.function.name == function]
        unit = self.unit._replace(functions=tuple(sources))
        report = analyse_unit(self.path, unit, self._setup_at(point)).report
        kernels = _kernels(report.functions, function, point.lines)
        facts = nest_facts(sources, point.lines)
        used, assumed = _sizes(kernels), _assumed(kernels)
        guessed = assumed.intersection(counting_names(facts))
        certain = [] if guessed else facts
        least = [] if guessed else nest_facts(list(map(_unconditional, sources)), point.lines)
        arrays = _arrays(sources)
        calls = _calls(sources, certain, point.lines is None)
        beside = point.lines is None and self._loops_beside(sources)
        whole = footprint_of(certain, arrays, used, self.machine)
        fewest = footprint_of(least, arrays, used, self.machine)
        return Forecast(
            machine=self.machine.name,
            levels=self.machine.levels,
            residency=point.residency if known else "",
            iterations=_most_iterations(kernels, certain),
            expected_bytes=None if whole is None else whole.bytes_at(used),
            least_bytes=None if fewest is None else fewest.bytes_at(used),
            most_bytes=None if whole is None or calls else finite_span(whole, used),
            arrays=len(arrays),
            refused=_refused(report.refusals, point.lines or _lines(sources)),
            sizes={size_key(name): value for name, value in used.items()},
            assumed=frozenset(map(size_key, assumed)),
            guessed_trips=frozenset(map(size_key, guessed)),
            layers=tuple([_layers(kernel.report.results[0]) for kernel in kernels]),
            models=_models(kernels, self.machine, beside),
            traffic=() if guessed else _traffic(kernels),
        )

    def _loops_beside(self, sources: Sequence[SourceFunction]) -> bool:
        """Whether the functions call others of the file that have loops, outside of their own."""
        with_loops = {each.function.name for each in self.unit.functions}
        calls = [node for each in sources for node in each.function.body if isinstance(node, Call)]
        return not with_loops.isdisjoint([call.name for call in calls])

    def _setup_at(self, point: ForecastPoint) -> AnalysisSetup:
        return self._setup._replace(
            sizes=SizeLayer("command line", point.sizes),
            residency=point.residency,
            entry=COLD_ENTRY,
            cores=str(point.cores) if point.cores > 1 else self._setup.cores,
        )


def _lines(sources: Sequence[SourceFunction]) -> tuple[int, int]:
    spans = [source.span for source in sources]
    return min([s.line for s in spans], default=0), max([s.end_line for s in spans], default=0)


def _arrays(sources: Sequence[SourceFunction]) -> dict[str, Array]:
    return {array.name: array for source in sources for array in source.function.arrays}


def _refused(refusals: Sequence[Refusal], lines: tuple[int, int]) -> int:
    return sum(lines[0] <= refusal.line <= lines[1] for refusal in refusals)


class _CountedKernel(NamedTuple):
    """A kernel, and its iterations in a call or, of a nest, in a pass; None where unknown.

    ``share``: the part of the calls that reach it, of arms that exclude each other.
    """

    report: KernelReport
    iterations: float | None
    share: float = 1.0

    @property
    def executions(self) -> float | None:
        """Its iterations in the mean over calls."""
        return None if self.iterations is None else self.iterations * self.share


def _kernels(
    reports: Sequence[FunctionReport], function: str, lines: tuple[int, int] | None
) -> list[_CountedKernel]:
    nests = [nest for each in reports if each.name == function for nest in each.nests]
    return [
        _CountedKernel(kernel, _iterations(kernel, lines), _arm_share(kernel, lines))
        for nest in nests
        for kernel in nest.kernels
        if is_within(kernel.line, lines)
    ]


def _unconditional(source: SourceFunction) -> SourceFunction:
    return source._replace(function=without_choices(source.function))


def _sizes(kernels: Sequence[_CountedKernel]) -> dict[str, int]:
    sizes = [kernel.report.results[0].sizes.items() for kernel in kernels]
    return {name: size.value for each in sizes for name, size in each}


def _assumed(kernels: Sequence[_CountedKernel]) -> frozenset[str]:
    sizes = [kernel.report.results[0].sizes.items() for kernel in kernels]
    return frozenset(name for each in sizes for name, size in each if size.origin == "role")


def _most_iterations(
    kernels: Sequence[_CountedKernel], certain: Sequence[NestFacts]
) -> float | None:
    if not certain or not all(each.counts_the_same for each in certain):
        return None
    return max(filter(None, [each.iterations for each in kernels]), default=None)


def _iterations(kernel: KernelReport, lines: tuple[int, int] | None) -> float | None:
    """Loops around the nest repeat it, a pass each."""
    known = zip(kernel.loops, kernel.results[0].trips, strict=True)
    trips = [trip for loop, trip in known if is_within(loop.line, lines)]
    return None if None in trips else prod([trip for trip in trips if trip is not None])


def _arm_share(kernel: KernelReport, lines: tuple[int, int] | None) -> float:
    """A pass of a nest is one that runs, so that branches around it decide nothing."""
    known = zip(kernel.loops, kernel.results[0].arm_shares, strict=False)
    shares = [share for loop, share in known if is_within(loop.line, lines)]
    return prod(shares if lines is None else shares[1:])


def _calls(sources: Sequence[SourceFunction], nests: Sequence[NestFacts], whole: bool) -> bool:
    """Whether the ``whole`` function, or only the nests, call what may touch data."""
    if not whole:
        return any(each.facts.kernel.calls or each.facts.kernel.priced for each in nests)
    nodes = chain.from_iterable([walk(source.function.body) for source in sources])
    return any(isinstance(node, Call) and node.effects == "unknown" for node in nodes)


def _layers(result: MachineResult) -> Mapping[str, str]:
    return next((regime.resides for regime in result.reuse.regimes if regime.now), {})


def _traffic(kernels: Sequence[_CountedKernel]) -> tuple[LinkTraffic, ...]:
    counted = [
        (kernel.report.results[0].traffic, kernel.executions)
        for kernel in kernels
        if kernel.executions is not None
    ]
    if len(counted) < len(kernels):
        return ()
    totals: dict[str, LinkTraffic] = {}
    for traffic, iterations in counted:
        for link in traffic:
            totals[link.link] = _added(totals.get(link.link), link, iterations)
    return tuple(totals.values())


def _added(total: LinkTraffic | None, link: LinkTraffic, iterations: float) -> LinkTraffic:
    before = total or LinkTraffic(link.link, 0.0, write_allocate_bytes=0.0, evict_bytes=0.0)
    return LinkTraffic(
        link.link,
        before.load_bytes + iterations * link.load_bytes,
        write_allocate_bytes=before.write_allocate_bytes + iterations * link.write_allocate_bytes,
        evict_bytes=before.evict_bytes + iterations * link.evict_bytes,
    )


def _models(
    kernels: Sequence[_CountedKernel], machine: Machine, beside: bool
) -> tuple[ModelForecast, ...]:
    names = dict.fromkeys(p.model for each in kernels for p in each.report.results[0].predictions)
    models = [_model(name, kernels, machine) for name in names]
    return tuple([replace(each, is_part=True) for each in models] if beside else models)


def _model(name: str, kernels: Sequence[_CountedKernel], machine: Machine) -> ModelForecast:
    """All loops together; the limit is that of the loop that takes most cycles."""
    known = [each for each in (_loop(name, kernel) for kernel in kernels) if each is not None]
    if not known:
        return ModelForecast(model=name, cycles=None, bottleneck="", limit="other")
    complete = len(known) == len(kernels)
    answer = max(known, key=lambda each: each.cycles).prediction
    return ModelForecast(
        model=name,
        cycles=sum([each.cycles for each in known]) if complete else None,
        bottleneck=answer.bottleneck,
        limit=answer.limit,
        prices=_farthest(answer, machine),
        is_part=any(each.prediction.lower_bound for each in known),
        times=sum_of_times([each.times for each in known]) if complete else None,
    )


class _LoopForecast(NamedTuple):
    """The answer for one loop, and the iterations that a call makes of it."""

    prediction: Prediction
    cycles: float
    iterations: float

    @property
    def times(self) -> tuple[TimePlot | None, float]:
        plot = self.prediction.plot
        return (plot.times if plot is not None else None), self.iterations


def _loop(name: str, kernel: _CountedKernel) -> _LoopForecast | None:
    prediction, iterations = _of_model(name, kernel.report.results[0]), kernel.executions
    if prediction is None or prediction.cycles_per_iteration is None or iterations is None:
        return None
    return _LoopForecast(prediction, prediction.cycles_per_iteration * iterations, iterations)


def _of_model(name: str, result: MachineResult) -> Prediction | None:
    return next((each for each in result.predictions if each.model == name), None)


def _farthest(prediction: Prediction, machine: Machine) -> str:
    if prediction.bottleneck in machine.links:
        return machine.levels[machine.links.index(prediction.bottleneck)]
    return machine.levels[-1] if prediction.limit == "memory" else ""
