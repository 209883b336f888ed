"""How many bytes the kernels of a nest touch at one set of sizes after another.

A search for a size asks this several times and needs nothing else.
"""

from collections.abc import Iterable, Mapping, Sequence

from rooflint.facts.compulsory import by_array, extent_lines, touched_lines
from rooflint.facts.kernel_facts import KernelFacts
from rooflint.facts.space import fixed_loop, space_from
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
        fixed = [fixed_loop(loop, values) for _, loop in self._headers.values()]
        largest: dict[str, float] = {}
        for loops, headers, streams in self._kernels:
            space = space_from(loops, [fixed[number] for number in headers], values)
            if not space.executions:
                continue
            for array, lines in touched_lines(streams, space, values, self._line_bytes):
                largest[array] = max(lines, largest.get(array, 0.0))
        total = 0.0
        for array, lines in largest.items():
            total += min(lines, extent_lines(self._arrays.get(array), values, self._line_bytes))
        return total * self._line_bytes

    def _kernel(self, facts: KernelFacts) -> _KernelStreams:
        loops = facts.kernel.loops
        headers: list[int] = []
        for loop in loops:
            header = (loop.lower, loop.upper, loop.step)
            headers.append(self._headers.setdefault(header, (len(self._headers), loop))[0])
        return _KernelStreams(loops, tuple(headers), by_array(facts))
