"""Replays of a function's nests at given sizes, for all that ask; one is loaded where it runs."""

import sys
from collections.abc import Mapping, Sequence
from math import ceil, inf
from typing import TYPE_CHECKING

from rooflint.facts import KernelFacts, Space
from rooflint.ir import Function
from rooflint.memory.engine.budget import (
    CLASS_MODULUS,
    FEWEST_CLASSES,
    LEAST_WINDOW_BUDGET,
    ClosedFormReason,
    ReplayRefusal,
    WorkLimits,
    is_brief,
    work_limits,
)
from rooflint.memory.hierarchy import MemoryLink
from rooflint.memory.line_counts import CountedLines, KernelLines
from rooflint.memory.memo import memoized_method
from rooflint.records import NamedTuple
from rooflint.replay import ReplayLevel, RowPadding
from rooflint.replay.program import REFERENCE_STEPS

if TYPE_CHECKING:
    from rooflint.memory.closed_form import ClosedForm
    from rooflint.memory.engine.counting import NestProgram
    from rooflint.memory.engine.samples import SetSamples
    from rooflint.memory.engine.trials import NestTrials
    from rooflint.memory.subnest_footprints import SubnestFootprints


class ReplayMemo:
    """Counts of programs that were replayed, for functions that differ in part."""

    def __init__(self) -> None:
        self.samples: dict[object, SetSamples | ReplayRefusal] = {}


class ReplayRequest(NamedTuple):
    """A function with the work that replays of it may take, and where their counts are kept.

    ``between_bytes`` are touched elsewhere from one call of the function to the next.
    """

    function: Function
    budget: int
    memo: ReplayMemo
    between_bytes: float = 0.0


def least_work(facts: KernelFacts, space: Space, line_bytes: int) -> float:
    """Work that a replay through the fewest classes of sets takes at least for one kernel."""
    if space.executions > sys.float_info.max:  # an exact integer, and guesses may be absurd
        return inf
    walked = space.executions / max(1.0, space.trips[-1])
    moving = [each for each in facts.streams if each.pattern != "invariant"]
    steps = REFERENCE_STEPS * sum([len(each.references) for each in moving])
    strides = [each.strides[-1].value for each in moving if each.strides[-1] is not None]
    lines = sum([min(1.0, abs(each) / line_bytes) for each in strides if each is not None])
    return walked * steps + space.executions * lines * FEWEST_CLASSES / CLASS_MODULUS


def bound_lines(
    lines: Sequence[KernelLines],
    links: Sequence[MemoryLink],
    footprints: "SubnestFootprints",
    number: int,
) -> tuple[KernelLines, ...]:
    """Lines in closed form over each link of the kernel of this number, all with an interval."""
    from rooflint.memory.engine.bounds import ClosedBounds

    bounds = ClosedBounds(footprints, number)
    return tuple(
        [
            own if own.interval else own._replace(interval=bounds.interval(link, own.incoming))
            for own, link in zip(lines, links, strict=True)
        ]
    )


def close_windows(
    counted: CountedLines,
    links: Sequence[MemoryLink],
    closed: "ClosedForm",
    cold: "ClosedForm",
    touched: Sequence[float],
) -> CountedLines:
    """Lines from windows, with what they leave open; see ``WindowCloser``."""
    from rooflint.memory.window_lines import WindowCloser

    return WindowCloser(closed=closed, cold=cold, touched=touched).lines(counted, links)


class NestReplays:
    """The lines of some kernels of a function at given sizes, their nests one after the other."""

    def __init__(
        self,
        request: ReplayRequest,
        facts: Sequence[KernelFacts],
        sizes: Mapping[str, int],
        line_bytes: int,
        padding: RowPadding | None = None,
        omitted: frozenset[str] = frozenset(),
    ) -> None:
        """``padding``: of the rows of one array; ``omitted``: arrays that are not accessed."""
        self._request, self._facts = request, facts
        self._sizes, self._line_bytes = sizes, line_bytes
        self._padding, self._omitted = padding, omitted

    @property
    def is_brief(self) -> bool:
        """Whether somebody waits."""
        return is_brief(self._request.budget)

    @memoized_method
    def padded(self, padding: RowPadding) -> "NestReplays":
        """The same accesses where an array has longer rows."""
        request, facts = self._request, self._facts
        return NestReplays(request, facts, self._sizes, self._line_bytes, padding)

    @memoized_method
    def without(self, omitted: frozenset[str]) -> "NestReplays":
        """The same accesses but for those of some arrays."""
        request, facts = self._request, self._facts
        return NestReplays(request, facts, self._sizes, self._line_bytes, self._padding, omitted)

    @memoized_method
    def lines(
        self, levels: tuple[ReplayLevel, ...], between_bytes: float | None
    ) -> CountedLines | ClosedFormReason:
        """Those that each level misses.

        ``between_bytes`` are touched elsewhere between two calls; None: caches are cold. A replay
        of two calls tells both, unless nothing is left after the lines between them.
        """
        from rooflint.memory.engine.samples import CallSequence

        program = self._program()
        if isinstance(program, ClosedFormReason):
            return program
        request, cold = self._request, between_bytes is None
        touched = request.between_bytes if between_bytes is None else between_bytes
        between = ceil(touched / self._line_bytes)
        calls = CallSequence(runs=2, between_lines=between, cold=cold)
        if between >= max([each.sets * each.ways for each in levels], default=0):
            calls = CallSequence(runs=1, cold=True)
        return program.counted(request.memo.samples, levels, self._line_bytes, calls, self._limits)

    def trials(
        self,
        facts: KernelFacts,
        levels: tuple[ReplayLevel, ...],
        links: Sequence[MemoryLink],
        between_bytes: float | None,
    ) -> "NestTrials":
        """One of the kernels in its nest alone, at other sizes and in blocks.

        Without ``levels`` nothing is replayed.
        """
        from rooflint.memory.engine.trials import NestRun, NestTrials, nest_of

        def replay(run: NestRun) -> CountedLines | ClosedFormReason:
            if not levels:
                return ClosedFormReason(ReplayRefusal.NO_CACHES.value)
            budget = run.budget or self._request.budget
            request = self._request._replace(function=run.function, budget=budget)
            replays = NestReplays(request, run.kernels, run.sizes, self._line_bytes)
            return replays.lines(levels, between_bytes)

        own = facts.kernel.loops
        kernels = nest_of(own[0], self._facts)
        position = [each.kernel.loops[-1] is own[-1] for each in kernels].index(True)
        nest = NestRun(self._request.function, kernels, self._sizes)
        return NestTrials(nest, position, links, self._line_bytes, replay)

    def is_beyond(self, spaces: Sequence[Space]) -> bool:
        """Whether the executions of the kernels alone tell that a replay exceeds the budget."""
        if self._limits.total >= LEAST_WINDOW_BUDGET:
            return False  # windows may leave out any number of executions
        pairs = zip(self._facts, spaces, strict=True)
        least = sum([least_work(each, space, self._line_bytes) for each, space in pairs])
        return least > self._limits.classes

    @property
    def _limits(self) -> WorkLimits:
        return work_limits(self._request.budget, len(self._facts))

    @memoized_method
    def _program(self) -> "NestProgram | ClosedFormReason":
        from rooflint.memory.engine.counting import nest_program

        function, sizes = self._request.function, self._sizes
        return nest_program(function, self._facts, sizes, self._padding, self._omitted)
