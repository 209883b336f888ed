"""The instructions of a loop body by the value they make: what the core plan chose, in order."""

from typing import Final, NamedTuple

from rooflint.core.body import ADDRESS, Emitter, Role, Shape
from rooflint.core.code import Code, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.dependences import Dependences
from rooflint.core.graph import Graph, Node
from rooflint.core.operations import Operations
from rooflint.core.plan import _Planner
from rooflint.hookspecs import Context
from rooflint.machine import Operation, PortUse

OVERHEAD: Final = -1
"""Stands for the value of instructions that make none: counters and branches of the loop."""


class Instruction(NamedTuple):
    """``times`` instructions of class ``name`` on ``kind`` in a body.

    part    of others, which issue them: an operand in memory
    also    address units that it takes besides
    cycles  of a call: how long it takes
    """

    name: str
    kind: str
    role: Role
    times: float
    operation: Operation
    part: bool = False
    also: tuple[PortUse, ...] = ()
    cycles: float = 0.0


class Body(NamedTuple):
    """What one pass over the compiled loop does, ``vector.width`` iterations of the source's.

    by_value      instructions of every value of the graph, in program order
    in_register   loads and stores that need none
    found         values that go through memory, or would without registers
    spread        carried scalars of which there are ``turns``, taken in turns
    summed        stores of sums that are kept in registers, taken in turns
    """

    graph: Graph
    vector: VectorPlan
    by_value: dict[int, list[Instruction]]
    in_register: frozenset[int]
    found: Dependences
    spread: frozenset[str]
    summed: frozenset[int]
    turns: int


def body_of(context: Context, code: Code, compiler: Compiler) -> Body:
    """The body of the kernel in the way that ``code``, of its core plan, runs it."""
    planner = Shapes(context, compiler)
    planner.plan()
    vector = code.vector
    shape = planner.shapes[vector.width, vector.unroll]
    recorder = Recorder(planner.graph, planner.operations, shape)
    recorder.body()
    wide = vector.width > 1
    chains = (*planner.chains, *planner.summed.values()) if wide else planner.chains
    accumulators = planner.accumulators(vector, chains)
    return Body(
        planner.graph,
        vector,
        recorder.recorded,
        shape.in_register,
        planner.found,
        accumulators.names,
        frozenset(planner.summed) if wide else frozenset(),
        max(1, accumulators.iterations // vector.width),
    )


class Shapes(_Planner):
    """Plans once more and keeps the shape of every code that is looked at."""

    def __init__(self, context: Context, compiler: Compiler) -> None:
        core = context.machine.core
        assert core is not None
        self.shapes: dict[tuple[int, int], Shape] = {}
        super().__init__(context.function, context.facts, context.machine, core, compiler)

    def code(self, vector: VectorPlan, shape: Shape) -> Code:
        """Cycles per iteration of one way to run the loop."""
        self.shapes[vector.width, vector.unroll] = shape
        return super().code(vector, shape)


class Recorder(Emitter):
    """Chooses instructions as the core plan does, and keeps apart whose they are."""

    def __init__(self, graph: Graph, operations: Operations, shape: Shape) -> None:
        super().__init__(graph, operations, shape)
        self.recorded: dict[int, list[Instruction]] = {}
        self.now = OVERHEAD

    def node(self, number: int, node: Node) -> None:
        """The instructions of one value."""
        self.now = number
        super().node(number, node)
        self.now = OVERHEAD

    def record(self, instruction: Instruction) -> None:
        """Keeps one."""
        self.recorded.setdefault(self.now, []).append(instruction)

    def instruction(
        self,
        name: str,
        kind: str,
        width_bytes: int | None,
        count: float,
        role: Role,
        part: bool = False,
    ) -> None:
        """``count`` instructions of ``width_bytes`` each; ``part``: of others, which issue them."""
        super().instruction(name, kind, width_bytes, count, role, part)
        if count <= 0:
            return
        element = kind.partition("x")[0]
        real = {"c64": "f32", "c128": "f64"}.get(element, element)
        operation, parts = self.operations.find(name, real, width_bytes)
        also: tuple[PortUse, ...] = ()
        ports = self.load_address if role == "load" else self.store_address
        if ports and role in ("load", "store") and name == role:
            also = (PortUse(tuple([port + ADDRESS for port in ports])),)
        self.record(Instruction(name, real, role, count * parts, operation, part, also))

    def element_wise(self, node: Node, role: Role) -> None:
        """A gather or scatter, or element by element."""
        before = len(self.recorded.get(self.now, ()))
        super().element_wise(node, role)
        if len(self.recorded.get(self.now, ())) > before:
            return
        width_bytes, pieces = self.pieces(node.type)
        name = "gather" if role == "load" else "scatter"
        operation = self.operations.core.operation(name, node.type, width_bytes)
        assert operation is not None
        self.record(Instruction(name, node.type, role, pieces, operation))

    def timed(self, kind: str, cycles: float) -> None:
        """Work that is known by its time only."""
        super().timed(kind, cycles)
        operation = Operation(cycles, ())
        self.record(Instruction("call", kind, "call", 1.0, operation, cycles=cycles))
