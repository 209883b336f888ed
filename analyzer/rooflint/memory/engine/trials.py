"""One kernel replayed at other sizes, and with a loop of its nest in blocks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.facts import KernelFacts, Stream, facts_of, space_of
from rooflint.facts.affine import number
from rooflint.ir import Function, Loop
from rooflint.memory.engine.budget import TRIAL_BUDGET, ClosedFormReason
from rooflint.memory.engine.levels import link_lines
from rooflint.memory.hierarchy import MemoryLink
from rooflint.memory.line_counts import CountedLines, CountMethod, KernelLines
from rooflint.memory.regimes import SHORTEST_BLOCK, Block, CountedLink, CountedRegime
from rooflint.records import NamedTuple
from rooflint.transform.nest.tree import at, name_of, outermost_around, sites
from rooflint.transform.result import ChangeRefusal
from rooflint.transform.strips import tile

WORTHWHILE: Final = 0.9
"""A block that leaves more of the lines does not help."""


class NestRun(NamedTuple):
    """The kernels of a nest of a function, at sizes; without a ``budget``, within the report's."""

    function: Function
    kernels: Sequence[KernelFacts]
    sizes: Mapping[str, int]
    budget: int | None = None


NestReplay: TypeAlias = Callable[[NestRun], CountedLines | ClosedFormReason]
"""Lines that each level misses."""


class NestTrials:
    """A kernel in its nest alone."""

    def __init__(
        self,
        nest: NestRun,
        position: int,
        links: Sequence[MemoryLink],
        line_bytes: int,
        replay: NestReplay,
    ) -> None:
        """``position`` of the kernel in its ``nest``."""
        self._nest, self._position = nest, position
        self._links, self._line_bytes, self._replay = links, line_bytes, replay
        self._facts = nest.kernels[position]

    def at(self, sizes: Mapping[str, int]) -> CountedRegime | None:
        """Lines per line of work; None where no replay within a small budget counts them."""
        executions = space_of(self._facts.kernel.loops, sizes).executions
        counted = self._counted(self._nest._replace(sizes=sizes, budget=TRIAL_BUDGET))
        if counted is None or not executions:
            return None
        streams = self._facts.streams
        lines_of_work = executions / _iterations_a_line(streams, sizes, self._line_bytes)
        rows = [kernels[self._position] for kernels in counted.links]
        traffic = [
            CountedLink(
                link=link.name,
                misses=round(own.incoming / lines_of_work, 2),
                evicts=round(_leaving(own) / lines_of_work, 2),
            )
            for link, own in zip(self._links, rows, strict=True)
        ]
        return CountedRegime(tuple(traffic), _method(counted, rows))

    def tried_blocks(self, blocks: Sequence[Block], sizes: Mapping[str, int]) -> tuple[Block, ...]:
        """Those blocks, or half of their size, that leave the level fewer misses.

        None that would change results; as they are where no replay tells.
        """
        found = [self._helpful(block, sizes) for block in blocks]
        return tuple([each for each in found if each is not None])

    def _helpful(self, block: Block, sizes: Mapping[str, int]) -> Block | None:
        level = next(n for n, each in enumerate(self._links) if each.near == block.level)
        nest = self._nest._replace(sizes=sizes)
        before = self._counted(nest)
        for iterations in (block.iterations, block.iterations // 2):
            if iterations < SHORTEST_BLOCK:
                return None
            changed = self._blocked(nest, block.loop, iterations)
            if changed is None:
                return None
            after = None if before is None else self._counted(changed)
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

    def _blocked(self, nest: NestRun, index: str, iterations: int) -> NestRun | None:
        """The nest with a loop in blocks.

        None where that changes results, or where the compiler has put the loops in another order.
        """
        loops = self._facts.kernel.loops
        outer = outermost_around(loops, index)
        every = sites(nest.function).values()
        outermost = next((site for site in every if site.loop is loops[0]), None)
        if outer is None or outermost is None:
            return None
        changed = tile(nest.function, name_of(nest.function, outer), {index: iterations})
        if isinstance(changed, ChangeRefusal):
            return None
        blocks = at(changed.function, outermost.path)
        assert isinstance(blocks, Loop), "blocks stand where the loop stood"
        kernels = nest_of(blocks, facts_of(changed.function))
        return nest._replace(function=changed.function, kernels=kernels)

    def _counted(self, run: NestRun) -> CountedLines | None:
        found = self._replay(run)
        return None if isinstance(found, ClosedFormReason) else link_lines(found, self._links)


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
