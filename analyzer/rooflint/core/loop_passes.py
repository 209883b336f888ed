"""Passes over a loop that change which loops there are, beside its vectors and their order.

Interchange comes before the planner (``passes.py``); the vectors of an outer loop are the
vectorizer's. What is here leaves the plan as it is: of two loops without a test the one that runs
is priced, a loop that is unrolled completely does the same work, and so does a library call.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final

from rooflint.core.code import LoopPass, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.graph.idioms import split_off_calls, stays_loop
from rooflint.core.graph.values import LEAVES, Graph, GraphNode
from rooflint.core.issue.body import MAX_INTERLEAVE
from rooflint.core.vectorize.clang_costs import lies_apart
from rooflint.facts import Kernel
from rooflint.ir import Array, Branch, Call, IdentityKey, Loop, Node, Statement, walk
from rooflint.records import NamedTuple
from rooflint.transform.nest.graph import is_steady

UNSWITCHED: Final = 50
"""Operations of a loop that is copied for a test (gcc, ``max-unswitch-insns``; LLVM,
``unswitch-threshold``)."""
FREE: Final = frozenset(("const", "scalar", "carried", "index", "assign"))
"""Values that need no instruction."""
TRAPPING: Final = frozenset(("add", "sub", "mul", "div", "fma", "neg", "sqrt", "convert"))
"""Operations on floating-point numbers that may raise a flag (gcc, ``operation_could_trap_p``)."""
SCALED: Final = frozenset((0, 1, 2, 4, 8))
"""Bytes from one element to the next that are part of an address (LLVM, isLegalAddressingMode)."""
MOVED: Final = 3
"""Instructions for an element that is moved into a register, or out of it, by itself: its address,
its load or store, and its place in the register."""


class CompiledGraphs(NamedTuple):
    """A kernel as in the source, its values as ``written``, and as compiled; ``gathers`` where
    vectors load and store elements that lie apart by one instruction."""

    kernel: Kernel
    written: Graph
    graph: Graph
    gathers: bool = False


def loop_passes(
    source: CompiledGraphs, arrays: Mapping[str, Array], vector: VectorPlan, compiler: Compiler
) -> Iterator[LoopPass]:
    """The passes that the compiler runs over the own loop of a kernel."""
    own = source.kernel.loops[-1]
    if vector.outer:
        yield LoopPass("outer-vectorization", vector.outer)
    if is_unswitched(own, compiler) or _chooses_once(source.written, compiler):
        yield LoopPass("unswitching", own.index)
    if vector.library:
        yield LoopPass("library-call", vector.library)
    elif _is_straight(own) and not stays_loop(source.kernel.loops, compiler):
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


def is_unswitched(own: Loop, compiler: Compiler) -> bool:
    """Whether the compiler moves a branch whose condition stays the same out of the loop: of few
    operations and without calls."""
    nodes = list(walk(own.body))
    if not compiler.unswitches or not _is_copied(nodes):
        return False
    branches = [node for node in nodes if isinstance(node, Branch)]
    steady = [branch for branch in branches if is_steady(own, branch)]
    inner = _inside(branches)
    return any(IdentityKey(each) not in inner or _is_moved(each, compiler) for each in steady)


def _is_copied(nodes: Sequence[Node]) -> bool:
    """Whether a loop is short enough to be made twice, and calls nothing."""
    calls = any(isinstance(node, Call) for node in nodes)
    return not calls and _operations(nodes) <= UNSWITCHED


def _inside(branches: Iterable[Branch]) -> set[IdentityKey]:
    """The nodes in the arms of branches."""
    return {IdentityKey(node) for each in branches for node in (*each.then, *each.orelse)}


def _is_moved(branch: Branch, compiler: Compiler) -> bool:
    """Whether the condition is computed before the loop though not every iteration needs it: gcc
    leaves there what may trap (tree-ssa-loop-im.c, ``MOVE_PRESERVE_EXECUTION``)."""
    values = branch.condition.values
    return not any(_may_trap(value.op, value.type, compiler) for value in values)


def _may_trap(op: str, kind: str, compiler: Compiler) -> bool:
    flagged = compiler.traits.keeps_traps and compiler.trapping_math
    return flagged and kind[:1] == "f" and op in TRAPPING


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
    bodies = ceil(trips / vector.width)
    sizes = _code_size(source, 1), _code_size(source, vector.width)
    if compiler.removes_loop((trips, sizes[0]), (bodies, sizes[1])):
        yield LoopPass("complete-unrolling", str(trips))


def _code_size(source: CompiledGraphs, width: int) -> int:
    """Instructions of an iteration, or of a vector of so many, as LLVM counts them
    (TargetTransformInfo, TCK_CodeSize; clang 19 on loops of our own for Haswell)."""
    graph = source.graph
    accesses = [graph.nodes[number] for number in graph.accesses("load", "store")]
    apart = [node for node in accesses if lies_apart(node, MAX_INTERLEAVE)]
    if width > 1 and not source.gathers:
        return len(graph.live) + (MOVED * width - 1) * len(apart)
    scaled = [node for node in accesses if node.invariant or node.stride in SCALED]
    return len(graph.live) + len(accesses) - len(scaled)


def _chooses_once(graph: Graph, compiler: Compiler) -> bool:
    """Whether one outcome of a test before the loop leaves out an operation of every iteration."""
    if not compiler.unswitches or len(graph.live) > UNSWITCHED:
        return False
    choices = [number for number in graph.live if graph.nodes[number].op == "select"]
    arms = {arm for number in choices for arm in graph.nodes[number].args[1:]}
    return any(
        _leaves_out(graph, graph.nodes[number])
        and (number not in arms or not _traps(graph, graph.nodes[number].args[0], compiler))
        for number in choices
    )


def _leaves_out(graph: Graph, choice: GraphNode) -> bool:
    """Whether a test before the loop decides on an operation of every iteration."""
    test, *arms = choice.args
    steady = graph.nodes[test].invariant and _is_open(graph, test)
    return steady and any(_is_left_out(graph, argument) for argument in arms)


def _traps(graph: Graph, number: int, compiler: Compiler) -> bool:
    """Whether a value or one that it is made of may trap."""
    node = graph.nodes[number]
    own = _may_trap(node.op, node.type, compiler)
    return own or any(_traps(graph, argument, compiler) for argument in node.args)


def _is_open(graph: Graph, number: int) -> bool:
    """Whether a value is known to the run alone."""
    node = graph.nodes[number]
    unknown = node.op in ("scalar", "load") or (node.op == "index" and node.number is None)
    return unknown or any(_is_open(graph, argument) for argument in node.args)


def _is_left_out(graph: Graph, number: int) -> bool:
    node = graph.nodes[number]
    return not node.invariant and node.op not in LEAVES and graph.uses[number] == 1
