"""How many bytes the kernels of a nest touch at one set of sizes after another.

A search for a size asks this several times and needs nothing else.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf, log2
from typing import Final

from rooflint.facts.compulsory import by_array, extent_lines, touched_hulls, touched_lines
from rooflint.facts.kernel_facts import KernelFacts
from rooflint.facts.space import Space, fixed_loop, space_from
from rooflint.facts.streams import Stream
from rooflint.ir import Array, Loop, Poly
from rooflint.records import NamedTuple


class _KernelStreams(NamedTuple):
    """The loops of a kernel, the numbers of their headers, and its streams by array."""

    loops: tuple[Loop, ...]
    headers: tuple[int, ...]
    streams: Mapping[str, Sequence[Stream]]


class NestFootprint:
    """The footprint of the kernels of one nest."""

    def __init__(
        self, nest: Iterable[KernelFacts], arrays: Mapping[str, Array], line_bytes: int
    ) -> None:
        self._arrays = arrays
        self._line_bytes = line_bytes
        self._headers: dict[tuple[Poly, Poly, Poly], tuple[int, Loop]] = {}
        self._kernels = [self._kernel(facts) for facts in nest]

    def bytes_at(self, values: Mapping[str, int]) -> float:
        """Bytes of all lines touched; an array of several kernels counts once."""
        largest: dict[str, float] = {}
        for streams, space in self._spaces(values):
            for array, lines in touched_lines(streams, space, values, self._line_bytes):
                largest[array] = max(lines, largest.get(array, 0.0))
        total = 0.0
        for array, lines in largest.items():
            total += min(lines, extent_lines(self._arrays.get(array), values, self._line_bytes))
        return total * self._line_bytes

    def span_bytes_at(self, values: Mapping[str, int]) -> float:
        """Bytes of all arrays from the first that is touched to the last, gaps of strided accesses
        with them; infinite where a place is unknown."""
        hulls: dict[str, tuple[int, float]] = {}
        for streams, space in self._spaces(values):
            for array, hull in touched_hulls(streams, space, values, self._line_bytes):
                if hull is None:
                    return inf
                first, end = hulls.get(array, hull)
                hulls[array] = min(first, hull[0]), max(end, hull[1])
        return sum([end - first for first, end in hulls.values()])

    def _spaces(
        self, values: Mapping[str, int]
    ) -> Iterator[tuple[Mapping[str, Sequence[Stream]], Space]]:
        """The streams and the iterations of the kernels that run at all."""
        fixed = [fixed_loop(loop, values) for _, loop in self._headers.values()]
        for loops, headers, streams in self._kernels:
            space = space_from(loops, [fixed[number] for number in headers], values)
            if space.executions:
                yield streams, space

    def _kernel(self, facts: KernelFacts) -> _KernelStreams:
        loops = facts.kernel.loops
        headers: list[int] = []
        for loop in loops:
            header = (loop.lower, loop.upper, loop.step)
            headers.append(self._headers.setdefault(header, (len(self._headers), loop))[0])
        return _KernelStreams(loops, tuple(headers), by_array(facts))


_LARGEST_SIZE: Final = 1 << 40
"""No machine holds an array of so many elements."""


def size_of_footprint(footprint_bytes: Callable[[int], float], target: float) -> int | None:
    """The smallest multiple of 8 whose footprint reaches ``target``, by secants in log-log.

    None when the footprint does not grow that far. A footprint is close to a power of n, so a few
    steps do.
    """
    low, high = 64, 1024
    f_low, f_high = footprint_bytes(low), footprint_bytes(high)
    if f_high <= f_low or not f_low:
        f_low, low = f_high, high
        high = 1 << 16
        f_high = footprint_bytes(high)
        if f_high <= f_low or not f_low:
            return None
    for _ in range(8):
        if not f_high:
            return None
        power = max(log2(f_high / f_low) / log2(high / low), 0.125)
        low, f_low = high, f_high
        guess = min(high * (target / f_high) ** (1 / power), _LARGEST_SIZE)
        high = max(8, -(-int(guess + 0.999) // 8) * 8)
        if high == low:
            break
        f_high = footprint_bytes(high)
        if f_high == f_low:
            break
        if target <= f_high <= target * 1.002:
            return high
    step = max(8, high >> 10 & -8)
    while f_high < target:
        if high >= _LARGEST_SIZE:
            return None
        high, step = high + step, 2 * step
        f_high = footprint_bytes(high)
    return high
