"""Caches shared by the analyses of one function on one machine, as it is and as changed."""

from collections.abc import Sequence

from rooflint.core import PlanCache
from rooflint.facts import KernelFacts, KernelFootprints
from rooflint.ir import Function
from rooflint.memory import FunctionTraffic, ReuseCache
from rooflint.memory.engine import NestReplays, ReplayMemo, ReplayRequest
from rooflint.records import NamedTuple
from rooflint.scenario import CacheEntry
from rooflint.scenario.sizes import Sizes


class FunctionCaches(NamedTuple):
    """Results that do not depend on what a change leaves alone."""

    reuses: ReuseCache
    plans: PlanCache
    replays: ReplayMemo
    footprints: KernelFootprints

    def movement(
        self,
        function: Function,
        facts: Sequence[KernelFacts],
        sizes: Sizes,
        line_bytes: int,
        entry: CacheEntry,
        budget: int,
    ) -> FunctionTraffic:
        """The traffic of some kernels of a function; ``budget``: of a replay of their accesses."""
        arrays = {array.name: array for array in function.arrays}
        request = ReplayRequest(
            function=function,
            budget=budget,
            memo=self.replays,
            between_bytes=entry.between_bytes,
        )
        replays = NestReplays(request, facts, sizes.values, line_bytes)
        return FunctionTraffic(facts, arrays, sizes, line_bytes, self.reuses, entry, replays)


def no_caches() -> FunctionCaches:
    """Of a function that is analysed for the first time."""
    return FunctionCaches(
        reuses=ReuseCache(),
        plans=PlanCache(),
        replays=ReplayMemo(),
        footprints=KernelFootprints(),
    )
