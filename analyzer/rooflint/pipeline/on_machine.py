"""One function on one machine: cores, sizes, traffic, what the models say, totals."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from rooflint.core import LazyPlan, PlanCache
from rooflint.facts import KernelFacts, function_work, never_holds
from rooflint.ir import Array, Function, SourceFunction
from rooflint.machine import Machine
from rooflint.memory import FunctionTraffic, Rates, ReuseCache, Traffic
from rooflint.pipeline.parts import (
    reuse_report,
    size_assumptions,
    size_values,
    vector_report,
)
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.cores import Cores, chosen_cores, default_cores
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.report import MachineResult, SizeValue, Totals
from rooflint.records import NamedTuple
from rooflint.registry import Answers, predict
from rooflint.scenario.sizes import SizeLayer, Sizes, resolve
from rooflint.scenario.values import NO_VALUES, FunctionScenario

OPEN: Final = frozenset(("default", "source default", "callers"))
"""Origins of sizes that may be others in another run."""


class NestSubject(NamedTuple):
    """A function with its kernels; ``given``: sizes set, in falling priority, before ``values``."""

    source: SourceFunction
    facts: tuple[KernelFacts, ...]
    given: tuple[SizeLayer, ...]
    threads: int | None
    values: FunctionScenario = NO_VALUES

    @property
    def function(self) -> Function:
        """As the analysis sees it, without places."""
        return self.source.function


class NestSizes(NamedTuple):
    """The sizes of a nest, the same in the words of the report, and what moves at them."""

    movement: FunctionTraffic
    values: Mapping[str, SizeValue]
    assumptions: tuple[str, ...]


class FunctionCaches(NamedTuple):
    """Caches shared by the analyses of one function on one machine, as it is and as changed."""

    reuses: ReuseCache
    plans: PlanCache


class OnMachine:
    """The analysis of a function on a machine; raises UsageError for cores it does not have."""

    def __init__(
        self,
        subject: NestSubject,
        setup: AnalysisSetup,
        machine: Machine,
        caches: FunctionCaches | None = None,
    ) -> None:
        self.subject = subject
        self.setup = setup
        self.machine = machine
        self.arrays: Mapping[str, Array] = {a.name: a for a in subject.function.arrays}
        self.chosen = chosen_cores(machine, setup.cores, subject.threads, setup.configured_cores)
        self.caches = caches or FunctionCaches(ReuseCache(), PlanCache())
        self._whole_movement: FunctionTraffic | None = None

    def cores(self, facts: KernelFacts) -> Cores:
        """How many cores a kernel runs on."""
        return self.chosen or default_cores(facts.kernel.regions, self.machine)

    def sizes(self, nest: Sequence[KernelFacts]) -> NestSizes:
        """One value per name for all kernels of ``nest``, whatever cores they run on.

        What the extents of arrays tell in one nest of the function holds in the others.
        """
        movement = self._whole()
        if len(nest) < len(self.subject.facts):
            by_name = movement.sizes.by_name
            told = {n: size.value for n, size in by_name.items() if size.origin == "source"}
            given = (*self.subject.given, SizeLayer("source", told))
            sizes = self._resolve(nest, given)
            if sizes.values.items() <= movement.sizes.values.items():
                # it finds in the caches what the nests before it left there
                return NestSizes(movement, size_values(sizes), size_assumptions(sizes))
            movement = self._movement(nest, sizes)
        sizes = movement.sizes
        return NestSizes(movement, size_values(sizes), size_assumptions(sizes))

    def context(self, facts: KernelFacts, used: NestSizes) -> Context:
        """The input of the models for one kernel."""
        setup, machine = self.setup, self.machine
        cores = self.cores(facts).number
        rates = setup.rates_of(machine, cores)
        position = used.movement.facts.index(facts)
        function = self.subject.function
        measure = None
        if setup.second is not None:
            measure = partial(setup.second, self.subject.source, facts, machine)
        return Context(
            function=function,
            facts=facts,
            traffic=self._traffic(used, position, rates),
            machine=machine,
            cores=cores,
            sizes=used.movement.sizes,
            rates=rates,
            core=LazyPlan(function, facts, machine, setup.compiler, measure, self.caches.plans),
            misses=partial(used.movement.kinds, position, rates),
        )

    def _traffic(self, used: NestSizes, position: int, rates: Rates) -> Traffic:
        """The traffic of a kernel: from memory, unless the machine has the level of the data."""
        traffic, levels = used.movement.traffic(position, rates), self.machine.levels
        if self.setup.residency not in levels:
            return traffic
        return traffic.resident(levels.index(self.setup.residency) + 1)

    def result(self, facts: KernelFacts, used: NestSizes) -> MachineResult:
        """Everything said of one kernel."""
        setup = self.setup
        context = self.context(facts, used)
        answers = _shown(predict(setup.models, context), setup)
        moved, core, rates = context.traffic, context.core, context.rates
        assert core is not None
        if self.subject.function.target != "host":
            return self._on_device(facts, used, context, answers)
        position = used.movement.facts.index(facts)
        stopped = never_holds(facts.kernel.guards, self.known(used.movement.sizes))
        trips = [0.0 for _ in moved.space.trips] if stopped else map(float, moved.space.trips)
        return MachineResult(
            machine=self.machine.name,
            cores=context.cores,
            cores_origin=self.cores(facts).origin,
            sizes=used.values,
            trips=tuple(trips),
            traffic=moved.links,
            predictions=answers.predictions,
            skipped=answers.skipped,
            assumptions=(
                *facts.kernel.assumptions,
                *self._guard_assumptions(facts, used.movement.sizes),
                *used.assumptions,
            ),
            doubtful=self.machine.doubtful,
            vector=vector_report(core),
            reuse=reuse_report(used.movement, position, rates, setup.layers),
            pattern=moved.pattern,
        )

    def _on_device(
        self, facts: KernelFacts, used: NestSizes, context: Context, answers: Answers
    ) -> MachineResult:
        return MachineResult(
            machine=self.machine.name,
            cores=context.cores,
            cores_origin=self.cores(facts).origin,
            sizes=used.values,
            trips=tuple(map(float, context.traffic.space.trips)),
            traffic=(),
            predictions=answers.predictions,
            skipped=answers.skipped,
            assumptions=(*facts.kernel.assumptions, *used.assumptions),
            doubtful=self.machine.doubtful,
        )

    def totals(self) -> Totals:
        """All iterations of everything, with one value per size for the whole function."""
        movement = self._whole()
        rates = self._rates(self.subject.facts)
        spaces = [space for space in movement.spaces() if space.ranges is not None]
        known = self.known(movement.sizes)
        work = function_work(self.subject.function, movement.sizes.values, spaces, known)
        running = [f for f in movement.facts if never_holds(f.kernel.guards, known) is None]
        if len(running) < len(movement.facts):
            movement = self._movement(running, movement.sizes)
        return Totals(
            machine=self.machine.name,
            cores=rates.cores,
            flops=None if work.inexact else round(work.flops),
            traffic=movement.totals(rates) if self.subject.function.target == "host" else (),
        )

    def known(self, sizes: Sizes) -> Mapping[str, int]:
        """The sizes that the source or a person decides: no other decides a condition."""
        set_ = {n: size.value for n, size in sizes.by_name.items() if size.origin not in OPEN}
        for layer in reversed(self.subject.given):
            set_.update({name: value for name, value in layer.sizes.items() if name not in set_})
        return set_

    def _guard_assumptions(self, facts: KernelFacts, sizes: Sizes) -> tuple[str, ...]:
        """Conditions around the loop that the sizes decide against it, or do not decide."""
        known, kernel = self.known(sizes), facts.kernel
        stopped = never_holds(kernel.guards, known)
        if stopped is not None:
            return (f"the loop never runs at these sizes: {stopped} is false",)
        indices = {loop.index for loop in kernel.loops}
        return tuple(
            [
                f"{guard} holds: a condition around the loop that no known size decides"
                for guard in kernel.guards
                if guard.verdict(known) is None and guard.names.isdisjoint(indices)
            ]
        )

    def _whole(self) -> FunctionTraffic:
        if self._whole_movement is None:
            facts = self.subject.facts
            self._whole_movement = self._movement(facts, self._resolve(facts, self.subject.given))
        return self._whole_movement

    def _movement(self, facts: Sequence[KernelFacts], sizes: Sizes) -> FunctionTraffic:
        return FunctionTraffic(
            facts, self.arrays, sizes, self.machine.line_bytes, self.caches.reuses
        )

    def _resolve(self, facts: Sequence[KernelFacts], given: Sequence[SizeLayer]) -> Sizes:
        held = self._rates(facts).held_bytes
        capacity = held[-1] if held else 0
        line_bytes, values = self.machine.line_bytes, self.subject.values
        return resolve(facts, self.arrays, given, capacity, line_bytes, values)

    def _rates(self, facts: Iterable[KernelFacts]) -> Rates:
        cores = max([self.cores(each).number for each in facts])
        return self.setup.rates_of(self.machine, cores)


def _shown(answers: Answers, setup: AnalysisSetup) -> Answers:
    """Without the models that run only because others need them."""
    if len(setup.shown) == len(setup.models):
        return answers
    return Answers(
        tuple([p for p in answers.predictions if p.model in setup.shown]),
        tuple([s for s in answers.skipped if s.model in setup.shown or s.failed]),
    )
