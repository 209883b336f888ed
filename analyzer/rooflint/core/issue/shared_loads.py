"""Loads of gcc's vector code that are operands of several instructions, and so made several times.

gcc puts a load into the first instruction that needs its value, and keeps it for the others; then
into the next one, until one takes no operand in memory. ``(t + c) * (t - 3)`` loads ``t``
twice. Scalar code loads it once (gcc 12, own loops from SSE2 to AVX-512).
"""

from collections.abc import Collection, Iterator
from typing import Final

from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.body import Emitter
from rooflint.core.issue.body_shape import FOLDING, BodyShape, folded_loads
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.issue.operations import Operations, element_bytes

SECOND_ONLY: Final = ("sub", "div")
"""Operations whose operand in memory is the second; gcc adds the negative of a constant."""


def repeated_loads(graph: Graph, operations: Operations, shape: BodyShape) -> tuple[MicroOp, ...]:
    """The loads of a body beyond one for each element."""
    emitter = Emitter(graph, operations, shape)
    taken = _users_of_folded(graph, shape)
    for number in graph.accesses("load"):
        node = graph.nodes[number]
        if number not in shape.in_register and _is_contiguous(node):
            times = _operands(graph, number, taken) - 1
            if times > 0:
                width_bytes, pieces = emitter.pieces(node.type)
                emitter.moved("load", node.type, width_bytes, pieces * times, part=True)
    return tuple(emitter.found.values())


def _is_contiguous(node: GraphNode) -> bool:
    return node.access is not None and node.stride == node.access.bytes


def _users_of_folded(graph: Graph, shape: BodyShape) -> frozenset[int]:
    """The instructions that have an operand in memory already."""
    folded = folded_loads(graph, shape.in_register)
    return frozenset([n for n in graph.live if not folded.isdisjoint(graph.nodes[n].args)])


def _operands(graph: Graph, number: int, taken: Collection[int]) -> int:
    """The times that the element of a load of several users is loaded."""
    users = [n for n in graph.live if number in graph.nodes[n].args]
    if len(users) < 2:
        return 1
    folding = len(list(_folding(graph, number, users, taken)))
    return folding + (folding < len(users))


def _folding(
    graph: Graph, number: int, users: Collection[int], taken: Collection[int]
) -> Iterator[int]:
    """The first of ``users`` that take the load as their operand in memory."""
    for user in users:
        if user in taken or not _takes(graph, graph.nodes[user], number):
            return
        yield user


def _takes(graph: Graph, node: GraphNode, load: int) -> bool:
    if node.op not in FOLDING or node.args.count(load) != 1:
        return False
    if element_bytes(graph.nodes[load].type) != element_bytes(node.type):
        return False
    second = graph.nodes[node.args[-1]]
    negated = node.op == "sub" and second.number is not None
    return node.op not in SECOND_ONLY or node.args[-1] == load or negated
