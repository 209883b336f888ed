"""One kernel replayed at other sizes, and with a loop of its nest in blocks."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from rooflint.facts import KernelFacts, Stream, facts_of, space_of
from rooflint.facts.affine import number
from rooflint.ir import Function, Loop
from rooflint.memory.engine.budget import TRIAL_BUDGET, ClosedFormReason
from rooflint.memory.engine.levels import link_lines
from rooflint.memory.hierarchy import MemoryLink
from rooflint.memory.line_counts import CountedLines, CountMethod, KernelLines
from rooflint.memory.regimes import SHORTEST_BLOCK, Block, CountedLink, CountedRegime
from rooflint.records import NamedTuple
from rooflint.replay import ReplayLevel
from rooflint.transform import ChangeRefusal, name_of, sites, tile
from rooflint.transform.nest.tree import at, outermost_around

WORTHWHILE: Final = 0.9
"""A block that leaves more of the lines does not help."""


class TrialCaches(NamedTuple):
    """The caches a nest is tried on: no ``levels`` where nothing can be replayed.

    between   bytes touched elsewhere between two calls; None: caches are cold on entry
    """

    levels: tuple[ReplayLevel, ...]
    links: tuple[MemoryLink, ...]
    between: float | None
    line_bytes: int


class KernelReplays(Protocol):
    """Replays of some kernels of a function at given sizes."""

    def of(
        self,
        function: Function,
        facts: Sequence[KernelFacts],
        sizes: Mapping[str, int],
        budget: int | None = None,
    ) -> "KernelReplays":
        """Kernels of another function, or at other sizes; the same budget if none is given."""

    def lines(
        self, levels: tuple[ReplayLevel, ...], between_bytes: float | None
    ) -> CountedLines | ClosedFormReason:
        """Those that each level misses."""


class NestTrials:
    """A kernel in its nest alone."""

    def __init__(
        self,
        replays: KernelReplays,
        function: Function,
        nest: Sequence[KernelFacts],
        position: int,
        caches: TrialCaches,
    ) -> None:
        """``nest``: its kernels, the one at ``position`` among them."""
        self._replays, self._function, self._caches = replays, function, caches
        self._nest, self._position = nest, position
        self._facts = nest[position]

    def at(self, sizes: Mapping[str, int]) -> CountedRegime | None:
        """Lines per line of work; None where no replay within a small budget counts them."""
        executions = space_of(self._facts.kernel.loops, sizes).executions
        counted = self._counted(self._function, self._nest, sizes, TRIAL_BUDGET)
        if counted is None or not executions:
            return None
        lines_of_work = executions / _iterations_a_line(
            self._facts.streams, sizes, self._caches.line_bytes
        )
        rows = [kernels[self._position] for kernels in counted.links]
        traffic = [
            CountedLink(
                link=link.name,
                misses=round(own.incoming / lines_of_work, 2),
                evicts=round(_leaving(own) / lines_of_work, 2),
            )
            for link, own in zip(self._caches.links, rows, strict=True)
        ]
        return CountedRegime(tuple(traffic), _method(counted, rows))

    def confirmed(self, blocks: Sequence[Block], sizes: Mapping[str, int]) -> tuple[Block, ...]:
        """Those blocks, or half of their size, that leave the level fewer misses.

        None that would change results; as they are where no replay tells.
        """
        found = [self._confirmed(block, sizes) for block in blocks]
        return tuple([each for each in found if each is not None])

    def _confirmed(self, block: Block, sizes: Mapping[str, int]) -> Block | None:
        level = next(n for n, each in enumerate(self._caches.links) if each.near == block.level)
        before = self._counted(self._function, self._nest, sizes)
        for iterations in (block.iterations, block.iterations // 2):
            if iterations < SHORTEST_BLOCK:
                return None
            changed = self._blocked(block.loop, iterations)
            if changed is None:
                return None
            after = None if before is None else self._counted(*changed, sizes)
            if before is None or after is None:
                return block
            now, then = _misses(before, level), _misses(after, level)
            if then < WORTHWHILE * now:
                return block._replace(
                    iterations=iterations,
                    share_left=round(then / now, 2),
                    method=_method(after, after.links[level]),
                )
        return None

    def _blocked(self, index: str, iterations: int) -> tuple[Function, list[KernelFacts]] | None:
        """The function with a loop in blocks, and the kernels of the nest.

        None where that changes results, or where the compiler has put the loops in another order.
        """
        loops = self._facts.kernel.loops
        outer = outermost_around(loops, index)
        every = sites(self._function).values()
        outermost = next((site for site in every if site.loop is loops[0]), None)
        if outer is None or outermost is None:
            return None
        changed = tile(self._function, name_of(self._function, outer), {index: iterations})
        if isinstance(changed, ChangeRefusal):
            return None
        nest = at(changed.function, outermost.path)
        assert isinstance(nest, Loop), "blocks stand where the loop stood"
        return changed.function, nest_of(nest, facts_of(changed.function))

    def _counted(
        self,
        function: Function,
        nest: Sequence[KernelFacts],
        sizes: Mapping[str, int],
        budget: int | None = None,
    ) -> CountedLines | None:
        caches = self._caches
        if not caches.levels:
            return None
        replays = self._replays.of(function, nest, sizes, budget)
        found = replays.lines(caches.levels, caches.between)
        return None if isinstance(found, ClosedFormReason) else link_lines(found, caches.links)


def nest_of(outermost: Loop, every: Sequence[KernelFacts]) -> list[KernelFacts]:
    """The kernels in one outermost loop."""
    return [each for each in every if each.kernel.loops[0] is outermost]


def _iterations_a_line(
    streams: Sequence[Stream], sizes: Mapping[str, int], line_bytes: int
) -> float:
    """After how many the references that walk from line to line come to another one."""
    strides = [abs(number(each.strides[-1], sizes) or 0) for each in streams if each.strides[-1]]
    return line_bytes / max([each for each in strides if 0 < each < line_bytes], default=line_bytes)


def _leaving(own: KernelLines) -> float:
    return sum([each.evict for each in own.arrays.values()])


def _misses(counted: CountedLines, level: int) -> float:
    return sum([each.incoming for each in counted.links[level]])


def _method(counted: CountedLines, rows: Sequence[KernelLines]) -> CountMethod:
    """The least certain one."""
    every = [each.method or counted.method for each in rows]
    return max(every, key=list(CountMethod).index)
