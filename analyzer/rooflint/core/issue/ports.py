"""Least-loaded ports: how long a set of micro-operations keeps the busiest ports busy.

Each micro-operation holds one port of a set. The shortest time in which all of them can be placed
is the maximum, over sets S of ports, of the work that fits nowhere else divided by the size of S
(the dual of the assignment problem, so no linear program is solved). Only unions of the sets that
occur need to be looked at.
"""

from collections.abc import Container, Iterable, Mapping
from typing import TypeAlias

from rooflint.records import NamedTuple

Ports: TypeAlias = tuple[str, ...]

MAX_UNIONS = 512
"""Closing more sets under union would take longer than the answer is worth; singles remain."""


class Busiest(NamedTuple):
    """The ports that limit, and for how many cycles each of them is busy."""

    ports: frozenset[str]
    cycles: float


def busiest(work: Mapping[Ports, float]) -> Busiest:
    """The bound of ``work``: cycles by the set of ports any of which can do them."""
    names: dict[str, int] = {}
    by_mask: dict[int, float] = {}
    for ports, cycles in work.items():
        mask = 0
        for port in ports:
            mask |= 1 << names.setdefault(port, len(names))
        if mask and cycles > 0:
            by_mask[mask] = by_mask.get(mask, 0.0) + cycles
    best, best_mask = 0.0, 0
    for union in _unions(by_mask):
        inside = sum([cycles for mask, cycles in by_mask.items() if mask & ~union == 0])
        value = inside / union.bit_count()
        if value > best * (1 + 1e-12):
            best, best_mask = value, union
    return Busiest(frozenset(p for p, bit in names.items() if best_mask >> bit & 1), best)


def level_load(work: Mapping[Ports, float]) -> dict[str, float]:
    """Busy cycles of each port when the load is levelled as far as the sets allow.

    The busiest set first; then the rest without those ports, and so on.
    """
    loads: dict[str, float] = {port: 0.0 for ports in work for port in ports}
    left = {ports: cycles for ports, cycles in work.items() if ports and cycles > 0}
    while left:
        limit = busiest(left)
        if not limit.ports:
            break
        for port in limit.ports:
            loads[port] = limit.cycles
        left = _without(left, limit.ports)
    return dict(sorted(loads.items()))


def _without(work: Mapping[Ports, float], gone: Container[str]) -> dict[Ports, float]:
    """The work that other ports can do, by those."""
    rest: dict[Ports, float] = {}
    for ports, cycles in work.items():
        others = tuple([port for port in ports if port not in gone])
        if others:
            rest[others] = rest.get(others, 0.0) + cycles
    return rest


def _unions(masks: Iterable[int]) -> list[int]:
    found = dict.fromkeys(masks)
    for mask in list(found):
        for known in list(found):
            found[known | mask] = None
        if len(found) > MAX_UNIONS:
            break
    return list(found)
