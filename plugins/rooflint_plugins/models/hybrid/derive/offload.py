"""A nest that may move to the coprocessors: its procedure at any sizes, against the host alone."""

from collections.abc import Callable, Iterator, Mapping
from math import log, sqrt
from typing import Literal, TypeAlias

from rooflint.facts import KernelFacts
from rooflint.ir import Function
from rooflint.machine.quantities import format_volume
from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.derive.choice import Choice, choose
from rooflint_plugins.models.hybrid.derive.cutting import cut
from rooflint_plugins.models.hybrid.derive.host_only import HostRoofline
from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.derive.streamed import BlockMemo
from rooflint_plugins.models.hybrid.derive.volumes import footprint_bytes
from rooflint_plugins.models.hybrid.evaluate.balance import FACTOR, WhatIf
from rooflint_plugins.models.hybrid.evaluate.evaluator import PLAIN, EstimateOptions
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.records import Procedure

STRIDE = 8.0
"""Sizes are first tried this far apart, until the faster side changes."""
LARGEST, SMALLEST = 1e9, 4
HALVINGS = 3
"""Of the interval of a crossover: to a factor of 1.3, and what is left on a straight line."""
NOTABLE = 1.001
"""Larger blocks that gain less are not worth a word."""
Pays: TypeAlias = Literal["from", "always", "never", "fixed"]


class Offload(NamedTuple):
    """A nest, and what is needed to derive its procedures.

    values     of the source's sizes; ``averages`` of trip counts that differ from row to row
    elements   by array, how many it has, where the source does not tell
    params     for parameters of the sidecar
    blocks     remembers blocks while sizes change
    """

    name: str
    facts: tuple[KernelFacts, ...]
    function: Function
    values: Mapping[str, int]
    system: System
    elements: Mapping[str, float] = {}
    averages: Mapping[str, float] = {}
    sidecar: Procedure | None = None
    params: Mapping[str, float] = {}
    options: EstimateOptions = PLAIN
    blocks: BlockMemo | None = None

    def cut(self) -> PagedNest:
        """Its page loops at these sizes."""
        arrays = {array.name: array for array in self.function.arrays}
        align = self.system.channels["main"].align_bytes
        return cut(
            self.facts, self.values, arrays, self.elements, align, self.averages, self.function
        )

    def choose(self, found: PagedNest) -> Choice:
        """The fastest class of what was cut."""
        return choose(
            self.name, found, self.system, self.sidecar, self.params, self.options, self.blocks
        )

    def with_count(self, count: float) -> "Offload":
        """The same with another number of coprocessors."""
        return self._replace(system=self.system._replace(coprocessors=count))


class DeviceTime(NamedTuple):
    """The fastest procedure with so many ``coprocessors``; None where nothing fits."""

    coprocessors: int
    best: ProcedureEstimate | None


def by_devices(offload: Offload, found: PagedNest, best: ProcedureEstimate) -> Iterator[DeviceTime]:
    """The nest on 1, 2, 4, … coprocessors; on all of them it is ``best``."""
    most = round(offload.system.coprocessors)
    counts = [1 << power for power in range(most.bit_length()) if 1 << power < most]
    for count in counts:
        yield DeviceTime(count, offload.with_count(float(count)).choose(found).best)
    yield DeviceTime(most, best)


def changes_again(offload: Offload, found: PagedNest, best: ProcedureEstimate) -> Iterator[WhatIf]:
    """Changes that make other blocks, or another class: more coprocessors, memory, no alignment."""
    system = offload.system
    if best.procedure.one_count:
        count = system.coprocessors * FACTOR
        words = f"{count:g} coprocessors"
        yield from _change("K", words, best, offload.with_count(count).choose(found))
    more = system._replace(memory_bytes=system.memory_bytes * FACTOR)
    words = f"twice the memory, {format_volume(more.memory_bytes)} each"
    yield from _change("DMEM", words, best, offload._replace(system=more, blocks={}).choose(found))
    main = system.channels["main"]
    if main.align_bytes > 1:
        channels = {**system.channels, "main": main._replace(align_bytes=1)}
        loose = offload._replace(system=system._replace(channels=channels), blocks={})
        words = f"transfers of single bytes instead of {main.align_bytes}"
        yield from _change("align", words, best, loose.choose(loose.cut()))


def _change(name: str, words: str, best: ProcedureEstimate, choice: Choice) -> Iterator[WhatIf]:
    if choice.best is not None:
        gain = choice.best.perf_op_s / best.perf_op_s
        if gain > NOTABLE:
            yield WhatIf(parameter=name, words=words, perf_op_s=choice.best.perf_op_s, gain=gain)


class Crossover(NamedTuple):
    """From which sizes the coprocessors are faster than the host.

    pays    ``from``: the sizes in ``sizes``, the smallest; ``always``: down to those; ``never``: up
            to those; ``fixed``: no size of the nest is open
    """

    pays: Pays
    sizes: Mapping[str, int]

    @property
    def words(self) -> str:
        """A clause for a sentence; empty where there is nothing to say."""
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes.items())
        said = {"from": f"from {sizes}", "always": f"at {sizes} already", "fixed": ""}
        return said.get(self.pays, f"at no size up to {sizes}")


def crossover(offload: Offload, found: PagedNest, host: HostRoofline, ratio: float) -> Crossover:
    """All sizes of the page loops are scaled together; those of repeating loops stay.

    ``ratio`` is hybrid over host time at the sizes given. Sizes are tried a factor ``STRIDE`` apart
    until it passes 1, then between, where it is taken to change sides once.
    """
    names = _scaled(offload, found)
    if not names:
        return Crossover("fixed", {})

    def at(scale: float) -> dict[str, int]:
        return {name: max(1, round(offload.values[name] * scale)) for name in names}

    def ratio_at(scale: float) -> float | None:
        return _ratio(offload, at(scale), host)

    pays = ratio <= 1
    inner, known = 1.0, ratio
    while True:
        outer = inner / STRIDE if pays else inner * STRIDE
        sizes = at(outer).values()
        there = None if max(sizes) < SMALLEST or max(sizes) > LARGEST else ratio_at(outer)
        if there is None:
            return Crossover("always" if pays else "never", at(inner))
        if (there <= 1) != pays:
            break
        inner, known = outer, there
    ends = ((outer, there), (inner, known)) if pays else ((inner, known), (outer, there))
    return Crossover("from", at(_between(ratio_at, *ends)))


def _between(
    ratio_at: Callable[[float], float | None], low: tuple[float, float], high: tuple[float, float]
) -> float:
    """The scale at which the ratio passes 1, between (scale, ratio) above 1 and at most 1.

    By halving in logarithms, because what stays in a cache makes the host's time jump; then on the
    line between the ends.
    """
    (small, above), (large, below) = low, high
    for _ in range(HALVINGS):
        middle = sqrt(small * large)
        ratio = ratio_at(middle)
        if ratio is None or ratio > 1:
            small, above = middle, ratio or above
        else:
            large, below = middle, ratio
    part = log(above) / (log(above) - log(below))
    return float(small * (large / small) ** part)


def _ratio(offload: Offload, sizes: Mapping[str, int], host: HostRoofline) -> float | None:
    scaled = offload._replace(values={**offload.values, **sizes})
    found = scaled.cut()
    if found.refused or not found.computes or found.missing:
        return None
    best = scaled.choose(found).best
    if best is None:
        return None
    alone = host.time(best.ops * best.repeat, footprint_bytes(found), found.repeat)
    return None if alone is None else best.seconds / alone.seconds


def _scaled(offload: Offload, found: PagedNest) -> tuple[str, ...]:
    """Sizes that bound the page loops and what is inside them, in the order they were given.

    Lengths of rows are the data's, and lengths that a sidecar gives say nothing of other sizes.
    """
    if offload.elements:
        return ()
    rows = {name for facts in offload.facts for name, _ in facts.run_time}
    used: set[str] = set()
    for loop in [loop for page in found.pages for loop in page.nest.trips.loops]:
        used |= loop.lower.names() | loop.upper.names()
    return tuple([name for name in offload.values if name in used - rows])
