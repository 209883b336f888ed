"""The time of one kernel by the models, and the parts of it that they leave out."""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from math import prod

from rooflint.facts import Gap, KernelFacts, space_of
from rooflint.pipeline.on_machine import NestSizes, OnMachine
from rooflint.plugin_api.hookspecs import Context, Model
from rooflint.plugin_api.prediction import Prediction
from rooflint.pricing.floors import floor_of, offloaded_floor_of
from rooflint.records import NamedTuple
from rooflint.registry import predict
from rooflint.verdict.price import combined_time


class KernelTime:
    """One kernel: iterations over all executions, seconds by model; ``loop`` is its own.

    ``floor_s`` is a lower bound for every model; the verdict's time is what its rule says, as in a
    report. Traffic and predictions are computed on demand.
    """

    def __init__(
        self, on: OnMachine, facts: KernelFacts, used: NestSizes, threads_s: float
    ) -> None:
        self.loop = facts.kernel.loops[-1]
        # a kernel that does not run is predicted as if it did
        sizes = used.movement.sizes
        space = space_of(facts.kernel.loops, sizes.values)
        self.iterations = space.executions * prod(facts.kernel.arm_shares(on.known(sizes)))
        self._on, self._facts, self._used, self._threads_s = on, facts, used, threads_s
        self._asked: dict[str, Prediction | None] = {}

    def seconds(self, models: Sequence[Model]) -> dict[str, float]:
        """Seconds of one call by model, without models that have no prediction."""
        return {name: s + self._threads_s for name, s in self.working(models).items()}

    def working(self, models: Sequence[Model]) -> dict[str, float]:
        """The same without the start of threads."""
        return {name: max(s, self.floor_s) for name, s in self._answered(models).items()}

    def claimed(self, models: Sequence[Model]) -> dict[str, float]:
        """``seconds`` as the models predict them, without the floor."""
        return {name: s + self._threads_s for name, s in self._answered(models).items()}

    def verdict_s(self, models: Sequence[Model]) -> float | None:
        """Seconds of one call by the verdict's rule over these models; None where none has terms.

        With the start of threads, as ``seconds``.
        """
        combined = combined_time(self._predicted(models))
        if combined is None:
            return None
        return combined.seconds(self.iterations) + self._threads_s

    def _answered(self, models: Sequence[Model]) -> dict[str, float]:
        cycles = {each.model: each.cycles_per_iteration for each in self._predicted(models)}
        return {name: cy * self._scale for name, cy in cycles.items() if cy is not None}

    def _predicted(self, models: Sequence[Model]) -> list[Prediction]:
        if any(model.name not in self._asked for model in models):
            answers = {p.model: p for p in predict(models, self.context).predictions}
            self._asked.update({model.name: answers.get(model.name) for model in models})
        found = [self._asked[model.name] for model in models]
        return [each for each in found if each is not None]

    @cached_property
    def floor_s(self) -> float:
        """The minimum seconds of one call of the kernel's code."""
        return floor_of(self.context).cycles * self._scale

    @cached_property
    def anywhere_s(self) -> float:
        """The same if coprocessors may share the work, on machines that have any."""
        coprocessors = self._on.machine.coprocessors
        if coprocessors is None:
            return self.floor_s
        return offloaded_floor_of(self.context, coprocessors).cycles * self._scale

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The parts of an iteration that the seconds leave out."""
        return self._facts.not_covered

    def inside(self, origins: Collection[int]) -> bool:
        """Whether the kernel's loop or an enclosing one has one of these origins."""
        return any(loop.origin in origins for loop in self._facts.kernel.loops)

    @property
    def _scale(self) -> float:
        return self.iterations / (self._on.machine.clock_ghz * 1e9)

    @cached_property
    def context(self) -> Context:
        """The input of the models."""
        return self._on.context(self._facts, self._used)._replace(brief=True)


class UncoveredWork(NamedTuple):
    """Executions per call of the function that no price covers.

    code    of calls and statements
    places  of accesses at unknown places
    """

    code: float
    places: float


def uncovered_work(kernels: Iterable[KernelTime]) -> UncoveredWork:
    """The executions of all gaps of some kernels."""
    code = places = 0.0
    for each in kernels:
        of_code = len([gap for gap in each.gaps if gap.is_code])
        code += of_code * each.iterations
        places += (len(each.gaps) - of_code) * each.iterations
    return UncoveredWork(code, places)
