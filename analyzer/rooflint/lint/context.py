"""A function and a file as rules see them: what the pipeline computes, when it is asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.facts import KernelFacts
from rooflint.ir import Function, Poly, SourceFunction, Span, Unit, UnknownValueError
from rooflint.machine import Machine
from rooflint.pipeline.on_machine import NestSubject, OnMachine, OtherRun
from rooflint.plugin_api.advice import AdvisedLoop
from rooflint.plugin_api.hookspecs import Context, Model
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.rule import RuleContext
from rooflint.pricing.nests import nests
from rooflint.pricing.pricer import Pricer
from rooflint.registry import predict, with_needed_models
from rooflint.rule_kit.queries import kernels_in
from rooflint.scenario.resolution import resolve
from rooflint.transform.nest.tree import Site, sites
from rooflint.verdict.price import advised_loop, combined_time


class FunctionContext:
    """A ``rule.RuleContext``."""

    def __init__(self, on: OnMachine, noalias: tuple[tuple[str, ...], ...], text: str) -> None:
        self.on = on
        self.noalias = noalias
        self.text = text
        self._kernels: dict[str, Context] = {}
        self._plans: dict[str, CorePlan] = {}
        self._predictions: dict[str, Predictions] = {}

    def in_run(self, other: OtherRun) -> "FunctionContext":
        """The same function in another run."""
        return FunctionContext(self.on.in_run(other), self.noalias, self.text)

    @property
    def subject(self) -> NestSubject:
        """The function with its kernels and the sizes given."""
        return self.on.subject

    @property
    def source(self) -> SourceFunction:
        """The function with its places."""
        return self.on.subject.source

    @property
    def function(self) -> Function:
        """The same without places."""
        return self.on.subject.source.function

    @property
    def facts(self) -> tuple[KernelFacts, ...]:
        """Facts of its kernels."""
        return self.on.subject.facts

    @cached_property
    def sites(self) -> Mapping[str, Site]:
        """Its loops by name."""
        return sites(self.function)

    @property
    def machine(self) -> Machine:
        """The machine that it would run on."""
        return self.on.machine

    @property
    def compiler(self) -> Compiler:
        """Whose code it becomes."""
        return self.on.setup.compiler

    @cached_property
    def _nests(self) -> dict[str, list[KernelFacts]]:
        return {each.kernel.id: nest for nest in nests(self.facts) for each in nest}

    def kernel(self, facts: KernelFacts) -> Context:
        """The input of the models for a kernel."""
        found = self._kernels.get(facts.kernel.id)
        if found is None:
            used = self.on.sizes(self._nests[facts.kernel.id])
            found = self._kernels[facts.kernel.id] = self.on.context(facts, used)
        return found

    def value(self, facts: KernelFacts, poly: Poly) -> int | None:
        """A closed form at the sizes of the run, also those that no kernel has."""
        asked = facts._replace(names=tuple(sorted(poly.mentions())), run_time=())
        subject = self.subject
        sizes = resolve((asked,), subject.function, subject.given, subject.values)
        try:
            return poly.evaluate(sizes.values)
        except UnknownValueError:
            return None

    def plan(self, facts: KernelFacts) -> CorePlan:
        """How the compiler would run a kernel."""
        found = self._plans.get(facts.kernel.id)
        if found is None:
            known = self.on.caches.plans
            found = known.of(self.function, facts, self.machine, self.compiler).plan
            self._plans[facts.kernel.id] = found
        return found

    def predictions(self, facts: KernelFacts) -> "Predictions":
        """Answers of the models, each computed on first access."""
        found = self._predictions.get(facts.kernel.id)
        if found is None:
            found = Predictions(self.on.setup.models, self.kernel(facts))
            self._predictions[facts.kernel.id] = found
        return found

    def seconds(self, facts: KernelFacts, model: str) -> float | None:
        """Of all iterations of a kernel in one call, without starting threads."""
        models = with_needed_models((model,), self.on.setup.models)
        return self.pricer.working_seconds(facts, models).get(model)

    def advised_loop(self, place: str, models: Sequence[str]) -> AdvisedLoop | None:
        """The verdict on the hottest kernel at ``place``, all of them where no loop is named; None
        where no model of these gives one.
        """
        kernels = kernels_in(self, place) if place in self.sites else self.facts
        predicted = [(facts, self._predicted(facts, models)) for facts in kernels]
        seconds = [self._verdict_s(*each) for each in predicted]
        if not any(seconds):
            return None
        facts, predictions = predicted[seconds.index(max(seconds))]
        about = advised_loop(facts.kernel.id, predictions)
        return about._replace(span=self._copied_from(facts))

    def _copied_from(self, facts: KernelFacts) -> Span | None:
        """Where a kernel stands that is a copy of another function's; None for one of its own."""
        spans, origin = self.source.spans, facts.kernel.loops[-1].origin
        if not 0 <= origin < len(spans) or spans[origin].lies_in(self.source.span):
            return None
        return spans[origin]

    def _predicted(self, facts: KernelFacts, models: Sequence[str]) -> list[Prediction]:
        answers = self.predictions(facts)
        return [each for name in models if (each := answers.get(name)) is not None]

    def _verdict_s(self, facts: KernelFacts, predictions: Sequence[Prediction]) -> float:
        """Seconds in one call by the verdict; 0 where nothing is predicted."""
        combined = combined_time(predictions)
        if combined is None:
            return 0.0
        return combined.seconds(self.kernel(facts).traffic.space.executions)

    @cached_property
    def pricer(self) -> Pricer:
        """The pricer of changes of the function."""
        return Pricer(self.on)

    def gains(self, function: Function, models: Iterable[str]) -> Mapping[str, float]:
        """Time of the function over that of a changed one, by model."""
        priced = self.pricer(function, with_needed_models(tuple(models), self.on.setup.models))
        return {
            name: priced.before[name] / seconds
            for name in models
            if (seconds := priced.after.get(name, 0.0)) > 0
        }


class Predictions(Mapping[str, Prediction]):
    """Answers of models by name; one that does not answer is not there."""

    def __init__(self, models: Sequence[Model], context: Context) -> None:
        self._models, self._context = models, context
        self._asked: dict[str, Prediction | None] = {}

    def __getitem__(self, name: str) -> Prediction:
        if name not in self._asked:
            models = with_needed_models((name,), self._models)
            answers = {p.model: p for p in predict(models, self._context).predictions}
            self._asked.update({model.name: answers.get(model.name) for model in models})
        answer = self._asked.get(name)
        if answer is None:
            raise KeyError(name)
        return answer

    def __iter__(self) -> Iterator[str]:
        return (model.name for model in self._models if self.get(model.name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def has_cycles(self) -> bool:
        """Whether some model gives cycles of all the code, no lower bound; the cheapest go first,
        those with the fewest needs."""
        by_cost = sorted(
            self._models, key=lambda model: len(model.needs.models + model.needs.machine)
        )
        answers = (self.get(model.name) for model in by_cost)
        return any(
            each is not None and each.cycles_per_iteration is not None and not each.lower_bound
            for each in answers
        )


class FileContext:
    """A ``rule.UnitContext``."""

    def __init__(self, unit: Unit, functions: tuple[RuleContext, ...]) -> None:
        self.unit = unit
        self.functions = functions

    @property
    def machine(self) -> Machine:
        """The machine that it would run on."""
        return self.functions[0].machine

    @property
    def compiler(self) -> Compiler:
        """Whose code it becomes."""
        return self.functions[0].compiler
