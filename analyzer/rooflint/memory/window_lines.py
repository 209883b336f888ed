"""Lines from windows of long loops where the windows leave them open.

Windows fill the levels before they count. A level that they do not fill may hold lines that were
left out, so that its misses are between those that are certain and all of them. What a kernel
touches for the first time, and what exceeds the capacity, is missed in any case; data that fit a
level without sets stay there. Else the closed form says where between the two, but for data that
exceed a level with sets: of so much as windows bring in, hardly a line comes back.
"""

from collections.abc import Sequence
from typing import Final

from rooflint.memory.closed_form import ClosedForm
from rooflint.memory.hierarchy import CacheGeometry, MemoryLink
from rooflint.memory.line_counts import (
    CALL_LINES,
    MARGIN,
    CountedLines,
    CountMethod,
    CountsByArray,
    KernelLines,
    LineInterval,
)
from rooflint.records import NamedTuple

OPEN_SHARE: Final = 0.02
"""With more of the misses in doubt the closed form decides: twice what windows err in the mean."""
FITTING_SHARE: Final = 0.9
"""Data of at most so much of a level leave room for stack and code."""
_EVERYTHING: Final = CacheGeometry(1, 1 << 60)


class WindowCloser(NamedTuple):
    """Closes what windows leave open.

    closed   lines in closed form from the same state of the caches, ``cold`` from empty ones
    touched  distinct lines of each kernel
    """

    closed: ClosedForm
    cold: ClosedForm
    touched: Sequence[float]

    def lines(self, counted: CountedLines, links: Sequence[MemoryLink]) -> CountedLines:
        """The lines that each level misses."""
        whole = sum([_incoming(each) for each in self.cold.misses(_EVERYTHING)])
        rows = [
            tuple([self._own(own, link, each, whole) for each, own in enumerate(kernels)])
            for kernels, link in zip(counted.links, links, strict=True)
        ]
        return counted._replace(links=tuple(rows))

    def _own(self, own: KernelLines, link: MemoryLink, kernel: int, whole: float) -> KernelLines:
        if not own.unsure or own.interval is None:
            return own
        cache, guess = link.above, self.closed.kernel_misses(link.above, kernel)
        first = _incoming(self.closed.kernel_misses(_EVERYTHING, kernel))
        if cache.sets == 1 and whole <= FITTING_SHARE * cache.lines:
            certain = LineInterval((1 - MARGIN) * first, (1 + MARGIN) * first + CALL_LINES)
            return KernelLines(arrays=guess, interval=certain, method=CountMethod.CLOSED_FORM)
        missed = (1 - MARGIN) * max(first, self.touched[kernel] - cache.lines)
        low, high = own.interval
        interval = LineInterval(min(high, max(low, missed)), high)
        open_lines = own.incoming - max(own.incoming - own.unsure, missed)
        outgrown = cache.sets > 1 and whole > cache.lines
        if outgrown or open_lines <= OPEN_SHARE * own.incoming:
            return own._replace(interval=interval)
        return _within(interval, guess, own)


def _within(interval: LineInterval, guess: CountsByArray, own: KernelLines) -> KernelLines:
    """The closed form, or the end of the interval that is nearest to it."""
    lines = _incoming(guess)
    arrays, known = (guess, lines) if lines else (own.arrays, own.incoming)
    factor = min(max(lines, interval.low), interval.high) / known if known else 1.0
    return KernelLines(
        arrays={name: counts.times(factor) for name, counts in arrays.items()},
        interval=interval,
        method=CountMethod.CLOSED_FORM,
    )


def _incoming(arrays: CountsByArray) -> float:
    return sum([each.load + each.allocate for each in arrays.values()])
