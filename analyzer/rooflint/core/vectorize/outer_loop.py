"""Vectors along the loop around the innermost one: gcc's outer-loop vectorization.

gcc tries the outer of two loops first (``vect_analyze_loop``, and for the accesses of the inner one
``vect_analyze_data_ref_access``): each lane runs an inner loop of its own, so that a sum keeps its
order. Inner accesses lie side by side along the outer loop, or one element serves all lanes. No
addresses are compared at run time, no branch may guard the inner loop, and with the ``very-cheap``
cost model (``-O2``) the vectors fill the outer loop. What gcc 12.2 does with such loops is in
``tests/core/test_outer_loop.py``.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.graph.addresses import stride_of
from rooflint.core.graph.dependences import memory_as_compiled
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.vectorize.vectorizer import OuterLoop, VectorLoop
from rooflint.dependence.alias import FunctionMemory, MemoryReference, may_overlap
from rooflint.ir import Access, Loop, Node, Statement

CHOICES: Final = ("select", "and", "or")
"""Values that may keep others from being computed."""


def outer_loop(loop: VectorLoop, compiler: Compiler) -> OuterLoop | None:
    """The loop around a kernel's own, if it is the one whose iterations fill vectors; None where it
    is not."""
    kernel, graph = loop.kernel, loop.graph
    if len(kernel.loops) < 2 or not kernel.innermost or kernel.regions or kernel.calls:
        return None
    *_, around, own = kernel.loops
    if not _is_nest(around, own) or not _is_counted(around, own, compiler) or _has_choices(graph):
        return None
    strided = _along(graph, around, loop.kept)
    memory = memory_as_compiled(loop.arrays, {}, compiler)
    if strided is None or not _is_independent(around, own, memory):
        return None
    return OuterLoop(strided, compiler.whole_vectors_only, around.trip_count.value)


def _is_nest(around: Loop, own: Loop) -> bool:
    """Whether one loop is the only one in the other, without branches."""
    beside = [node for node in around.body if node is not own]
    if len(beside) != len(around.body) - 1:
        return False
    return all(isinstance(node, Statement) for node in (*beside, *own.body))


def _is_counted(around: Loop, own: Loop, compiler: Compiler) -> bool:
    """Whether both run as often as known before, the inner one at least once."""
    if any(loop.exits or loop.extra_inductions for loop in (around, own)):
        return False
    known = own.trip_count.value
    if known is not None:
        return known > 0
    # the outer loop's guard is that of the inner one, too
    return not compiler.whole_vectors_only and own.trip_count == around.trip_count


def _has_choices(graph: Graph) -> bool:
    return any(graph.nodes[number].op in (*CHOICES, "call", "opaque") for number in graph.live)


def _along(graph: Graph, around: Loop, kept: frozenset[int]) -> Graph | None:
    """The graph with strides along the outer loop; None where an access of the inner loop has no
    lanes side by side."""
    nodes = list(graph.nodes)
    for number in graph.live:
        node = nodes[number]
        if node.access is None:
            continue
        stride = _stride(node.access, around)
        if number in kept or node.invariant:
            if stride is None:
                return None
            continue
        if not isinstance(node.stride, int) or not _has_lanes(node, stride):
            return None
        nodes[number] = node._replace(stride=stride)
    return graph._replace(nodes=tuple(nodes))


def _has_lanes(node: GraphNode, stride: int | None) -> bool:
    """Whether an access that moves in the inner loop takes neighbours, or one for all lanes."""
    assert node.access is not None
    if node.stride == 0 or stride is None:
        return False
    return abs(stride) == node.access.bytes or (stride == 0 and node.op == "load")


def _stride(access: Access, loop: Loop) -> int | None:
    found = stride_of(access.offset, loop.index, loop.step)
    return found if isinstance(found, int) else None


def _is_independent(around: Loop, own: Loop, memory: FunctionMemory) -> bool:
    """Whether the work beside the inner loop moves along the outer one by known steps, and no
    iteration of the outer loop touches what another one stores."""
    beside = [node for node in around.body if isinstance(node, Statement)]
    accesses = [access for statement in beside for access in statement.accesses]
    if any(_stride(access, around) is None for access in accesses):
        return False
    return _is_apart([*_references(beside), *_references(own.body)], around, memory)


def _references(nodes: Iterable[Node]) -> Iterator[tuple[Access, MemoryReference]]:
    for statement in [node for node in nodes if isinstance(node, Statement)]:
        for value in statement.values:
            if value.op in ("load", "store"):
                access = statement.accesses[value.access]
                yield access, MemoryReference(access.array, value.type)


def _is_apart(
    references: list[tuple[Access, MemoryReference]], around: Loop, memory: FunctionMemory
) -> bool:
    """Whether no iteration of the outer loop touches what another one stores."""
    stores = [each for each in references if each[0].write]
    for (store, stored), (other, used) in product(stores, references):
        if store.array != other.array:
            if may_overlap(stored, used, memory):
                return False
        elif _outer_subscripts(store, around) != _outer_subscripts(other, around):
            return False
    return all(_outer_subscripts(store, around) for store, _ in stores)


def _outer_subscripts(access: Access, around: Loop) -> dict[int, object]:
    """By place: the subscripts that tell iterations of the outer loop apart."""
    return {
        place: subscript
        for place, subscript in enumerate(access.subscripts)
        if around.index in subscript.names()
    }
