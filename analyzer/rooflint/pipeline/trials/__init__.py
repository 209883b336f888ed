"""Whether guessed sizes decide the limiter of a kernel: its models are tried at their ends."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from rooflint.facts import KernelFacts
from rooflint.memory.memo import memoized_method
from rooflint.pipeline.on_machine import NestSizes, OnMachine, OtherRun
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.program_report import BreakPoint
from rooflint.plugin_api.report import LimiterReport
from rooflint.registry import predict
from rooflint.scenario.sensitivity import BreakEven, sensitivity_of
from rooflint.scenario.values import GuessedRange
from rooflint.verdict.price import limiter_of
from rooflint.verdict.words import resource_words

MOST_SIZES = 3
"""Guessed sizes of a kernel that are tried; those of its inner loops come first."""
BISECTIONS: Final = 6
"""Of a break-even that only reports state: a range of four decades is then known to 15 %."""
NO_BISECTIONS: Final = 0
"""For output that states no break-even: whether there is one, and on which side, is known."""


RUNS_KEPT: Final = 4 * (MOST_SIZES + 1) + 2 * MOST_SIZES * BISECTIONS
"""Runs of a function that are kept for its next nests: as many as one kernel asks for at most, at
ends and quartiles of each size and of all together, and between the ends of each."""


class FunctionRuns:
    """A function on a machine at other values of its guessed sizes, which its nests have in common:
    what moves is counted for all nests of a run."""

    def __init__(self, on: OnMachine) -> None:
        self.on = on
        self.at = lru_cache(RUNS_KEPT)(self._at)

    def _at(self, sizes: tuple[tuple[str, int], ...]) -> OnMachine:
        return self.on.in_run(OtherRun(sizes=dict(sizes))) if sizes else self.on


class LimiterTrials:
    """One nest of a function at other values of its guessed sizes."""

    def __init__(self, runs: FunctionRuns, nest: Sequence[KernelFacts]) -> None:
        self.on, self.nest = runs.on, tuple(nest)
        self._runs = runs

    def report(
        self,
        facts: KernelFacts,
        used: NestSizes | None = None,
        predictions: Sequence[Prediction] | None = None,
        bisections: int = BISECTIONS,
    ) -> LimiterReport | None:
        """The limiter of one kernel as its verdict has it; None: no guess is behind it.

        ``used`` and ``predictions`` are those at the typical sizes, where they are known.
        """
        ranges = self._ranges(facts, used or self._at(())[1])
        if not ranges:
            return None
        position = self.nest.index(facts)
        limiter = (
            self._limiter(position, ()) if predictions is None else _name_of_limiter(predictions)
        )
        if limiter is None:
            return None
        typical = {each.name: each.typical for each in ranges}

        def limiter_at(at: Mapping[str, int]) -> str | None:
            other = tuple((n, size) for n, size in at.items() if size != typical[n])
            return self._limiter(position, other)

        found = sensitivity_of(ranges, lambda at: limiter_at(at) == limiter, bisections)

        def point(each: BreakEven) -> BreakPoint:
            below, above = limiter_at({**typical, each.name: each.fails_at}), limiter
            if each.side == "up to":
                below, above = above, below
            return BreakPoint(
                name=each.name, breaks_at=each.size, verdict_below=below, verdict_above=above
            )

        points = [point(each) for each in found.break_evens]
        return LimiterReport(found, tuple(points))

    @staticmethod
    def _ranges(facts: KernelFacts, used: NestSizes) -> list[GuessedRange]:
        own = facts.open_sizes
        sizes = used.movement.sizes.by_name.items()
        ranges = [(n, size.range) for n, size in sizes if n in own and size.range is not None]
        found = [each._replace(name=n) for n, each in ranges if each.low < each.high]
        return found[-MOST_SIZES:]

    @memoized_method
    def _limiter(self, position: int, sizes: tuple[tuple[str, int], ...]) -> str | None:
        on, used = self._at(sizes)
        # in full: a brief answer has no terms, and another limiter than the verdict
        context = on.context(self.nest[position], used)
        return _name_of_limiter(predict(on.setup.models, context).predictions)

    @memoized_method
    def _at(self, sizes: tuple[tuple[str, int], ...]) -> tuple[OnMachine, NestSizes]:
        on = self._runs.at(sizes)
        return on, on.sizes(self.nest)


def _name_of_limiter(predictions: Sequence[Prediction]) -> str | None:
    """As the verdict names it; the first model's bottleneck where no model gives terms."""
    limiter = limiter_of(predictions)
    if limiter is not None:
        return resource_words(limiter)
    return predictions[0].bottleneck if predictions else None
