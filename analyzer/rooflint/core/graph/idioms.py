"""Loops that compilers replace by a call of the C library before they vectorise anything."""

from collections.abc import Mapping

from rooflint.core.compiler import Compiler
from rooflint.core.graph.dependences import meets
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.ir import Array


def library_call(graph: Graph, arrays: Mapping[str, Array], compiler: Compiler) -> str | None:
    """``memset`` or ``memcpy`` where the loop does nothing else, element beside element (LLVM's
    LoopIdiomRecognize, gcc's ``-ftree-loop-distribute-patterns``); None otherwise."""
    store = _only_store(graph) if compiler.level >= 2 else None
    if store is None or store.access is None:
        return None
    value = graph.nodes[store.args[0]]
    if value.invariant:
        return "memset" if _one_byte(value, store.access.bytes) else None
    copied = value.op == "load" and value.stride == store.stride and value.type == store.type
    return "memcpy" if copied and not meets(value, store, arrays, compiler) else None


def _only_store(graph: Graph) -> GraphNode | None:
    store = graph.nodes[graph.roots[0]] if len(graph.roots) == 1 else None
    if store is None or store.op != "store" or store.access is None:
        return None
    beside = isinstance(store.stride, int) and abs(store.stride) == store.access.bytes
    return store if beside else None


def _one_byte(value: GraphNode, size: int) -> bool:
    if size == 1:
        return True
    return value.number == 0
