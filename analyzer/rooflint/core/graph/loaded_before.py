"""Loads of what the iteration before has loaded, which LLVM keeps in a register.

``a[i] + a[i + 1]`` loads one element an iteration: the other is the next element of the iteration
before (GVN's load PRE). It finds that one only where the address with the next index is an
expression of the loop itself (PHITransAddr): subscripts ``i`` and ``i + step`` of one row. Vectors
join the last element of the vector before with all but the last of the one just loaded.
"""

from collections.abc import Iterable, Mapping

from rooflint.core.compiler import Compiler
from rooflint.core.graph.addresses import loop_accesses
from rooflint.core.graph.dependences import meets
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.ir import Array, Branch, Loop, Node, Poly


def loaded_before(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
) -> frozenset[int]:
    """The loads at the index itself beside which each iteration loads the next element."""
    if not _is_reused(compiler, own):
        return frozenset()
    index = Poly.symbol(own.index)
    here, later = _loads_at(graph, index), _loads_at(graph, index + own.step)
    if not here or not later:
        return frozenset()
    nodes = graph.nodes
    stores = [nodes[number] for number in graph.accesses("store")]
    kept = [
        nodes[number]
        for number in later
        if not any(_changes(store, nodes[number], arrays, compiler) for store in stores)
    ]
    return frozenset([number for number in here if _has_next(nodes[number], kept)])


def _loads_at(graph: Graph, subscript: Poly) -> list[int]:
    """The loads of every iteration with this last subscript."""
    return [n for n in graph.accesses("load") if _subscript(graph.nodes[n]) == subscript]


def _is_reused(compiler: Compiler, own: Loop) -> bool:
    """Whether the compiler looks for such loads, every iteration makes them, and no inner loop
    stores."""
    enabled, step = compiler.traits.load_reuse_level, own.step.value
    if enabled is None or compiler.level < enabled or step is None or step < 1:
        return False
    return not any(isinstance(node, Branch) or _stores_within(node) for node in own.body)


def _stores_within(node: Node) -> bool:
    return isinstance(node, Loop) and any(access.write for access in loop_accesses(node))


def _has_next(load: GraphNode, others: Iterable[GraphNode]) -> bool:
    """Whether one of ``others`` loads the element that ``load`` comes to in the next iteration."""
    if load.place is None or not isinstance(load.stride, int):
        return False
    places = [other.place for other in others]
    return any(place and load.place.distance(place) == load.stride for place in places)


def _subscript(node: GraphNode) -> Poly | None:
    """The last one, of an access that has any."""
    subscripts = node.access.subscripts if node.access is not None else ()
    return subscripts[-1] if subscripts else None


def _changes(
    store: GraphNode, load: GraphNode, arrays: Mapping[str, Array], compiler: Compiler
) -> bool:
    """Whether a store may change the element between one iteration and the next."""
    if store.place is not None and load.place is not None:
        distance = store.place.distance(load.place)
        if distance is not None:
            return distance == 0
    return meets(store, load, arrays, compiler)
