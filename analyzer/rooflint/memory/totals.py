"""Lines that everything in a function moves, what several kernels share counted once."""

from collections.abc import Iterable
from typing import NamedTuple

from rooflint.facts import ArrayLines
from rooflint.machine import Machine
from rooflint.memory.hulls import together
from rooflint.memory.traffic import Traffic


class LineTotals(NamedTuple):
    """Lines over one link, for everything in a function."""

    link: str
    load: int
    write_allocate: int
    evict: int


def function_lines(
    kernels: Iterable[Traffic], machine: Machine, write_allocate: bool
) -> tuple[LineTotals, ...]:
    """Lines of all kernels of a function together, in program order, caches cold before the first.

    A line that an earlier kernel touched is not counted again, except by the repetitions that do
    not find it. Lower bounds where places are unknown. The nearest link, where no lines move, is
    left out.
    """
    load = allocate = evict = 0.0
    seen: dict[str, list[ArrayLines]] = {}
    reached: dict[str, tuple[float, float]] = {}
    busy = [kernel for kernel in kernels if kernel.arrays]
    for kernel in busy:
        for lines in kernel.arrays:
            name = lines.array
            parts = seen.get(name)
            if parts is None:
                seen[name] = [lines]
                before = stored_before = 0.0
                after, stored_after = lines.touched, lines.stored
            else:
                parts.append(lines)
                before, stored_before = reached[name]
                after, stored_after = together(parts)
            reached[name] = (after, stored_after)
            fresh = after - before
            fetched = min(lines.loaded, fresh)
            load += fetched
            allocate += fresh - fetched
            evict += stored_after - stored_before
    # as named by the kernels, because the machine makes the names anew each time
    links = [link.link for link in busy[0].links] if busy else machine.links
    totals: list[LineTotals] = []
    for position, link in enumerate(links[1:]):
        loads, fills, evicts = load, allocate, evict
        for kernel in busy:
            again = kernel.repeats[position] - 1
            for lines in kernel.arrays if again else ():
                loads += again * lines.loaded
                fills += again * max(lines.touched - lines.loaded, 0.0)
                evicts += again * lines.stored
        filled = round(fills) if write_allocate else 0
        totals.append(LineTotals(link, round(loads), filled, round(evicts)))
    return tuple(totals)
