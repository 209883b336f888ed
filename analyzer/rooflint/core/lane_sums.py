"""Lanes of sums, minima and bits, joined to one value where an execution of a vector loop ends.

A loop of thousands of iterations hides it; rows of some vectors wait for it longer than for their
vectors. Each step takes the upper half of the lanes to the lower one and combines both; sums side
by side are combined before. gcc leaves lanes that a clause of ``omp simd`` reduces in memory and
adds them in their order, unless sums may be reordered anyway. LLVM asks of comparisons joined by
``or`` or ``and`` only whether any or all hold, with one test of a mask
(``foldBooleanReduction`` of InstCombine, ``combinePredicateReduction`` of the X86 back end).
"""

from math import log2
from typing import Final

from rooflint.core.code import Code
from rooflint.core.graph.chains import Chain
from rooflint.core.plan import Planner

EXPOSED: Final = 0.45
"""Of the path through the lanes: the next row or call begins meanwhile. Sums of rows of 40 to 288
doubles and floats in L1, gcc 12 and clang 19, on a Zen 4: 10 to 25 cycles a row beyond those of
its vectors, of paths of 30 to 60."""
MASK_TEST_CY: Final = 3.0
"""Of a mask in a general register, compared and branched on: latency of ``kortest`` or
``pmovmskb`` (uops.info)."""
REDUCED: Final = frozenset(("sum", "product", "extreme", "logic"))


def joining_cy(planner: Planner, code: Code) -> float:
    """Cycles of an execution beside its vectors for the sums that they leave in lanes."""
    if code.vector.width < 2 or code.vector.outer:
        return 0.0
    found = [chain for chain in planner.chains if chain.kind in REDUCED]
    reduced = [c for c in found if c.nodes and planner.ordered.isdisjoint(c.nodes)]
    return EXPOSED * max([_path_cy(planner, code, chain) for chain in reduced], default=0.0)


def _path_cy(planner: Planner, code: Code, chain: Chain) -> float:
    vector, size = code.vector, code.vector.register_bytes
    node = planner.graph.nodes[chain.nodes[-1]]
    operations = planner.operations
    step = operations.latency_cy(node.op, node.type, size)
    together = step * log2(vector.unroll)
    if planner.compiler.traits.interleaves and _is_asked_of_all(planner, chain):
        return together + MASK_TEST_CY
    if _in_order(planner, chain):
        forward = operations.latency_cy("forward", node.type, size)
        return forward + vector.width * operations.latency_cy(node.op, node.type, None)
    return together + log2(vector.width) * (step + operations.latency_cy("shuffle", "f64", 16))


def _in_order(planner: Planner, chain: Chain) -> bool:
    """Whether the lanes are added one by one: what a clause reduces, gcc puts into memory."""
    compiler = planner.compiler
    floating = chain.type[:1] == "f"
    named = chain.name in planner.pragmas.names and not compiler.traits.interleaves
    return named and floating and not compiler.reassociate


def _is_asked_of_all(planner: Planner, chain: Chain) -> bool:
    nodes = planner.graph.nodes
    operands = [a for number in chain.nodes for a in nodes[number].args]
    others = [nodes[a] for a in operands if a not in chain.nodes and nodes[a].op != "carried"]
    return chain.kind == "logic" and all(node.op == "compare" for node in others)
