"""Regimes: ranges of one size in which the same layers stay in the same levels.

The layer conditions give them in closed form. Where the nest can be replayed at other sizes, the
replay tells the lines of each regime, and where those around the size of the report end.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isqrt
from typing import Final, Protocol

from rooflint.ir import Loop
from rooflint.memory.hierarchy import MemoryLink
from rooflint.memory.layers import Layer
from rooflint.memory.line_counts import CountMethod
from rooflint.records import NamedTuple


class CoreCache(NamedTuple):
    """A cache as one core sees it, and the link below it."""

    name: str
    link: str
    capacity_bytes: int


def core_caches(links: Iterable[MemoryLink], line_bytes: int) -> list[CoreCache]:
    """The caches above these links."""
    return [CoreCache(each.near, each.name, each.above.lines * line_bytes) for each in links]


class CountedLink(NamedTuple):
    """Lines per line of work over a link: misses of the level above, stored lines that leave."""

    link: str
    misses: float
    evicts: float


class Regime(NamedTuple):
    """Sizes for which one prediction holds.

    condition   ``n <= 1024``, ``1024 < n <= 8192``; of several sizes, an inequality for each layer
    resides     per layer the nearest level that holds it, ``MEM`` where none does
    traffic     per link; () in closed form where references move in different ways
    now         whether the sizes of the report lie in it
    method      how ``traffic`` was counted
    """

    condition: str
    resides: Mapping[str, str]
    traffic: tuple[CountedLink, ...]
    now: bool
    method: CountMethod = CountMethod.CLOSED_FORM


class Block(NamedTuple):
    """A block size that lets a nearer level hold a layer: ``loop`` in steps of ``iterations``.

    share_left   of the lines that the level misses without blocks; None in closed form
    method       how they were counted
    """

    loop: str
    iterations: int
    layer: str
    level: str
    share_left: float | None = None
    method: CountMethod = CountMethod.CLOSED_FORM


class Condition(NamedTuple):
    """When a level holds a layer: an inequality in sizes, ``2*n^2 - n <= 2048``."""

    layer: str
    level: str
    holds: str


class CountedRegime(NamedTuple):
    """Lines over each link at certain sizes."""

    traffic: tuple[CountedLink, ...]
    method: CountMethod


class CountedNest(Protocol):
    """A kernel whose lines can be counted at other sizes and in blocks."""

    def at(self, sizes: Mapping[str, int]) -> CountedRegime | None:
        """The lines at these sizes; None where nothing counts them."""

    def tried_blocks(self, blocks: Sequence[Block], sizes: Mapping[str, int]) -> tuple[Block, ...]:
        """Those blocks that help."""


class Regimes(NamedTuple):
    """Of one kernel."""

    regimes: tuple[Regime, ...] = ()
    blocks: tuple[Block, ...] = ()
    conditions: tuple[Condition, ...] = ()


def regimes_and_blocks(
    layers: Sequence[Layer],
    levels: Sequence[CoreCache],
    loops: Sequence[tuple[Loop, float]],
    values: Mapping[str, int],
    nest: CountedNest | None,
) -> Regimes:
    """Of the ``layers`` of a kernel; ``loops`` with their trip counts. ``nest`` counts its lines,
    where anything does."""
    blocks = blocks_of(layers, levels, loops, values)
    return Regimes(
        regimes=regimes_of(layers, levels, values, nest),
        blocks=blocks if nest is None else nest.tried_blocks(blocks, values),
        conditions=conditions_of(layers, levels),
    )


def conditions_of(layers: Iterable[Layer], levels: Iterable[CoreCache]) -> tuple[Condition, ...]:
    """The layer conditions in closed form; those without a size hold or do not, whatever is."""
    return tuple(
        [
            Condition(layer.label, level.name, layer.condition(level.capacity_bytes))
            for layer in layers
            if layer.label and layer.required.names()
            for level in levels
        ]
    )


class _SizeRange(NamedTuple):
    lower: int | None
    upper: int | None
    resides: Mapping[str, str]
    traffic: tuple[CountedLink, ...]
    method: CountMethod = CountMethod.CLOSED_FORM

    def text(self, name: str) -> str:
        if self.upper is None:
            return f"{name} > {self.lower}"
        return f"{'' if self.lower is None else f'{self.lower} < '}{name} <= {self.upper}"

    def holds(self, value: int | None) -> bool:
        if value is None:
            return False
        above = self.lower is None or value > self.lower
        return above and (self.upper is None or value <= self.upper)

    def regime(self, name: str, here: int | None) -> Regime:
        """Of the size ``name``, which has the value ``here``."""
        return Regime(
            condition=self.text(name),
            resides=self.resides,
            traffic=self.traffic,
            now=self.holds(here),
            method=self.method,
        )

    @property
    def middle(self) -> int:
        """A size inside, an odd one where there is any: rows of powers of two conflict."""
        upper = 4 * (self.lower or 1) if self.upper is None else self.upper
        return min(upper, isqrt((self.lower or 1) * upper) | 1)


def regimes_of(
    layers: Sequence[Layer],
    levels: Sequence[CoreCache],
    values: Mapping[str, int],
    nest: CountedNest | None = None,
) -> tuple[Regime, ...]:
    """The regimes of the size that most layers depend on, by growing size, others as given.

    One without a condition where no size is open; () where nothing is reused. ``nest`` counts
    what it can.
    """
    named = _open_layers(layers, levels)
    if not named:
        return ()
    name = _most_named(named)
    if not name:
        found = nest and nest.at(values)
        found = found or CountedRegime(_traffic(layers, levels, values), CountMethod.CLOSED_FORM)
        resides = _resides(named, levels, values)
        return (Regime("", resides, found.traffic, now=True, method=found.method),)
    ranges = _size_ranges(named, layers, levels, name, values)
    if nest is not None:
        ranges = _OneSize(nest, [each.name for each in levels], name, values).with_lines(ranges)
    return tuple([each.regime(name, values.get(name)) for each in ranges])


def _open_layers(layers: Iterable[Layer], levels: Sequence[CoreCache]) -> list[Layer]:
    """Those that the nearest level does not hold whatever the sizes are."""
    if not levels:  # a machine described by its coprocessors alone: nothing is cached
        return []
    nearest = levels[0].capacity_bytes
    return [layer for layer in layers if layer.label and not layer.always(nearest)]


def _most_named(layers: Iterable[Layer]) -> str:
    """The size that most layers depend on; none where all are constant."""
    counts = Counter(name for layer in layers for name in sorted(layer.required.names()))
    return max(counts, key=lambda each: counts[each], default="")


def _size_ranges(
    named: Sequence[Layer],
    layers: Sequence[Layer],
    levels: Sequence[CoreCache],
    name: str,
    values: Mapping[str, int],
) -> list[_SizeRange]:
    """The ranges of a size between which a level stops to hold a layer; none for a single one."""
    limits = _limits(named, levels, name, values)
    ranges: list[_SizeRange] = []
    for lower, upper in zip((None, *limits), (*limits, None), strict=True):
        at = {**values, name: (lower or 0) + 1 if upper is None else upper}
        resides = _resides(named, levels, at)
        alike = bool(ranges) and ranges[-1].resides == resides
        begin = ranges.pop().lower if alike else lower
        if begin is None and upper is None:
            return []
        traffic = _traffic(layers, levels, at)
        ranges.append(_SizeRange(lower=begin, upper=upper, resides=resides, traffic=traffic))
    return ranges


CHANGED: Final = 0.1
"""Of the lines over a link, between two regimes that differ: what is less may be their edges."""
NEAR: Final = 1.5
"""A regime ends within such a factor of where its layer condition does, or nothing tells."""
SHARPNESS: Final = 1.02
"""The end of a regime is known when so large a factor is left."""


class _OneSize:
    """The nest with one size varied, and the names of the ``levels``, the nearest first."""

    def __init__(
        self, nest: CountedNest, levels: Sequence[str], name: str, values: Mapping[str, int]
    ) -> None:
        self._nest, self._levels, self._name, self._values = nest, levels, name, values

    def with_lines(self, ranges: Sequence[_SizeRange]) -> list[_SizeRange]:
        """The ranges with the lines at a size in each; those around the given size end where a
        link's lines are nearer to those of the other side."""
        here = self._values.get(self._name)
        found: list[_SizeRange] = []
        for each in ranges:
            lines = self._at(here if here is not None and each.holds(here) else each.middle)
            found.append(each if lines is None else each._replace(**lines._asdict()))
        own = next((number for number, each in enumerate(ranges) if each.holds(here)), None)
        if own is None:
            return found
        for below in (own - 1, own):
            if 0 <= below < len(ranges) - 1:
                end = self._end(ranges[below], ranges[below + 1])
                found[below] = found[below]._replace(upper=end)
                found[below + 1] = found[below + 1]._replace(lower=end)
        return found

    def _at(self, value: int) -> CountedRegime | None:
        return self._nest.at({**self._values, self._name: value})

    def _end(self, lower: _SizeRange, upper: _SizeRange) -> int | None:
        """The last size of the lower range; as the layer conditions have it where no link tells."""
        closed = lower.upper
        if closed is None:
            return None
        low, high = max(lower.middle, int(closed / NEAR)), min(upper.middle, int(closed * NEAR))
        one, other = self._at(low | 1), self._at(high | 1)
        if one is None or other is None:
            return closed
        link = self._link_between(lower, upper)
        first, last = one.traffic[link].misses, other.traffic[link].misses
        if abs(last - first) < CHANGED * max(first, last, CHANGED):
            return closed
        while high > low + 1 and high > SHARPNESS * low:
            tried = max(low + 1, isqrt(low * high))  # a mean of 1 and 3 is 1, which tells nothing
            lines = self._at(tried | 1)
            if lines is None:
                return closed
            misses = lines.traffic[link].misses
            low, high = (tried, high) if abs(misses - first) < abs(misses - last) else (low, tried)
        return low

    def _link_between(self, lower: _SizeRange, upper: _SizeRange) -> int:
        """The link below the level that stops to hold a layer."""
        lost = [level for layer, level in lower.resides.items() if upper.resides[layer] != level]
        return min(map(self._levels.index, lost))


def _limits(
    named: Iterable[Layer], levels: Sequence[CoreCache], name: str, values: Mapping[str, int]
) -> list[int]:
    found = [layer.limit(level.capacity_bytes, name, values) for layer in named for level in levels]
    return sorted({limit for limit in found if limit is not None and limit >= 1})


def _resides(
    layers: Iterable[Layer], levels: Iterable[CoreCache], values: Mapping[str, int]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for layer in layers:
        held = [level.name for level in levels if layer.held(level.capacity_bytes, values)]
        # the first of a name is the most demanding
        found.setdefault(layer.label, held[0] if held else "MEM")
    return found


def _traffic(
    layers: Iterable[Layer], levels: Iterable[CoreCache], values: Mapping[str, int]
) -> tuple[CountedLink, ...]:
    """Lines that still cross each link with the largest layer that its level holds."""
    found: list[CountedLink] = []
    for level in levels:
        held = [layer for layer in layers if layer.held(level.capacity_bytes, values)]
        if not held or held[0].misses is None:
            return ()
        found.append(CountedLink(level.link, float(held[0].misses), float(held[0].evicts)))
    return tuple(found)


SHORTEST_BLOCK = 8
"""Blocks of fewer iterations do not pay."""


def blocks_of(
    layers: Iterable[Layer],
    levels: Sequence[CoreCache],
    loops: Sequence[tuple[Loop, float]],
    values: Mapping[str, int],
) -> tuple[Block, ...]:
    """Blocks of the loop inside the one that reuses a layer; ``loops`` with their trip counts.

    What has to be held grows with the trip count of that loop. For each layer that the nearest
    level does not hold, the block for the nearest level that a worthwhile block fits into.
    """
    found: dict[str, Block] = {}
    for layer in layers:
        inside = len(loops) - layer.carried_inside
        if layer.label and layer.carried_inside and 0 <= inside < len(loops):
            block = _block_of(layer, levels, *loops[inside], values)
            if block is not None:
                found.setdefault(layer.label, block)
    return tuple(found.values())


def _block_of(
    layer: Layer, levels: Sequence[CoreCache], loop: Loop, trips: float, values: Mapping[str, int]
) -> Block | None:
    """The block for the nearest level that can hold a layer in part; None where none is needed."""
    held = not levels or layer.held(levels[0].capacity_bytes, values) is not False
    if held or trips < 1:
        return None
    bytes_an_iteration = layer.required.evaluate(values) / trips
    for level in levels:
        if layer.held(level.capacity_bytes, values):
            return None
        iterations = int(level.capacity_bytes / bytes_an_iteration)
        if iterations >= SHORTEST_BLOCK:
            return Block(
                loop=loop.index, iterations=iterations, layer=layer.label, level=level.name
            )
    return None
