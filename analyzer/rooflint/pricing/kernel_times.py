"""The time of one kernel by the models, and the parts of it that they leave out."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TypeAlias

from rooflint.facts import Gap, KernelFacts, space_of
from rooflint.ir import Loop
from rooflint.pipeline.on_machine import NestSizes, OnMachine
from rooflint.plugin_api.hookspecs import Context, Model
from rooflint.plugin_api.prediction import Prediction
from rooflint.pricing.floors import floor_of, offloaded_floor_of
from rooflint.pricing.whatif import VerdictSeconds
from rooflint.records import NamedTuple
from rooflint.registry import predict
from rooflint.verdict.price import combined_time


class KernelTime:
    """One kernel: iterations over all executions, seconds by model; ``loop`` is its own.

    ``floor_s`` is a lower bound for every model; the verdict's time is what its rule says, as in a
    report. Traffic and predictions are computed on demand.
    """

    def __init__(
        self,
        on: OnMachine,
        facts: KernelFacts,
        used: NestSizes,
        threads_s: float,
        iterations: float | None = None,
    ) -> None:
        """``iterations``: where they are known."""
        self.loop = facts.kernel.loops[-1]
        if iterations is None:
            # a kernel that does not run is predicted as if it did
            sizes = used.movement.sizes
            space = space_of(facts.kernel.loops, sizes.values)
            iterations = space.executions * prod(facts.kernel.arm_shares(on.known(sizes)))
        self.on, self.facts, self.iterations = on, facts, iterations
        self._used, self._threads_s = used, threads_s
        self._asked: dict[str, Prediction | None] = {}
        self._answers: dict[object, KernelAnswers] = {}

    def under(self, on: OnMachine, used: NestSizes) -> "KernelTime":
        """The same kernel of the same run under another compiler, with other cores or pages."""
        return KernelTime(on, self.facts, used, self._threads_s, self.iterations)

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

    def answers(self, models: Sequence[Model], judges: Sequence[Model]) -> "KernelAnswers":
        """All that models and the verdict's rule over ``judges`` say, once for each of them."""
        key = tuple([model.name for model in models]), tuple([model.name for model in judges])
        answers = self._answers.get(key)
        if answers is None:
            answers = self._answers[key] = KernelAnswers(
                seconds=self.seconds(models),
                claimed=self.claimed(models),
                verdict_s=self.verdict_s(judges),
            )
        return answers

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
        coprocessors = self.on.machine.coprocessors
        if coprocessors is None:
            return self.floor_s
        return offloaded_floor_of(self.context, coprocessors).cycles * self._scale

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The parts of an iteration that the seconds leave out."""
        return self.facts.not_covered

    def inside(self, origins: Collection[int]) -> bool:
        """Whether the kernel's loop or an enclosing one has one of these origins."""
        return any(loop.origin in origins for loop in self.facts.kernel.loops)

    @property
    def _scale(self) -> float:
        return self.iterations / (self.on.machine.clock_ghz * 1e9)

    @cached_property
    def context(self) -> Context:
        """The input of the models."""
        return self.on.context(self.facts, self._used)._replace(brief=True)


class KernelAnswers(NamedTuple):
    """Of one kernel: ``KernelTime.seconds``, ``claimed`` and ``verdict_s``."""

    seconds: Mapping[str, float]
    claimed: Mapping[str, float]
    verdict_s: float | None


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


Key: TypeAlias = tuple[object, int]
"""What makes a kernel's cost: its loops' headers, statements, directives and arrays; and which of
several with the same it is."""


class KernelSums(NamedTuple):
    """By model: seconds, the same without floors, and the loops without a prediction.

    verdicts  seconds of each loop by the verdict's rule, and its floor
    unjudged  the loops that have no verdict
    """

    seconds: Mapping[str, float]
    claimed: Mapping[str, float]
    silent: Mapping[str, frozenset[Loop]]
    verdicts: tuple[tuple[float, float], ...]
    unjudged: frozenset[Loop]

    @property
    def verdict_s(self) -> float:
        """Seconds of all loops that have a verdict."""
        return sum([seconds for seconds, _ in self.verdicts])

    def verdict_above(self, floors: float) -> float:
        """The same, of each loop at least so much of its floor."""
        return sum([max(seconds, floor * floors) for seconds, floor in self.verdicts])


def summed_kernels(
    timed: Mapping[Key, KernelTime],
    keys: Iterable[Key],
    models: Sequence[Model],
    judges: Collection[str] | None = None,
) -> KernelSums:
    """The kernels of ``keys``; ``judges``: models whose terms make the verdict; None: all."""
    judging = [model for model in models if judges is None or model.name in judges]
    seconds: dict[str, float] = {}
    claimed: dict[str, float] = {}
    silent: dict[str, set[Loop]] = {model.name: set() for model in models}
    verdicts: list[tuple[float, float]] = []
    unjudged: set[Loop] = set()
    for key in keys:
        each = timed[key]
        answers = each.answers(models, judging)
        for model, loops in silent.items():
            if model in answers.claimed:
                seconds[model] = seconds.get(model, 0.0) + answers.seconds[model]
                claimed[model] = claimed.get(model, 0.0) + answers.claimed[model]
            else:
                loops.add(each.loop)
        if answers.verdict_s is None:
            unjudged.add(each.loop)
        else:
            verdicts.append((answers.verdict_s, each.floor_s))
    return KernelSums(
        seconds=seconds,
        claimed=claimed,
        silent={model: frozenset(loops) for model, loops in silent.items()},
        verdicts=tuple(verdicts),
        unjudged=frozenset(unjudged),
    )


def reached_seconds(was: KernelSums, now: KernelSums, model: str) -> float:
    """Seconds after a change by a model: the floors raise no gain above what it says itself."""
    before = was.claimed[model]
    ratio = now.claimed[model] / before if before > 0 else 0.0
    return max(now.seconds[model], was.seconds[model] * ratio)


def summed_verdicts(was: KernelSums, now: KernelSums) -> VerdictSeconds | None:
    """The verdict's times; None where there are none before, or the change loses one.

    Floors count for as much of them as the original code needs of its own: a model that loses its
    answer with the change, as for cores whose common rate nobody knows, gains nothing by that.
    """
    if not was.verdicts or not now.unjudged <= was.unjudged:
        return None
    raised = was.verdict_above(1.0)
    part = was.verdict_s / raised if raised > 0 else 1.0
    return VerdictSeconds(was.verdict_s, now.verdict_above(part))
