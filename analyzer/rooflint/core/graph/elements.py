"""Elements of arrays that a graph loads and stores: as written, and as keys."""

from rooflint import ir
from rooflint.core.graph.values import Graph, GraphNode


def access_text(node: GraphNode) -> str:
    """``a[i - 1]`` as written in the source; the array's name for a pointer walk."""
    assert node.access is not None
    return element_text(node.access)


def element_text(access: ir.Access) -> str:
    """The same of an access."""
    return access.array + "".join([f"[{subscript}]" for subscript in access.subscripts])


def element_of(graph: Graph, number: int) -> tuple[str, object, str]:
    """The element that a load or store of a graph moves."""
    node = graph.nodes[number]
    assert node.access is not None
    return node.access.array, node.access.offset, node.op


def same_elements(graph: Graph, other: Graph) -> set[int]:
    """The loads and stores of elements that another graph loads or stores as well."""
    known = {element_of(other, number) for number in other.accesses("load", "store")}
    return {n for n in graph.accesses("load", "store") if element_of(graph, n) in known}
