"""The answer in words: what the smallest set of limits is that fills the time."""

from collections.abc import Container
from typing import Final

from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.answer import BoundsAnswer, Group
from rooflint_plugins.models.bounds.metrics import smallest_cover
from rooflint_plugins.models.bounds.parts import BUFFERS, ScheduledCore
from rooflint_plugins.models.bounds.prebounds import PreBound, carried_latencies

BUFFER_NAMES: Final = {
    "RS": "reservation station",
    "ROB": "reorder buffer",
    "LB": "load buffer",
    "SB": "store buffer",
    "LFB": "line-fill buffers",
}
SIZE_OF: Final = {
    "RS": "rs",
    "ROB": "rob",
    "LB": "load_buffer",
    "SB": "store_buffer",
    "LFB": "line_fill",
}
"""Fields of Core."""
SURE: Final = 0.95
"""A closed-form bound that accounts for so much of the time explains it."""
FILLS: Final = 0.3
"""A buffer that is full in so many of the cycles is told."""
KINDS: Final = ("compute", "memory", "other")
TIGHT: Final = 0.01
"""How much of the time a set of classes may leave open and still count as tight."""


class BoundReason(NamedTuple):
    """The bottleneck in a word, and the sentence about it."""

    bottleneck: str
    text: str


def tight_set(answer: BoundsAnswer) -> tuple[Group, ...]:
    """The fewest classes whose nodes are under way in (nearly) all cycles."""
    cycles, groups = answer.cycles, answer.groups
    busy = [n for n in cycles.busy if len(groups[n].classes) == 1]
    # arithmetic first, that is what the loop is for; of that what waits on itself
    chain = chained_classes(answer)
    busy.sort(
        key=lambda n: (
            KINDS.index(groups[n].kind),
            groups[n].classes[0] not in chain,
            -cycles.span(n),
        )
    )
    found = smallest_cover(cycles, busy, stalls=False, slack=TIGHT)
    return tuple([groups[n] for n in found or busy])


def chained_classes(answer: BoundsAnswer) -> frozenset[int]:
    """Classes with nodes on a cycle of dependences."""
    body = answer.problem.lowered.stretch.body
    ops = {edge.source for edge in carried_latencies(body)}
    return frozenset([form.resource for op in ops for form in body[op].forms if form is not None])


def reason_of(answer: BoundsAnswer) -> BoundReason:
    """The bottleneck, from the closed-form bound that explains the time, else from the schedule."""
    first = answer.prebounds[0]
    stalled = fullest_buffer(answer) if not answer.problem.core.in_order else ""
    if first.cycles >= SURE * answer.body_cy:
        reason = _closed(answer)
        if stalled and first.kind == "chain":
            return reason._replace(
                text=f"the {BUFFER_NAMES[stalled]} {_fills(stalled)} while {reason.text}"
            )
        return reason
    waiting = " and ".join([group.name for group in tight_set(answer)][:3])
    if stalled:
        name = BUFFER_NAMES[stalled]
        share = answer.cycles.stall(BUFFERS.index(stalled)) / answer.cycles.total
        text = f"the {name} {_are(stalled)} full in {share:.0%} of the cycles"
        text += f", {waiting} active"
        return BoundReason(f"stall ({stalled})", text)
    text = f"no resource is always busy: {waiting} overlap only in part"
    if len(tight_set(answer)) > 2:
        text += ", and no two of them account for all cycles"
    return BoundReason("overlap", text)


def fullest_buffer(answer: BoundsAnswer) -> str:
    """The buffer that stalls most, if it does so often; else nothing."""
    shares = [answer.cycles.stall(number) for number in range(len(BUFFERS))]
    most = max(shares)
    return BUFFERS[shares.index(most)] if most >= FILLS * answer.cycles.total else ""


def _closed(answer: BoundsAnswer) -> BoundReason:
    first, problem = answer.prebounds[0], answer.problem
    core = problem.core
    if first.kind == "fetch":
        many = round(first.cycles * (core.fetch_width or 1), 2)
        words = f"{many:g} instructions of a pass enter at {core.fetch_width} per cycle"
        return BoundReason("issue", words)
    if first.kind == "chain":
        return BoundReason("latency", _chain(answer, first.cycles))
    if first.kind == "buffer":
        size = getattr(core, SIZE_OF[first.name])
        return BoundReason(
            f"stall ({first.name})",
            f"the {BUFFER_NAMES[first.name]} ({size} entries) {_are(first.name)} held"
            " until results arrive",
        )
    if first.kind == "ports":
        return busy_ports(first, core)
    units = first.name if first.kind == "address" else f"units for {first.name}"
    return BoundReason("ports", f"all {units} are busy in every cycle")


def busy_ports(bound: PreBound, core: ScheduledCore) -> BoundReason:
    """The bottleneck at the busiest ports, by their kinds."""
    kinds = {core.kind(port) for port in bound.ports}
    if kinds == {"calls"}:
        return BoundReason("calls", "library calls take all the time")
    if kinds == {"page walks"}:
        return BoundReason("page walks", "page walks take all the time")
    if kinds == {"link"}:
        return BoundReason(
            " and ".join(bound.ports), f"transfers over {bound.name} take all the time"
        )
    word, verb = ("ports", "are") if len(bound.ports) > 1 else ("port", "is")
    return BoundReason("ports", f"{word} {bound.name} {verb} busy in every cycle")


def _chain(answer: BoundsAnswer, cycles: float) -> str:
    chain = chained_classes(answer)
    chained = [(n, g) for n, g in enumerate(answer.groups) if _is_chained(g, chain)]
    spans = {group: answer.cycles.span(number) for number, group in chained}
    group = max(spans, key=spans.__getitem__, default=None)
    if group is None or not spans[group]:
        return f"every pass waits {cycles:g} cycles for results of the previous pass"
    body, resource = answer.problem.lowered.stretch.body, group.classes[0]
    latency = max([f.latency for op in body for f in op.forms if f and f.resource == resource])
    return f"{latency}-cycle {_plural(group.name)} wait on each other"


def _is_chained(group: Group, chain: Container[int]) -> bool:
    return group.kind == "compute" and len(group.classes) == 1 and group.classes[0] in chain


def _plural(name: str) -> str:
    known = {
        "add": "adds",
        "mul": "multiplications",
        "fma": "fused multiply-adds",
        "div": "divisions",
    }
    return known.get(name, "square roots" if name == "sqrt" else f"{name} operations")


def _fills(buffer: str) -> str:
    return "fill" if buffer == "LFB" else "fills"


def _are(buffer: str) -> str:
    return "are" if buffer == "LFB" else "is"
