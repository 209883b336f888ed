"""Elements that scalar code loads again in each iteration, because a store may have changed them.

Whoever reads the source knows that ``alpha * a[i][k]`` stays the same in a loop that stores
``c[i][j]``. A compiler moves it out of the loop only where it can prove that the store does not
touch it (gcc ``-ftree-loop-im``, LLVM LICM). Vector code stands behind checks that prove it.
"""

from collections.abc import Mapping

from rooflint.core.compiler import Compiler
from rooflint.core.graph.dependences import meets
from rooflint.core.graph.values import LEAVES, Graph
from rooflint.ir import Array


def reloaded_values(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, kept: frozenset[int]
) -> frozenset[int]:
    """The invariant loads that stores may change, and what is computed from them; ``kept`` are
    stores that leave the loop."""
    found = _changeable(graph, arrays, compiler, kept)
    for number in graph.live if found else ():
        node = graph.nodes[number]
        computed = node.invariant and node.op not in (*LEAVES, "store")
        if computed and not found.isdisjoint(node.args):
            found.add(number)
    return frozenset(found)


def with_reloads(graph: Graph, reloaded: frozenset[int]) -> Graph:
    """``graph`` with these values as those of every iteration."""
    if not reloaded:
        return graph
    nodes = [
        node._replace(invariant=False) if number in reloaded else node
        for number, node in enumerate(graph.nodes)
    ]
    return graph._replace(nodes=tuple(nodes))


def _changeable(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, kept: frozenset[int]
) -> set[int]:
    nodes = graph.nodes
    loads = [n for n in graph.live if nodes[n].op == "load" and nodes[n].invariant]
    stores = [nodes[n] for n in graph.accesses("store") if n not in kept] if loads else []
    return {n for n in loads if any(meets(nodes[n], s, arrays, compiler) for s in stores)}
