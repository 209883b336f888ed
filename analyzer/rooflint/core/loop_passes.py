"""Passes over a loop that change which loops there are, beside its vectors and their order.

Interchange comes before the planner (``passes.py``); the vectors of an outer loop are the
vectorizer's. What is here leaves the plan as it is: of two loops without a test the one that runs
is priced, a loop that is unrolled completely does the same work, and so does a library call.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from typing import Final

from rooflint.core.code import LoopPass, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.graph.idioms import split_off_calls
from rooflint.core.graph.values import LEAVES, Graph
from rooflint.facts import Kernel
from rooflint.ir import Array, Branch, Call, Loop, Node, Statement, walk
from rooflint.records import NamedTuple
from rooflint.transform.nest.graph import is_steady

UNSWITCHED: Final = 50
"""Operations of a loop that is copied for a test (gcc, ``max-unswitch-insns``; LLVM,
``unswitch-threshold``)."""
FREE: Final = frozenset(("const", "scalar", "carried", "index", "assign"))
"""Values that need no instruction."""


class CompiledGraphs(NamedTuple):
    """A kernel as in the source, its values as ``written``, and as compiled."""

    kernel: Kernel
    written: Graph
    graph: Graph


def loop_passes(
    source: CompiledGraphs, arrays: Mapping[str, Array], vector: VectorPlan, compiler: Compiler
) -> Iterator[LoopPass]:
    """The passes that the compiler runs over the own loop of a kernel."""
    own = source.kernel.loops[-1]
    if vector.outer:
        yield LoopPass("outer-vectorization", vector.outer)
    if compiler.unswitches and (is_unswitched(own) or _chooses_once(source.written)):
        yield LoopPass("unswitching", own.index)
    if vector.library:
        yield LoopPass("library-call", vector.library)
    elif _is_straight(own):
        calls = split_off_calls(source.graph, arrays, compiler)
        yield from [LoopPass("library-call", name) for name in calls]
    if not vector.library and not vector.outer:
        yield from _unrolling(source, vector, compiler)


def pass_text(compiler: Compiler, done: LoopPass) -> str:
    """A sentence that says what the compiler does."""
    match done.kind:
        case "outer-vectorization":
            return f"{compiler} vectorises the loop over {done.subject} around it"
        case "unswitching":
            return f"{compiler} makes a loop for each outcome of a test that does not change"
        case "library-call":
            return f"{compiler} calls {done.subject} for a store of the loop"
        case "complete-unrolling":
            return f"{compiler} unrolls all {done.subject} iterations"


def _is_straight(own: Loop) -> bool:
    return all(isinstance(node, Statement) for node in own.body) and not own.exits


def is_unswitched(own: Loop) -> bool:
    """Whether a branch whose condition stays the same leaves the loop, if the compiler unswitches:
    loops of few operations and without calls."""
    nodes = list(walk(own.body))
    if any(isinstance(node, Call) for node in nodes) or _operations(nodes) > UNSWITCHED:
        return False
    return any(is_steady(own, node) for node in nodes if isinstance(node, Branch))


def _operations(nodes: Iterable[Node]) -> int:
    """Values that are computed, loaded or stored."""
    values = [value for node in nodes if isinstance(node, Statement) for value in node.values]
    return sum([value.op not in FREE for value in values])


def _unrolling(
    source: CompiledGraphs, vector: VectorPlan, compiler: Compiler
) -> Iterator[LoopPass]:
    """Of an innermost loop without calls, whose number of iterations is known."""
    kernel = source.kernel
    trips = kernel.loops[-1].trip_count.value
    if trips is None or not kernel.innermost or kernel.calls or kernel.priced:
        return
    if compiler.removes_loop(trips, ceil(trips / vector.width), len(source.graph.live)):
        yield LoopPass("complete-unrolling", str(trips))


def _chooses_once(graph: Graph) -> bool:
    """Whether one outcome of a test before the loop leaves out an operation of every iteration."""
    if len(graph.live) > UNSWITCHED:
        return False
    choices = [graph.nodes[number] for number in graph.live if graph.nodes[number].op == "select"]
    return any(
        graph.nodes[choice.args[0]].invariant
        and _is_open(graph, choice.args[0])
        and any(_is_left_out(graph, argument) for argument in choice.args[1:])
        for choice in choices
    )


def _is_open(graph: Graph, number: int) -> bool:
    """Whether a value is known to the run alone."""
    node = graph.nodes[number]
    unknown = node.op in ("scalar", "load") or (node.op == "index" and node.number is None)
    return unknown or any(_is_open(graph, argument) for argument in node.args)


def _is_left_out(graph: Graph, number: int) -> bool:
    node = graph.nodes[number]
    return not node.invariant and node.op not in LEAVES and graph.uses[number] == 1
