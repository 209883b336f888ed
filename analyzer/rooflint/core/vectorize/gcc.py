"""gcc's loop vectorizer: almost every loop that it may take, one vector in flight.

Arithmetic counts with its latency in its cost model, which vectors share among their elements (x86:
processor_costs). There is one accumulator a sum, however far the loop is unrolled afterwards.
"""

from collections.abc import Container, Iterable
from typing import Final

from rooflint import ir
from rooflint.core.code import Code, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.graph.chains import Chain, chain_in_memory
from rooflint.core.graph.dependences import Flow
from rooflint.core.graph.values import LEAVES, Graph, GraphNode
from rooflint.core.issue.body import MAX_INTERLEAVE
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.vectorize.gcc_rules import integer_sizes, leaves_gaps, refusal
from rooflint.core.vectorize.outer_loop import outer_loop
from rooflint.core.vectorize.pragmas import VectorPragmas, vector_pragmas
from rooflint.core.vectorize.vectorizer import (
    OuterLoop,
    VectorChoice,
    VectorLoop,
    power_of_two,
    unprofitability,
)

SMALLEST_VECTOR: Final = 16
"""Bytes: no epilogue is narrower."""
MAX_UNROLL: Final = 8
"""Bodies of an unrolled loop (``max-unroll-times``)."""
MAX_UNROLLED: Final = 80
"""Instructions of an unrolled loop (``max-average-unrolled-insns``)."""
UNFUSED: Final = ("znver2", "znver3", "znver4")
"""Processors on which sums stay product and addition: the addition alone takes less time
(``avoid-fma-max-bits`` 256)."""
FIRST_ORDER: Final = 13
"""Release that vectorizes first-order recurrences: values of the iteration before."""
BIT_FIELDS: Final = 13
"""Release that vectorizes accesses to bit fields ("statement is bitfield access" before)."""
LOOP_INSTRUCTIONS: Final = 2
"""Counter and jump."""
MAKING: Final = {2: 6, 4: 24}
"""Of a register from so many elements, in gcc's units: a scalar load is 12."""
MAKING_MORE: Final = 48
TAKING: Final = 4
"""Of an element out of a register, in the same units (``vec_to_scalar``)."""
WIDE_PRODUCT: Final = 68
"""Of a product of 64-bit integers before AVX-512: three of 32 bits, five shifts and sums, 16 and 4
each (``ix86_multiplication_cost``); it counts for a vector of any size."""
COSTS: Final = {"load": 12, "store": 12, "div": 60, "sqrt": 60}
ARITHMETIC: Final = 16
"""``COSTS_N_INSNS (4)``, of ADDSS in x86-tune-costs.h for Skylake. Integers have 4 there, but gcc
12.2 takes vectors of them as early: of 1680 loops of integers and doubles with steps that are
unknown or far, 416 had another verdict with 4 in its place, and 158 have."""


class GccVectorizer:
    """Decisions of gcc 12 and later."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler

    def governing_bytes(self, loop: VectorLoop) -> int:
        """The narrowest element: of the types that statements have, not of memory alone
        (``vect_get_smallest_scalar_type``, and the vector types of all statements)."""
        return min([*loop.element_sizes(), *integer_sizes(loop.graph)])

    def choose(self, loop: VectorLoop, widest: int, scalar: Code) -> VectorChoice | ir.Reason:
        """The widest vectors that leave no unwanted remainder and pay for the loads that fill
        them; on other processors than x86 the plan's own cycles decide as well."""
        width = affordable(loop, self._without_remainder(loop, widest))
        refused = self._refused(loop, width)
        if refused is not None or width < 2:
            return refused or unprofitability(loop.graph)
        assert loop.target.register_bytes is not None
        size = min(loop.target.register_bytes, width * max(loop.element_sizes()))
        return VectorChoice(width, size, if_cheaper=not loop.target.x86)

    def _refused(self, loop: VectorLoop, width: int) -> ir.Reason | None:
        return (
            self._previous_value(loop)
            or _constant_address(loop.kernel.loops[-1])
            or _shared_condition(loop)
            or self._bit_field(loop)
            or _no_scatter(loop)
            or refusal(loop, self.compiler)
            or self._remainder(loop, width)
        )

    def _previous_value(self, loop: VectorLoop) -> ir.Reason | None:
        version = self.compiler.version
        if version is None or version >= FIRST_ORDER:
            return None
        names = [chain.name for chain in loop.chains if chain.kind == "previous"]
        return ir.Reason("previous-value", (names[0], str(FIRST_ORDER))) if names else None

    def _bit_field(self, loop: VectorLoop) -> ir.Reason | None:
        version = self.compiler.version
        if version is None or version >= BIT_FIELDS:
            return None
        nodes = [loop.graph.nodes[n] for n in loop.graph.accesses("load", "store")]
        named = [n.access.array for n in nodes if n.access is not None and n.access.bits]
        return ir.Reason("bit-field", (named[0], str(BIT_FIELDS))) if named else None

    def _remainder(self, loop: VectorLoop, width: int) -> ir.Reason | None:
        if not self._is_whole(loop):
            return None
        if loop.trips is None:
            return ir.Reason("unknown-remainder")
        return ir.Reason("remainder", (str(loop.trips),)) if width < 2 else None

    def _without_remainder(self, loop: VectorLoop, width: int) -> int:
        trips, is_whole = loop.trips, self._is_whole(loop)
        while is_whole and trips is not None and trips % width:
            width //= 2
        return width

    def _is_whole(self, loop: VectorLoop) -> bool:
        """Whether vectors have to cover all iterations: not under ``simd``, whose cost model is
        another one (``-fsimd-cost-model``, unlimited by default)."""
        return self.compiler.whole_vectors_only and not vector_pragmas(loop.kernel).forced

    def outer_loop(self, loop: VectorLoop) -> OuterLoop | None:
        """The loop around, if its iterations fill vectors instead of the loop's own."""
        return outer_loop(loop, self.compiler)

    def vectors_in_flight(self, loop: VectorLoop, body: Iterable[MicroOp], width: int) -> int:
        """One, but under ``-funroll-loops``."""
        if not self.compiler.unroll:
            return 1
        made = [op.times for op in body if op.role not in ("address", "overhead")]
        return _unrolled(LOOP_INSTRUCTIONS + sum(made))

    def epilogue_width(self, vector: VectorPlan, pragmas: VectorPragmas) -> int:
        """Half as many, in half a register: ``vect_analyze_loop`` makes one narrower loop, but none
        where a clause keeps lanes in an array of their own (``simduid``)."""
        if pragmas.names:
            return 1
        wide = vector.register_bytes is not None and vector.register_bytes > SMALLEST_VECTOR
        return vector.width // 2 if wide and not self.compiler.whole_vectors_only else 1

    def scalar_bodies(self, instructions: int) -> int:
        """As many as its limits of an unrolled loop allow."""
        return _unrolled(instructions)

    def with_waits(self, code: Code, loop: VectorLoop) -> Code:
        """Values that an arm stores are selected in a register where they are loaded again."""
        return code

    def unfused_products(
        self, graph: Graph, chains: Iterable[Chain], flows: Iterable[Flow], processor: str | None
    ) -> list[int]:
        """Fused operations of sums, in scalars and in memory, on processors that add sooner."""
        if processor not in UNFUSED:
            return []
        places = [chain_in_memory(graph, flow.load, flow.store) for flow in flows]
        sums = [chain for chain in (*chains, *places) if chain.kind == "sum"]
        return [n for chain in sums for n in chain.nodes if graph.nodes[n].op == "fma"]


def _shared_condition(loop: VectorLoop) -> ir.Reason | None:
    names = [chain.name for chain in loop.chains if chain.name in loop.conditional]
    return ir.Reason("shared-condition", (" and ".join(sorted(names)),)) if len(names) > 1 else None


def _no_scatter(loop: VectorLoop) -> ir.Reason | None:
    if loop.target.avx512 or not loop.target.x86:
        return None
    for number in loop.graph.accesses("store"):
        node = loop.graph.nodes[number]
        if node.stride is None and node.access is not None:
            return ir.Reason("no-scatter", (node.access.array,))
    return None


def _constant_address(loop: ir.Loop) -> ir.Reason | None:
    """A condition that sets the loop's index to a number, which then stands in addresses of its
    branch."""
    for node in loop.body:
        if not isinstance(node, ir.Branch) or len(node.condition.values) != 3:
            continue
        left, right, compare = node.condition.values
        number = _counterpart(left, right, loop.index)
        if compare.op != "compare" or number is None or compare.operator not in ("==", "!="):
            continue
        arm = node.then if compare.operator == "==" else node.orelse
        if any(_addresses_by(inside, loop.index) for inside in ir.walk(arm)):
            return ir.Reason("constant-address", (f"{loop.index} {compare.operator} {number}",))
    return None


def _addresses_by(node: object, index: str) -> bool:
    return isinstance(node, ir.Statement) and any(
        index in access.offset.names() for access in node.accesses
    )


def _counterpart(left: ir.Value, right: ir.Value, index: str) -> int | None:
    """The whole number, none below zero, that ``index`` is compared with; None for others."""
    for own, other in ((left, right), (right, left)):
        moves = isinstance(own, ir.IndexValue) and own.poly == ir.Poly.symbol(index)
        number = ir.literal_number(other)
        if moves and isinstance(number, int) and number >= 0:
            return number
    return None


def affordable(loop: VectorLoop, width: int) -> int:
    """The widest vectors worth the accesses that fill and empty them, and their products; 1 where
    none are."""
    graph = loop.graph
    nodes = graph.nodes
    far = [n for n in graph.accesses("load", "store") if _is_far(nodes[n], loop)]
    products = [] if loop.target.avx512 else [n for n in graph.live if _is_wide(nodes[n])]
    while (far or products) and width > 1 and not _pays(graph, far, products, width):
        width //= 2
    return width


def _is_far(node: GraphNode, loop: VectorLoop) -> bool:
    """Elements of a step that is no constant, or stores of one farther than any group, or of a
    group with gaps."""
    if isinstance(node.stride, ir.Poly):
        return True
    if node.op != "store" or node.access is None or not isinstance(node.stride, int):
        return False
    return abs(node.stride) > MAX_INTERLEAVE * node.access.bytes or leaves_gaps(node, loop)


def _is_wide(node: GraphNode) -> bool:
    return node.op == "mul" and node.type in ("i64", "u64") and not node.invariant


def _pays(graph: Graph, far: Container[int], products: Container[int], width: int) -> bool:
    """Whether vectors are worth it, in gcc's own costs: it scales the price of making a register,
    or of taking it apart, by the elements and one, where the step is no constant
    (``ix86_vector_costs::add_stmt_cost``)."""
    scalar = vector = 0.0
    for number in graph.live:
        node = graph.nodes[number]
        if node.invariant or node.op in LEAVES or (node.access and node.stride == 0):
            continue
        cost = COSTS.get(node.op, ARITHMETIC)
        scalar += cost
        vector += WIDE_PRODUCT if number in products else cost
        if number in far:
            vector += cost * (width - 1)
            making = MAKING.get(width, MAKING_MORE) if node.op == "load" else TAKING * width
            vector += making * (width + 1 if isinstance(node.stride, ir.Poly) else 1)
    return vector < scalar * width


def _unrolled(instructions: float) -> int:
    return power_of_two(min(MAX_UNROLL, int(MAX_UNROLLED / max(1.0, instructions))))
