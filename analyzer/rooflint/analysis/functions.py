"""One function of one file, from the IR to its report: kernels, nests, totals."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from rooflint.analysis.bench import Bench
from rooflint.analysis.on_machine import NestSizes, OnMachine, Subject
from rooflint.analysis.parts import line_of, loop_header, not_covered, work_report
from rooflint.comments import Scope
from rooflint.facts import KernelFacts, facts_of, plain
from rooflint.ir import Loop, SourceFunction
from rooflint.report import FunctionReport, KernelReport, LoopHeader, NestReport
from rooflint.sizes import Given


class FunctionAnalysis:
    """The analysis of one function; raises UsageError for cores that a machine does not have."""

    def __init__(self, source: SourceFunction, scope: Scope, bench: Bench) -> None:
        self.source = source
        self.bench = bench
        self.scope = scope
        self.facts = facts_of(source.function)
        self._headers: dict[int, LoopHeader] = {}

    @property
    def names(self) -> frozenset[str]:
        """What a size or a trip count can be set for: size parameters and loop indices."""
        names: set[str] = set()
        for facts in self.facts:
            names.update(facts.names)
            names.update([name for name, _ in facts.run_time])
            names.update([loop.index for loop in facts.kernel.loops])
        return frozenset(names)

    def report(
        self, kernel_id: Callable[[str], str], is_off: Callable[[int], bool] | None
    ) -> FunctionReport | None:
        """Every kernel on every machine, and the function's totals; None without kernels.

        ``kernel_id`` makes a kernel's name unique; ``is_off`` says which lines to leave out, None
        for none.
        """
        shown = [(nest, self._kept(nest, is_off)) for nest in _nests(self.facts)]
        shown = [(nest, kept) for nest, kept in shown if kept]
        if not shown:
            return None
        function, span = self.source.function, self.source.span
        comment = Given("comment", self.scope.sizes, self.scope.trips)
        given = (self.bench.sizes, comment, self.bench.configured)
        subject = Subject(self.source, self.facts, given, self.scope.threads)
        machines = [OnMachine(subject, self.bench, machine) for machine in self.bench.machines]
        nests = [self._nest(kernel_id, nest, kept, machines) for nest, kept in shown]
        return FunctionReport(
            name=function.name,
            line=span.line,
            column=span.column,
            nests=tuple(nests),
            totals=tuple([machine.totals() for machine in machines]),
            assumptions=(
                *map(plain, function.assumptions),
                *[f"{', '.join(n)} do not overlap (comment)" for n in self.scope.noalias],
            ),
        )

    def _kept(
        self, nest: list[KernelFacts], is_off: Callable[[int], bool] | None
    ) -> list[KernelFacts]:
        if is_off is None:
            return nest
        spans = self.source.spans
        return [facts for facts in nest if not is_off(line_of(facts.kernel.origin, spans))]

    def _nest(
        self,
        kernel_id: Callable[[str], str],
        nest: Sequence[KernelFacts],
        shown: Iterable[KernelFacts],
        machines: Sequence[OnMachine],
    ) -> NestReport:
        sizes = [(machine, machine.sizes(nest)) for machine in machines]
        outermost = nest[0].kernel.loops[0].origin
        spans = self.source.spans
        span = spans[outermost] if 0 <= outermost < len(spans) else self.source.span
        kernels = [self._kernel(kernel_id(facts.kernel.id), facts, sizes) for facts in shown]
        return NestReport(span.line, span.end_line, tuple(kernels))

    def _kernel(
        self, name: str, facts: KernelFacts, sizes: Iterable[tuple[OnMachine, NestSizes]]
    ) -> KernelReport:
        kernel, spans = facts.kernel, self.source.spans
        place = spans[kernel.origin] if 0 <= kernel.origin < len(spans) else self.source.span
        return KernelReport(
            name,
            place.line,
            place.column,
            kernel.innermost,
            tuple([self._header(loop) for loop in kernel.loops]),
            work_report(facts.work),
            not_covered(facts.not_covered, spans) if facts.not_covered else (),
            tuple([machine.result(facts, used) for machine, used in sizes]),
        )

    def _header(self, loop: Loop) -> LoopHeader:
        """One header for all kernels inside ``loop``."""
        header = self._headers.get(id(loop))
        if header is None:
            header = self._headers[id(loop)] = loop_header(loop, self.source.spans)
        return header


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
