"""The shape of a loop body: width, vectors, groups of accesses, what needs no instruction."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.lane_steps import LanePlan
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.issue.operations import element_bytes
from rooflint.records import NamedTuple

FOLDING: Final = frozenset(
    ("add", "sub", "mul", "div", "fma", "sqrt", "min", "max", "and", "or", "xor", "convert")
)
"""Operations whose instruction may have an operand in memory."""
ELEMENTWISE: Final = frozenset(
    ("add", "sub", "mul", "div", "fma", "min", "max", "abs", "neg", "and", "or", "xor")
)
"""Operations of which LLVM turns the result round in place of the operands (InstCombine,
foldVectorBinop and foldShuffledIntrinsicOperands)."""
NO_QUOTIENTS: Final[Mapping[int, int]] = {}
WHOLE_LINE: Final = 64
"""Bytes of the registers of AVX-512."""
AVX2_BYTES: Final = 32
WalkKey: TypeAlias = tuple[str, str, int]
"""Operation, array and walk: only accesses of one have a distance."""


class BodyShape(NamedTuple):
    """How a body is made.

    width         iterations a body covers; 1 is scalar code
    vector_bytes  of a register, where ``width`` is above 1
    in_register   loads and stores that need none: values kept from an earlier iteration
    spliced       those of vector code that are put together from two registers
    reloaded      invariant values of scalar code that a store may change (``graph.reloads``)
    unroll        bodies between two branches
    under_mask    loads and stores of vector code that some of its iterations do not make
    unaligned     vector instructions take operands from any address in memory (AVX, not SSE)
    ordered_reductions      additions that vector code makes element by element
    gathers       the compiler gathers wherever there is an instruction for it: LLVM, which takes
                  those of AVX-512 for cheap on every processor
    beside        what vector code does besides the values of the graph: the other arms of branches
    lanes         sizes in which vector code computes integers; None: those of their types
    turned        vectors that run backwards stay so from the loads to the stores
    counts_bits   the instructions of the machine that count bits and zeros may be used
    quotients     by value of scalar code: instructions beside its product (``graph.quotients``)
    """

    width: int = 1
    vector_bytes: int = 16
    in_register: frozenset[int] = frozenset()
    spliced: frozenset[int] = frozenset()
    reloaded: frozenset[int] = frozenset()
    unroll: int = 1
    under_mask: frozenset[int] = frozenset()
    unaligned: bool = False
    ordered_reductions: frozenset[int] = frozenset()
    gathers: bool = False
    turned: bool = False
    counts_bits: bool = True
    quotients: Mapping[int, int] = NO_QUOTIENTS
    beside: tuple[MicroOp, ...] = ()
    lanes: LanePlan | None = None

    @property
    def splices(self) -> int:
        """Shuffles that take a vector out of two: ``vpermt2pd`` or ``palignr``; on 32 bytes of AVX2
        another brings the halves together."""
        return 2 if self.vector_bytes == AVX2_BYTES else 1

    def leaves_out(self, number: int, node: GraphNode) -> bool:
        """Whether a value is computed before the loop."""
        return node.invariant and node.op != "store" and number not in self.reloaded

    def gathers_at(self, stride: object, width_bytes: int | None) -> bool:
        """Whether the compiler takes an instruction that gathers or scatters, whatever it costs:
        gcc has no other vector code for places that an array tells, and takes those of eight
        elements and more on any processor (``X86_TUNE_USE_GATHER_8PARTS`` and its like)."""
        return self.gathers or (stride is None and width_bytes == WHOLE_LINE)


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


def flag_comparisons(graph: Graph) -> frozenset[int]:
    """Comparisons of floating-point numbers that set flags in scalar code, for a jump or for a
    conditional move of integers; others make a mask."""
    found = {number for number in graph.roots if graph.nodes[number].op == "compare"}
    selections = [graph.nodes[n] for n in graph.live if graph.nodes[n].op == "select"]
    found.update([node.args[0] for node in selections if node.type[:1] in "iu"])
    return frozenset([number for number in found if _compares_floats(graph, number)])


def _compares_floats(graph: Graph, number: int) -> bool:
    node = graph.nodes[number]
    return node.op == "compare" and any(graph.nodes[a].type[:1] == "f" for a in node.args)


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


class _Walk(NamedTuple):
    """The accesses of one key, in their order, and their displacements in bytes, sorted."""

    nodes: list[GraphNode]
    displacements: list[int]


class AccessGroups:
    """Loads and stores by what moves them, so that each is compared with few others."""

    def __init__(self, nodes: Iterable[GraphNode]) -> None:
        self._walks: dict[WalkKey, _Walk] = {}
        for node in nodes:
            if node.place is not None:
                key = (node.op, node.place.array, node.place.walk)
                walk = self._walks.setdefault(key, _Walk([], []))
                walk.nodes.append(node)
                insort(walk.displacements, node.place.displacement)

    def beside(self, node: GraphNode) -> list[GraphNode]:
        """The accesses of the operation of ``node`` that lie beside it, itself too."""
        return [other for other in self._walk_of(node).nodes if _is_beside(node, other)]

    def near(self, node: GraphNode) -> int:
        """How many accesses of the operation of ``node`` are less than its step away from it; 1
        where the step is no constant."""
        if not isinstance(node.stride, int) or node.place is None:
            return 1
        step, here = abs(node.stride), node.place.displacement
        displacements = self._walk_of(node).displacements
        before = bisect_right(displacements, here - step)
        return max(0, bisect_left(displacements, here + step) - before)

    def _walk_of(self, node: GraphNode) -> _Walk:
        if node.place is None:
            return _Walk([], [])
        key = (node.op, node.place.array, node.place.walk)
        return self._walks.get(key, _Walk([], []))


def _is_beside(node: GraphNode, other: GraphNode) -> bool:
    if node.access is None or other.access is None or node.place is None or other.place is None:
        return False
    if node.stride != other.stride or node.access.bytes != other.access.bytes:
        return False
    distance = node.place.distance(other.place)
    return (
        distance is not None and isinstance(node.stride, int) and abs(distance) < abs(node.stride)
    )


def is_backwards(graph: Graph) -> bool:
    """Whether all that the loop loads and stores runs backwards and is computed element by element,
    so that nothing sees that the elements of a vector are the other way round."""
    nodes = [graph.nodes[number] for number in graph.live]
    moving = [node for node in nodes if not node.invariant]
    return not graph.carried and all(map(_may_be_backwards, moving))


def _may_be_backwards(node: GraphNode) -> bool:
    if node.op in ("load", "store"):
        size = 0 if node.access is None else node.access.bytes
        return node.stride == -size or (node.op == "load" and node.stride == 0)
    return node.op in ELEMENTWISE
