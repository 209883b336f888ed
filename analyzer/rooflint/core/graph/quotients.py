"""Quotients and rests of integers by constants, which compilers make of a product's high half.

The graph has the product alone. Loops of our own by gcc 12 and clang 19 for unsigned and signed
integers of 32 and 64 bits, divided by 7 and 10: a shift follows; for a negative dividend the signs
are shifted out and subtracted; a rest is the difference to another product, which additions make.
"""

from collections.abc import Mapping
from typing import Final

from rooflint.core.graph.values import Graph

SHIFTED: Final = 1
"""Instructions behind the product of a quotient."""
SIGNED: Final = 3
"""More where the dividend has a sign."""
REST: Final = 4
"""More for a rest: a copy, two instructions of a product by a small number, and a difference."""
WIDE: Final = ("i64", "u64")
HIGH_HALF: Final = 1
"""A second operation of a product of two registers of 8 bytes."""


def quotient_steps(written: Graph, graph: Graph) -> Mapping[int, int]:
    """By value of scalar code: the instructions of a quotient by a constant beside the product."""
    found: dict[int, int] = {}
    for number in graph.live:
        before, node = written.nodes[number], graph.nodes[number]
        if before.op in ("div", "rem") and node.op == "mul" and node.type[:1] in "iu":
            steps = SHIFTED + SIGNED * (node.type[:1] == "i") + REST * (before.op == "rem")
            found[number] = steps + HIGH_HALF * (node.type in WIDE)
    return found
