"""What gcc does otherwise than clang: which loops stay scalar, and how far it unrolls.

Its vectoriser takes almost every loop that it may take: arithmetic counts with its latency in its
cost model, which vectors share among their elements (x86: processor_costs). There is one vector in
flight, and one accumulator a sum, however far the loop is unrolled afterwards.
"""

from collections.abc import Container, Iterable
from typing import Final, NamedTuple

from rooflint.core.compiler import Compiler
from rooflint.core.graph.chains import Chain, chain_in_memory
from rooflint.core.graph.dependences import Flow
from rooflint.core.graph.values import LEAVES, Graph
from rooflint.core.vectorize.profitability import power_of_two
from rooflint.facts import Kernel
from rooflint.ir import (
    Branch,
    IndexValue,
    Loop,
    Poly,
    Reason,
    Statement,
    Value,
    literal_number,
    walk,
)

MOST: Final = 8
"""Bodies of an unrolled loop (``max-unroll-times``)."""
INSTRUCTIONS: Final = 80
"""Of an unrolled loop (``max-average-unrolled-insns``)."""
UNFUSED: Final = ("znver2", "znver3", "znver4")
HANDED_ON: Final = 13
"""Release from which a value handed to the next iteration is taken out of the vector before."""


MAKING: Final = {2: 6, 4: 24}
"""Of a register from so many elements, in gcc's units: a scalar load is 12."""
COSTS: Final = {"load": 12, "store": 12, "div": 60, "sqrt": 60}
ARITHMETIC: Final = 16


class Candidate(NamedTuple):
    """A loop that nothing forbids to vectorise.

    conditional  scalars assigned under a condition
    scatters     whether the processor has stores to places in a vector
    kernel       what it is
    """

    graph: Graph
    chains: tuple[Chain, ...]
    conditional: frozenset[str]
    scatters: bool
    kernel: Kernel

    @property
    def trips(self) -> int | None:
        """Iterations, where the number is known."""
        return self.kernel.loops[-1].trip_count.value


def refusal(loop: Candidate, compiler: Compiler, width: int) -> Reason | None:
    """Why gcc leaves the loop scalar; None where it does not."""
    if compiler.version is not None and compiler.version < HANDED_ON:
        for chain in loop.chains:
            if chain.kind == "previous":
                return Reason("previous-value", (chain.name, str(HANDED_ON)))
    fixed = pinned(loop.kernel.loops[-1])
    if fixed:
        return Reason("constant-address", (fixed,))
    kept = [chain.name for chain in loop.chains if chain.name in loop.conditional]
    if len(kept) > 1:
        return Reason("shared-condition", (" and ".join(sorted(kept)),))
    for number in loop.graph.accesses("store"):
        node = loop.graph.nodes[number]
        if node.stride is None and node.access is not None and not loop.scatters:
            return Reason("no-scatter", (node.access.array,))
    if compiler.whole_vectors_only and (loop.trips is None or width < 2):
        if loop.trips is None:
            return Reason("unknown-remainder")
        return Reason("remainder", (str(loop.trips),))
    return None


def pinned(loop: Loop) -> str:
    """A condition that sets the loop's index to a number, in whose branch gcc puts that number into
    addresses; empty where there is none."""
    for node in loop.body:
        if not isinstance(node, Branch) or len(node.condition.values) != 3:
            continue
        left, right, compare = node.condition.values
        number = _counterpart(left, right, loop.index)
        if compare.op != "compare" or number is None or compare.operator not in ("==", "!="):
            continue
        arm = node.then if compare.operator == "==" else node.orelse
        for inside in walk(arm):
            if isinstance(inside, Statement) and any(
                loop.index in access.offset.names() for access in inside.accesses
            ):
                return f"{loop.index} {compare.operator} {number}"
    return ""


def _counterpart(left: Value, right: Value, index: str) -> int | None:
    """The whole number, none below zero, that ``index`` is compared with; None for others."""
    for own, other in ((left, right), (right, left)):
        moves = isinstance(own, IndexValue) and own.poly == Poly.symbol(index)
        number = literal_number(other)
        if moves and isinstance(number, int) and number >= 0:
            return number
    return None


def affordable(graph: Graph, width: int) -> int:
    """The widest vectors worth the loads that fill them, where a step is as sizes have it; 1 where
    none are."""
    nodes = graph.nodes
    far = [n for n in graph.accesses("load") if isinstance(nodes[n].stride, Poly)]
    while far and width > 1 and not pays(graph, far, width):
        width //= 2
    return width


def pays(graph: Graph, far: Container[int], width: int) -> bool:
    """Whether vectors are worth the loads that fill them, in gcc's own costs: it scales the price
    of making a register by the elements and one, where the step is no constant
    (``ix86_vector_costs::add_stmt_cost``)."""
    scalar = vector = 0.0
    for number in graph.live:
        node = graph.nodes[number]
        if node.invariant or node.op in LEAVES or (node.access and node.stride == 0):
            continue
        cost = COSTS.get(node.op, ARITHMETIC)
        scalar += cost
        vector += cost
        if number in far:
            vector += cost * (width - 1) + MAKING.get(width, 48) * (width + 1)
    return vector < scalar * width


def without_remainder(width: int, trips: int | None, compiler: Compiler) -> int:
    """The widest vectors that leave no remainder, where the compiler wants none."""
    while compiler.whole_vectors_only and trips is not None and trips % width:
        width //= 2
    return width


def apart(
    graph: Graph,
    chains: Iterable[Chain],
    flows: Iterable[Flow],
    compiler: Compiler,
    processor: str | None,
) -> list[int]:
    """Fused operations of sums, in scalars and in memory, that gcc leaves as product and addition:
    it tunes so for Zen, where the addition alone takes less time (``avoid-fma-max-bits`` 256)."""
    if compiler.name != "gcc" or processor not in UNFUSED:
        return []
    places = [chain_in_memory(graph, flow.load, flow.store) for flow in flows]
    sums = [chain for chain in (*chains, *places) if chain.kind == "sum"]
    return [n for chain in sums for n in chain.nodes if graph.nodes[n].op == "fma"]


def in_order(chains: Iterable[Chain], compiler: Compiler) -> frozenset[int]:
    """The additions of sums whose order counts, which stay scalar in vector code."""
    if not compiler.in_order:
        return frozenset()
    return frozenset(
        [
            number
            for chain in chains
            if chain.kind == "sum" and chain.type[:1] in "fb"
            for number in chain.nodes
        ]
    )


def unrolled(instructions: float) -> int:
    """Bodies of a loop under ``-funroll-loops``."""
    return power_of_two(min(MOST, int(INSTRUCTIONS / max(1.0, instructions))))
