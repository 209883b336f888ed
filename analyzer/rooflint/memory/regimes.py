"""Regimes: ranges of one size in which the same layers stay in the same levels."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rooflint.ir import Loop
from rooflint.memory.layers import Layer
from rooflint.records import NamedTuple


class CoreCache(NamedTuple):
    """A cache as one core sees it, and the link below it."""

    name: str
    link: str
    capacity_bytes: int


class CountedLink(NamedTuple):
    """Lines per line of work over a link: misses of the level above, stored lines that leave."""

    link: str
    misses: int
    evicts: int


class Regime(NamedTuple):
    """Sizes for which one prediction holds.

    condition   ``n <= 1024``, ``1024 < n <= 8192``; of several sizes, an inequality for each layer
    resides     per layer the nearest level that holds it, ``MEM`` where none does
    traffic     per link; () where references move in different ways
    now         whether the sizes of the report lie in it
    """

    condition: str
    resides: Mapping[str, str]
    traffic: tuple[CountedLink, ...]
    now: bool


class Block(NamedTuple):
    """A block size that lets a nearer level hold a layer: ``loop`` in steps of ``iterations``."""

    loop: str
    iterations: int
    layer: str
    level: str


class Condition(NamedTuple):
    """When a level holds a layer: an inequality in sizes, ``2*n^2 - n <= 2048``."""

    layer: str
    level: str
    holds: str


class Regimes(NamedTuple):
    """Of one kernel."""

    regimes: tuple[Regime, ...]
    blocks: tuple[Block, ...]
    conditions: tuple[Condition, ...]


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

    def text(self, name: str) -> str:
        if self.upper is None:
            return f"{name} > {self.lower}"
        return f"{'' if self.lower is None else f'{self.lower} < '}{name} <= {self.upper}"

    def holds(self, value: int | None) -> bool:
        if value is None:
            return False
        above = self.lower is None or value > self.lower
        return above and (self.upper is None or value <= self.upper)


def regimes_of(
    layers: Sequence[Layer], levels: Sequence[CoreCache], values: Mapping[str, int]
) -> tuple[Regime, ...]:
    """The regimes of the size that most layers depend on, by growing size, others as given.

    One without a condition where no size is open; () where nothing is reused.
    """
    if not levels:  # a machine described by its coprocessors alone: nothing is cached
        return ()
    nearest = levels[0].capacity_bytes
    named = [layer for layer in layers if layer.label and not layer.always(nearest)]
    if not named:
        return ()
    counts = Counter(name for layer in named for name in sorted(layer.required.names()))
    if not counts:
        resides, traffic = _resides(named, levels, values), _traffic(layers, levels, values)
        return (Regime(condition="", resides=resides, traffic=traffic, now=True),)
    name = max(counts, key=lambda each: counts[each])
    here = values.get(name)
    return tuple(
        [
            Regime(
                condition=each.text(name),
                resides=each.resides,
                traffic=each.traffic,
                now=each.holds(here),
            )
            for each in _size_ranges(named, layers, levels, name, values)
        ]
    )


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
        found.append(CountedLink(level.link, held[0].misses, held[0].evicts))
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
