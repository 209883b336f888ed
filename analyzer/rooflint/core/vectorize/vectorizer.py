"""A compiler's vectorizer as the plan asks it, the loop that it is asked about, and what pays."""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from rooflint.core.code import Code, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.graph.addresses import may_wrap
from rooflint.core.graph.chains import Chain
from rooflint.core.graph.dependences import Flow, meets
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.body_shape import AccessGroups, BodyShape
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.issue.operations import Operations, element_bytes
from rooflint.core.vectorize.pragmas import VectorPragmas
from rooflint.core.vectorize.target import VectorTarget
from rooflint.facts import Kernel
from rooflint.ir import Array, Reason
from rooflint.records import NamedTuple

DIVISIONS: Final = ("div", "rem")


class VectorLoop(NamedTuple):
    """A loop that nothing forbids to vectorize.

    written      its values before contraction and cheaper forms, as ``graph`` has them
    conditional  scalars assigned under a condition
    masked       stores stand under a condition
    accumulates  some scalar or place takes in a value of every iteration
    kept         loads and stores that vector code does outside of the loop
    ordered      additions that vector code makes one by one
    groups       its loads and stores of every iteration by what moves them
    under_mask   loads and stores that some iterations do not make
    spliced      loads whose vectors are those of the next element, moved by one
    """

    kernel: Kernel
    arrays: Mapping[str, Array]
    operations: Operations
    target: VectorTarget
    written: Graph
    graph: Graph
    chains: tuple[Chain, ...]
    conditional: frozenset[str]
    masked: bool
    accumulates: bool
    kept: frozenset[int]
    ordered: frozenset[int]
    groups: AccessGroups
    under_mask: frozenset[int] = frozenset()
    spliced: frozenset[int] = frozenset()

    @property
    def trips(self) -> int | None:
        """Iterations, where the number is known."""
        return self.kernel.loops[-1].trip_count.value

    def element_sizes(self) -> list[int]:
        """Bytes of the elements loaded, stored and accumulated, which decide the width."""
        nodes = self.graph.nodes
        moved = [n for n in self.graph.accesses("load", "store") if nodes[n].stride != 0]
        kinds = [nodes[n].type for n in moved] + [chain.type for chain in self.chains]
        kinds = kinds or [nodes[n].type for n in self.graph.live] or ["f64"]
        return [element_bytes(kind) for kind in kinds]

    def divided_type(self) -> str | None:
        """The type of an integer quotient of every iteration for which x86 has no vector
        instructions: by what is no constant, or of 64 bits by what is no power of two."""
        for number in self.graph.live:
            before, after = self.written.nodes[number], self.graph.nodes[number]
            if after.invariant or before.op not in DIVISIONS or before.type[:1] not in "iu":
                continue
            if after.op in DIVISIONS or (after.op == "mul" and element_bytes(before.type) == 8):
                return before.type
        return None

    def shape(self, width: int, vector_bytes: int) -> BodyShape:
        """A vector body that is not unrolled."""
        return BodyShape(
            width=width,
            vector_bytes=vector_bytes,
            in_register=self.kept,
            spliced=self.spliced,
            under_mask=self.under_mask,
            unaligned=not self.target.legacy,
            ordered_reductions=self.ordered,
            counts_bits=not (self.target.x86 and self.target.legacy),
        )


class OuterLoop(NamedTuple):
    """An inner loop of which several executions run side by side.

    graph   its values, with strides along the outer loop
    whole   whether only vectors that fill the outer loop are made
    trips   of the outer loop, where their number is known
    """

    graph: Graph
    whole: bool
    trips: int | None

    def allows(self, width: int) -> bool:
        """Whether vectors of ``width`` iterations of the outer loop are made."""
        if self.trips is None:
            return not self.whole
        return self.trips >= width and not (self.whole and self.trips % width)


class VectorChoice(NamedTuple):
    """``width`` iterations in registers of ``register_bytes``; ``if_cheaper`` than scalar code by
    the plan's own cycles only."""

    width: int
    register_bytes: int
    if_cheaper: bool


class Vectorizer(Protocol):
    """Decisions of one compiler about loops that it may vectorize."""

    def governing_bytes(self, loop: VectorLoop) -> int:
        """The element, of those in a loop, of which a register holds one per iteration."""

    def choose(self, loop: VectorLoop, widest: int, scalar: Code) -> VectorChoice | Reason:
        """Vectors of at most ``widest`` iterations, or why the loop stays scalar."""

    def outer_loop(self, loop: VectorLoop) -> OuterLoop | None:
        """The loop around, if its iterations fill vectors instead of the loop's own."""

    def vectors_in_flight(self, loop: VectorLoop, body: Iterable[MicroOp], width: int) -> int:
        """Bodies of vector code between two branches."""

    def epilogue_width(self, vector: VectorPlan, pragmas: VectorPragmas) -> int:
        """Iterations of the vectors that do what is left after those of ``vector``; 1 where scalar
        code does it all."""

    def scalar_bodies(self, instructions: int) -> int:
        """Bodies of scalar code between two branches, where it is unrolled."""

    def with_waits(self, code: Code, loop: VectorLoop) -> Code:
        """Vector ``code`` with the cycles in which its loads wait for stores under masks, of which
        no cost model of a compiler knows."""

    def unfused_products(
        self, graph: Graph, chains: Iterable[Chain], flows: Iterable[Flow], processor: str | None
    ) -> list[int]:
        """Operations of sums that stay product and addition, though they could be fused."""


def is_cheaper(code: Code, other: Code) -> bool:
    """Fewer cycles, or as many with less to do: what latency bounds may still be vectorised."""
    if code.t_core_cy >= other.t_core_cy * (1 - 1e-9):
        same = code.t_core_cy <= other.t_core_cy * (1 + 1e-9)
        return same and max(code.overlapping_cy, code.issue_cy) < max(
            other.overlapping_cy, other.issue_cy
        )
    return True


def unprofitability(graph: Graph) -> Reason:
    """Why vectors do not pay, as far as the accesses tell."""
    for number in graph.accesses("load", "store"):
        node = graph.nodes[number]
        if node.access is None or node.stride == 0:
            continue
        if node.stride is None:
            return Reason("unprofitable-indirect", (node.access.array,))
        if node.stride != node.access.bytes:
            return Reason("unprofitable-stride", (node.access.array,))
    return Reason("unprofitable")


def wrapping_access(loop: VectorLoop, compiler: Compiler) -> GraphNode | None:
    """An access to elements whose number may wrap, if it stores, or loads what a store may meet: no
    such address is linear in the iterations."""
    stores = [loop.graph.nodes[number] for number in loop.graph.accesses("store")]
    for number in loop.graph.accesses("load", "store"):
        node = loop.graph.nodes[number]
        if node.access is None or not may_wrap(node.access, loop.kernel.loops[-1]):
            continue
        if node.op == "store" or any(_may_meet(node, store, loop, compiler) for store in stores):
            return node
    return None


def _may_meet(load: GraphNode, store: GraphNode, loop: VectorLoop, compiler: Compiler) -> bool:
    same = load.place is None or store.place is None or load.place.array == store.place.array
    return same or meets(load, store, loop.arrays, compiler)


def instruction_cost(op: MicroOp, width: int) -> float:
    """The cost of an instruction in a compiler's model of a body: cycles of its unit."""
    if op.role in ("address", "overhead"):
        return 0.0
    if op.kind.startswith(("gather", "scatter")):
        return op.times * (2 * width + 2)
    return op.times * max([1.0, *[use.cy for use in op.uses]]) + op.cycles


def power_of_two(number: int) -> int:
    """The largest one up to ``number``, at least 1."""
    return 1 << (max(1, number).bit_length() - 1)


def is_counted(reason: Reason | None) -> bool:
    """Whether iterations can be counted before a loop that stays scalar for ``reason``: compilers
    unroll no other one (LLVM without ``-unroll-runtime-multi-exit``, gcc without
    ``-funroll-all-loops``)."""
    return reason is None or reason.kind not in ("early-exit", "changing-bound")
