"""The shape of a loop body: its width, its vectors, and what needs no instruction of its own."""

from typing import Final

from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.lane_steps import LanePlan
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.issue.operations import element_bytes
from rooflint.records import NamedTuple

FOLDING: Final = frozenset(
    ("add", "sub", "mul", "div", "fma", "sqrt", "min", "max", "and", "or", "xor", "convert")
)
"""Operations whose instruction may have an operand in memory."""


class BodyShape(NamedTuple):
    """How a body is made.

    width         iterations a body covers; 1 is scalar code
    vector_bytes  of a register, where ``width`` is above 1
    in_register   loads and stores that need none: values kept from an earlier iteration
    unroll        bodies between two branches
    under_mask    loads and stores of vector code that some of its iterations do not make
    unaligned     vector instructions take operands from any address in memory (AVX, not SSE)
    ordered_reductions      additions that vector code makes element by element
    gathers       the compiler gathers wherever there is an instruction for it: LLVM, which takes
                  those of AVX-512 for cheap on every processor
    beside        what vector code does besides the values of the graph: the other arms of branches
    lanes         sizes in which vector code computes integers; None: those of their types
    counts_bits   the instructions of the machine that count bits and zeros may be used
    """

    width: int = 1
    vector_bytes: int = 16
    in_register: frozenset[int] = frozenset()
    unroll: int = 1
    under_mask: frozenset[int] = frozenset()
    unaligned: bool = False
    ordered_reductions: frozenset[int] = frozenset()
    gathers: bool = False
    counts_bits: bool = True
    beside: tuple[MicroOp, ...] = ()
    lanes: LanePlan | None = None


def folded_loads(graph: Graph, in_register: frozenset[int]) -> frozenset[int]:
    """Loads that are an operand of the one instruction that needs them, one to an instruction.

    Of a difference or a quotient that is the second operand only, of a fused operation any. An
    element of another size than the operation's is widened first, but by a conversion itself.
    """
    folded = set()
    for number in graph.live:
        node = graph.nodes[number]
        if node.invariant or node.op not in FOLDING:
            continue
        args = node.args[-1:] if node.op in ("sub", "div") else node.args
        for argument in args:
            alone = argument not in in_register and graph.uses[argument] == 1
            if alone and _is_operand(graph.nodes[argument], node):
                folded.add(argument)
                break
    return frozenset(folded)


def _is_operand(load: GraphNode, node: GraphNode) -> bool:
    """Whether a value is loaded in every iteration, in the size that the operation takes."""
    if load.op != "load" or load.invariant:
        return False
    return node.op == "convert" or element_bytes(load.type) == element_bytes(node.type)


def is_zeroed(graph: Graph, shape: BodyShape, node: GraphNode) -> bool:
    """Whether a selection is a load under a mask, which gives the zero that is the other value."""
    chosen = node.args[1:] if node.op == "select" else ()
    loaded = any(number in shape.under_mask for number in chosen)
    return loaded and any(graph.nodes[number].number == 0 for number in chosen)


def group_members(graph: Graph, node: GraphNode) -> int:
    """How many accesses share the lines of a strided group with this one."""
    stride, place = node.stride, node.place
    if not isinstance(stride, int) or place is None:
        return 1
    near = 0
    for number in graph.live:
        other = graph.nodes[number]
        if other.op == node.op and other.place is not None:
            distance = place.distance(other.place)
            near += distance is not None and abs(distance) < abs(stride)
    return near
