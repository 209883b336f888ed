"""What a kernel moves over the links of a hierarchy: the words for it, and the nearest link."""

from typing import NamedTuple

from rooflint.facts import ArrayLines, KernelFacts, Space
from rooflint.machine import Pattern
from rooflint.memory.growth import Growth


class LinkTraffic(NamedTuple):
    """Bytes per iteration over one link; ``bounds`` is (lower, upper) of their sum where unsure.

    The three kinds hold the lower bound then.
    """

    link: str
    load_bytes: float
    write_allocate_bytes: float
    evict_bytes: float
    bounds: tuple[float, float] | None = None

    @property
    def total_bytes(self) -> float:
        """All three kinds together."""
        return self.load_bytes + self.write_allocate_bytes + self.evict_bytes


class Traffic(NamedTuple):
    """What moves for one kernel at given sizes and cores.

    links     nearest first
    lines     per link below the nearest, over all iterations; lower bounds where unsure
    pattern   the access pattern whose bandwidth applies
    space     trips and executions at these sizes
    arrays    lines per array over the whole nest, each once
    """

    links: tuple[LinkTraffic, ...]
    lines: tuple[Growth, ...]
    pattern: Pattern
    space: Space
    arrays: tuple[ArrayLines, ...]
    assumptions: tuple[str, ...] = ()


class LineTotals(NamedTuple):
    """Lines over one link, for everything in a function."""

    link: str
    load: int
    write_allocate: int
    evict: int


def requested(facts: KernelFacts, link: str) -> tuple[LinkTraffic, Pattern]:
    """The bytes that accesses ask for per iteration, and how loads and stores come together.

    A reference that does not move with the kernel's own loop stays in a register, and an element
    that an iteration loads twice is loaded once.
    """
    load = store = 0
    loading = storing = updated = 0
    for stream in facts.streams:
        if stream.pattern == "invariant":
            continue
        loads = stores = 0
        for reference in stream.references:
            loads += reference.loaded
            stores += reference.stored
        load += loads * stream.element_bytes
        store += stores * stream.element_bytes
        loading += loads > 0
        storing += stores > 0
        updated += loads > 0 and stores > 0
    pattern: Pattern
    if not storing:
        pattern = "load"
    elif not loading:
        pattern = "store"
    elif updated == loading:
        pattern = "update"
    else:
        pattern = "copy" if loading == 1 else "triad"
    return LinkTraffic(link, float(load), 0.0, float(store)), pattern
