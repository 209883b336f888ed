"""Arrays and scalars that loops inside a loop change before the statements behind them."""

from collections.abc import Iterable, Iterator

from rooflint import ir
from rooflint.facts.kernels import unroll
from rooflint.ir.identity import IdentityKey
from rooflint.records import NamedTuple


class InnerWrites(NamedTuple):
    """Arrays that loops store to, and scalars that they assign, with their types."""

    arrays: frozenset[str]
    scalars: dict[str, str]


def writes_before(loop: ir.Loop) -> dict[IdentityKey, InnerWrites]:
    """By statement of ``loop`` with loops between it and the statement before: what they write.

    Loops that a compiler unrolls away are statements of ``loop``.
    """
    found: dict[IdentityKey, InnerWrites] = {}
    inner: list[ir.Loop] = []
    for node in _own_nodes(loop.body):
        if isinstance(node, ir.Loop):
            inner.append(node)
        elif isinstance(node, ir.Statement) and inner:
            found[IdentityKey(node)] = _writes(inner)
            inner = []
    return found


def _own_nodes(nodes: Iterable[ir.Node]) -> Iterator[ir.Node]:
    """All nodes in program order, without those inside loops."""
    for node in nodes:
        if not isinstance(node, ir.Loop):
            yield node
            yield from _own_nodes(ir.children(node))
        elif unroll(node) is None:
            yield node


def _writes(loops: Iterable[ir.Loop]) -> InnerWrites:
    arrays: set[str] = set()
    scalars: dict[str, str] = {}
    for node in ir.walk(tuple(loops)):
        if isinstance(node, ir.Statement):
            arrays.update([access.array for access in node.accesses if access.write])
            assigned = [value for value in node.values if value.op == "assign"]
            scalars.update({value.name: value.type for value in assigned})
    return InnerWrites(arrays=frozenset(arrays), scalars=scalars)
