"""Instructions of one loop body: from the graph of values to micro-operations on ports."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Final

from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.bit_sequences import (
    BIT_CLASSES,
    COUNTING,
    BitTarget,
    bit_steps,
)
from rooflint.core.issue.body_shape import (
    AccessGroups,
    BodyShape,
    flag_comparisons,
    folded_loads,
    is_zeroed,
)
from rooflint.core.issue.lane_steps import LanePlan, LaneStep
from rooflint.core.issue.micro_ops import ADDRESS, OVERHEAD, TAKEN, BodyInstruction, MicroOp, Role
from rooflint.core.issue.operations import CLASS_OF, Operations, conversion_class, element_bytes
from rooflint.facts.kernels import UNKNOWN_CALL_CYCLES, PricedCall
from rooflint.facts.work import lanes_of
from rooflint.ir import Poly
from rooflint.library import mathematics
from rooflint.machine import CoreOperation, PortUse

MAX_INTERLEAVE: Final = 8
"""Elements apart up to which compilers load whole lines and shuffle (LLVM's interleaved groups)."""


class Emitter:
    """Collects the micro-operations of one body; ``record`` hears of every instruction as well, and
    of which value it is.
    """

    def __init__(
        self,
        graph: Graph,
        operations: Operations,
        shape: BodyShape,
        record: Callable[[int, BodyInstruction], None] | None = None,
        priced: Iterable[PricedCall] = (),
    ) -> None:
        self.graph, self.operations, self.shape = graph, operations, shape
        self.record, self.value = record, OVERHEAD
        self.priced = {call.name: call.cycles for call in priced}
        self.found: dict[tuple[str, Role], MicroOp] = {}
        self.lanes = shape.lanes if shape.width > 1 else None
        ports = operations.core.ports
        self.store_address = ports.get("store_address", ())
        loads = operations.find("load", "f64", None).operation.ports
        self.load_address = loads if set(loads) & set(self.store_address) else ()
        fused = operations.core.fused_loads and (shape.width == 1 or shape.unaligned)
        self.folded = folded_loads(graph, shape.in_register) if fused else frozenset()
        tests = shape.width == 1 and self.has("test", "f64", None)
        self.tested = flag_comparisons(graph) if tests else frozenset()

    @cached_property
    def groups(self) -> AccessGroups:
        """The accesses of the body by what moves them."""
        return AccessGroups([self.graph.nodes[number] for number in self.graph.live])

    def body(self) -> tuple[MicroOp, ...]:
        """All micro-operations, loop overhead included."""
        for number in self.graph.live:
            node = self.graph.nodes[number]
            if self.shape.leaves_out(number, node):
                continue
            if number in self.shape.spliced:
                self.emit("shuffle", node.type, self.shape.splices, "shuffle")
            if number in self.shape.in_register or (self.lanes and number in self.lanes.replaced):
                continue
            self.value = number
            self.node(number, node)
        for number, step in self.lanes.steps if self.lanes else ():
            self.value = number
            self.lane_step(step)
        self.value = OVERHEAD
        for name, cycles in self.priced.items():
            self.timed(f"call:{name}", cycles * self.shape.width)
        self.overhead()
        return (*self.found.values(), *self.shape.beside)

    def lane_step(self, step: LaneStep) -> None:
        """Instructions on whole registers of integers."""
        role: Role = "shuffle" if step.name in ("shuffle", "widen") else "arithmetic"
        if step.times:
            self.instruction(step.name, step.kind, self.shape.vector_bytes, step.times, role)

    def node(self, number: int, node: GraphNode) -> None:
        """The instructions of one value."""
        op = node.op
        if op in ("load", "store"):
            self.memory(number, node)
        elif op == "call":
            self.call(node)
        elif op == "convert":
            self.convert(node)
        elif op == "index":
            if self.shape.width > 1:
                self.emit("add", node.type, 1, "arithmetic")
        elif op in BIT_CLASSES:
            self.bits(node)
        elif op in CLASS_OF and not is_zeroed(self.graph, self.shape, node):
            self.arithmetic(number, node)

    def pieces(self, kind: str) -> tuple[int | None, int]:
        """Bytes of one instruction on ``width`` elements (None: scalar), and how many of them."""
        element, lanes = lanes_of(kind)
        total = element_bytes(element) * lanes * self.shape.width
        if self.shape.width == 1 and lanes == 1:
            return (16, 1) if element in ("c64", "c128") else (None, 1)
        size = self.shape.vector_bytes if self.shape.width > 1 else max(total, 16)
        return min(max(total, 16), size), max(1, -(-total // size))

    def emit(self, name: str, kind: str, count: float, role: Role) -> None:
        """``count`` times whatever covers the body's elements of ``kind``."""
        width_bytes, pieces = self.pieces(kind)
        self.instruction(name, kind, width_bytes, count * pieces, role)

    def instruction(
        self,
        name: str,
        kind: str,
        width_bytes: int | None,
        count: float,
        role: Role,
        part: bool = False,
        also: tuple[PortUse, ...] = (),
    ) -> None:
        """``count`` instructions of ``width_bytes`` each; ``part``: of others, which issue them;
        ``also``: what they take besides ports."""
        if count <= 0:
            return
        element = lanes_of(kind)[0]
        real = {"c64": "f32", "c128": "f64"}.get(element, element)
        operation, parts = self.operations.find(name, real, width_bytes)
        uses = (*operation.uses, *also)
        key = (f"{name}.{real}", role)
        old = self.found.get(key)
        if old is not None and old.uses != uses:
            key = (f"{name}.{real}.{width_bytes}", role)
            old = self.found.get(key)
        times = count * parts
        uops = 0.0 if part else times * operation.uops
        if old is not None:
            times, uops = times + old.times, uops + old.times * old.uops
        self.found[key] = MicroOp(kind=key[0], role=role, times=times, uses=uses, uops=uops / times)
        if self.record is not None:
            units = self.addresses(role) if name == role else also
            made = BodyInstruction(
                name=name,
                kind=real,
                role=role,
                times=count * parts,
                operation=operation,
                part=part,
                also=units,
            )
            self.record(self.value, made)

    def addresses(self, role: Role) -> tuple[PortUse, ...]:
        """The units that compute the address of a load or store."""
        ports = self.load_address if role == "load" else self.store_address
        return (PortUse(tuple([port + ADDRESS for port in ports])),) if ports else ()

    def arithmetic(self, number: int, node: GraphNode) -> None:
        """One operation on every element."""
        name = CLASS_OF[node.op]
        kind = node.type
        if node.op == "compare":
            kind = self.graph.nodes[node.args[0]].type if node.args else kind
            if self.branches_on(number, kind):
                return  # compare and branch are one
            name = "test" if number in self.tested else name
        if kind[:1] == "c" and name in ("mul", "div", "fma"):
            self.complex(name, kind)
            return
        if self.shape.width > 1 and number in self.shape.ordered_reductions:
            self.one_by_one(name, kind)
        elif self.lanes is not None:
            self.on_lanes(name, self.lanes.kind(number, kind), self.lanes)
        else:
            self.emit(name, kind, 1, "arithmetic")
            self.emit("add", kind, self.shape.quotients.get(number, 0), "arithmetic")

    def on_lanes(self, name: str, kind: str, lanes: LanePlan) -> None:
        """One operation in the lanes of vector code."""
        if name == "mul" and kind in ("i8", "u8"):
            for step in lanes.byte_product:
                self.lane_step(step)
            return
        self.emit(name, kind, 1, "arithmetic")

    def has(self, name: str, kind: str, width_bytes: int | None) -> bool:
        """Whether the machine file has figures of an instruction."""
        return self.operations.core.operation(name, kind, width_bytes) is not None

    def bits(self, node: GraphNode) -> None:
        """One instruction where the core has it, else a sequence."""
        kind, shape = self.graph.nodes[node.args[0]].type, self.shape
        has = self.has(COUNTING[node.op], kind, self.pieces(kind)[0])
        target = BitTarget(
            vector=shape.width > 1,
            direct=has and shape.counts_bits,
            legacy=not shape.unaligned,
            counts=shape.counts_bits,
        )
        for name, count in bit_steps(node.op, element_bytes(kind), target).items():
            self.emit(name, kind, count, "shuffle" if name == "shuffle" else "arithmetic")

    def one_by_one(self, name: str, kind: str) -> None:
        """Products side by side, then every element taken out and added."""
        if name == "fma":
            self.emit("mul", kind, 1, "arithmetic")
        self.instruction("add", kind, None, self.shape.width, "arithmetic")
        self.instruction("shuffle", kind, 16, self.shape.width - 1, "shuffle")

    def complex(self, name: str, kind: str) -> None:
        """Four products, two sums and the shuffles between; a quotient is a library call."""
        if name == "div":
            self.timed(
                "call:complex division", mathematics.COMPLEX_DIVISION_CYCLES * self.shape.width
            )
            return
        self.emit("mul", kind, 2, "arithmetic")
        self.emit("add", kind, 1 if name == "mul" else 2, "arithmetic")
        self.emit("shuffle", kind, 2, "shuffle")

    def convert(self, node: GraphNode) -> None:
        """Another type; integers of another size are shuffled apart, in scalar code as loaded."""
        source = self.graph.nodes[node.args[0]].type if node.args else node.type
        both_integer = source[:1] in "iub" and node.type[:1] in "iub"
        if both_integer:
            apart = element_bytes(source) != element_bytes(node.type)
            if self.shape.width > 1 and apart and self.lanes is None:
                wide = max(source, node.type, key=element_bytes)
                self.emit("shuffle", wide, 1, "shuffle")
            return
        width_bytes, pieces = self.pieces(max(source, node.type, key=element_bytes))
        name = conversion_class(source, node.type)
        self.instruction(name, node.type, width_bytes, pieces, "arithmetic")

    def call(self, node: GraphNode) -> None:
        """A library function: by its time, since its instructions are not in the source."""
        if node.callee in self.priced:
            return
        base = mathematics.function_base(node.callee)
        if base in mathematics.ROUNDING:
            self.emit("round", node.type, 1, "arithmetic")
            return
        if self.shape.width > 1 and base in mathematics.VECTOR_CYCLES:
            size, pieces = self.pieces(node.type)
            self.timed(f"call:{base}", pieces * mathematics.vector_call_cycles(base, size or 16))
            return
        cycles = mathematics.call_cycles(node.callee, node.type)
        if cycles is None:
            cycles = UNKNOWN_CALL_CYCLES
            taken = f"a call of {base} counts as {cycles:g} cycles, the least possible"
            self.operations.notes[taken] = None
        self.timed(f"call:{base}", cycles * self.shape.width)

    def timed(self, kind: str, cycles: float) -> None:
        """Work that is known by its time only."""
        old = self.found.get((kind, "call"))
        whole = cycles + (old.cycles if old else 0.0)
        self.found[kind, "call"] = MicroOp(
            kind=kind, role="call", times=1.0, uses=(), uops=0.0, cycles=whole
        )
        if self.record is not None:
            took = BodyInstruction(
                name="call",
                kind=kind,
                role="call",
                times=1.0,
                operation=CoreOperation(cycles, ()),
                cycles=cycles,
            )
            self.record(self.value, took)

    def memory(self, number: int, node: GraphNode) -> None:
        """A load or store of one element per iteration."""
        part = number in self.folded
        role: Role = "load" if node.op == "load" else "store"
        if self.shape.width == 1:
            width_bytes, pieces = self.pieces(node.type)
            self.moved(role, node.type, width_bytes, pieces, part)
        elif node.stride == 0:
            self.moved(role, node.type, None, 1)
        elif isinstance(node.stride, int):
            self.strided(node, role, node.stride, part)
        else:
            self.element_wise(node, role)

    def strided(self, node: GraphNode, role: Role, stride: int, part: bool) -> None:
        """Elements a constant distance apart."""
        assert node.access is not None
        apart, members = abs(stride) // node.access.bytes, self.groups.near(node)
        if apart == 1:
            self.contiguous(node, role, stride < 0, part)
        elif 2 <= apart <= MAX_INTERLEAVE and (role == "load" or members >= apart):
            self.interleaved(node, role, apart, members)
        else:
            self.element_wise(node, role)

    def contiguous(self, node: GraphNode, role: Role, backwards: bool, part: bool) -> None:
        """Whole registers, turned round where the loop runs backwards."""
        width_bytes, pieces = self.pieces(node.type)
        masked = self.value in self.shape.under_mask
        turns = backwards and not self.shape.turned
        part = part and not turns and not masked
        self.moved(role, node.type, width_bytes, pieces, part, masked)
        if turns:
            self.instruction("shuffle", node.type, width_bytes, pieces, "shuffle")

    def moved(
        self,
        role: Role,
        kind: str,
        width_bytes: int | None,
        count: float,
        part: bool = False,
        masked: bool = False,
    ) -> None:
        """Instructions that load or store, and the addresses they compute."""
        name = f"masked_{role}" if masked and self.shape.unaligned else role
        name = name if self.has(name, kind, width_bytes) else role
        self.instruction(name, kind, width_bytes, count, role, part)
        units = self.addresses(role)
        if units:
            key: tuple[str, Role] = (f"address.{role}", "address")
            old = self.found.get(key)
            total = count + (old.times if old else 0.0)
            self.found[key] = MicroOp(
                kind=key[0], role="address", times=total, uses=units, uops=0.0
            )

    def interleaved(self, node: GraphNode, role: Role, apart: int, members: int) -> None:
        """Whole registers of the group, once for all its members, and shuffles for each."""
        access = node.access
        assert access is not None
        width_bytes, pieces = self.pieces(node.type)
        if members == 1 and apart >= (width_bytes or 1) // access.bytes:
            self.element_wise(node, role)  # no register holds two of them
            return
        shared = apart * pieces / members
        self.moved(role, node.type, width_bytes, shared)
        crossing = 1 if (width_bytes or 0) >= 32 else 0
        self.instruction(
            "shuffle", node.type, width_bytes, (apart - 1 + crossing) * pieces, "shuffle"
        )

    def element_wise(self, node: GraphNode, role: Role) -> None:
        """A gather or scatter where the machine has one that pays, else element by element."""
        width = self.shape.width
        width_bytes, pieces = self.pieces(node.type)
        name = "gather" if role == "load" else "scatter"
        operation = self.operations.core.operation(name, node.type, width_bytes)
        if operation is not None and (
            self.shape.gathers_at(node.stride, width_bytes)
            or pieces * self.operations.cost_cy(operation)
            <= self.operations.by_element_cy(role, width)
        ):
            self.instruction(name, node.type, width_bytes, pieces, role)
            return
        self.moved(role, node.type, None, width)
        if role == "load":
            self.instruction("shuffle", node.type, 16, width - 1, "shuffle")
        elif not self.graph.nodes[node.args[0]].invariant:
            # either half of 16 bytes is stored as it is
            apart = width // (2 if element_bytes(node.type) == 8 else 1) - 1
            self.instruction("shuffle", node.type, 16, apart, "shuffle")

    def overhead(self) -> None:
        """Counters, one per pace and one more where all are variables, and compare-and-branch."""
        paces: set[int | Poly] = set()
        for number in self.graph.live:
            node = self.graph.nodes[number]
            if node.access is None or node.invariant or node.stride in (0, None):
                continue
            stride = node.stride
            assert stride is not None
            near = isinstance(stride, int) and abs(stride) in (1, 2, 4, 8, node.access.bytes)
            paces.add(0 if near else stride)
        share = 1.0 / self.shape.unroll
        counters = len(paces) + all(isinstance(pace, Poly) for pace in paces)
        self.instruction("add", "i64", None, counters * share, "overhead")
        taken = (PortUse((TAKEN,)),)
        self.instruction("branch", "i64", None, share, "overhead", also=taken)

    def branches_on(self, number: int, kind: str) -> bool:
        """Emits the jump that a condition of the body takes or not; whether it is one instruction
        with the comparison."""
        if self.shape.width > 1 or number not in self.graph.roots:
            return False
        self.instruction("branch", "i64", None, 1, "arithmetic")
        return kind[:1] in "iu"
