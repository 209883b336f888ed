"""Vectors that cross a line: where their addresses put them, and what that takes.

Arrays begin on a line, as they do for the traffic of lines.
"""

from math import gcd
from typing import Final

from rooflint import ir
from rooflint.core.code import RowSpace, VectorPlan
from rooflint.core.issue.micro_ops import MicroOp, Role
from rooflint.core.plan import Planner
from rooflint.ir.poly import UnknownValueError

MOVES: Final[tuple[Role, ...]] = ("load", "store")


def crossings(planner: Planner, vector: VectorPlan, rows: RowSpace) -> list[MicroOp]:
    """The second accesses of one body's vectors that cross lines; none on a machine whose file
    does not say what they take, as the published models of stencils leave them out."""
    if vector.width == 1 or vector.outer or vector.register_bytes is None:
        return []
    found = []
    for op in MOVES:
        second = planner.core.operation(f"crossing_{op}", "f64", vector.register_bytes)
        times = 0.0 if second is None else _crossed(planner, op, vector, rows)
        if second is not None and times:
            kind = f"{op}.crossing"
            found.append(MicroOp(kind=kind, role=op, times=times, uses=second.uses, uops=0.0))
    return found


def _crossed(planner: Planner, op: Role, vector: VectorPlan, rows: RowSpace) -> float:
    """Loads or stores of one body that cross a line."""
    kept = planner.shapes[vector.width, vector.unroll].in_register
    register = vector.register_bytes or 0
    total = 0.0
    for number in planner.graph.accesses(op):
        node = planner.graph.nodes[number]
        if (
            number in kept
            or node.access is None
            or node.stride
            not in (
                node.access.bytes,
                -node.access.bytes,
            )
        ):
            continue
        whole = node.access.bytes * vector.width
        size = min(max(whole, 16), register)
        total += max(1, whole // size) * crossing_share(node.access, size, rows)
    return total


def crossing_share(access: ir.Access, size: int, rows: RowSpace) -> float:
    """The share of vectors of ``size`` bytes, one after the other, that cross a line."""
    return unaligned_share(access, size, rows) * min(1.0, size / rows.line_bytes)


def unaligned_share(access: ir.Access, size: int, rows: RowSpace) -> float:
    """The share of executions in which vectors do not begin at multiples of their size.

    The loops around move the first vector by their strides, so that it begins at any multiple of
    the strides' common divisor; where an address has no numeric form, of the element.
    """
    loops, space = rows.space.loops, rows.space
    own = loops[-1]
    moves = {loop.index for loop in loops[:-1]}
    places = dict(rows.values)
    firsts = space.firsts or (0,) * len(loops)
    places.update(zip([loop.index for loop in loops], firsts, strict=True))
    try:
        begin = access.offset.evaluate(places)
        steps = [
            access.offset.evaluate({**places, name: places[name] + 1}) - begin for name in moves
        ]
    except (UnknownValueError, KeyError, ZeroDivisionError):
        return 1 - min(1.0, access.bytes / size)
    if not moves.isdisjoint(own.lower.names()):
        steps.append(access.bytes)
    apart = gcd(size, *steps)
    return 1 - apart / size if begin % apart == 0 else 1.0
