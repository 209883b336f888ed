"""Predictions of a function at the point where it is measured, by the pipeline of ``analyze``.

The file is read once. Each point is then analysed with its sizes, its cores and the level that
held the data, so that nothing but the measurement differs from what ``analyze`` would say.
"""

from collections.abc import Mapping, Sequence
from math import prod

from msgspec import Struct

from rooflint.core import Compiler
from rooflint.errors import UsageError
from rooflint.facts import KernelFacts, NestFootprint, facts_of
from rooflint.ir import Array, Refusal, SourceFunction
from rooflint.machine import Machine
from rooflint.pipeline import Options, unit_of
from rooflint.pipeline.files import analyse_unit
from rooflint.pipeline.setup.flags import ConfiguredFlags
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.prediction import LimitKind, Prediction
from rooflint.plugin_api.report import FunctionReport, KernelReport, MachineResult
from rooflint.registry import Registry
from rooflint.scenario.sizes import SizeLayer


class ModelForecast(Struct, frozen=True, kw_only=True):
    """One model on all loops of the function.

    cycles    per call; None where it has no answer for some loop, or a trip count is unknown
    limit     of the loop that takes most of them: ``bottleneck`` and its kind
    prices    the farthest level whose link it charges there; empty where none limits
    """

    model: str
    cycles: float | None
    bottleneck: str
    limit: LimitKind
    prices: str = ""


class Forecast(Struct, frozen=True, kw_only=True):
    """A function at a point, before it runs.

    iterations      of the loop that runs most often, per call; None where a count is unknown
    expected_bytes  that a call touches; None where some access is not known in closed form
    refused         loops of the function that are not analysed
    sizes           every size that the analysis used; ``assumed`` are those nobody told it
    regimes         of each loop, the number of the range of sizes in which layers stay where they
                    are; a neighbouring size in another range lies behind a layer condition
    """

    machine: str
    levels: tuple[str, ...]
    residency: str
    iterations: float | None
    expected_bytes: float | None
    arrays: int
    refused: int
    sizes: Mapping[str, int]
    assumed: frozenset[str]
    regimes: tuple[int, ...]
    models: tuple[ModelForecast, ...]


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
        self.compiler: Compiler = resolver.compiler(path, flags.code)
        self._setup = resolver.setup_for(path)._replace(compiler=self.compiler)
        if len(self._setup.machines) != 1:
            named = ", ".join([machine.name for machine in self._setup.machines])
            raise UsageError(f"measure: expected one --machine to compare with, got {named}")

    @property
    def machine(self) -> Machine:
        """Whose models predict."""
        return self._setup.machines[0]

    def functions(self) -> tuple[SourceFunction, ...]:
        """The functions of the file that have loops."""
        return self.unit.functions

    def at(self, function: str, point: ForecastPoint) -> Forecast:
        """The forecast of a function; one without models where it has no loop analysed."""
        known = point.residency in self.machine.levels
        setup = self._setup._replace(
            sizes=SizeLayer("command line", point.sizes),
            residency=point.residency,
            cores=str(point.cores) if point.cores > 1 else self._setup.cores,
        )
        sources = [each for each in self.unit.functions if each.function.name == function]
        unit = self.unit._replace(functions=tuple(sources))
        report = analyse_unit(self.path, unit, setup).report
        reports = [each for each in report.functions if each.name == function]
        kernels = _kernels(reports, point.lines)
        used = _sizes(kernels)
        arrays = _arrays(sources)
        return Forecast(
            machine=self.machine.name,
            levels=self.machine.levels,
            residency=point.residency if known else "",
            iterations=max(filter(None, map(_iterations, kernels)), default=None),
            expected_bytes=_expected_bytes(
                _facts(sources, point.lines), arrays, used, self.machine
            ),
            arrays=len(arrays),
            refused=_refused(report.refusals, point.lines or _lines(sources)),
            sizes=used,
            assumed=_assumed(kernels),
            regimes=tuple([_regime(kernel.results[0]) for kernel in kernels]),
            models=_models(kernels, self.machine),
        )


def _lines(sources: Sequence[SourceFunction]) -> tuple[int, int]:
    spans = [source.span for source in sources]
    return min([s.line for s in spans], default=0), max([s.end_line for s in spans], default=0)


def _arrays(sources: Sequence[SourceFunction]) -> dict[str, Array]:
    return {array.name: array for source in sources for array in source.function.arrays}


def _refused(refusals: Sequence[Refusal], lines: tuple[int, int]) -> int:
    return sum(lines[0] <= refusal.line <= lines[1] for refusal in refusals)


def _kernels(
    reports: Sequence[FunctionReport], lines: tuple[int, int] | None
) -> list[KernelReport]:
    kernels = [kernel for report in reports for nest in report.nests for kernel in nest.kernels]
    if lines is None:
        return kernels
    return [kernel for kernel in kernels if lines[0] <= kernel.line <= lines[1]]


def _facts(sources: Sequence[SourceFunction], lines: tuple[int, int] | None) -> list[KernelFacts]:
    found = []
    for source in sources:
        for facts in facts_of(source.function):
            origin = facts.kernel.origin
            line = source.spans[origin].line if 0 <= origin < len(source.spans) else 0
            if lines is None or lines[0] <= line <= lines[1]:
                found.append(facts)
    return found


def _sizes(kernels: Sequence[KernelReport]) -> dict[str, int]:
    sizes = [kernel.results[0].sizes.items() for kernel in kernels]
    return {name: size.value for each in sizes for name, size in each}


def _assumed(kernels: Sequence[KernelReport]) -> frozenset[str]:
    sizes = [kernel.results[0].sizes.items() for kernel in kernels]
    return frozenset(name for each in sizes for name, size in each if size.origin == "default")


def _iterations(kernel: KernelReport) -> float | None:
    trips = kernel.results[0].trips
    return None if None in trips else prod([trip for trip in trips if trip is not None])


def _expected_bytes(
    facts: Sequence[KernelFacts],
    arrays: Mapping[str, Array],
    sizes: Mapping[str, int],
    machine: Machine,
) -> float | None:
    """Of all lines touched; None where an access is not known, or a size is missing."""
    if not facts or not all(_is_closed(each, sizes) for each in facts):
        return None
    return NestFootprint(facts, arrays, machine.line_bytes).bytes_at(sizes)


def _is_closed(facts: KernelFacts, sizes: Mapping[str, int]) -> bool:
    """Whether every access of a kernel follows from the sizes."""
    if facts.not_covered or not set(facts.names) <= set(sizes):
        return False
    return not any(s.pattern == "gather" or None in s.strides for s in facts.streams)


def _regime(result: MachineResult) -> int:
    regimes = result.reuse.regimes
    return next((number for number, regime in enumerate(regimes) if regime.now), -1)


def _models(kernels: Sequence[KernelReport], machine: Machine) -> tuple[ModelForecast, ...]:
    names = dict.fromkeys(p.model for kernel in kernels for p in kernel.results[0].predictions)
    return tuple([_model(name, kernels, machine) for name in names])


def _model(name: str, kernels: Sequence[KernelReport], machine: Machine) -> ModelForecast:
    total, largest, heaviest = 0.0, -1.0, None
    complete = True
    for kernel in kernels:
        prediction = _of_model(name, kernel.results[0])
        iterations = _iterations(kernel)
        if prediction is None or prediction.cycles_per_iteration is None or iterations is None:
            complete = False
            continue
        cycles = prediction.cycles_per_iteration * iterations
        total += cycles
        if cycles > largest:
            largest, heaviest = cycles, prediction
    return ModelForecast(
        model=name,
        cycles=total if complete else None,
        bottleneck=heaviest.bottleneck if heaviest is not None else "",
        limit=heaviest.limit if heaviest is not None else "other",
        prices=_farthest(heaviest, machine) if heaviest is not None else "",
    )


def _of_model(name: str, result: MachineResult) -> Prediction | None:
    return next((each for each in result.predictions if each.model == name), None)


def _farthest(prediction: Prediction, machine: Machine) -> str:
    if prediction.bottleneck in machine.links:
        return machine.levels[machine.links.index(prediction.bottleneck)]
    return machine.levels[-1] if prediction.limit == "memory" else ""
