"""Bounds of the lines that a closed form estimates: what comes in any case, and what may at most.

A kernel brings in what it touches beyond the capacity of a cache, whatever the cache held before.
No more comes than there are accesses; where the lines of one iteration stay in their sets, no more
than its references change lines. The bounds hold for sizes and trip counts as given, and are wide:
a replay within the budget says more.
"""

from rooflint.facts import KernelFacts, Stream
from rooflint.facts.affine import number
from rooflint.ir import Loop, walk
from rooflint.memory.hierarchy import MemoryLink
from rooflint.memory.line_counts import CALL_LINES, MARGIN, LineInterval
from rooflint.memory.subnest_footprints import SubnestFootprints
from rooflint.records import NamedTuple


class ClosedBounds(NamedTuple):
    """Bounds for one kernel, which ``footprints`` know by its ``number``."""

    footprints: SubnestFootprints
    number: int

    def interval(self, link: MemoryLink, estimate: float) -> LineInterval:
        """Of the lines that come over a link; the ``estimate`` lies within."""
        low = (1 - MARGIN) * max(0.0, self._touched(link) - link.above.lines)
        high = self._most(link.above.ways)
        return LineInterval(min(low, estimate), max(high, estimate))

    def _touched(self, link: MemoryLink) -> float:
        """Those that a level takes from below; a victim cache may hold all of them or none."""
        if link.victim is not None:
            return 0.0
        past = self._facts.nontemporal
        arrays = self.footprints.lines(self.number, 0, ())
        taken = [each for each in arrays if each.array not in past]
        return sum([each.touched if link.allocates else each.loaded for each in taken])

    def _most(self, ways: int) -> float:
        streams = self._facts.streams
        space = self.footprints.space(self.number, 0, ())
        accesses = space.executions * sum([each.reads + each.writes for each in streams])
        crowd = sum([len(each.references) for each in streams])
        if crowd > ways or _is_around_others(self._facts):
            return accesses
        own = space.trips[-1] if space.trips else 1.0
        walks = space.executions / max(1.0, own)
        visits = [self._visits(each, space.executions, walks) for each in streams]
        return min(accesses, CALL_LINES + sum(visits))

    def _visits(self, stream: Stream, executions: float, walks: float) -> float:
        """How often the references of a stream come to a line in all walks of the own loop."""
        values, line_bytes = self.footprints.values, self.footprints.line_bytes
        stride = None if stream.strides[-1] is None else number(stream.strides[-1], values)
        if stride is None:
            return executions * len(stream.references)
        moving = executions * min(1.0, abs(stride) / line_bytes)
        # one line at the begin of a walk, and one where rows are not aligned or a store follows
        return len(stream.references) * (moving + 2 * walks)

    @property
    def _facts(self) -> KernelFacts:
        return self.footprints.facts[self.number]


def _is_around_others(facts: KernelFacts) -> bool:
    """Whether other loops run between two iterations of the own one."""
    own = facts.kernel.loops[-1:]
    return any(isinstance(each, Loop) for loop in own for each in walk(loop.body))
