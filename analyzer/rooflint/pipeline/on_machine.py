"""One function on one machine: cores, sizes, traffic, what the models say, totals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from math import isclose, prod
from typing import Final

from rooflint.core import Compiler, LazyPlan, as_compiled, kernels_beside
from rooflint.facts import KernelFacts, function_work, never_holds, trip_name
from rooflint.ir import Array, Function, Loop, SourceFunction
from rooflint.machine import Machine
from rooflint.memory import FunctionTraffic, Rates, Traffic
from rooflint.memory.engine import HINT_BUDGET
from rooflint.pipeline.parts import (
    mean_trips,
    reuse_report,
    rounding_words,
    size_assumptions,
    size_values,
    source_trips,
    vector_report,
)
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.caches import FunctionCaches, no_caches
from rooflint.pipeline.setup.cores import Cores, chosen_cores, default_cores, team_of_calls
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import EntryPrediction, EntryReport, MachineResult, Totals
from rooflint.records import NamedTuple
from rooflint.registry import Answers, predict
from rooflint.scenario import COLD_ENTRY, CacheEntry, EntryState, entry_of
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import Size, SizeLayer, Sizes
from rooflint.scenario.values import NO_VALUES, CountedLoop, FunctionScenario

_SET: Final = frozenset(("command line", "comparison", "comment", "configuration"))
"""Origins of sizes that people, and no run, give a loop."""

ALIKE: Final = 0.01
"""Predictions nearer to each other print as the same two or three digits."""
OPEN: Final = frozenset(("role", "source default", "callers"))
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
    """The sizes of a nest, and what moves at them."""

    movement: FunctionTraffic
    sizes: Mapping[str, Size]


class OtherRun(NamedTuple):
    """How a run may differ from the one assumed; None: as there.

    sizes  instead of those that are guessed, before all others
    """

    sizes: Mapping[str, int] = {}
    entry: CacheEntry | None = None
    compiler: Compiler | None = None


class OnMachine:
    """The analysis of a function on a machine; raises UsageError for cores it does not have."""

    def __init__(
        self,
        subject: NestSubject,
        setup: AnalysisSetup,
        machine: Machine,
        caches: FunctionCaches | None = None,
        between_bytes: float = 0.0,
    ) -> None:
        """``between_bytes`` are touched elsewhere from one call of the function to the next."""
        self.subject = subject
        self.setup = setup
        self.machine = machine
        self.arrays: Mapping[str, Array] = {a.name: a for a in subject.function.arrays}
        self.chosen = chosen_cores(machine, setup.cores, subject.threads, setup.configured_cores)
        self.caches = caches or no_caches()
        compiled = as_compiled(subject.function, subject.facts, setup.compiler)
        self._compiled = {each.kernel.id: each for each in compiled}
        self._whole_movement: FunctionTraffic | None = None
        self._sizes: dict[tuple[str, ...], NestSizes] = {}
        self.entry = self._entry()._replace(between_bytes=between_bytes)

    def in_run(self, other: OtherRun) -> "OnMachine":
        """The same function in another run; plans and analyses of reuse are shared."""
        subject, setup = self.subject, self.setup
        if other.sizes:
            given = (SizeLayer("role", other.sizes), *subject.given)
            subject = subject._replace(given=given)
            setup = setup._replace(budget=min(setup.budget, HINT_BUDGET))
        setup = setup._replace(
            entry=other.entry or setup.entry, compiler=other.compiler or setup.compiler
        )
        between_bytes = self.entry.between_bytes
        return OnMachine(subject, setup, self.machine, self.caches, between_bytes)

    def under(self, setup: AnalysisSetup, machine: Machine) -> "OnMachine":
        """The same run under another compiler, with other cores or pages: where the loops stay as
        they are compiled here, the same lines move, and they are counted once."""
        other = OnMachine(self.subject, setup, machine, self.caches, self.entry.between_bytes)
        if other._compiled == self._compiled:
            other._whole_movement, other._sizes = self._whole(), self._sizes
        return other

    def _entry(self) -> CacheEntry:
        if self.setup.residency:
            # the level holds what it is said to hold, and nearer ones nothing
            return COLD_ENTRY
        return entry_of(self.subject.function.name, self.setup.entry)

    def cores(self, facts: KernelFacts) -> Cores:
        """How many cores a kernel runs on."""
        in_team, openmp = self.subject.values.in_team, self.setup.compiler.openmp
        return self.chosen or default_cores(
            facts.kernel.regions, self.machine, in_team=in_team, openmp=openmp
        )

    def sizes(self, nest: Sequence[KernelFacts]) -> NestSizes:
        """One value per name for all kernels of ``nest``, whatever cores they run on.

        A name has the same value in all nests of the function.
        """
        key = tuple([facts.kernel.id for facts in nest])
        found = self._sizes.get(key)
        if found is None:
            found = self._sizes[key] = self._sizes_of(nest)
        return found

    def _sizes_of(self, nest: Sequence[KernelFacts]) -> NestSizes:
        movement = self._whole()
        if len(nest) < len(self.subject.facts):
            sizes = self._own_sizes(nest)
            if sizes.values.items() <= movement.sizes.values.items():
                # it finds in the caches what the nests before it left there
                return NestSizes(movement, sizes.by_name)
            movement = self._movement(nest, sizes)
        return NestSizes(movement, movement.sizes.by_name)

    def _own_sizes(self, nest: Sequence[KernelFacts]) -> Sizes:
        """Those of the function, but for trip counts that a run has counted: each loop has its own.

        Only a count of one loop, which is no size, differs from nest to nest.
        """
        whole = self._whole().sizes.by_name
        counted = dict(chain.from_iterable([facts.run_time for facts in nest]))
        own = dict.fromkeys([*chain.from_iterable([facts.names for facts in nest]), *counted])
        by_name = {name: whole[name] for name in own}
        if counted and any(layer.loops for layer in self.subject.given):
            again = resolve(nest, self.subject.function, self.subject.given, self.subject.values)
            by_name.update({name: again.by_name[name] for name in counted})
        return Sizes(by_name, {name: size.value for name, size in by_name.items()})

    def context(self, facts: KernelFacts, used: NestSizes) -> Context:
        """The input of the models for one kernel."""
        setup, machine = self.setup, self.machine
        on = self.cores(facts)
        rates = setup.rates_of(machine, cores := on.number)
        compiled = self._compiled[facts.kernel.id]
        position = used.movement.facts.index(compiled)
        facts = team_of_calls(compiled, machine, on)
        function = self.subject.function
        second, source = setup.second, self.subject.source
        measure = None if second is None else partial(second, source, facts, machine)
        plans, beside = self.caches.plans, kernels_beside(compiled, used.movement.facts)
        return Context(
            function=function,
            facts=facts,
            traffic=self._traffic(used, position, rates),
            machine=machine,
            cores=cores,
            sizes=used.movement.sizes,
            rates=rates,
            core=LazyPlan(function, facts, machine, setup.compiler, measure, plans, beside),
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
        every = predict(setup.models, context)
        answers = _shown(every, setup)
        moved, core, rates = context.traffic, context.core, context.rates
        assert core is not None
        if self.subject.function.target != "host":
            return self._on_device(facts, used, context, answers)
        compiled = self._compiled[facts.kernel.id]
        position = used.movement.facts.index(compiled)
        stopped = never_holds(facts.kernel.guards, self.known(used.movement.sizes))
        trips = [0.0 if stopped else trip for trip in source_trips(facts, compiled, moved)]
        counts = self._counts_of_loops(facts, used.movement.sizes.by_name)
        return MachineResult(
            machine=self.machine.name,
            cores=context.cores,
            cores_origin=self.cores(facts).origin,
            sizes=size_values(facts, used.sizes),
            trips=mean_trips(counts, tuple(trips)),
            traffic=moved.links,
            predictions=answers.predictions,
            skipped=answers.skipped,
            assumptions=(
                *compiled.kernel.assumptions,
                *self._guard_assumptions(facts, used.movement.sizes),
                *size_assumptions(facts, used.sizes),
                *rounding_words(counts, facts.kernel.loops),
            ),
            doubtful=self.machine.doubtful,
            vector=vector_report(core),
            reuse=reuse_report(used.movement, position, rates, setup.layers, setup.reuse_in_full),
            pattern=moved.pattern,
            entry=self._entry_report(facts, used, context, answers),
            estimates=tuple(_estimates(every, setup)),
            calls={call.name: call.cycles for call in context.facts.kernel.priced},
            arm_shares=facts.kernel.arm_shares(self.known(used.movement.sizes)),
        )

    def _counts_of_loops(
        self, facts: KernelFacts, sizes: Mapping[str, Size]
    ) -> tuple[CountedLoop | None, ...]:
        """The counts of a kernel's loops; None of one whose sizes a person set."""
        counted = {
            each.origin: each
            for layer in self.subject.given
            for each in layer.loops
            if each.executions and not each.inlined
        }
        loops = facts.kernel.loops if counted else ()
        return tuple([None if _is_set(each, sizes) else counted.get(each.origin) for each in loops])

    def _entry_report(
        self, facts: KernelFacts, used: NestSizes, context: Context, answers: Answers
    ) -> EntryReport | None:
        """The caches' state on entry, and where details are shown what the other one changes."""
        if self.setup.residency:
            return None
        movement = used.movement
        position = movement.facts.index(self._compiled[facts.kernel.id])
        entry, level = movement.entry, None
        if entry.state is EntryState.STEADY:
            level = movement.level_of_data(position, context.rates)
        opposite: tuple[EntryPrediction, ...] = ()
        if self.setup.detailed:
            opposite = self._opposite(facts, used, context, answers)
        return EntryReport(state=entry.state, origin=entry.origin, level=level, opposite=opposite)

    def _opposite(
        self, facts: KernelFacts, used: NestSizes, context: Context, answers: Answers
    ) -> tuple[EntryPrediction, ...]:
        """The predictions that are others in the other state of the caches on entry."""
        movement = used.movement
        position = movement.facts.index(self._compiled[facts.kernel.id])
        other = used._replace(movement=movement.with_entry(movement.entry.opposite))
        if other.movement.traffic(position, context.rates).links == context.traffic.links:
            return ()
        context = self.context(facts, other)._replace(brief=True)
        changed = _shown(predict(self.setup.models, context), self.setup)
        return tuple(_differing(answers.predictions, changed.predictions))

    def _on_device(
        self, facts: KernelFacts, used: NestSizes, context: Context, answers: Answers
    ) -> MachineResult:
        return MachineResult(
            machine=self.machine.name,
            cores=context.cores,
            cores_origin=self.cores(facts).origin,
            sizes=size_values(facts, used.sizes),
            trips=tuple(map(float, context.traffic.space.trips)),
            traffic=(),
            predictions=answers.predictions,
            skipped=answers.skipped,
            assumptions=(*facts.kernel.assumptions, *size_assumptions(facts, used.sizes)),
            doubtful=self.machine.doubtful,
        )

    def totals(self) -> Totals:
        """All iterations of everything, with one value per size for the whole function."""
        movement, function = self._whole(), self.subject.function
        rates = self._rates(self.subject.facts)
        spaces = [space for space in movement.spaces() if space.ranges is not None]
        known = self.known(movement.sizes)
        work = function_work(function, movement.sizes.values, spaces, known)
        running = [f for f in movement.facts if never_holds(f.kernel.guards, known) is None]
        if len(running) < len(movement.facts):
            movement = self._movement(running, movement.sizes)
        shares = [prod(each.kernel.arm_shares(known)) for each in movement.facts]
        return Totals(
            machine=self.machine.name,
            cores=rates.cores,
            flops=None if work.inexact else round(work.flops),
            traffic=movement.totals(rates, shares) if function.target == "host" else (),
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
            facts, function = self.subject.facts, self.subject.function
            given, values = self.subject.given, self.subject.values
            sizes = resolve(facts, function, given, values, self.caches.footprints)
            self._whole_movement = self._movement(facts, sizes)
        return self._whole_movement

    def _movement(self, facts: Sequence[KernelFacts], sizes: Sizes) -> FunctionTraffic:
        function, line, budget = self.subject.function, self.machine.line_bytes, self.setup.budget
        facts = [self._compiled[each.kernel.id] for each in facts]
        return self.caches.movement(function, facts, sizes, line, self.entry, budget)

    def _rates(self, facts: Iterable[KernelFacts]) -> Rates:
        cores = max([self.cores(each).number for each in facts])
        return self.setup.rates_of(self.machine, cores)


def _is_set(loop: Loop, sizes: Mapping[str, Size]) -> bool:
    """Whether a person set a size of the loop."""
    names = (*loop.lower.names(), *loop.upper.names(), trip_name(loop))
    return any(sizes[name].origin in _SET for name in names if name in sizes)


def _differing(
    predictions: Iterable[Prediction], others: Iterable[Prediction]
) -> Iterator[EntryPrediction]:
    by_model = {other.model: other for other in others}
    for prediction in predictions:
        other = by_model.get(prediction.model)
        cycles = prediction.cycles_per_iteration
        if other is None or cycles is None or other.cycles_per_iteration is None:
            continue
        if not isclose(cycles, other.cycles_per_iteration, rel_tol=ALIKE):
            yield EntryPrediction(other.model, other.headline, other.cycles_per_iteration)


def _estimates(answers: Answers, setup: AnalysisSetup) -> Iterator[Prediction]:
    """Terms and cycles of the models whose answers no report shows."""
    for each in answers.predictions:
        if each.model not in setup.shown and each.terms is not None:
            yield Prediction(
                model=each.model,
                bottleneck=each.bottleneck,
                sentence="",
                headline="",
                cycles_per_iteration=each.cycles_per_iteration,
                lower_bound=each.lower_bound,
                terms=each.terms,
            )


def _shown(answers: Answers, setup: AnalysisSetup) -> Answers:
    """Without the models that run only because others need them."""
    if len(setup.shown) == len(setup.models):
        return answers
    return Answers(
        tuple([p for p in answers.predictions if p.model in setup.shown]),
        tuple([s for s in answers.skipped if s.model in setup.shown or s.failed]),
    )
