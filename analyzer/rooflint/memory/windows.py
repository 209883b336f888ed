"""What a part of a nest touches while the loops around it stand still: lines, and in which sets."""

from collections.abc import Mapping, Sequence
from math import gcd
from typing import NamedTuple

from rooflint.facts import ArrayLines, KernelFacts, Space, compulsory_lines, space_of
from rooflint.facts.compulsory import _Part as Part
from rooflint.facts.compulsory import _part as part_of
from rooflint.facts.streams import streams_of
from rooflint.ir import ONE, ZERO, Array, Loop

PAGE_BYTES = 4096
ONCE = Loop("once", ZERO, ONE, ONE, ())
"""Stands for the loops inside when there are none: one iteration."""

Fixed = tuple[tuple[str, int], ...]
"""Values of the indices of the loops around, outermost first."""


class Cache(NamedTuple):
    """A set-associative cache with LRU replacement; sizes in lines."""

    sets: int
    ways: int

    @property
    def lines(self) -> int:
        """What it holds."""
        return self.sets * self.ways


class Growth(NamedTuple):
    """Lines of one array that a kernel adds to what was touched before it in a window."""

    load: float
    allocate: float
    evict: float

    def plus(self, other: "Growth", times: float) -> "Growth":
        """This and ``times`` the other."""
        return Growth(
            self.load + times * other.load,
            self.allocate + times * other.allocate,
            self.evict + times * other.evict,
        )


NOTHING = Growth(0.0, 0.0, 0.0)
Grown = dict[str, Growth]


class Windows:
    """Footprints of parts of a function's nests at numeric sizes, each computed once.

    A window is the execution of the loops from ``depth`` on, with the indices of those around
    ``fixed``. Arrays lie one behind the other, each from the start of a page on.
    """

    def __init__(
        self,
        facts: Sequence[KernelFacts],
        arrays: Mapping[str, Array],
        values: Mapping[str, int],
        line_bytes: int,
    ) -> None:
        self.facts = facts
        self.arrays = arrays
        self.values = values
        self.line_bytes = line_bytes
        self._bases = _bases(arrays)
        self._inner: dict[tuple[int, int], KernelFacts] = {}
        self._spaces: dict[tuple[int, int, Fixed], Space] = {}
        self._lines: dict[tuple[int, int, Fixed], tuple[ArrayLines, ...]] = {}

    def inner(self, position: int, depth: int) -> KernelFacts:
        """A kernel's facts with the loops around ``depth`` taken for sizes."""
        found = self._inner.get((position, depth))
        if found is None:
            whole = self.facts[position]
            loops = whole.kernel.loops[depth:] or (ONCE,)
            streams = streams_of(loops, whole.kernel.statements)
            kernel = whole.kernel._replace(loops=loops)
            found = self._inner[position, depth] = whole._replace(kernel=kernel, streams=streams)
        return found

    def space(self, position: int, depth: int, fixed: Fixed) -> Space:
        """The iterations of the loops from ``depth`` on."""
        key = (position, depth, fixed)
        found = self._spaces.get(key)
        if found is None:
            loops = self.inner(position, depth).kernel.loops
            found = self._spaces[key] = space_of(loops, self.at(fixed))
        return found

    def at(self, fixed: Fixed) -> Mapping[str, int]:
        """All values, those of the loops around included."""
        return {**self.values, **dict(fixed)} if fixed else self.values

    def lines(self, position: int, depth: int, fixed: Fixed) -> tuple[ArrayLines, ...]:
        """What one kernel touches in a window, per array."""
        key = (position, depth, fixed)
        found = self._lines.get(key)
        if found is None:
            space = self.space(position, depth, fixed)
            facts = self.inner(position, depth)
            found = ()
            if space.executions:
                found = compulsory_lines(facts, space, self.at(fixed), self.line_bytes, self.arrays)
            self._lines[key] = found
        return found

    def parts(self, members: Sequence[int], depth: int, fixed: Fixed) -> list[tuple[str, Part]]:
        """The streams of several kernels in a window, with their places; known places only."""
        found: list[tuple[str, Part]] = []
        values = self.at(fixed)
        for position in members:
            space = self.space(position, depth, fixed)
            if not space.executions:
                continue
            for stream in self.inner(position, depth).streams:
                part = part_of(stream, space, values, self.line_bytes)
                if part.known:
                    found.append((stream.array, part))
        return found

    def numbers(self, array: str, part: Part) -> set[int]:
        """The lines of a stream by number, counted from the start of memory."""
        base, size = self._bases.get(array, 0), self.line_bytes
        starts = [base + place for place in part.places]
        for stride, times in part.shape.repeats:
            offsets = range(0, stride * round(times), stride)
            starts = [start + offset for start in starts for offset in offsets]
        last = int(part.shape.width) - 1
        if last <= size:
            found = {start // size for start in starts}
            found.update([(start + last) // size for start in starts])
            return found
        found = set()
        for start in starts:
            found.update(range(start // size, (start + last) // size + 1))
        return found

    def crowds(self, part: Part, cache: Cache) -> bool:
        """Whether a stream's stride reaches so few sets that its own lines fill half of them."""
        runs = float(len(part.places))
        for stride, times in part.shape.repeats:
            runs *= times
            reach = cache.sets // gcd(max(1, stride // self.line_bytes), cache.sets)
            if reach < cache.sets and times * 2 > reach * cache.ways:
                return True
        return False

    def peak(self, part: Part, cache: Cache) -> float:
        """At most so many lines of a stream fall into one set."""
        runs = float(len(part.places))
        reach = cache.sets
        for stride, times in part.shape.repeats:
            runs *= times
            reach = min(reach, cache.sets // gcd(max(1, stride // self.line_bytes), cache.sets))
        run = part.shape.width // self.line_bytes + 2
        if not part.shape.repeats:
            return len(part.places) * (run // cache.sets + 1)
        return -(-runs // reach) * (run // cache.sets + 1) * min(run, 2)


def _bases(arrays: Mapping[str, Array]) -> dict[str, int]:
    bases: dict[str, int] = {}
    end = 0
    for array in arrays.values():
        bases[array.name] = end
        size = array.element_bytes
        for extent in array.extents:
            size *= (extent.value if extent is not None else None) or 1
        end += -(-size // PAGE_BYTES) * PAGE_BYTES
    return bases
