"""Lines and cache sets that a part of a nest touches in one iteration of the enclosing loops."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import gcd
from typing import Literal, TypeAlias

from rooflint.facts import (
    ArrayLines,
    ByteBox,
    KernelFacts,
    Space,
    Stream,
    StreamFootprint,
    StreamWalk,
    boxes_of,
    compulsory_lines,
    part_of,
    space_of,
    stream_walk,
    streams_of,
)
from rooflint.facts.affine import number
from rooflint.facts.footprint import RunShape
from rooflint.ir import ONE, ZERO, Array, IdentityKey, Loop
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.line_counts import CountsByArray, TouchedLines
from rooflint.memory.memo import memoized_method
from rooflint.memory.nests import Members, Part, loops_around_all, members_of
from rooflint.memory.occupancy import SCALE, Packed, Sets, sets_of
from rooflint.records import NamedTuple

PAGE_BYTES = 4096
PERIOD_SETS = 1024
"""Sets of a large cache: what repeats there repeats in a smaller one, so all look alike."""
CROWDED_SHARE = 4
"""A stride crowds sets when it reaches at most one in so many of them."""
ONCE = Loop(index="once", lower=ZERO, upper=ONE, step=ONE, body=())
"""Stands for the loops inside when there are none: one iteration."""

Fixed = tuple[tuple[str, int], ...]
"""Values of the indices of the loops around, outermost first."""


Shifts: TypeAlias = Literal["no", "columns", "crowd"]


class Order(NamedTuple):
    """How a nest walks an array: by the largest stride first (rows), upwards."""

    rows_first: bool
    upwards: bool


class SubnestFootprints:
    """Footprints of parts of nests at numeric sizes, each computed once.

    A window is the execution of the loops from ``depth`` on, with the indices of the enclosing
    loops ``fixed``. Arrays lie consecutively, each from the start of a page on. Kernels have
    numbers; those with the same access pattern share one, even across functions, so that a
    changed function reuses the results of its unchanged loops. ``narrowed``: the footprints of a
    kernel by itself where other sizes than those that decide on it do not matter.
    """

    def __init__(
        self,
        arrays: Mapping[str, Array],
        values: Mapping[str, int],
        line_bytes: int,
        addresses: Mapping[str, int] | None = None,
        narrowed: "Callable[[KernelFacts], SubnestFootprints] | None" = None,
    ) -> None:
        self._narrowed = narrowed
        self.facts: list[KernelFacts] = []
        self.arrays = arrays
        self.values = values
        self.line_bytes = line_bytes
        self._addresses = addresses or _page_addresses(arrays)
        self._numbers: dict[object, int] = {}
        self._objects: dict[IdentityKey, int] = {}

    def number(self, facts: KernelFacts) -> int:
        """The number of a kernel."""
        known = self._objects.get(IdentityKey(facts))
        if known is not None:
            return known
        number = self._numbers.setdefault(_access_pattern(facts), len(self.facts))
        self._objects[IdentityKey(facts)] = number
        if number == len(self.facts):
            self.facts.append(facts)
        return number

    @memoized_method
    def _alone(self, position: int) -> "tuple[SubnestFootprints, int]":
        """Where a kernel is known with the sizes that decide on it, and its number there."""
        other = self if self._narrowed is None else self._narrowed(self.facts[position])
        return other, position if other is self else other.number(self.facts[position])

    def references(self, position: int) -> int:
        """Places that an iteration of a kernel touches: so many lines, or fewer."""
        return sum([len(stream.references) for stream in self.facts[position].streams])

    def _widest(self, position: int, depth: int, fixed: Fixed) -> tuple[int, int, Fixed]:
        """The window without those loops around it that change nothing in it."""
        idle = self._idle(position)
        while depth and idle[depth - 1]:
            depth -= 1
            fixed = fixed[:-1]
        return position, depth, fixed

    @memoized_method
    def _idle(self, position: int) -> tuple[bool, ...]:
        """Per loop of a kernel, whether each of its iterations touches the same."""
        facts = self.facts[position]
        loops = facts.kernel.loops
        found: list[bool] = []
        for depth, loop in enumerate(loops):
            still = [s.strides[depth] is not None and not s.strides[depth] for s in facts.streams]
            found.append(all(still) and not _bounds_any(loop, loops[depth + 1 :]))
        return tuple(found)

    @memoized_method
    def inner(self, position: int, depth: int) -> KernelFacts:
        """A kernel's facts with the loops around ``depth`` taken for sizes."""
        whole = self.facts[position]
        if not depth and whole.kernel.loops:
            return whole
        loops = whole.kernel.loops[depth:] or (ONCE,)
        streams = streams_of(loops, whole.kernel.statements)
        return whole._replace(kernel=whole.kernel._replace(loops=loops), streams=streams)

    @memoized_method
    def space(self, position: int, depth: int, fixed: Fixed) -> Space:
        """The iterations of the loops from ``depth`` on."""
        other, number = self._alone(position)
        if other is not self:
            return other.space(number, depth, fixed)
        return space_of(self.inner(position, depth).kernel.loops, self.at(fixed))

    def middle(self, position: int, depth: int, fixed: Fixed) -> Fixed:
        """``fixed`` and the loop at ``depth`` in the middle of its way."""
        trips = self.space(position, depth, fixed).trips
        return self.iteration(position, depth, fixed, int(trips[0] / 2) if trips else 0)

    def iteration(self, position: int, depth: int, fixed: Fixed, count: int) -> Fixed:
        """``fixed`` and the loop at ``depth`` in an iteration counted from 0."""
        space = self.space(position, depth, fixed)
        loop = space.loops[0]
        first = space.firsts[0] if space.firsts else 0
        step = number(loop.step, self.at(fixed)) or 1
        return (*fixed, (loop.index, first + step * count))

    @memoized_method
    def at(self, fixed: Fixed) -> Mapping[str, int]:
        """All values, those of the loops around included."""
        return {**self.values, **dict(fixed)} if fixed else self.values

    def lines(self, position: int, depth: int, fixed: Fixed) -> tuple[ArrayLines, ...]:
        """Lines that one kernel touches in a window, per array."""
        return self._lines(*self._widest(position, depth, fixed))

    @memoized_method
    def _lines(self, position: int, depth: int, fixed: Fixed) -> tuple[ArrayLines, ...]:
        other, number = self._alone(position)
        if other is not self:
            return other._lines(number, depth, fixed)
        space = self.space(position, depth, fixed)
        if not space.executions:
            return ()
        facts, values = self.inner(position, depth), self.at(fixed)
        return compulsory_lines(facts, space, values, self.line_bytes, self.arrays)

    @memoized_method
    def boxes(self, members: Members, depth: int, fixed: Fixed) -> Mapping[str, list[ByteBox]]:
        """Where the lines of several kernels lie in a window, per array; known places only.

        A box inside another one is left out.
        """
        found: dict[str, list[ByteBox]] = {}
        for position in members:
            for array, boxes in self._boxes_of(position, depth, fixed).items():
                known = found.setdefault(array, [])
                for box in boxes:
                    _insert(known, box)
        return found

    def _boxes_of(self, position: int, depth: int, fixed: Fixed) -> Mapping[str, list[ByteBox]]:
        return self._boxes(*self._widest(position, depth, fixed))

    @memoized_method
    def _boxes(self, position: int, depth: int, fixed: Fixed) -> Mapping[str, list[ByteBox]]:
        other, number = self._alone(position)
        if other is not self:
            return other._boxes(number, depth, fixed)
        found: dict[str, list[ByteBox]] = {}
        space, values = self.space(position, depth, fixed), self.at(fixed)
        for stream in self.inner(position, depth).streams if space.executions else ():
            part = _placed(stream, space, values, self.line_bytes)
            if part is not None:
                known = found.setdefault(stream.array, [])
                for box in boxes_of(part.shape, part.places, self.line_bytes):
                    _insert(known, box)
        return found

    @memoized_method
    def added_lines(self, members: Members, depth: int, fixed: Fixed) -> list[CountsByArray]:
        """Lines that each kernel, in program order, adds to those of the kernels before it."""
        earlier = TouchedLines(self.line_bytes)
        alone = len(members) == 1
        return [
            earlier.add(
                self.lines(position, depth, fixed),
                {} if alone else self._boxes_of(position, depth, fixed),
            )
            for position in members
        ]

    def _steps(self, stream: Stream, depth: int = 0) -> list[int]:
        return [
            0 if stride is None else number(stride, self.values) or 0
            for stride in stream.strides[depth:]
        ]

    def _streams(self, members: Iterable[int]) -> Iterator[Stream]:
        for position in members:
            yield from self.facts[position].streams

    def shifts(self, members: Sequence[int], depth: int, ways: int) -> Shifts:
        """Why lines meet others in their sets from one iteration of a loop to the next.

        References move against each other, and some visit single lines far apart in each iteration
        (columns), or there are more of them than ways (crowd).
        """
        own_steps: set[int] = set()
        columns = False
        for stream in self._streams(members):
            own, *deeper = map(abs, self._steps(stream, depth))
            own_steps.add(own)
            columns = columns or min(filter(None, deeper), default=0) > self.line_bytes
        if len(own_steps) < 2:
            return "no"
        if columns:
            return "columns"
        return "crowd" if sum(map(self.references, members)) > ways else "no"

    def crowding(self, position: int, cache: CacheGeometry) -> list[str]:
        """Arrays of a kernel with strides that reach a quarter of the sets or less."""
        reach = cache.sets * self.line_bytes
        return list(
            dict.fromkeys(
                stream.array
                for stream in self.facts[position].streams
                for step in self._steps(stream)
                if step and gcd(step, reach) >= CROWDED_SHARE * self.line_bytes
            )
        )

    def may_conflict(self, position: int, cache: CacheGeometry) -> bool:
        """Whether lines of a kernel may compete for few sets: some crowd, or there are more
        references than ways.
        """
        crowded = bool(self.crowding(position, cache))
        return crowded or self.references(position) > cache.ways

    @memoized_method
    def idle_loops(self, part: Part, array: str, depth: int) -> int:
        """How many loops from ``depth`` on hold all of ``part`` and move none of an array."""
        members = members_of((part,))
        loops = self.facts[members[0]].kernel.loops[depth : loops_around_all(part)]
        for position in members:
            facts = self.facts[position]
            own = facts.kernel.loops[depth:]
            for stream in facts.streams:
                if stream.array == array:
                    idle = [s is not None and not s.terms for s in stream.strides[depth:]]
                    loops = loops[: (*idle, False).index(False)]
            # a loop over blocks moves what is inside it through the bounds there
            ties = [_bounds_any(loop, own[at + 1 :]) for at, loop in enumerate(loops)]
            loops = loops[: (*ties, True).index(True)]
        return len(loops)

    @memoized_method
    def order(self, members: Members, array: str, depth: int) -> Order:
        """Which way the loops from ``depth`` on walk an array."""
        for stream in self._streams(members):
            if stream.array == array:
                moving = [step for step in self._steps(stream, depth) if step]
                if moving:
                    largest = max(map(abs, moving))
                    return Order(abs(moving[0]) == largest, moving[0] > 0)
        return Order(True, True)

    def period(self, members: Sequence[int], depth: int) -> int:
        """After so many iterations of the loop at ``depth`` columns begin in the same sets again.

        Seen from the columns: one that visits every n-th set does not tell n neighbours apart.
        """
        found = 1
        for stream in self._streams(members):
            own, *deeper = map(abs, self._steps(stream, depth))
            apart = [step for step in deeper if step > self.line_bytes]
            if own and apart:
                grain = gcd(PERIOD_SETS * self.line_bytes, *apart)
                found = max(found, grain // gcd(own, grain))
        return found

    def lines_per_set(self, array: str, boxes: Iterable[ByteBox], sets: Sets) -> Packed:
        """How many lines of an array's disjoint boxes fall into each of ``sets``."""
        total = 0
        address = self._addresses.get(array, 0)
        for start, shape in boxes:
            line, byte = divmod(address + start, self.line_bytes)
            total += sets.turned(self._pattern(sets.number, byte, shape), line)
        return SCALE * total

    @memoized_method
    def _pattern(self, sets: int, byte: int, shape: RunShape) -> Packed:
        """Lines in each set of a shape that begins at a byte of the first line."""
        return sets_of(sets).lines_of(byte, shape, self.line_bytes)

    def most_in_a_set(self, box: ByteBox, cache: CacheGeometry) -> float:
        """At most so many lines of a box fall into one set."""
        runs = 1.0
        reach = cache.sets
        for stride, times in box.shape.repeats:
            runs *= times
            reach = min(reach, cache.sets // gcd(max(1, stride // self.line_bytes), cache.sets))
        run = box.shape.width // self.line_bytes + 2
        if not box.shape.repeats:
            return run // cache.sets + 1
        return -(-runs // reach) * run


def _placed(
    stream: Stream, space: Space, values: Mapping[str, int], line_bytes: int
) -> StreamWalk | StreamFootprint | None:
    """Where a stream walks; None where nobody knows."""
    walk = stream_walk(stream, space, values, line_bytes)
    if walk is not None:
        return walk
    part = part_of(stream, space, values, line_bytes)
    return part if part.known else None


def _access_pattern(facts: KernelFacts) -> object:
    """A kernel's loops without their bodies, and its accesses: all that decides how it walks."""
    loops = [(loop.index, loop.lower, loop.upper, loop.step) for loop in facts.kernel.loops]
    accesses = [
        (access.array, access.offset, access.bytes, access.write)
        for statement in facts.kernel.statements
        for access in statement.accesses
    ]
    return tuple(loops), tuple(accesses)


def _bounds_any(loop: Loop, inside: Iterable[Loop]) -> bool:
    """Whether the bounds of a loop inside depend on the index of ``loop``."""
    bounds = [bound.names() for inner in inside for bound in (inner.lower, inner.upper)]
    return any(loop.index in names for names in bounds)


def _insert(boxes: list[ByteBox], box: ByteBox) -> None:
    for other in boxes:
        if other.covers(box):
            return
    boxes[:] = [other for other in boxes if not box.covers(other)]
    boxes.append(box)


def _page_addresses(arrays: Mapping[str, Array]) -> dict[str, int]:
    bases: dict[str, int] = {}
    end = 0
    for array in arrays.values():
        bases[array.name] = end
        size = array.element_bytes
        for extent in array.extents:
            size *= (extent.value if extent is not None else None) or 1
        end += -(-size // PAGE_BYTES) * PAGE_BYTES
    return bases
