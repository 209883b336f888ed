"""The code of whole executions of a loop: vectors, what is left after them, lines that are crossed.

A plan has the steady state of a loop. An execution of ``n`` iterations runs as many vectors as it
fills; the rest goes to the narrower vectors that the compiler makes for it, and then to scalar
code. Rows of a stencil in L1 have some ten elements, so that a quarter of them or all are a rest.
Unaligned vectors cross lines: a vector of ``w`` bytes that starts at any multiple of its element
does so in ``w / line`` of the cases, and takes the ports of the cache once more.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from rooflint.core.code import Code, CorePlan, RowSpace
from rooflint.core.crossings import crossings
from rooflint.core.issue.micro_ops import MicroOp, mean_use, split_work
from rooflint.core.issue.ports import busiest
from rooflint.core.lane_sums import joining_cy
from rooflint.core.plan import Planner
from rooflint.core.rests import RestCodes
from rooflint.facts.affine import number
from rooflint.records import NamedTuple

ROW_INSTRUCTIONS: Final = 4.0
"""For each row that the loop around begins, and for each walk of it: a counter, and the pointers.
Rows of 4 to 20 elements take 1 cycle more than their elements where one row is read and one
stored, and 4 where six are read, by gcc 12 and clang 19, on a Zen 4, which issues six a cycle."""
REST_INSTRUCTIONS: Final = 2.0
"""For each rest of a row, and for each walk: their addresses are computed anew. Rows of 12 to 31
elements with two to six walks, gcc 12: 1 to 3 cycles for each rest beyond its elements."""
PEELED_INSTRUCTIONS: Final = 0.7
"""For each single iteration of a rest, and for each walk, where a compiler makes no loop of them:
addresses and a comparison. The same rows: 0.3 to 0.7 cycles more than a loop's iteration takes."""
WALKS_IN_REGISTERS: Final = 6
"""More walks do not fit into the 16 registers beside counters and ends."""
SPILLED_INSTRUCTIONS: Final = 5.0
"""For each walk beyond them, in each rest and each single iteration: the same rows with eight and
ten walks, seven of them along rows of one array, take 2 to 6 cycles more for each."""
CHECK_INSTRUCTIONS: Final = 8.0
"""For each pair of address ranges that a row compares before its vectors: rows of a stencil of
seven points and five pairs take 6 to 12 cycles more than those whose pointers are ``restrict``."""
HIDDEN: Final = 0.5
"""The part of the ends of scalar rows that may be hidden behind busy ports: sums in order, sums in
memory and copies with 5 to 35 elements, clang 19, are 3 to 15 % too long without it, and as much
too short where ends cost nothing but the width of issue."""
LONG: Final = 96
"""Vectors: longer executions take 200 cycles at least, and their ends 5 to 20."""
SAMPLES: Final = 32
"""Lengths that stand for rows of different ones, evenly from none to twice the average."""


class RowPart(NamedTuple):
    """``iterations`` of the mean execution that ``code`` runs."""

    code: Code
    iterations: float


def row_code(planner: Planner, plan: CorePlan, rests: RestCodes, rows: RowSpace) -> Code:
    """The cycles of an iteration of the mean execution, in the widest registers that it fills."""
    code, space = plan.code if plan.failure is None else plan.scalar, rows.space
    trips = space.trips[-1]
    if trips <= 0 or code.vector.outer:
        return code
    inner = len(space.trips) > 1
    parts: tuple[RowPart, ...] = (RowPart(code, trips),)
    ends = 0.0
    if _has_ends(plan, code, trips, inner):
        codes = [code, *rests.behind(code)]
        parts = row_parts(codes, execution_lengths(rows), _bodies_together(planner, code))
        ends = _visible_end_cy(planner, plan, code, parts, trips) if inner else 0.0
    ends += _joining_cy(planner, parts[0].code, trips)
    crossed = [crossings(planner, part.code.vector, rows) for part in parts]
    if len(parts) == 1 and not ends and not any(crossed):
        return parts[0].code
    return _merged(parts, crossed, ends / trips, planner)


def _joining_cy(planner: Planner, code: Code, trips: float) -> float:
    """Cycles of an execution for sums in lanes, where it is not so long that they do not count."""
    return joining_cy(planner, code) if trips < LONG * code.vector.width else 0.0


def _has_ends(plan: CorePlan, code: Code, trips: float, inner: bool) -> bool:
    """Whether what is beside the vectors counts: begin and end of a call are in no model."""
    short = plan.failure is None and not plan.fills(trips)
    return trips < LONG * code.vector.width and (inner or short)


def _end_cy(planner: Planner, plan: CorePlan, code: Code, parts: Sequence[RowPart]) -> float:
    """Cycles of an execution of ``code`` outside of its loop and those of its rests."""
    width = planner.core.issue_width
    if not width or _is_one_pass(planner, code):
        return 0.0
    checks = CHECK_INSTRUCTIONS * plan.code.vector.checks
    return (_end_instructions(planner, parts) + checks) / width


def _bodies_together(planner: Planner, code: Code) -> int:
    """Bodies that run together or not at all."""
    return code.vector.unroll if planner.compiler.traits.interleaves else 1


def _visible_end_cy(
    planner: Planner, plan: CorePlan, code: Code, parts: Sequence[RowPart], trips: float
) -> float:
    """Cycles of the ends of an execution without the part that busy ports hide."""
    ends = _end_cy(planner, plan, code, parts)
    if plan.code.vector.width > 1:
        return ends
    return ends - min(_idle_cy(code, trips), HIDDEN * ends)


def _idle_cy(code: Code, trips: float) -> float:
    """Cycles of an execution in which instructions could be issued while ports are busy."""
    busy = max(code.overlapping_cy, code.non_overlapping_cy)
    return max(0.0, busy - code.issue_cy) * trips


def _is_one_pass(planner: Planner, code: Code) -> bool:
    """Whether an execution is known to be one pass of its vectors, which then stand in the loop
    around, without a counter of their own."""
    vector, trips = code.vector, planner.source.loops[-1].trip_count.value
    return vector.width > 1 and trips == vector.width * vector.unroll


def _end_instructions(planner: Planner, parts: Sequence[RowPart]) -> float:
    """Instructions of an execution outside of its loop and those of its rests, without checks."""
    graph = planner.graph
    places = [graph.nodes[number].place for number in graph.accesses("load", "store")]
    pointers = 1 + len({(place.array, place.walk) for place in places if place is not None})
    spilled = SPILLED_INSTRUCTIONS * max(0, pointers - WALKS_IN_REGISTERS)
    rests = (len(parts) - 1) * (REST_INSTRUCTIONS * pointers + spilled)
    last = parts[-1]
    if len(parts) > 1 and last.code.vector.width == 1 and not planner.compiler.traits.interleaves:
        rests += last.iterations * (PEELED_INSTRUCTIONS * pointers + spilled)
    return ROW_INSTRUCTIONS * pointers + rests


def execution_lengths(rows: RowSpace) -> list[int]:
    """Iterations of executions: all alike, or evenly spread where they differ.

    They are alike where the bounds move together, as those of a block do.
    """
    space = rows.space
    trips = space.trips[-1]
    alike = space.ranges is None or number(space.loops[-1].trip_count, rows.values) is not None
    if alike and trips == int(trips):
        return [int(trips)]
    return [max(0, round(trips * (2 * k + 1) / SAMPLES)) for k in range(SAMPLES)]


def row_parts(codes: Sequence[Code], lengths: Sequence[int], bodies: int) -> tuple[RowPart, ...]:
    """The iterations of each code that runs, widest first, in the mean over executions.

    ``bodies`` vectors of the first code run together or not at all; the last code takes single
    iterations, of which there is one where hardly any execution has any.
    """
    totals = [0.0] * len(codes)
    for length in lengths:
        left = length
        for place, code in enumerate(codes):
            step = code.vector.width * (bodies if place == 0 else 1)
            taken = left // step * step
            totals[place] += taken
            left -= taken
    parts = [RowPart(code, total / len(lengths)) for code, total in zip(codes, totals, strict=True)]
    found = tuple([part for part in parts if part.iterations > 0])
    return found or (RowPart(codes[-1], 1.0),)


def _merged(
    parts: Sequence[RowPart],
    crossed: Sequence[Sequence[MicroOp]],
    ends: float,
    planner: Planner,
) -> Code:
    """One code with the mean cycles and work of the parts; ``ends``: cycles of an iteration between
    the parts."""
    main = max(parts, key=lambda part: part.code.vector.width).code
    trips = sum([part.iterations for part in parts])
    width = main.vector.width
    operations: list[MicroOp] = []
    for part, more in zip(parts, crossed, strict=True):
        scale = part.iterations / trips * width / part.code.vector.width
        for op in (*part.code.operations, *more):
            operations.append(op._replace(times=op.times * scale, cycles=op.cycles * scale))
    load_ports = planner.operations.find("load", "f64", None).operation.ports
    core = planner.core
    other, loads = map(busiest, split_work(operations, core.overlap.non_overlapping, load_ports))
    shares = [part.iterations / trips for part in parts]
    return main._replace(
        operations=tuple(operations),
        overlapping_cy=other.cycles / width,
        non_overlapping_cy=loads.cycles / width,
        busiest=other.ports,
        issue_cy=_mean([part.code.issue_cy for part in parts], shares),
        recurrence_cy=_mean([part.code.recurrence_cy for part in parts], shares),
        call_cy=_mean([part.code.call_cy for part in parts], shares),
        waiting=mean_use([part.code.waiting for part in parts], shares),
        ends_cy=ends,
    )


def _mean(cycles: Iterable[float], shares: Iterable[float]) -> float:
    return sum([each * share for each, share in zip(cycles, shares, strict=True)])
