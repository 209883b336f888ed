"""How much is in a body, and which of two ways to run a loop is the better one."""

from rooflint.core.code import Code
from rooflint.core.graph.values import Graph
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.ir import Reason


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
