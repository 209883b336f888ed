"""One function of one file, from the IR to its report: facts, sizes, traffic, models."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rooflint.analysis.cores import Cores, chosen_cores, default_cores
from rooflint.analysis.parts import (
    line_of,
    link_traffic,
    loop_header,
    not_covered,
    size_assumptions,
    size_values,
    work_report,
)
from rooflint.comments import Scope
from rooflint.facts import KernelFacts, facts_of, function_work
from rooflint.hookspecs import Context, Model
from rooflint.ir import Array, SourceFunction
from rooflint.machine import Machine
from rooflint.memory import Rates, capacity_bytes, function_lines, traffic
from rooflint.registry import predict
from rooflint.report import (
    FunctionReport,
    KernelReport,
    MachineResult,
    NestReport,
    TotalLines,
    Totals,
)
from rooflint.sizes import Given, Sizes, resolve


class Bench(NamedTuple):
    """What all functions of a file are measured with.

    models       to ask, in order; ``shown`` are those whose answers are reported
    sizes        set on the command line; ``configured`` by the configuration
    rates        peaks and bandwidths by machine and cores, filled as they are needed
    """

    machines: tuple[Machine, ...]
    models: tuple[Model, ...]
    shown: frozenset[str]
    sizes: Given
    configured: Given
    cores: str | None
    configured_cores: str | None
    rates: dict[tuple[str, int], Rates]

    def rates_of(self, machine: Machine, cores: int) -> Rates:
        """The rates of ``machine`` with ``cores`` active."""
        key = (machine.file, cores)
        if key not in self.rates:
            self.rates[key] = Rates(machine, cores)
        return self.rates[key]


class FunctionAnalysis:
    """The analysis of one function; raises UsageError for cores that a machine does not have."""

    def __init__(self, source: SourceFunction, scope: Scope, bench: Bench) -> None:
        self.source = source
        self.bench = bench
        self.scope = scope
        self.facts = facts_of(source.function)
        self.arrays: Mapping[str, Array] = {a.name: a for a in source.function.arrays}
        comment = Given("comment", scope.sizes, scope.trips)
        self.given = (bench.sizes, comment, bench.configured)
        self._whole_sizes: dict[str, Sizes] = {}

    @property
    def names(self) -> frozenset[str]:
        """What a size or a trip count can be set for: size parameters and loop indices."""
        sizes = {name for facts in self.facts for name in facts.names}
        sizes |= {name for facts in self.facts for name, _ in facts.run_time}
        return frozenset(sizes | {loop.index for f in self.facts for loop in f.kernel.loops})

    def report(
        self, kernel_id: Callable[[str], str], is_off: Callable[[int], bool]
    ) -> FunctionReport | None:
        """Every kernel on every machine, and the function's totals; None without kernels.

        ``kernel_id`` makes a kernel's name unique; ``is_off`` says which lines to leave out.
        """
        nests = []
        for nest in _nests(self.facts):
            shown = [f for f in nest if not is_off(line_of(f.kernel.origin, self.source.spans))]
            if shown:
                nests.append(self._nest(kernel_id, nest, shown))
        if not nests:
            return None
        function, span = self.source.function, self.source.span
        disjoint = (f"{', '.join(n)} do not overlap (comment)" for n in self.scope.noalias)
        return FunctionReport(
            name=function.name,
            line=span.line,
            column=span.column,
            nests=tuple(nests),
            totals=tuple(self._totals(machine) for machine in self.bench.machines),
            assumptions=(*function.assumptions, *disjoint),
        )

    def cores(self, facts: KernelFacts, machine: Machine) -> Cores:
        """How many cores a kernel runs on."""
        chosen = chosen_cores(
            machine, self.bench.cores, self.scope.threads, self.bench.configured_cores
        )
        return chosen or default_cores(facts.kernel.regions, machine)

    def _sizes(self, nest: Sequence[KernelFacts], machine: Machine) -> Sizes:
        """One value per name for all kernels of ``nest``, whatever cores they run on.

        What the extents of arrays tell in one nest of the function holds in the others.
        """
        whole = self._whole(machine)
        if len(nest) == len(self.facts):
            return whole
        told = {name: s.value for name, s in whole.by_name.items() if s.origin == "source"}
        return self._resolve(nest, machine, (*self.given, Given("source", told)))

    def _whole(self, machine: Machine) -> Sizes:
        """One value per name for the whole function."""
        found = self._whole_sizes.get(machine.name)
        if found is None:
            found = self._resolve(self.facts, machine, self.given)
            self._whole_sizes[machine.name] = found
        return found

    def _resolve(
        self, facts: Sequence[KernelFacts], machine: Machine, given: Sequence[Given]
    ) -> Sizes:
        cores = max(self.cores(each, machine).number for each in facts)
        capacity = capacity_bytes(machine, cores)
        return resolve(facts, self.arrays, given, capacity, machine.line_bytes)

    def _nest(
        self,
        kernel_id: Callable[[str], str],
        nest: Sequence[KernelFacts],
        shown: Sequence[KernelFacts],
    ) -> NestReport:
        sizes = {machine.name: self._sizes(nest, machine) for machine in self.bench.machines}
        outermost = nest[0].kernel.loops[0].origin
        spans = self.source.spans
        span = spans[outermost] if 0 <= outermost < len(spans) else self.source.span
        kernels = tuple(self._kernel(kernel_id(facts.kernel.id), facts, sizes) for facts in shown)
        return NestReport(span.line, span.end_line, kernels)

    def _kernel(self, name: str, facts: KernelFacts, sizes: Mapping[str, Sizes]) -> KernelReport:
        kernel, spans = facts.kernel, self.source.spans
        place = spans[kernel.origin] if 0 <= kernel.origin < len(spans) else self.source.span
        return KernelReport(
            id=name,
            line=place.line,
            column=place.column,
            innermost=kernel.innermost,
            loops=tuple(loop_header(loop, spans) for loop in kernel.loops),
            work=work_report(facts.work),
            not_covered=not_covered(facts.not_covered, spans),
            results=tuple(self._result(facts, m, sizes[m.name]) for m in self.bench.machines),
        )

    def _result(self, facts: KernelFacts, machine: Machine, sizes: Sizes) -> MachineResult:
        bench = self.bench
        cores = self.cores(facts, machine)
        rates = bench.rates_of(machine, cores.number)
        moved = traffic(facts, self.arrays, sizes, rates)
        context = Context(self.source.function, facts, moved, machine, cores.number, sizes, rates)
        answers = predict(bench.models, context)
        return MachineResult(
            machine=machine.name,
            cores=cores.number,
            cores_origin=cores.origin,
            sizes=size_values(sizes),
            trips=tuple(float(trip) for trip in moved.space.trips),
            traffic=link_traffic(moved.links),
            predictions=tuple(p for p in answers.predictions if p.model in bench.shown),
            skipped=tuple(s for s in answers.skipped if s.model in bench.shown or s.failed),
            assumptions=(*facts.kernel.assumptions, *size_assumptions(sizes)),
        )

    def _totals(self, machine: Machine) -> Totals:
        """All iterations of everything, with one value per size for the whole function."""
        sizes = self._whole(machine)
        cores = max(self.cores(facts, machine).number for facts in self.facts)
        rates = self.bench.rates_of(machine, cores)
        moved = [traffic(facts, self.arrays, sizes, rates) for facts in self.facts]
        work = function_work(self.source.function, sizes.values)
        return Totals(
            machine=machine.name,
            cores=cores,
            flops=None if work.inexact else round(work.flops),
            traffic=tuple(
                TotalLines(lines.link, lines.load, lines.write_allocate, lines.evict)
                for lines in function_lines(moved, machine, rates.write_allocate)
            ),
        )


def _nests(facts: Iterable[KernelFacts]) -> Iterator[list[KernelFacts]]:
    """Kernels by their outermost loop, in program order."""
    group: list[KernelFacts] = []
    for kernel in facts:
        if group and kernel.kernel.loops[0] is not group[0].kernel.loops[0]:
            yield group
            group = []
        group.append(kernel)
    if group:
        yield group
