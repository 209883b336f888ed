"""Arithmetic as compilers simplify it before instruction selection: contraction, cheaper forms."""

from collections.abc import Iterable

from rooflint.core.compiler import Compiler
from rooflint.core.graph.values import Graph, GraphNode, live_graph

FLOATS = frozenset(("f16", "bf16", "f32", "f64"))
"""Types with vector instructions; f80 and f128 have none, complex numbers are pairs."""


def simplify(graph: Graph, compiler: Compiler, fma: bool) -> Graph:
    """``graph`` with fused multiply-adds where flags and machine allow, minima and maxima, and
    products in place of quotients."""
    nodes = list(graph.nodes)
    uses = list(graph.uses)
    for number in graph.live:
        node = nodes[number]
        if node.op in ("add", "sub") and fma and node.type in FLOATS:
            nodes[number] = _contracted(nodes, uses, node, compiler)
        elif node.op == "select":
            nodes[number] = _extreme(nodes, node)
        elif node.op in ("div", "rem", "mul"):
            nodes[number] = _cheaper(nodes, node, compiler)
    return live_graph(nodes, graph.roots, graph.carried, graph.finals)


def unfuse(graph: Graph, written: Graph, numbers: Iterable[int]) -> Graph:
    """``graph`` with these operations apart that ``simplify`` has fused."""
    nodes = list(graph.nodes)
    for number in numbers:
        nodes[number] = written.nodes[number]
    return live_graph(nodes, graph.roots, graph.carried, graph.finals)


def _contracted(
    nodes: list[GraphNode], uses: list[int], node: GraphNode, compiler: Compiler
) -> GraphNode:
    """``a*b + c`` as one operation; of two products the left one, as compilers take it."""
    if compiler.contract == "off":
        return node
    for place, argument in enumerate(node.args):
        product = nodes[argument]
        near = compiler.contract == "fast" or product.statement == node.statement
        single = uses[argument] == 1 and not product.invariant
        if product.op == "mul" and product.type == node.type and near and single:
            addend = node.args[1 - place]
            return node._replace(op="fma", args=(*product.args, addend))
    return node


def _extreme(nodes: list[GraphNode], node: GraphNode) -> GraphNode:
    condition = nodes[node.args[0]] if len(node.args) == 3 else None
    if condition is None or condition.op != "compare" or set(condition.args) != set(node.args[1:]):
        return node
    return node._replace(op="max", args=node.args[1:])


def _cheaper(nodes: list[GraphNode], node: GraphNode, compiler: Compiler) -> GraphNode:
    """Division by a constant: of integers a product and a shift, else exact for powers of two."""
    if len(node.args) != 2:
        return node
    integer = node.type[:1] in "iu"
    divisor = nodes[node.args[1]]
    if node.op == "mul":
        shifts = integer and any(_power_of_two(nodes[a]) for a in node.args)
        return node._replace(op="shl") if shifts else node
    if integer:
        return _constant_quotient(node, divisor)
    product = node.op == "div" and _has_reciprocal(divisor, compiler)
    return node._replace(op="mul") if product else node


def _has_reciprocal(divisor: GraphNode, compiler: Compiler) -> bool:
    """Whether one is exact, or flags allow it and the loop computes it once."""
    return _power_of_two(divisor) or (compiler.reciprocal and divisor.invariant)


def _constant_quotient(node: GraphNode, divisor: GraphNode) -> GraphNode:
    """The quotient or rest of integers by a constant as a shift or a product."""
    if divisor.op != "const" and divisor.number is None:
        return node
    return node._replace(op="shr" if _power_of_two(divisor) else "mul")


def _power_of_two(node: GraphNode) -> bool:
    if not node.number:
        return False
    top, bottom = abs(node.number).as_integer_ratio()
    return top.bit_count() == 1 and bottom.bit_count() == 1
