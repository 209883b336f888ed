"""The core plan: how a compiler would run a loop on a core, and how many cycles that takes.

Scalar code and the vector code that is allowed are both planned; the cheaper one is taken, as the
compiler's own cost model would. Data is in the nearest level, branches are predicted, the front end
delivers ``issue_width`` micro-operations a cycle, and the schedule is perfect: what remains are the
busiest ports, the issue width and the latency around loop-carried dependences.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.core.code import Code, CorePlan, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.graph.chains import Chain, chain_in_memory, chains_of, may_reorder
from rooflint.core.graph.dependences import Dependences, Flow, dependences, meets
from rooflint.core.graph.folding import folded
from rooflint.core.graph.idioms import library_call
from rooflint.core.graph.simplify import as_written, simplified
from rooflint.core.graph.values import Graph, graph_of
from rooflint.core.issue.body import MAX_INTERLEAVE, Emitter, Shape
from rooflint.core.issue.latency import Accumulators, Latencies
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.issue.operations import Operations, element_bytes
from rooflint.core.issue.ports import Ports, busiest
from rooflint.core.vectorize.costs import MODELLED, clang_costs
from rooflint.core.vectorize.gcc import (
    Candidate,
    affordable,
    apart,
    in_order,
    refusal,
    unrolled,
    without_remainder,
)
from rooflint.core.vectorize.legality import Branches, branches_of, obstacle, wishes_of
from rooflint.core.vectorize.profitability import cheaper, power_of_two, unprofitable, weight
from rooflint.facts import KernelFacts
from rooflint.ir import Function, Reason
from rooflint.machine import Machine

__all__ = ["Code", "CorePlan", "VectorPlan", "plan_of"]

MAX_BODIES: Final = 4
"""clang interleaves up to four vectors where there is AVX, up to two elsewhere."""
SMALL_BODY: Final = 20
"""Instructions up to which clang interleaves a loop without reductions."""
LOOP_BUFFER: Final = 50
"""Micro-operations that a scalar loop may have after clang has unrolled it."""
MAX_UNROLL: Final = 8
WHOLE: Final = ("znver",)
"""Processors with AVX-512 whose registers compilers use whole; for the others clang and gcc tune to
half of them."""
X86: Final = ("sse", "avx")
"""How the names of x86 instruction sets begin; their baseline has no FMA."""


def plan_of(
    function: Function, facts: KernelFacts, machine: Machine, compiler: Compiler
) -> CorePlan:
    """The plan of one kernel; raises ValueError for a machine whose file has no ``core``."""
    return Planner(function, facts, machine, compiler).plan()


class Planner:
    """Plans one kernel; ``shapes`` has the bodies' of all codes made, by width and unroll."""

    def __init__(
        self, function: Function, facts: KernelFacts, machine: Machine, compiler: Compiler
    ) -> None:
        core = machine.core
        if core is None:
            raise ValueError(f"machine {machine.name} has no core")
        self.kernel, self.machine, self.core, self.compiler = facts.kernel, machine, core, compiler
        self.operations = Operations(core)
        self.shapes: dict[tuple[int, int], Shape] = {}
        self.written = folded(graph_of(facts.kernel), compiler, self.fma(), facts.kernel.calls)
        self.graph: Graph = simplified(self.written, compiler, self.fma())
        self.arrays = {array.name: array for array in function.arrays}
        self.found: Dependences = dependences(
            self.graph, self.arrays, compiler, facts.kernel.loops[-1]
        )
        self.branches: Branches = branches_of(facts.kernel.loops[-1].body)
        self.chains: tuple[Chain, ...] = chains_of(self.graph, self.branches.assigned)
        self.wishes = wishes_of(facts.kernel)
        tools = machine.tools
        unfused = apart(self.graph, self.chains, self.found.flows, compiler, tools and tools.cpu)
        if unfused:
            self.graph = as_written(self.graph, self.written, unfused)
            self.chains = chains_of(self.graph, self.branches.assigned)
        self.summed: dict[int, Chain] = dict(self.sums_in_memory())
        self.ordered = in_order([c for c in self.chains if not self.reorders(c)], compiler)

    def sums_in_memory(self) -> Iterator[tuple[int, Chain]]:
        """Stores to one place that the compiler may keep in registers, part by part."""
        private = {store for _, store in self.found.private}
        for flow in self.found.flows:
            store = flow.store
            if self.graph.nodes[store].stride != 0 or store in self.found.clobbered:
                continue
            apart = store not in self.found.entangled and self.compiler.name == "clang"
            chain = chain_in_memory(self.graph, flow.load, store)
            if (store in private or apart) and self.reorders(chain):
                yield store, chain

    def reorders(self, chain: Chain) -> bool:
        """Whether parts of a sum may be accumulated side by side."""
        if chain.kind in ("previous", "recurrence"):
            return False
        wished = self.wishes.reorder or chain.name in self.wishes.names
        return wished or may_reorder(chain, self.compiler)

    def plan(self) -> CorePlan:
        """Scalar code and, where that is allowed and pays, vector code."""
        reason = obstacle(
            self.kernel,
            self.graph,
            self.chains,
            self.found,
            self.compiler,
            self.wishes,
            frozenset(self.summed),
        )
        scalar = self.scalar(reason)
        code = scalar
        if not reason:
            vector, reason = self.vector(scalar)
            code = vector or scalar
            if vector is None:
                shape = scalar.vector._replace(reason=reason)
                code = scalar = scalar._replace(vector=shape)
        if not self.branches.stores:
            library = library_call(self.graph, self.arrays, self.compiler)
            code = code._replace(vector=code.vector._replace(library=library))
        return CorePlan(code, scalar, self.compiler, self.assumptions(code))

    def assumptions(self, code: Code) -> tuple[str, ...]:
        said = []
        if self.compiler.assumed or self.compiler.guessed:
            said.append(f"code as {self.compiler} makes it for {self.machine.name}")
        if code.vector.checks:
            said.append("arrays do not overlap: the checks before the vector code pass")
        if code.vector.library:
            said.append(f"{code.vector.library} runs as this loop would")
        return (*said, *self.operations.notes)

    def scalar(self, reason: Reason | None) -> Code:
        kept = self.in_register()
        size = len(self.graph.live) + 2
        unroll = 1
        wanted = self.compiler.unroll
        if wanted or (wanted is None and self.compiler.name == "clang" and self.kernel.innermost):
            clang = self.compiler.name == "clang"
            unroll = power_of_two(min(MAX_UNROLL, LOOP_BUFFER // size)) if clang else unrolled(size)
        shape = Shape(1, 16, kept, unroll)
        return self.code(VectorPlan(1, unroll, None, reason), shape)

    def in_register(self) -> frozenset[int]:
        """Loads and stores that scalar code does without: memory that no other access can touch,
        and what the iteration before has just stored, unless another store may have changed it.

        clang hands stored elements on from neighbour to neighbour only, and then compares
        addresses at run time as well, one pair for each load that it saves at most
        (LoopLoadElimination); gcc at any stride (predictive commoning).
        """
        if self.compiler.level < 2:
            return frozenset()
        kept = {number for pair in self.found.private for number in pair}
        near, versioned = self.handed_on(), self.found.store_pairs
        for flow in near:
            moves = self.graph.nodes[flow.store].stride != 0
            checked = moves and self.compiler.name == "clang" and 0 < versioned <= len(near)
            if flow.store not in self.found.clobbered or checked:
                kept.add(flow.load)
        return frozenset(kept)

    def handed_on(self) -> list[Flow]:
        """Flows from one iteration to the next that a compiler may keep in registers."""
        nodes = self.graph.nodes
        found = []
        for flow in self.found.flows:
            access, stride = nodes[flow.store].access, nodes[flow.store].stride
            assert access is not None
            next_to = isinstance(stride, int) and abs(stride) in (0, access.bytes)
            if flow.iterations == 1 and (next_to or self.compiler.name != "clang"):
                found.append(flow)
        return found

    def vector(self, scalar: Code) -> tuple[Code | None, Reason | None]:
        """The vector code, or None and the reason why it does not pay or cannot be."""
        register = self.register_bytes()
        if register is None:
            return None, Reason("no-registers", (self.machine.name,))
        simd = self.machine.simd
        masked = self.branches.stores
        if masked and simd is not None and simd.isa.startswith("sse"):
            return None, Reason("masked-store")
        elements = self.element_sizes()
        element = max(elements) if self.compiler.name == "clang" else min(elements)
        width = register // element
        limit = None if self.wishes.independent else self.found.width
        trips = self.kernel.loops[-1].trip_count.value
        few = Reason("few-iterations", (str(trips),))
        for most, why in ((limit, self.found.why), (trips, few)):
            if most is not None and most < width:
                width = power_of_two(most)
                if width < 2:
                    return None, why
        if width < 2:
            return None, Reason("wide-element", (str(8 * element),))
        if self.compiler.name == "clang" and simd is not None and simd.isa.startswith(MODELLED):
            width = self.cheapest(width, register, scalar)
            if width < 2:
                return None, unprofitable(self.graph)
            return self.vector_code(width, register, trips), None
        if self.compiler.name == "gcc":
            width = affordable(self.graph, without_remainder(width, trips, self.compiler))
            refused = self.left_scalar(width)
            if refused is not None or width < 2:
                return None, refused or unprofitable(self.graph)
        code = self.vector_code(width, min(register, width * max(elements)), trips)
        by_cost = self.compiler.name == "gcc" and self.isa().startswith(X86)
        if not by_cost and not cheaper(code, scalar):
            return None, unprofitable(self.graph)
        return code, None

    def left_scalar(self, width: int) -> Reason | None:
        """Why gcc does not vectorise what it could."""
        scatters = self.isa().startswith("avx512") or not self.isa().startswith(X86)
        loop = Candidate(self.graph, self.chains, self.branches.assigned, scatters, self.kernel)
        return refusal(loop, self.compiler, width)

    def cheapest(self, most: int, register: int, scalar: Code) -> int:
        """The width that clang's cost model takes for the cheapest, 1 for scalar code."""
        costs = clang_costs(
            self.operations, self.isa(), self.written, self.graph, self.reloaded(), MAX_INTERLEAVE
        )
        best, width = 1, 1
        least = costs.cost(scalar.operations, 1, 0)
        while width < most:
            width *= 2
            size = min(register, width * max(self.element_sizes()))
            body = Emitter(self.graph, self.operations, self.shape(width, size)).body()
            cost = costs.cost(body, width, size)
            if cost * best < least * width:
                best, least = width, cost
        return best

    def reloaded(self) -> int:
        """Values that stay the same, and that a store of the loop might change for all that a
        compiler knows: loaded in every pass."""
        nodes = self.graph.nodes
        stores = [nodes[n] for n in self.graph.accesses("store")]
        return sum(
            nodes[n].op == "load"
            and nodes[n].invariant
            and any(meets(nodes[n], s, self.arrays, self.compiler) for s in stores)
            for n in self.graph.live
        )

    def shape(self, width: int, register: int) -> Shape:
        """Of a vector body that is not unrolled."""
        hoisted = {
            number for number in self.graph.accesses("load") if self.graph.nodes[number].stride == 0
        }
        kept = frozenset(hoisted) | {n for pair in self.found.private for n in pair}
        kept |= frozenset(self.summed)
        masked, unaligned = self.branches.stores, not self.legacy()
        return Shape(width, register, kept, 1, masked, unaligned, self.ordered)

    def vector_code(self, width: int, register: int, trips: int | None) -> Code:
        gathers = self.compiler.name == "clang" and self.isa().startswith("avx512")
        shape = self.shape(width, register)._replace(gathers=gathers)
        body = Emitter(self.graph, self.operations, shape).body()
        unroll = self.bodies(body, width)
        while unroll > 1 and trips is not None and unroll * width > trips:
            unroll //= 2
        plan = VectorPlan(width, unroll, register, checks=self.found.checks)
        return self.code(plan, shape._replace(unroll=unroll))

    def isa(self) -> str:
        """What vector instructions the code may use."""
        simd = self.machine.simd
        return "sse2" if self.compiler.baseline or simd is None else simd.isa

    def legacy(self) -> bool:
        """Whether vector code is of instructions that came before AVX."""
        simd = self.machine.simd
        return self.compiler.baseline or simd is None or not simd.isa.startswith("avx")

    def register_bytes(self) -> int | None:
        """The vectors that the compiler prefers: half of a 64 B register for cores that run at a
        lower clock with whole ones."""
        simd = self.machine.simd
        if simd is None:
            return None
        if self.compiler.baseline:
            return min(16, simd.register_bytes)
        if self.compiler.register_bytes is not None:
            return min(self.compiler.register_bytes, simd.register_bytes)
        tools = self.machine.tools
        whole = tools is not None and (tools.cpu or "").startswith(WHOLE)
        halves = simd.isa.startswith("avx512") and not whole
        return 32 if halves else simd.register_bytes

    def fma(self) -> bool:
        """Whether products and sums may be fused on the processors that the code is for."""
        simd = self.machine.simd
        if simd is None:
            return self.core.operation("fma", "f64") is not None
        return simd.fma and not (self.compiler.baseline and simd.isa.startswith(X86))

    def element_sizes(self) -> list[int]:
        """Bytes of the elements loaded, stored and accumulated, which decide the width."""
        nodes = self.graph.nodes
        sizes = [
            element_bytes(nodes[n].type)
            for n in self.graph.accesses("load", "store")
            if nodes[n].stride != 0
        ]
        sizes += [element_bytes(chain.type) for chain in self.chains]
        return sizes or [element_bytes(nodes[n].type) for n in self.graph.live] or [8]

    def bodies(self, body: Iterable[MicroOp], width: int) -> int:
        """How many vectors clang keeps in flight (LoopVectorizer, selectInterleaveCount)."""
        simd = self.machine.simd
        wide = simd is not None and simd.isa.startswith("avx") and not self.compiler.baseline
        most = MAX_BODIES if wide else MAX_BODIES // 2
        if self.compiler.name != "clang":
            # the loop's counter and jump are two of its instructions
            size = 2 + sum([op.times for op in body if op.role not in ("address", "overhead")])
            return unrolled(size) if self.compiler.unroll else 1
        size = 2.0 + sum([weight(op, width) for op in body])
        reduces = self.summed or any(chain.kind != "previous" for chain in self.chains)
        if size >= SMALL_BODY:
            return most if reduces else 1
        small = power_of_two(min(most, int(SMALL_BODY / size)))
        loads = max(1, len(self.graph.accesses("load")))
        stores = max(1, len(self.graph.accesses("store")))
        by_memory = max(most // stores, most // loads)
        return max(small, power_of_two(by_memory))

    def code(self, vector: VectorPlan, shape: Shape) -> Code:
        """Cycles per iteration of one way to run the loop."""
        ops = Emitter(self.graph, self.operations, shape).body()
        self.shapes[vector.width, vector.unroll] = shape
        width = vector.width
        other, loads = map(busiest, self.split(ops))
        issue = 0.0
        if self.core.issue_width:
            issue = sum([op.times * op.uops for op in ops]) / self.core.issue_width
        calls = sum([op.cycles for op in ops])
        latencies = Latencies(
            self.graph,
            self.operations,
            vector.register_bytes if width > 1 else None,
            self.ordered if width > 1 else frozenset(),
        )
        chains, flows = self.chains, self.found.flows
        if width > 1:
            chains = (*chains, *self.summed.values())
            flows = tuple([flow for flow in flows if flow.store not in self.summed])
        recurrence = latencies.recurrence_cy(
            chains, flows, shape.in_register, self.accumulators(vector, chains)
        )
        return Code(
            vector,
            ops,
            other.cycles / width,
            loads.cycles / width,
            issue / width,
            recurrence,
            calls / width,
            latencies.critical_path_cy(),
            other.ports,
        )

    def split(self, ops: Iterable[MicroOp]) -> tuple[dict[Ports, float], dict[Ports, float]]:
        """Work that overlaps with transfers, and work of the classes that do not; of a gather,
        what it does on the ports of loads."""
        apart = self.core.overlap.non_overlapping
        load_ports = set(self.operations.find("load", "f64", None).operation.ports)
        other: dict[Ports, float] = {}
        serial: dict[Ports, float] = {}
        for op in ops:
            plain = op.kind.partition(".")[0] in apart
            gathers = op.role == "load" and "load" in apart
            for ports, cycles in op.uses:
                loads = plain or (gathers and load_ports.issuperset(ports))
                work = serial if loads else other
                work[ports] = work.get(ports, 0.0) + op.times * cycles
        return other, serial

    def accumulators(self, vector: VectorPlan, chains: Iterable[Chain]) -> Accumulators:
        """Scalars that vector code, or clang's scalar code, sums up in parts."""
        if vector.width == 1 and (self.compiler.name != "clang" or vector.unroll == 1):
            return Accumulators()
        names = frozenset([chain.name for chain in chains if self.reorders(chain)])
        side_by_side = vector.unroll if self.compiler.name == "clang" else 1
        return Accumulators(names, vector.width * side_by_side)
