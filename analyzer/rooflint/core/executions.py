"""How far apart executions of an inner loop begin at least: the next one loads what one stores.

A product of matrices by rows adds to the same row in each execution; in a triangular solution the
last iteration needs the element that the execution before has made. Values then go through memory
from one execution to the next, and rows of few elements wait for that longer than for anything
within them. A load of what a store has just written takes longer than another load, and much longer
where it crosses a line.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Final

from rooflint.core.code import Code, RowSpace
from rooflint.core.crossings import unaligned_share
from rooflint.core.graph.addresses import stride_of
from rooflint.core.graph.dependences import Flow
from rooflint.core.graph.values import graph_of
from rooflint.core.issue.latency import Accumulators, Latencies
from rooflint.core.plan import Planner
from rooflint.facts import Kernel
from rooflint.ir import Access, Loop, Poly, Statement, walk

CARRIED: Final = Accumulators()


def execution_cy(planner: Planner, code: Code, rows: RowSpace) -> float:
    """Cycles from the begin of an execution to the begin of the next at least; 0: nothing known."""
    loops = planner.source.loops
    if len(loops) < 2 or code.vector.outer:
        return 0.0
    found = _Executions(planner, code, rows)
    return max([*found.updates(), *found.successions(), *found.beginnings()], default=0.0)


def begins_with_last(planner: Planner) -> bool:
    """Whether the element that an execution adds to begins with what the last one made.

    ``s[j] += s[j - 1]`` before a loop that adds to ``s[j]``, in a loop over ``j``: executions do
    not overlap then. Loops in L1 of a Zen 4: chains of 8, 16 and 32 additions take 4 cycles each
    and 8 more, where they take half or a third of that without the statement before.
    """
    loops = planner.source.loops
    made = _added_to(planner)
    if len(loops) < 2 or not made:
        return False
    around = loops[-2]
    after = {around.index: Poly.symbol(around.index) + around.step}
    return any(
        not made.isdisjoint(_written(statement)) and _reads_next(statement, made, after)
        for statement in _statements_before(around)
    )


def needs_result(kernel: Kernel, planner: Planner) -> bool:
    """Whether a kernel reads an element that all iterations of the planned loop store."""
    made = _added_to(planner)
    reads = [a for statement in kernel.statements for a in statement.accesses if not a.write]
    return any((access.array, access.offset) in made for access in reads)


def waiting_share(code: Code, planner: Planner) -> float:
    """The share of the schedulers' entries that an iteration of ``code`` holds if all of it waits:
    its arithmetic and its stores."""
    buffers = planner.core.buffers
    entries = buffers.vector_rs or buffers.rs
    if not entries:
        return 0.0
    held = [op.times for op in code.operations if op.role in ("arithmetic", "store")]
    return sum(held) / code.vector.width / entries


def _added_to(planner: Planner) -> set[tuple[str, Poly]]:
    """The elements that all iterations of an execution store."""
    nodes = [planner.graph.nodes[number] for number in planner.graph.accesses("store")]
    stores = [node.access for node in nodes if node.stride == 0]
    return {(access.array, access.offset) for access in stores if access is not None}


def _written(statement: Statement) -> set[tuple[str, Poly]]:
    return {(access.array, access.offset) for access in statement.accesses if access.write}


def _reads_next(
    statement: Statement, made: Set[tuple[str, Poly]], after: Mapping[str, Poly]
) -> bool:
    """Whether the next iteration of the loop around reads one of ``made``."""
    read = [access for access in statement.accesses if not access.write]
    return any((access.array, access.offset.substitute(after)) in made for access in read)


def _statements_before(around: Loop) -> Iterator[Statement]:
    """The statements of a loop before its first inner loop, in the arms of branches too."""
    for node in around.body:
        if isinstance(node, Loop):
            return
        yield from [each for each in walk((node,)) if isinstance(each, Statement)]


class _Executions:
    """Values that go from one execution of the loop to the next."""

    def __init__(self, planner: Planner, code: Code, rows: RowSpace) -> None:
        self.planner, self.rows = planner, rows
        self.graph = planner.graph
        self.own, self.around = planner.source.loops[-1], planner.source.loops[-2]
        vector = code.vector
        self.size = vector.register_bytes if vector.width > 1 else None
        self.path_cy = code.critical_path_cy
        self.chain_cy = code.recurrence_cy * rows.space.trips[-1]
        kept = planner.shapes.get((vector.width, vector.unroll))
        kept_values = kept.in_register if kept is not None else frozenset()
        moved = self.graph.accesses("load", "store")
        self.moved = [number for number in moved if number not in kept_values]

    def updates(self) -> Iterator[float]:
        """Of elements that each execution loads and stores again."""
        nodes = self.graph.nodes
        loads = {nodes[n].place: n for n in self.moved if nodes[n].op == "load"}
        for store in self.moved:
            node = nodes[store]
            load = loads.get(node.place) if node.op == "store" and node.stride else None
            if load is None or node.access is None or self.pace(node.access.offset) != 0:
                continue
            latencies = Latencies(self.graph, self.planner.operations, self.size)
            flow = Flow(load=load, store=store, iterations=1)
            path = latencies.recurrence_cy((), [flow], frozenset(), CARRIED)
            if path:
                yield path + self.forward_cy(node.access)

    def successions(self) -> Iterator[float]:
        """Of the element that an execution makes and the last iteration of the next one loads."""
        last = {self.own.index: self.own.upper - self.own.step}
        after = {self.around.index: Poly.symbol(self.around.index) + self.around.step}
        made = {(access.array, access.offset) for access in self.results()}
        for number in self.moved:
            node = self.graph.nodes[number]
            if node.op != "load" or not node.stride or node.access is None:
                continue
            needed = node.access.offset.substitute(last).substitute(after)
            if (node.access.array, needed) in made:
                yield self.path_cy + self.forward_cy(None) + self.finish_cy()
                return

    def beginnings(self) -> Iterator[float]:
        """Of the element that an execution begins with and the one before has made."""
        if self.chain_cy and begins_with_last(self.planner):
            load_cy = self.planner.operations.latency_cy("load", "f64", self.size)
            yield self.chain_cy + load_cy + self.forward_cy(None)

    def results(self) -> Iterator[Access]:
        """The elements that an execution stores one of."""
        for number in self.moved:
            node = self.graph.nodes[number]
            if node.op == "store" and node.stride == 0 and node.access is not None:
                yield node.access
        for statement in self.statements():
            yield from [access for access in statement.accesses if access.write]

    def statements(self) -> tuple[Statement, ...]:
        """Those of the loop around, behind and before this one."""
        return tuple([node for node in self.around.body if isinstance(node, Statement)])

    def finish_cy(self) -> float:
        """Of the operations of the loop around on the value, which is in a register."""
        statements = self.statements()
        if not statements:
            return 0.0
        kernel = Kernel(
            id="",
            loops=self.planner.source.loops[:-1],
            statements=statements,
            origin=self.around.origin,
            innermost=False,
        )
        operations = self.planner.operations
        path = Latencies(graph_of(kernel), operations, None).critical_path_cy()
        return max(0.0, path - operations.latency_cy("load", "f64", None))

    def pace(self, offset: Poly) -> object:
        return stride_of(offset, self.around.index, self.around.step)

    def forward_cy(self, access: Access | None) -> float:
        """More than the latency of a load; of several registers those of the widest."""
        operations, kind = self.planner.operations, "f64"
        plain = operations.latency_cy("load", kind, self.size)
        stated = self.planner.core.operation("forward", kind, self.size)
        if stated is None or stated.latency_cy is None:
            return 0.0
        crossed = self.planner.core.operation("crossing_forward", kind, self.size)
        share = 0.0
        if crossed is not None and self.size is not None and access is not None:
            share = unaligned_share(access, self.size, self.rows)
        if crossed is None or crossed.latency_cy is None:
            return stated.latency_cy - plain
        return share * crossed.latency_cy + (1 - share) * stated.latency_cy - plain
