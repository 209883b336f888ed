"""Whether vectors pay: what clang's cost model makes of a loop's instructions.

It adds up instructions, whatever ports or latencies they have, and divides by the iterations that
they cover. Division and square roots have figures of their own, by instruction set and not by
processor; taking elements into a register and out of it costs more than the instructions for it
(LLVM 19, X86TargetTransformInfo and AArch64TargetTransformInfo, as ``opt
-passes='print<cost-model>'`` shows).
"""

from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.core.graph.values import LEAVES, Graph, GraphNode
from rooflint.core.issue.body_shape import AccessGroups
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.issue.operations import Operations
from rooflint.records import NamedTuple

DIVISION: Final = (
    ("sve", 1.0, 1.0),
    ("avx512", 3.0, 4.0),
    ("avx2", 7.0, 14.0),
    ("avx", 14.0, 22.0),
    ("sse", 23.0, 38.0),
)
"""Instruction set (the first that fits), a division of f32 and one of f64, in 16 B or less."""
MODELLED: Final = ("sve", "sse", "avx")
"""How the names of instruction sets with known costs begin."""
LOOP: Final = 2.0
"""Counter and comparison, of as many 32 B registers as hold the counters of a vector."""
GATHER: Final = 2.0
"""Of a gather or scatter, beside its elements."""
GATHERS: Final = ("gather", "scatter")
ADDRESS: Final = 10.0
"""Of an element that is no step of an array's own subscript, without AVX2, or is far on AArch64."""
NEAR_BYTES: Final = 64
"""Steps up to this are near there (AArch64TargetTransformInfo)."""


EXTRACTED: Final = 2.0
"""Of an element that is taken out of a register and stored (getScalarizationOverhead)."""
UNSHUFFLED: Final = (5, 7)
"""Elements apart, up to the limit, for which AVX2 has no sequence of shuffles: X86TTIImpl::
getInterleavedMemoryOpCostAVX2 knows 2, 3, 4, 6 and 8. Others are cheaper one by one."""


class ClangCosts(NamedTuple):
    """Costs for one loop, before the compiler's last passes.

    divisions  that become products there
    separate   operations that are fused or folded into others there
    apart      loads and stores of elements that do not lie side by side
    unshuffled of each load and store that no shuffles take apart: the elements between two
    gapped     stores of groups that do not fill their step
    """

    operations: Operations
    isa: str
    divisions: int
    separate: int
    apart: tuple[GraphNode, ...]
    unshuffled: tuple[int, ...] = ()
    gapped: tuple[GraphNode, ...] = ()

    def cost(self, body: Iterable[MicroOp], width: int, vector_bytes: int) -> float:
        """Of one pass over ``body``, with ``width`` iterations in it."""
        ops = list(_counted(body))
        halves = 1.0 if self.sve else max(1.0, vector_bytes / 16)
        total = LOOP * max(1.0, width / 4)
        for op in ops:
            total += self.instruction(op, width, halves)
        if width > 1 and not any(op.kind.startswith(GATHERS) for op in ops):
            total += sum([self.moved(node, width) for node in self.apart])
            total += sum([self.gap_cost(node, width) for node in self.gapped])
            # a load and an insertion each, in place of the group's share of loads and shuffles
            total += sum([max(0, 2 * width - 1 - (apart + 1)) for apart in self.unshuffled])
        return total + self.separate + self.divisions * self.division("f64") * halves

    def instruction(self, op: MicroOp, width: int, halves: float) -> float:
        """Of one kind of instruction, in ``halves`` of a vector each."""
        name, kind = op.kind.split(".")[:2] if "." in op.kind else (op.kind, "")
        if name in GATHERS:
            return ADDRESS * width if self.sve else width + GATHER * op.times
        if name in ("div", "sqrt"):
            return op.times * self.division(kind) * halves
        if op.role in ("load", "store"):
            # before AVX2 whole registers move in halves
            return op.times * (1.0 if self.wide_integers else halves)
        narrow = self.operations.find(name, kind, 16 if width > 1 else None)
        cycles = max([1.0, *[use.cy for use in narrow.operation.uses]])
        return op.times * cycles + op.cycles

    @property
    def sve(self) -> bool:
        """Whether it is AArch64, where elements that lie apart cost ten times those in a row."""
        return self.isa.startswith("sve")

    @property
    def wide_integers(self) -> bool:
        """Whether there are integer operations on 32 B."""
        return self.isa.startswith(("avx2", "avx512"))

    def near(self, node: GraphNode) -> bool:
        """Whether addresses of elements cost nothing of their own."""
        if self.sve:
            short = isinstance(node.stride, int) and abs(node.stride) <= NEAR_BYTES
            return short and _own_subscript(node)
        return self.wide_integers or _own_subscript(node)

    def division(self, kind: str) -> float:
        """Of one instruction on 16 bytes."""
        single, double = next((s, d) for name, s, d in DIVISION if self.isa.startswith(name))
        return single if kind == "f32" else double

    def gap_cost(self, node: GraphNode, width: int) -> float:
        """The cost of a store whose group does not fill its step, beyond that of its place in it:
        elements one by one, where no instruction scatters them."""
        scatters = self.isa.startswith("avx512")
        return self.moved(node, width) if scatters else EXTRACTED * width

    def moved(self, node: GraphNode, width: int) -> float:
        """The cost of moving elements in or out beyond that of the shuffles."""
        assert node.access is not None
        size = node.access.bytes
        parts = max(1, width * size // 16)
        if self.isa.startswith("avx512") and width >= 4:
            shuffles = width // 2 - 1 if node.op == "store" and size == 8 else width - 1
            return GATHER - shuffles
        beside = 0.0 if self.near(node) else ADDRESS * width
        if node.op == "load":
            return beside + width + parts - 1 - (width - 1)
        if size == 8:
            return beside + 3 * parts - 2 - (width // 2 - 1)
        return beside + 5 * parts - (width - 1)


def _counted(body: Iterable[MicroOp]) -> Iterator[MicroOp]:
    """Without branches, which are taken to be predicted (X86TTIImpl::getCFInstrCost)."""
    for op in body:
        if op.role not in ("address", "overhead") and not op.kind.startswith("branch"):
            yield op


def clang_costs(
    operations: Operations, isa: str, written: Graph, final: Graph, reloaded: int, interleaved: int
) -> ClangCosts:
    """The costs for a loop, as written and as the last passes leave it.

    clang has products and sums of one expression as one operation from the start, and the sign of
    a difference as another; across statements it fuses them at the end. ``reloaded`` values are
    loaded in every pass; elements up to ``interleaved`` apart in whole registers.
    """
    divisions, separate = 0, reloaded
    apart, unshuffled = [], list[int]()
    for number in final.live:
        before, node = written.nodes[number], final.nodes[number]
        divisions += before.op == "div" and node.op == "mul" and node.type[:1] == "f"
        separate += node.op == "fma" and _fused_last(written, before)
        if isa.startswith("avx2") and _elements_apart(node) in UNSHUFFLED:
            unshuffled.append(_elements_apart(node))
        if lies_apart(node, interleaved):
            apart.append(node)
    return ClangCosts(
        operations=operations,
        isa=isa,
        divisions=divisions,
        separate=separate,
        apart=tuple(apart),
        unshuffled=tuple(unshuffled),
        gapped=_stored_in_gaps(final),
    )


def makes_vectors(graph: Graph, interleaved: int) -> bool:
    """Whether any value of the loop is made in a vector, where elements that lie apart are loaded
    and stored one by one (LoopVectorizationPlanner, willGenerateVectors)."""
    nodes = [graph.nodes[number] for number in graph.live]
    moving = [node for node in nodes if not node.invariant and node.op not in LEAVES]
    stores = AccessGroups([node for node in moving if node.op == "store"])
    return any(
        node.op not in ("load", "store") or _is_in_registers(node, stores, interleaved)
        for node in moving
    )


def _is_in_registers(node: GraphNode, stores: AccessGroups, interleaved: int) -> bool:
    """Whether whole registers are loaded or stored: of a group with gaps, loaded only."""
    if node.stride is None or lies_apart(node, interleaved):
        return False
    return node.op == "load" or not _leaves_gaps(node, stores)


def _leaves_gaps(store: GraphNode, stores: AccessGroups) -> bool:
    """Whether a store's group does not fill its step: LLVM makes no vectors of it unless asked
    (``-enable-masked-interleaved-mem-accesses``)."""
    return len(stores.beside(store)) < _elements_apart(store)


def _stored_in_gaps(graph: Graph) -> tuple[GraphNode, ...]:
    """The stores of groups of several that do not fill their step."""
    stores = [graph.nodes[number] for number in graph.accesses("store")]
    groups = AccessGroups(stores)
    sizes = [len(groups.beside(store)) for store in stores]
    pairs = zip(stores, sizes, strict=True)
    return tuple([store for store, size in pairs if 1 < size < _elements_apart(store)])


def _elements_apart(node: GraphNode) -> int:
    """Elements from one iteration to the next; 0 where they are no number."""
    if node.access is None or not isinstance(node.stride, int):
        return 0
    return abs(node.stride) // node.access.bytes


def _fused_last(written: Graph, before: GraphNode) -> bool:
    """Whether the front end leaves a fused operation in two: of a difference, or of a product of
    another statement."""
    arguments = [written.nodes[a] for a in before.args]
    return before.op == "sub" or any(
        a.op == "mul" and a.statement != before.statement for a in arguments
    )


def lies_apart(node: GraphNode, interleaved: int) -> bool:
    """Whether elements of successive iterations lie further apart than ``interleaved``."""
    if node.access is None or node.invariant or node.stride == 0:
        return False
    near = interleaved * node.access.bytes
    return not isinstance(node.stride, int) or abs(node.stride) > near


def _own_subscript(node: GraphNode) -> bool:
    """Whether the address steps through an array's subscript, so that its pace is in the type."""
    access = node.access
    return access is not None and len(access.subscripts) > 1 and isinstance(node.stride, int)
