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
            before, stored_before = reached.get(name, (0.0, 0.0))
            parts = seen.setdefault(name, [])
            parts.append(lines)
            after, stored_after = reached[name] = (
                together(parts) if len(parts) > 1 else (lines.touched, lines.stored)
            )
            fresh = after - before
            fetched = min(lines.loaded, fresh)
            load += fetched
            allocate += fresh - fetched
            evict += stored_after - stored_before
    totals: list[LineTotals] = []
    for position, link in enumerate(machine.links[1:]):
        moved = [load, allocate, evict]
        for kernel in busy:
            again = kernel.repeats[position] - 1
            for lines in kernel.arrays if again else ():
                moved[0] += again * lines.loaded
                moved[1] += again * max(lines.touched - lines.loaded, 0.0)
                moved[2] += again * lines.stored
        fetched, filled, stored = map(round, moved)
        totals.append(LineTotals(link, fetched, filled if write_allocate else 0, stored))
    return tuple(totals)
