"""Which loops of a nest may be cut into blocks: those that carry no dependence.

A loop is free when every array written below it is written at other places in each of its
iterations, and no reference reaches the places of another iteration. Different arrays are taken not
to overlap. A value summed over iterations is allowed and named: coprocessors then sum parts.
"""

from collections.abc import Sequence

from rooflint.facts import KernelFacts, Stream
from rooflint.facts.affine import number
from rooflint.ir import Call, Loop, Opaque, walk
from rooflint.records import NamedTuple
from rooflint.transform.nest.scalars import scalars_of

from rooflint_plugins.models.hybrid.derive.array_transfers import BlockedNest, positions, walk_of


class LoopIndependence(NamedTuple):
    """Whether a loop is free; ``why`` not. ``sums`` are scalars summed over its iterations."""

    free: bool
    why: str = ""
    sums: tuple[str, ...] = ()


def freedom(loop: Loop, nest: BlockedNest) -> LoopIndependence:
    """Whether the iterations of ``loop`` are independent of each other."""
    inside = [f for f in nest.facts if any(own is loop for own in f.kernel.loops)]
    why = _control_obstacle(loop) or _memory_obstacle(loop, nest, inside)
    if why:
        return LoopIndependence(False, f"loop {loop.index}{why}")
    scalars = scalars_of(loop.body).values()
    for scalar in scalars:
        if scalar.role == "recurrence":
            why = f"loop {loop.index}: {scalar.name} of the previous iteration is needed"
            return LoopIndependence(False, why)
    return LoopIndependence(True, "", tuple([s.name for s in scalars if s.role == "reduction"]))


def _control_obstacle(loop: Loop) -> str:
    if set(loop.exits) - {"continue"}:
        return " may be left early"
    opaque = next((node for node in walk(loop.body) if isinstance(node, Opaque)), None)
    if opaque is not None:
        return f": {opaque.reason}"
    called = unknown_call(loop)
    return f" calls {called}" if called else ""


def _memory_obstacle(loop: Loop, nest: BlockedNest, inside: Sequence[KernelFacts]) -> str:
    by_array: dict[str, list[tuple[KernelFacts, Stream]]] = {}
    for facts in inside:
        for stream in facts.streams:
            by_array.setdefault(stream.array, []).append((facts, stream))
    for array, uses in by_array.items():
        if any(r.stored for _, stream in uses for r in stream.references):
            why = _conflict(loop, nest, uses)
            if why:
                return f": {array} {why}"
    return ""


def unknown_call(loop: Loop) -> str:
    """The first unknown function called in ``loop``; empty if there is none."""
    calls = [node for node in walk(loop.body) if isinstance(node, Call)]
    return next((call.name for call in calls if call.effects == "unknown"), "")


def _conflict(loop: Loop, nest: BlockedNest, uses: Sequence[tuple[KernelFacts, Stream]]) -> str:
    offsets: set[int] = set()
    for facts, stream in uses:
        if any(stream.follows):
            continue
        depth = next(n for n, own in enumerate(facts.kernel.loops) if own is loop)
        stride = stream.strides[depth]
        step = None if stride is None else number(stride, nest.values)
        if step is None:
            return f"has data-dependent addresses ({stream.reason})"
        if step == 0:
            return "is accessed at the same address in every iteration"
        known = walk_of(nest, facts, stream)
        if known is None:
            return "has offsets of unknown value"
        for _, members, steps in positions(nest, stream, known):
            if any(member is loop for member, _ in members):
                offsets.update(steps)
    return "is read where another iteration writes" if len(offsets) > 1 else ""
