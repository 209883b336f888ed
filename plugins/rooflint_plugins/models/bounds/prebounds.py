"""Closed-form bounds of a loop body, in cycles per body: what no schedule can beat.

fetch      slots / width
ports      work that fits nowhere else / ports                  (ResMII, Rau 1996)
class      occupancy / parallel slots
chain      latency / bodies around a cycle of dependences       (RecMII)
buffer     latencies of the nodes that hold an entry / entries  (Little's law)
"""

from typing import NamedTuple

from rooflint.core.graph.recurrences import CarriedLatency, longest_cycle
from rooflint.core.issue.ports import busiest

from rooflint_plugins.models.bounds.parts import Core, Form, Op, Stretch


class PreBound(NamedTuple):
    """``cycles`` per body at least, because of ``name``, a limit of kind ``kind``.

    ports  those that are busy together, of the kind ``ports``
    """

    kind: str
    name: str
    cycles: float
    ports: tuple[str, ...] = ()


def prebounds(core: Core, stretch: Stretch) -> tuple[PreBound, ...]:
    """All of them, largest first."""
    shares = [
        (form, 1 / len(op.forms)) for op in stretch.body for form in op.forms if form is not None
    ]
    fetched = [(form, share) for form, share in shares if form.role != "none"]
    found: list[PreBound] = []
    if core.fetch_width:
        slots = sum([form.slots * share for form, share in fetched])
        found.append(PreBound("fetch", "fetch", slots / core.fetch_width))
    found.append(_ports(core, shares))
    for number, resource in enumerate(core.resources):
        if resource.parallel:
            held = sum([f.occupancy * share for f, share in shares if f.resource == number])
            found.append(PreBound("class", resource.name, held / resource.parallel))
    moves = [(f, share) for f, share in shares if f.role in ("load", "store")]
    if core.address_units:
        moved = sum([share for _, share in moves])
        found.append(PreBound("address", "address units", moved / core.address_units))
    found.append(PreBound("chain", "dependences", _chain(stretch.body)))
    loads = [(f, share) for f, share in moves if f.role == "load"]
    stores = [(f, share) for f, share in moves if f.role == "store"]
    lines = [(f, share) for f, share in moves if f.beyond]
    for name, size, nodes in (
        ("ROB", core.rob, fetched),
        ("LB", core.load_buffer, loads),
        ("SB", core.store_buffer, stores),
        ("LFB", core.line_fill, lines),
    ):
        if size:
            held = sum([form.latency * share for form, share in nodes])
            found.append(PreBound("buffer", name, held / size))
    return tuple(sorted(found, key=lambda bound: -bound.cycles))


def _ports(core: Core, shares: list[tuple[Form, float]]) -> PreBound:
    work: dict[tuple[str, ...], float] = {}
    for form, share in shares:
        for hold in form.holds:
            ports = tuple([core.ports[port] for port in hold.ports])
            work[ports] = work.get(ports, 0.0) + hold.cycles * share
    limit = busiest(work)
    names = tuple(sorted(limit.ports))
    return PreBound("ports", ", ".join(names), limit.cycles, names)


def carried(body: tuple[Op, ...]) -> list[CarriedLatency]:
    """The waits that lie on cycles, or between two; those for lines left out, which change."""
    edges = []
    for number, op in enumerate(body):
        for need in op.needs:
            producer = body[need.op].forms
            fixed = len(need.distances) == 1 and need.distances[0] >= 0
            if fixed and None not in producer and None not in op.forms:
                least = min([_delay(form) for form in producer if form is not None])
                edges.append(CarriedLatency(need.op, number, least, need.distances[0]))
    # only what something leads to and what leads somewhere can lie on a cycle
    before = len(edges) + 1
    while edges and len(edges) < before:
        before = len(edges)
        reached, left = {edge.target for edge in edges}, {edge.source for edge in edges}
        edges = [edge for edge in edges if edge.source in reached and edge.target in left]
    return edges


def _chain(body: tuple[Op, ...]) -> float:
    """The largest latency per body around a cycle."""
    edges = carried(body)
    places = {op: place for place, op in enumerate(sorted({edge.source for edge in edges}))}
    renamed = [e._replace(source=places[e.source], target=places[e.target]) for e in edges]
    return longest_cycle(len(places), renamed)


def _delay(form: Form) -> float:
    return 0.0 if form.role == "store" else float(form.latency)
