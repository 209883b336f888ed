"""How many bytes the kernels of a nest touch at one set of sizes after another.

A search for a size asks this several times and needs nothing else.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf, log2
from typing import Final, TypeAlias

from rooflint.facts.affine import trip_name
from rooflint.facts.compulsory import by_array, extent_lines, touched_hulls, touched_lines
from rooflint.facts.kernel_facts import KernelFacts, deciding_names, names_in
from rooflint.facts.space import Space, space_of
from rooflint.ir import Array, IdentityKey, Loop

_LinesByArray: TypeAlias = tuple[tuple[str, float], ...]


class _LoopSpaces:
    """The spaces of loops with the same headers, each at the sizes that decide on it."""

    def __init__(self, loops: tuple[Loop, ...]) -> None:
        self._loops = loops
        bounds = [each for loop in loops for each in (loop.lower, loop.upper, loop.step)]
        self._names = tuple(sorted(names_in(bounds).union(map(trip_name, loops))))
        self._spaces: dict[tuple[int | None, ...], Space] = {}

    def at(self, values: Mapping[str, int]) -> Space:
        """The space at these sizes."""
        deciding = tuple(map(values.get, self._names))
        space = self._spaces.get(deciding)
        if space is None:
            space = self._spaces[deciding] = space_of(self._loops, values)
        return space


class _KernelFootprint:
    """The footprint of one kernel at one set of sizes after another.

    Only the ``names`` in its bounds and offsets decide on that, so a search that changes one size
    asks the kernels with that size, and no other, again.
    """

    def __init__(self, facts: KernelFacts, spaces: _LoopSpaces) -> None:
        self._space_at = spaces.at
        self._streams = by_array(facts)
        self.names = deciding_names(facts)
        self._sorted_names = tuple(sorted(self.names))
        self._lines: dict[tuple[int, tuple[int | None, ...]], _LinesByArray] = {}

    def lines_at(self, values: Mapping[str, int], line_bytes: int) -> _LinesByArray:
        """Lines of each array; none of a kernel that does not run."""
        deciding = tuple(map(values.get, self._sorted_names))
        found = self._lines.get((line_bytes, deciding))
        if found is None:
            space = self._space_at(values)
            found = ()
            if space.executions:
                found = tuple(touched_lines(self._streams, space, values, line_bytes))
            self._lines[line_bytes, deciding] = found
        return found

    def hulls_at(
        self, values: Mapping[str, int], line_bytes: int
    ) -> Iterable[tuple[str, tuple[int, float] | None]]:
        """First and end byte of each array; none of a kernel that does not run."""
        space = self._space_at(values)
        return touched_hulls(self._streams, space, values, line_bytes) if space.executions else ()


class KernelFootprints:
    """Footprints of kernels, each computed once at the sizes that decide on it."""

    def __init__(self) -> None:
        self._known: dict[IdentityKey, _KernelFootprint] = {}
        self._spaces: dict[tuple[object, ...], _LoopSpaces] = {}

    def of(self, facts: KernelFacts) -> _KernelFootprint:
        """The footprint of one kernel."""
        key = IdentityKey(facts)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _KernelFootprint(facts, self._spaces_of(facts.kernel.loops))
        return found

    def _spaces_of(self, loops: tuple[Loop, ...]) -> _LoopSpaces:
        """Those of all kernels inside loops with these headers."""
        headers = tuple([(each.index, each.lower, each.upper, each.step) for each in loops])
        found = self._spaces.get(headers)
        if found is None:
            found = self._spaces[headers] = _LoopSpaces(loops)
        return found


class NestFootprint:
    """The footprint of the kernels of one nest; ``known`` may know some of them already."""

    def __init__(
        self,
        nest: Iterable[KernelFacts],
        arrays: Mapping[str, Array],
        line_bytes: int,
        known: KernelFootprints | None = None,
    ) -> None:
        self._arrays = arrays
        self._line_bytes = line_bytes
        self._kernels = list(map((known or KernelFootprints()).of, nest))
        self._values: Mapping[str, int] = {}
        self._lines: list[_LinesByArray | None] = [None] * len(self._kernels)

    def bytes_at(self, values: Mapping[str, int]) -> float:
        """Bytes of all lines touched; an array of several kernels counts once."""
        largest: dict[str, float] = {}
        for kernel_lines in self._lines_at(values):
            for array, lines in kernel_lines:
                largest[array] = max(lines, largest.get(array, 0.0))
        total = 0.0
        for array, lines in largest.items():
            total += min(lines, extent_lines(self._arrays.get(array), values, self._line_bytes))
        return total * self._line_bytes

    def _lines_at(self, values: Mapping[str, int]) -> Iterator[_LinesByArray]:
        """Lines of each kernel; those on which no size decides that is another one than when this
        was asked last are still the same."""
        last = self._values
        changed = {name for name, value in values.items() if last.get(name) != value}
        changed.update(last.keys() - values.keys())
        self._values = dict(values)
        for number, kernel in enumerate(self._kernels):
            lines = self._lines[number]
            if lines is None or not kernel.names.isdisjoint(changed):
                lines = self._lines[number] = kernel.lines_at(values, self._line_bytes)
            yield lines

    def span_bytes_at(self, values: Mapping[str, int]) -> float:
        """Bytes of all arrays from the first that is touched to the last, gaps of strided accesses
        with them; infinite where a place is unknown."""
        hulls: dict[str, tuple[int, float]] = {}
        for kernel in self._kernels:
            for array, hull in kernel.hulls_at(values, self._line_bytes):
                if hull is None:
                    return inf
                first, end = hulls.get(array, hull)
                hulls[array] = min(first, hull[0]), max(end, hull[1])
        return sum([end - first for first, end in hulls.values()])


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
