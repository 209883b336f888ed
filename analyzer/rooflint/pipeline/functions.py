"""One function of one file, from the IR to its report: kernels, nests, totals."""

import math
from collections.abc import Iterable, Iterator, Sequence, Set

from rooflint.config.comments import Scope
from rooflint.facts import KernelFacts, facts_of
from rooflint.incremental.function_outcomes import (
    NO_COUNTS,
    FunctionCounts,
    FunctionOutcome,
)
from rooflint.ir import Loop, SourceFunction
from rooflint.pipeline.on_machine import NestSizes, NestSubject, OnMachine
from rooflint.pipeline.parts import line_of, loop_header, not_covered, stream_report, work_report
from rooflint.pipeline.relocation import anonymise_lines
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.trials import BISECTIONS, FunctionRuns, LimiterTrials
from rooflint.plugin_api.report import (
    COUNTS,
    COUNTS_AND_SIZES,
    FunctionReport,
    KernelReport,
    LimiterReport,
    LoopHeader,
    LoopWeight,
    MachineResult,
    NestReport,
)
from rooflint.scenario.sizes import SizeLayer, in_function
from rooflint.scenario.values import NO_VALUES, FunctionScenario

PINNED = "comparison"
"""Where sizes come from that make two versions of a function do the same work."""


class FunctionAnalysis:
    """The analysis of one function; raises UsageError for cores that a machine does not have.

    Its report has numbers of nodes for lines, as ``relocation`` explains.
    """

    def __init__(
        self,
        source: SourceFunction,
        scope: Scope,
        setup: AnalysisSetup,
        counts: FunctionCounts = NO_COUNTS,
        values: FunctionScenario = NO_VALUES,
    ) -> None:
        self.source = source
        self.counts = counts
        self.values = values
        self.setup = setup
        self.scope = scope
        self.facts = facts_of(source.function)
        self._places = anonymise_lines(len(source.spans))
        self._headers: list[tuple[Loop, LoopHeader]] = []

    def outcome(self, off: Set[int] = frozenset()) -> FunctionOutcome:
        """Everything there is to say; ``off`` are nodes whose kernels are left out."""
        return FunctionOutcome(self.report(off), self.names)

    @property
    def names(self) -> frozenset[str]:
        """Names that take a size or a trip count: size parameters and loop indices."""
        return frozenset().union(*[facts.settable for facts in self.facts])

    def report(self, off: Set[int]) -> FunctionReport | None:
        """Every kernel on every machine, and the function's totals; None without kernels."""
        shown = [(nest, self._kept(nest, off)) for nest in _nests(self.facts)]
        shown = [(nest, kept) for nest, kept in shown if kept]
        if not shown:
            return None
        machines = self._machines()
        runs = list(map(FunctionRuns, machines))
        nests = [self._nest(nest, kept, runs) for nest, kept in shown]
        function = self.source.function
        return FunctionReport(
            name=function.name,
            line=0,
            column=0,
            nests=tuple(nests),
            totals=tuple([machine.totals() for machine in machines]),
            assumptions=(
                *function.assumptions,
                *[f"{', '.join(n)} do not overlap (comment)" for n in self.scope.noalias],
            ),
            weight=self._function_weight(),
        )

    def limiters(
        self, origins: Set[int], bisections: int = BISECTIONS
    ) -> Iterator[tuple[int, tuple[LimiterReport | None, ...]]]:
        """The limiters of the kernels of these nodes on each machine, at other guessed sizes."""
        machines: list[FunctionRuns] = []
        for nest in _nests(self.facts):
            chosen = [facts for facts in nest if facts.kernel.origin in origins]
            if not chosen:
                continue
            machines = machines or list(map(FunctionRuns, self._machines()))
            trials = [LimiterTrials(each, nest) for each in machines]
            for facts in chosen:
                reports = [each.report(facts, bisections=bisections) for each in trials]
                yield facts.kernel.origin, tuple(reports)

    def _machines(self) -> list[OnMachine]:
        """The function on each machine."""
        function = self.source.function
        comment = SizeLayer("comment", self.scope.sizes, self.scope.trips)
        pinned = SizeLayer(PINNED, self.setup.pinned.get(function.name, {}))
        counts = SizeLayer(COUNTS, {}, loops=self.counts.loops)
        own = in_function(self.setup.sizes, function.name)
        configured = in_function(self.setup.configured, function.name)
        given = (own, pinned, comment, configured, counts)
        subject = NestSubject(
            source=self.source,
            facts=self.facts,
            given=given,
            threads=self.scope.threads,
            values=self.values,
        )
        return [OnMachine(subject, self.setup, machine) for machine in self.setup.machines]

    def _function_weight(self) -> LoopWeight | None:
        calls = self.counts.calls
        return None if calls is None else LoopWeight(executions=calls, origin=COUNTS)

    @staticmethod
    def _kept(nest: list[KernelFacts], off: Set[int]) -> list[KernelFacts]:
        return [facts for facts in nest if facts.kernel.origin not in off] if off else nest

    def _nest(
        self,
        nest: Sequence[KernelFacts],
        shown: Iterable[KernelFacts],
        runs: Sequence[FunctionRuns],
    ) -> NestReport:
        sizes = [(LimiterTrials(each, nest), each.on.sizes(nest)) for each in runs]
        number = self._number(nest[0].kernel.loops[0].origin)
        return NestReport(number, number, tuple([self._kernel(facts, sizes) for facts in shown]))

    def _kernel(
        self, facts: KernelFacts, sizes: Iterable[tuple[LimiterTrials, NestSizes]]
    ) -> KernelReport:
        kernel = facts.kernel
        number = self._number(kernel.origin)
        results = tuple([_result(trials, facts, used) for trials, used in sizes])
        return KernelReport(
            id=kernel.id,
            line=number,
            column=number,
            innermost=kernel.innermost,
            loops=self._loop_headers(kernel.loops),
            work=work_report(facts.work),
            not_covered=not_covered(facts.not_covered, self._places) if facts.not_covered else (),
            results=results,
            streams=tuple(map(stream_report, facts.streams)),
            weight=self._kernel_weight(kernel.loops, results),
        )

    def _kernel_weight(
        self, loops: Sequence[Loop], results: Sequence[MachineResult]
    ) -> LoopWeight | None:
        if self.counts == NO_COUNTS or not results:
            return None
        return kernel_weight(loops, self.counts, results[0].trips)

    def _number(self, origin: int) -> int:
        """The number that stands for a node's line; 0 when the front end gave it no place."""
        return line_of(origin, self._places)

    def _loop_headers(self, loops: Sequence[Loop]) -> tuple[LoopHeader, ...]:
        """Those of the loops around a kernel; of those around the kernel before it, the same."""
        shared = 0
        for (loop, _), other in zip(self._headers, loops, strict=False):
            if loop is not other:
                break
            shared += 1
        del self._headers[shared:]
        self._headers += [(loop, loop_header(loop, self._places)) for loop in loops[shared:]]
        return tuple([header for _, header in self._headers])


def _result(trials: LimiterTrials, facts: KernelFacts, used: NestSizes) -> MachineResult:
    found = trials.on.result(facts, used)
    if not trials.on.setup.limiters:
        return found
    predictions = (*found.predictions, *found.estimates)
    return found._replace(limiter=trials.report(facts, used, predictions))


def kernel_weight(
    loops: Sequence[Loop], counts: FunctionCounts, trips: Sequence[float | None]
) -> LoopWeight | None:
    """The weight of the last of ``loops``; None where nothing around it is counted.

    A loop without counts runs as often as the counted one around it, times the trips between them.
    """
    by_origin = {each.origin: each for each in counts.loops if not each.inlined}
    for depth in range(len(loops) - 1, -1, -1):
        counted = by_origin.get(loops[depth].origin)
        if counted is not None and depth == len(loops) - 1:
            return LoopWeight(
                executions=counted.executions, iterations=counted.iterations, origin=COUNTS
            )
        if counted is not None:
            return _derived(counted.iterations, trips[depth + 1 :])
    return None if counts.calls is None else _derived(counts.calls, trips)


def _derived(begun: float, trips: Sequence[float | None]) -> LoopWeight:
    known = [1.0 if each is None else each for each in trips]
    executions = begun * math.prod(known[:-1])
    return LoopWeight(
        executions=executions, iterations=executions * known[-1], origin=COUNTS_AND_SIZES
    )


def _nests(facts: Iterable[KernelFacts]) -> Iterator[list[KernelFacts]]:
    group: list[KernelFacts] = []
    for kernel in facts:
        if group and kernel.kernel.loops[0] is not group[0].kernel.loops[0]:
            yield group
            group = []
        group.append(kernel)
    if group:
        yield group
