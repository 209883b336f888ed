"""Closed-form bounds of a loop body, in cycles per body: what no schedule can beat.

fetch      slots / width
ports      work that fits nowhere else / ports                  (ResMII, Rau 1996)
class      occupancy / parallel slots
chain      latency / bodies around a cycle of dependences       (RecMII)
buffer     latencies of the nodes that hold an entry / entries  (Little's law)
"""

from collections.abc import Iterator

from rooflint.core.graph.recurrences import CarriedLatency, longest_cycle
from rooflint.core.issue.ports import busiest
from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.parts import Form, Need, Op, OpStretch, ScheduledCore


class PreBound(NamedTuple):
    """``cycles`` per body at least, because of ``name``, a limit of kind ``kind``.

    ports  those that are busy together, of the kind ``ports``
    """

    kind: str
    name: str
    cycles: float
    ports: tuple[str, ...] = ()


def prebounds(core: ScheduledCore, stretch: OpStretch) -> tuple[PreBound, ...]:
    """All of them, largest first."""
    shares = [
        (form, 1 / len(op.forms)) for op in stretch.body for form in op.forms if form is not None
    ]
    bounds = [
        *_throughput(core, shares),
        PreBound("chain", "dependences", _chain(stretch.body)),
        *_buffers(core, shares),
    ]
    return tuple(sorted(bounds, key=lambda bound: -bound.cycles))


def _throughput(core: ScheduledCore, shares: list[tuple[Form, float]]) -> Iterator[PreBound]:
    if core.fetch_width:
        slots = sum([form.slots * share for form, share in shares if form.role != "none"])
        yield PreBound("fetch", "fetch", slots / core.fetch_width)
    yield _ports(core, shares)
    for number, resource in enumerate(core.resources):
        if resource.parallel:
            held = sum([f.occupancy * share for f, share in shares if f.resource == number])
            yield PreBound("class", resource.name, held / resource.parallel)
    if core.address_units:
        moved = sum([share for _, share in _of_roles(shares, "load", "store")])
        yield PreBound("address", "address units", moved / core.address_units)


def _of_roles(shares: list[tuple[Form, float]], *roles: str) -> list[tuple[Form, float]]:
    return [(form, share) for form, share in shares if form.role in roles]


def _buffers(core: ScheduledCore, shares: list[tuple[Form, float]]) -> Iterator[PreBound]:
    moves = _of_roles(shares, "load", "store")
    for name, size, nodes in (
        ("ROB", core.rob, [(form, share) for form, share in shares if form.role != "none"]),
        ("LB", core.load_buffer, _of_roles(shares, "load")),
        ("SB", core.store_buffer, _of_roles(shares, "store")),
        ("LFB", core.line_fill, [(form, share) for form, share in moves if form.beyond]),
    ):
        if size:
            held = sum([form.latency * share for form, share in nodes])
            yield PreBound("buffer", name, held / size)


def _ports(core: ScheduledCore, shares: list[tuple[Form, float]]) -> PreBound:
    work: dict[tuple[str, ...], float] = {}
    for form, share in shares:
        for hold in form.holds:
            ports = tuple([core.ports[port] for port in hold.ports])
            work[ports] = work.get(ports, 0.0) + hold.cycles * share
    limit = busiest(work)
    names = tuple(sorted(limit.ports))
    return PreBound(kind="ports", name=", ".join(names), cycles=limit.cycles, ports=names)


def carried_latencies(body: tuple[Op, ...]) -> list[CarriedLatency]:
    """The waits that lie on cycles, or between two; those for lines left out, which change."""
    edges = list(_fixed_waits(body))
    # only what something leads to and what leads somewhere can lie on a cycle
    before = len(edges) + 1
    while edges and len(edges) < before:
        before = len(edges)
        reached, left = {edge.target for edge in edges}, {edge.source for edge in edges}
        edges = [edge for edge in edges if edge.source in reached and edge.target in left]
    return edges


def _fixed_waits(body: tuple[Op, ...]) -> Iterator[CarriedLatency]:
    for number, op in enumerate(body):
        for need in op.needs:
            latency = _fixed_latency(body, op, need)
            if latency is not None:
                yield CarriedLatency(need.op, number, latency, iterations=need.distances[0])


def _fixed_latency(body: tuple[Op, ...], op: Op, need: Need) -> float | None:
    producer = body[need.op].forms
    if len(need.distances) != 1 or need.distances[0] < 0 or None in (*producer, *op.forms):
        return None
    return min([_delay(form) for form in producer if form is not None])


def _chain(body: tuple[Op, ...]) -> float:
    edges = carried_latencies(body)
    places = {op: place for place, op in enumerate(sorted({edge.source for edge in edges}))}
    renamed = [e._replace(source=places[e.source], target=places[e.target]) for e in edges]
    return longest_cycle(len(places), renamed)


def _delay(form: Form) -> float:
    return 0.0 if form.role == "store" else float(form.latency)
