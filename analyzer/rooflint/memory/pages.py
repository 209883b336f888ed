"""Page walks: translations of addresses that the TLB of a core has not kept.

A TLB is a cache whose lines are pages, so what it misses is found as what a cache misses. Only
loops that step far through memory are asked about: what data in a row lose to the page table is in
every measured bandwidth.
"""

from collections.abc import Mapping

from rooflint.facts import KernelFacts
from rooflint.facts.affine import number
from rooflint.machine import Tlb
from rooflint.machine.quantities import format_bytes
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.reuse import Reuse
from rooflint.memory.subnest_footprints import Fixed, SubnestFootprints

STEPS_A_PAGE = 8
"""Streams with more iterations in a page than this hide their walks behind the lines they move."""


def page_walks(
    facts: KernelFacts, reuse: Reuse, entries: int, between: float | None = None
) -> dict[str, float]:
    """Of a kernel by array, over all its iterations.

    No page is kept before the first; or the kernel runs again and again, and ``between`` pages are
    touched elsewhere from one run to the next.

    ``reuse`` is that of pages, of which so many ``entries`` are kept. Places that are not known
    need no walk.
    """
    windows = reuse.windows
    far = _stepping(facts, windows.values, windows.line_bytes)
    if not far:
        return {}
    found = _outrun(windows, windows.number(facts), entries)
    if found is None:
        missed = reuse.misses([facts], CacheGeometry(1, entries), between)[0]
        found = {array: growth.load + growth.allocate for array, growth in missed.items()}
    return {array: walks for array, walks in found.items() if array in far}


def _outrun(windows: SubnestFootprints, kernel: int, entries: int) -> dict[str, float] | None:
    """Where one execution of a kernel's own loop needs more pages than are kept: all of them each
    time; else None."""
    own = len(windows.facts[kernel].kernel.loops) - 1
    fixed: Fixed = ()
    for depth in range(own):
        fixed = windows.middle(kernel, depth, fixed)
    pages = windows.lines(kernel, own, fixed)
    if sum([array.touched for array in pages]) <= entries:
        return None
    trips = windows.space(kernel, own, fixed).trips[0]
    times = windows.space(kernel, 0, ()).executions / trips
    return {array.array: array.touched * times for array in pages}


def _stepping(facts: KernelFacts, values: Mapping[str, int], page_bytes: int) -> set[str]:
    """The arrays through which a kernel's own loop goes in large steps."""
    found: set[str] = set()
    for stream in facts.streams:
        stride = stream.strides[-1]
        step = abs(number(stride, values) or 0) if stride is not None else 0
        if step * STEPS_A_PAGE >= page_bytes:
            found.add(stream.array)
    return found


def walk_notes(walks: Mapping[str, float], tlb: Tlb | None) -> list[str]:
    """Notes on the walks of an iteration, by array; none where there are none."""
    if tlb is None or not walks:
        return []
    each = ", ".join([f"{number:.2g} through {array}" for array, number in walks.items()])
    pages = f"pages of {format_bytes(tlb.page_bytes)}; the TLB holds {tlb.entries}"
    return [f"page walks per iteration: {each} ({pages})"]
