"""Idioms that compilers recognise: loops that are calls of the C library, and absolute values."""

from collections.abc import Mapping, Sequence

from rooflint.core.compiler import Compiler
from rooflint.core.graph.dependences import meets
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.ir import Array, Call, Loop, walk


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


def stays_loop(loops: Sequence[Loop], compiler: Compiler) -> bool:
    """Whether a call in the loops around keeps the innermost one from becoming a library call.

    gcc starts with the outermost loop of a nest in which each has one loop inside that runs as
    often every time, and looks no further once it meets a statement with side effects
    (tree-loop-distribution.cc: prepare_perfect_loop_nest, find_seed_stmts_for_distribution; gcc
    12.2 on loops of our own).
    """
    if not compiler.traits.distributes_nests:
        return False
    inner = loops[-1]
    for outer in reversed(loops[:-1]):
        nodes = list(walk(outer.body))
        alone = sum([isinstance(node, Loop) for node in nodes]) == _depth(inner)
        if not alone or outer.exits or outer.index in inner.trip_count.mentions():
            return False
        if any(isinstance(node, Call) and node.effects != "none" for node in nodes):
            return True
        inner = outer
    return False


def _depth(loop: Loop) -> int:
    """Loops in a nest of one loop in another."""
    return 1 + sum([isinstance(node, Loop) for node in walk(loop.body)])


def split_off_calls(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler
) -> tuple[str, ...]:
    """The calls that take the place of single stores of a loop which does more: of memory that
    nothing else in the loop touches (gcc's ``generate_memset_builtin``, LLVM's
    ``processLoopStridedStore``)."""
    accesses = [graph.nodes[number] for number in graph.accesses("load", "store")]
    if compiler.level < 2 or len(graph.roots) < 2:
        return ()
    stores = [node for node in accesses if node.op == "store" and _is_filled(graph, node)]
    alone = [s for s in stores if not any(_touches(s, a, arrays, compiler) for a in accesses)]
    return ("memset",) * len(alone)


def _is_filled(graph: Graph, store: GraphNode) -> bool:
    """Whether a store writes one byte over and over, element beside element."""
    value = graph.nodes[store.args[0]]
    assert store.access is not None
    beside = isinstance(store.stride, int) and abs(store.stride) == store.access.bytes
    return beside and value.invariant and _one_byte(value, store.access.bytes)


def _touches(
    store: GraphNode, other: GraphNode, arrays: Mapping[str, Array], compiler: Compiler
) -> bool:
    if store is other:
        return False
    assert store.access is not None and other.access is not None
    return store.access.array == other.access.array or meets(store, other, arrays, compiler)


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


def absolute(nodes: Sequence[GraphNode], node: GraphNode) -> GraphNode:
    """``x < 0 ? -x : x`` of integers as one operation (gcc's phiopt, LLVM's InstCombine)."""
    if len(node.args) != 3 or node.type[:1] != "i":
        return node
    condition, *arms = node.args
    compared = nodes[condition].args if nodes[condition].op == "compare" else ()
    if not any(nodes[argument].number == 0 for argument in compared):
        return node
    for value, negated in (arms, arms[::-1]):
        if value in compared and _negates(nodes[negated], value):
            return node._replace(op="abs", args=(value,))
    return node


def _negates(node: GraphNode, value: int) -> bool:
    return node.op == "neg" and node.args == (value,)
