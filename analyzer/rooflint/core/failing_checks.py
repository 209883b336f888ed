"""Checks before vector code that no execution passes.

A compiler that cannot tell whether a loop stores what it loads compares the ranges when it runs. In
``path[i][j] = min(path[i][j], path[i][k] + path[k][j])`` the element ``path[i][k]`` lies in the row
that the loop over ``j`` stores, whatever ``k`` is: the scalar code runs each time.

LLVM makes vectors of ``a[i * inc]`` for ``inc == 1`` alone, and compares ``inc`` before them.
"""

from collections.abc import Mapping, Sequence

from rooflint.core.compiler import Compiler
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.ir import Access, Array, Loop, Poly


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


def unit_steps(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
) -> tuple[Poly, ...]:
    """Steps of accesses, in elements, that are one symbol: LLVM's LoopAccessAnalysis versions the
    loop for their being 1 (``collectStridedAccess``), and no other loop has vectors. It takes
    neither multiples nor sums of symbols, nor what is as long as the loop at least, as the row of a
    square matrix: for them clang 19 gathers."""
    if not compiler.traits.versions_steps:
        return ()
    nodes = [graph.nodes[number] for number in graph.accesses("load", "store")]
    steps = filter(None, [_symbolic_step(node, arrays) for node in nodes])
    return tuple(dict.fromkeys([step for step in steps if not _covers(step, own)]))


def _covers(step: Poly, own: Loop) -> bool:
    """Whether a step is not below the number of iterations, whatever both are."""
    more = (step - own.trip_count).value
    return more is not None and more >= 0


def _symbolic_step(node: GraphNode, arrays: Mapping[str, Array]) -> Poly | None:
    access, stride = node.access, node.stride
    array = arrays.get(access.array) if access is not None else None
    if array is None or not isinstance(stride, Poly) or len(stride.terms) != 1:
        return None
    ((monomial, factor),) = stride.terms.items()
    single = len(monomial) == 1 and isinstance(monomial[0], str)
    return Poly.symbol(monomial[0]) if single and factor == array.element_bytes else None
