"""Checks before vector code that no execution passes.

A compiler that cannot tell whether a loop stores what it loads compares the ranges when it runs. In
``path[i][j] = min(path[i][j], path[i][k] + path[k][j])`` the element ``path[i][k]`` lies in the row
that the loop over ``j`` stores, whatever ``k`` is: the scalar code runs each time.
"""

from collections.abc import Sequence

from rooflint.core.graph.values import Graph
from rooflint.ir import Access, Loop, Poly


def always_overlaps(graph: Graph, loops: Sequence[Loop]) -> bool:
    """Whether an element that stays in place lies in what the innermost of ``loops`` stores."""
    nodes = graph.nodes
    stores = [nodes[n] for n in graph.accesses("store") if nodes[n].stride]
    loads = [nodes[n] for n in graph.accesses("load") if nodes[n].stride == 0]
    return any(
        _is_within(load.access, store.access, loops)
        for store in stores
        for load in loads
        if load.access is not None and store.access is not None
    )


def _is_within(place: Access, walk: Access, loops: Sequence[Loop]) -> bool:
    """Whether ``place`` is where ``walk`` is for the same value of another loop's index, which runs
    over the same range as that of the own loop."""
    if place.array != walk.array:
        return False
    own = loops[-1]
    alike = [each for each in loops[:-1] if (each.lower, each.upper) == (own.lower, own.upper)]
    return any(
        walk.offset.substitute({own.index: Poly.symbol(each.index)}) == place.offset
        for each in alike
    )
