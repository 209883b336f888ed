"""Which loops of a nest may be cut into blocks: those that carry no dependence.

A loop is free when every array written below it is written at other places in each of its
iterations, and no reference reaches the places of another iteration. Different arrays are taken not
to overlap. A value summed over iterations is allowed and named: coprocessors then sum parts.
"""

from collections.abc import Iterator, Mapping, Sequence

from rooflint.facts import KernelFacts, Stream
from rooflint.facts.affine import number
from rooflint.ir import Branch, Call, Loop, Node, Opaque, Region, Statement, Value
from rooflint.records import NamedTuple

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
    sums: dict[str, None] = {}
    for name, statements in _carried(loop, inside):
        if not all(_reduces(statement, name) for statement in statements):
            why = f"loop {loop.index}: {name}of the previous iteration is needed"
            return LoopIndependence(False, why)
        sums[name] = None
    return LoopIndependence(True, "", tuple(sums))


def _control_obstacle(loop: Loop) -> str:
    if set(loop.exits) - {"continue"}:
        return " may be left early"
    opaque = next((node for node in _below(loop) if isinstance(node, Opaque)), None)
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
    calls = [node for node in _below(loop) if isinstance(node, Call)]
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
        walk = walk_of(nest, facts, stream)
        if walk is None:
            return "has offsets of unknown value"
        offsets |= _offsets_along(loop, positions(nest, stream, walk))
    return "is read where another iteration writes" if len(offsets) > 1 else ""


def _offsets_along(
    loop: Loop, dimensions: Sequence[tuple[int, list[tuple[Loop, int]], list[int]]]
) -> set[int]:
    return {
        step
        for _, members, steps in dimensions
        if any(member is loop for member, _ in members)
        for step in steps
    }


def _carried(
    loop: Loop, inside: Sequence[KernelFacts]
) -> Iterator[tuple[str, tuple[Statement, ...]]]:
    for facts in inside:
        statements = facts.kernel.statements
        names = dict.fromkeys([v.name for s in statements for v in s.values if v.op == "carried"])
        fresh = _assigned(loop, without=facts.kernel.loops[-1]) if names else set()
        for name in names:
            if name not in fresh:
                yield name, statements


def _assigned(loop: Loop, without: Loop) -> set[str]:
    if loop is without:
        return set()
    statements = [node for node in _below(loop, without) if isinstance(node, Statement)]
    return {v.name for statement in statements for v in statement.values if v.op == "assign"}


def _reduces(statement: Statement, name: str) -> bool:
    reached: dict[int, str] = {}
    for place, value in enumerate(statement.values):
        if value.op == "carried" and value.name == name:
            reached[place] = ""
        elif not any(arg in reached for arg in value.args):
            continue
        elif value.op != "assign":
            kind = _reduction(value, reached)
            if kind is None:
                return False
            reached[place] = kind
        elif value.name != name:
            return False
    return True


def _reduction(value: Value, reached: Mapping[int, str]) -> str | None:
    """The reduction that an operation goes on with; None where it is none, or another one."""
    kind = _REDUCTIONS.get(value.op)
    before = [reached[arg] for arg in value.args if arg in reached]
    if kind is None or len(before) > 1 or before[0] not in ("", kind):
        return None
    added = value.args[-1] if value.op == "fma" else value.args[0]
    return None if value.op in ("fma", "sub") and added not in reached else kind


_REDUCTIONS = {"add": "sum", "sub": "sum", "fma": "sum", "mul": "mul", "min": "min", "max": "max"}


def _below(loop: Loop, without: Loop | None = None) -> Iterator[Node]:
    for node in loop.body:
        yield from _inside(node, without)


def _inside(node: Node, without: Loop | None) -> Iterator[Node]:
    if node is without:
        return
    yield node
    if isinstance(node, Branch):
        yield node.condition
        children: tuple[Node, ...] = (*node.then, *node.orelse)
    elif isinstance(node, Loop | Region):
        children = node.body
    else:
        return
    for child in children:
        yield from _inside(child, without)
