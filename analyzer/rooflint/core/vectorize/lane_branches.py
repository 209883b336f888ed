"""Stores under a condition in vectors of instructions that have no masks: a branch for each lane.

LLVM compares vectors of 16 bytes and then takes their lanes one by one: it moves a lane of the
comparison to an integer register, jumps, and stores an element (``scalarizeInstruction`` of a
predicated store). Measured with clang 19 ``-O2`` on Zen 4, ``if (v[i] < t) v[i] = t``: 2.0 cycles
for each element where no guess is wrong.
"""

from rooflint.core.graph.values import Graph
from rooflint.core.issue.body import Emitter
from rooflint.core.issue.body_shape import BodyShape
from rooflint.core.issue.micro_ops import TAKEN, MicroOp
from rooflint.core.issue.operations import Operations
from rooflint.machine import PortUse


def lane_branches(graph: Graph, operations: Operations, shape: BodyShape) -> tuple[MicroOp, ...]:
    """Instructions of a body besides whole vectors; none where vectors are stored under a mask."""
    if shape.unaligned or shape.width < 2:
        return ()
    emitter = Emitter(graph, operations, shape)
    taken = (PortUse((TAKEN,)),)
    for number in shape.under_mask:
        node = graph.nodes[number]
        if node.op == "store":
            emitter.instruction("shuffle", node.type, 16, shape.width, "shuffle")
            emitter.instruction("store", node.type, None, shape.width - 1, "store")
            emitter.instruction("branch", "i64", None, shape.width, "arithmetic", also=taken)
    return tuple(emitter.found.values())
