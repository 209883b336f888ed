"""The core plan: how a compiler would run a loop on a core, and how many cycles that takes.

Scalar code and the vector code that is allowed are both planned; the cheaper one is taken, as the
compiler's own cost model would. Data is in the nearest level, branches are predicted, the front end
delivers ``issue_width`` micro-operations a cycle, and the schedule is perfect: what remains are the
busiest ports, the issue width and the latency around loop-carried dependences.
"""

from collections.abc import Container, Iterable, Iterator

from rooflint.core.code import Code, CorePlan, LoopPass, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.failing_checks import always_overlaps, unit_steps
from rooflint.core.forwarded import ForwardedValues
from rooflint.core.graph.carried_integers import set_in_branches
from rooflint.core.graph.chains import (
    Chain,
    chain_in_memory,
    chains_of,
    may_reorder,
    ordered_additions,
)
from rooflint.core.graph.dependences import MemoryConstraints, memory_constraints
from rooflint.core.graph.elements import same_elements
from rooflint.core.graph.folding import FoldingTarget, fold
from rooflint.core.graph.idioms import library_call, stays_loop
from rooflint.core.graph.loaded_before import loaded_before
from rooflint.core.graph.quotients import quotient_steps
from rooflint.core.graph.register_arrays import in_registers
from rooflint.core.graph.reloads import reloaded_values
from rooflint.core.graph.simplify import convert_branches, simplify, unfuse
from rooflint.core.graph.values import Graph, graph_of
from rooflint.core.issue.body import Emitter
from rooflint.core.issue.body_shape import AccessGroups, BodyShape, is_backwards
from rooflint.core.issue.lane_steps import lane_plan
from rooflint.core.issue.latency import Accumulators, Latencies
from rooflint.core.issue.micro_ops import MicroOp, split_work
from rooflint.core.issue.operations import Operations
from rooflint.core.issue.ports import busiest
from rooflint.core.issue.schedulers import ScheduledCode, carried_values, scheduler_use
from rooflint.core.issue.shared_loads import repeated_loads
from rooflint.core.loop_passes import CompiledGraphs, loop_passes, pass_text
from rooflint.core.vectorize import vectorizer_of
from rooflint.core.vectorize.conditions import (
    OtherArms,
    nodes_under_mask,
    other_arms,
    switch_reason,
)
from rooflint.core.vectorize.lane_branches import lane_branches
from rooflint.core.vectorize.legality import (
    BranchContents,
    branches_of,
    overlapped_scalar,
    reloading_reason,
    vectorization_blocker,
)
from rooflint.core.vectorize.pragmas import vector_pragmas
from rooflint.core.vectorize.target import lane_target, vector_extremes, vector_target
from rooflint.core.vectorize.vectorizer import (
    VectorChoice,
    VectorLoop,
    is_cheaper,
    is_counted,
    power_of_two,
    unprofitability,
)
from rooflint.facts import Kernel, KernelFacts
from rooflint.ir import Function, Reason
from rooflint.machine import Machine

__all__ = ["Code", "CorePlan", "VectorPlan", "plan_of"]


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
        self.machine, self.core, self.compiler = machine, core, compiler
        self.source = in_registers(facts.kernel, function, compiler)
        self.kernel = convert_branches(self.source) if compiler.level else self.source
        self.target = vector_target(machine, compiler)
        self.vectorizer = vectorizer_of(compiler)
        self.operations = Operations(core, vector_extremes(self.target, compiler))
        self.shapes: dict[tuple[int, int], BodyShape] = {}
        fma, own = self.target.fma, self.kernel.loops[-1]
        self.written = self.fold_kernel(self.kernel, self.kernel.calls)
        self.graph: Graph = simplify(self.written, compiler, fma)
        self.arrays = {array.name: array for array in function.arrays}
        self.memory: MemoryConstraints = memory_constraints(self.graph, self.arrays, compiler, own)
        self.branches: BranchContents = branches_of(own.body)
        self.conditional = self.branches.assigned | set_in_branches(own)
        self.chains: tuple[Chain, ...] = chains_of(self.graph, self.conditional)
        self.pragmas = vector_pragmas(self.kernel)
        self.overlapped = self.overlapped_scalar(function)
        self.refused = switch_reason(own, function)
        if self.refused is None and not self.pragmas.independent:
            self.refused = reloading_reason(own, self.graph, function, compiler)
        unfused = self.vectorizer.unfused_products(
            self.graph, self.chains, self.memory.flows, self.target.processor
        )
        if unfused:
            self.graph = unfuse(self.graph, self.written, unfused)
            self.chains = chains_of(self.graph, self.conditional)
        self.summed: dict[int, Chain] = dict(self.sums_in_memory())
        self.loaded_before = loaded_before(self.graph, self.arrays, compiler, own)
        self.ordered: frozenset[int] = frozenset()
        if compiler.ordered_reductions:
            self.ordered = ordered_additions([c for c in self.chains if not self.reorders(c)])

    def fold_kernel(self, kernel: Kernel, unknown: Container[str]) -> Graph:
        """The values of an iteration after folding; ``unknown`` are calls that may have effects."""
        target = FoldingTarget(self.target.fma, self.target.sse4)
        return fold(graph_of(kernel), self.compiler, target, unknown)

    def overlapped_scalar(self, function: Function) -> str | None:
        """A scalar of a chain that the compiler must leave in memory; None where there is none."""
        if self.compiler.traits.promotion_level is not None or self.pragmas.independent:
            return None
        names = [chain.name for chain in self.chains]
        accesses = [self.graph.nodes[n] for n in self.graph.accesses("load", "store")]
        return overlapped_scalar(names, accesses, function, self.compiler)

    def sums_in_memory(self) -> Iterator[tuple[int, Chain]]:
        """Stores to one place that the compiler may keep in registers, part by part."""
        memory = self.memory
        private = {store for _, store in memory.private}
        checks = self.compiler.traits.promotion_level is not None
        for flow in memory.flows:
            store = flow.store
            if self.graph.nodes[store].stride != 0 or store in memory.clobbered:
                continue
            chain = chain_in_memory(self.graph, flow.load, store)
            separate = store in private or (checks and store not in memory.entangled)
            if separate and self.reorders(chain):
                yield store, chain

    def reorders(self, chain: Chain) -> bool:
        """Whether parts of a sum may be accumulated side by side."""
        if chain.kind in ("previous", "recurrence"):
            return False
        return self.pragmas.reorders(chain.name) or may_reorder(chain, self.compiler)

    def plan(self) -> CorePlan:
        """Scalar code and, where that is allowed and pays, vector code."""
        reason = self.blocker() or self.refused
        code = scalar = self.scalar(reason)
        if (outer := self.outer_code()) is not None:
            code = outer
        elif reason is None:
            vector = self.vector(scalar)
            if isinstance(vector, Reason):
                code = scalar = scalar._replace(vector=scalar.vector._replace(reason=vector))
            else:
                code = vector
        stays = self.source.loops[-1].exits or stays_loop(self.source.loops, self.compiler)
        if not self.branches.stores and not stays:
            library = library_call(self.graph, self.arrays, self.compiler)
            code = code._replace(vector=code.vector._replace(library=library))
        gathers = self.compiler.traits.gathers_avx512 and self.target.avx512
        source = CompiledGraphs(
            kernel=self.source, written=self.written, graph=self.graph, gathers=gathers
        )
        done = tuple(loop_passes(source, self.arrays, code.vector, self.compiler))
        notes = self.assumptions(code, done)
        return CorePlan(
            code=code,
            scalar=scalar,
            compiler=self.compiler,
            passes=done,
            assumptions=notes,
            failure="overlap" if self.checks_fail(code) else None,
            unit_steps=unit_steps(self.graph, self.arrays, self.compiler, self.kernel.loops[-1]),
        )

    def blocker(self) -> Reason | None:
        made = self.kernel, self.graph, self.chains, self.memory, self.compiler, self.pragmas
        reason = vectorization_blocker(*made, frozenset(self.summed))
        if reason is None and self.overlapped is not None:
            return Reason("aliasing", (Reason("store-in-place", (self.overlapped,)),))
        return reason

    def checks_fail(self, code: Code) -> bool:
        """Whether the comparisons before vector code keep it from running each time."""
        return code.vector.checks > 0 and always_overlaps(self.graph, self.kernel.loops)

    def assumptions(self, code: Code, passes: Iterable[LoopPass]) -> tuple[str, ...]:
        notes = [pass_text(self.compiler, done) for done in passes]
        if self.compiler.assumed or self.compiler.guessed:
            notes.append(f"code as {self.compiler} generates it for {self.machine.name}")
        if code.vector.checks and not self.checks_fail(code):
            notes.append("arrays do not overlap: the checks before the vector code pass")
        if code.vector.library:
            notes.append(f"{code.vector.library} takes as long as this loop would")
        return (*notes, *self.operations.notes)

    def scalar(self, reason: Reason | None) -> Code:
        """The code without vectors, unrolled by flags or by the compiler's habit."""
        unrolls = self.compiler.unroll
        if unrolls is None:
            unrolls = self.compiler.traits.unrolls_by_default and self.kernel.innermost
        # the loop's counter and jump are two of its instructions
        size = len(self.graph.live) + 2
        unroll = self.vectorizer.scalar_bodies(size) if unrolls and is_counted(reason) else 1
        counts_bits = not self.target.x86 or self.compiler.counts_bits
        kept = self.forwarded_values.in_register() | self.loaded_before
        reloaded = reloaded_values(self.graph, self.arrays, self.compiler, kept)
        shape = BodyShape(
            in_register=kept,
            unroll=unroll,
            counts_bits=counts_bits,
            reloaded=reloaded,
            quotients=quotient_steps(self.written, self.graph),
        )
        return self.code(
            VectorPlan(width=1, unroll=unroll, register_bytes=None, reason=reason), shape
        )

    @property
    def forwarded_values(self) -> ForwardedValues:
        """Values that need no load or store."""
        own = self.kernel.loops[-1]
        return ForwardedValues(
            graph=self.graph, memory=self.memory, compiler=self.compiler, own=own
        )

    def outer_code(self) -> Code | None:
        """Vector code with several executions of the loop side by side; None where the compiler
        makes none. The graph then has the strides of the loop around."""
        register = self.target.register_bytes
        if not self.compiler.vectorises_outer_loops or self.refused or self.overlapped:
            return None
        loop = self.vector_loop()
        found = self.vectorizer.outer_loop(loop)
        if found is None or register is None:
            return None
        width = register // self.vectorizer.governing_bytes(loop)
        if width < 2 or not found.allows(width):
            return None
        self.graph, self.ordered = found.graph, frozenset()
        plan = VectorPlan(width, 1, register, outer=self.kernel.loops[-2].index)
        return self.code(plan, loop._replace(ordered=self.ordered).shape(width, register))

    def vector(self, scalar: Code) -> Code | Reason:
        """The vector code, or why it does not pay or cannot be."""
        loop = self.vector_loop()
        widest = self.widest(loop)
        if isinstance(widest, Reason):
            return widest
        choice = self.vectorizer.choose(loop, widest, scalar)
        if isinstance(choice, Reason):
            return choice
        code = self.vector_code(loop, choice)
        if choice.if_cheaper and not is_cheaper(code, scalar):
            return unprofitability(self.graph)
        return self.vectorizer.with_waits(code, loop)

    def vector_loop(self) -> VectorLoop:
        """The loop as the vectorizer sees it."""
        graph, summed = self.graph, self.summed
        hoisted = {n for n in graph.accesses("load") if graph.nodes[n].stride == 0}
        private = {number for pair in self.memory.private for number in pair}
        loop = VectorLoop(
            kernel=self.kernel,
            arrays=self.arrays,
            operations=self.operations,
            target=self.target,
            written=self.written,
            graph=graph,
            chains=self.chains,
            conditional=self.branches.assigned,
            masked=self.branches.stores,
            accumulates=bool(summed) or any(chain.kind != "previous" for chain in self.chains),
            kept=frozenset(hoisted | private | summed.keys() | self.loaded_before),
            spliced=self.loaded_before,
            ordered=self.ordered,
            groups=AccessGroups([graph.nodes[n] for n in graph.accesses("load", "store")]),
        )
        return loop._replace(under_mask=nodes_under_mask(loop, graph))

    def widest(self, loop: VectorLoop) -> int | Reason:
        """The most iterations, at least two, that registers, dependences and trips allow."""
        register = self.target.register_bytes
        if register is None:
            return Reason("no-registers", (self.machine.name,))
        if loop.masked and self.target.machine_isa.startswith("sse"):
            return Reason("masked-store")
        element = self.vectorizer.governing_bytes(loop)
        width = register // element
        for most, reason in self.width_limits(loop):
            if most < width:
                width = power_of_two(most)
                if width < 2:
                    return reason
        return width if width > 1 else Reason("wide-element", (str(8 * element),))

    def width_limits(self, loop: VectorLoop) -> Iterator[tuple[int, Reason]]:
        """Numbers of iterations that no vector may exceed."""
        memory = self.memory
        if memory.width is not None and memory.why is not None and not self.pragmas.independent:
            yield memory.width, memory.why
        if loop.trips is not None:
            yield loop.trips, Reason("few-iterations", (str(loop.trips),))

    def vector_code(self, loop: VectorLoop, choice: VectorChoice) -> Code:
        """The code of a choice, with as many vectors in flight as the compiler keeps."""
        width, register = choice.width, choice.register_bytes
        shape, traits = loop.shape(width, register), self.compiler.traits
        gathers = traits.gathers_avx512 and self.target.avx512
        kept = shape.in_register | self.forwarded_values.handed_on(width)
        turned = traits.cancels_turns and is_backwards(self.graph)
        shape = shape._replace(gathers=gathers, in_register=kept, turned=turned)
        more = lane_branches(self.graph, self.operations, shape)
        if traits.repeats_loads:
            more = (*more, *repeated_loads(self.graph, self.operations, shape))
        shape = shape._replace(beside=(*self.other_arms(loop, shape), *more))
        body = Emitter(self.graph, self.operations, shape).body()
        unroll = self.vectorizer.vectors_in_flight(loop, body, width)
        while unroll > 1 and loop.trips is not None and unroll * width > loop.trips:
            unroll //= 2
        lanes = lane_target(self.target, self.compiler, width, register)
        shape = shape._replace(lanes=lane_plan(self.graph, lanes))
        plan = VectorPlan(width, unroll, register, checks=self.memory.checks)
        return self.code(plan, shape._replace(unroll=unroll))

    def other_arms(self, loop: VectorLoop, shape: BodyShape) -> tuple[MicroOp, ...]:
        """Instructions of vector code for the arms that the graph leaves out, and the selections
        between the arms; loads of elements that the graph has are there."""
        arms = other_arms(loop)
        if arms == OtherArms():
            return ()
        kernel = self.kernel._replace(statements=arms.statements, innermost=False)
        graph = simplify(self.fold_kernel(kernel, ()), self.compiler, self.target.fma)
        again = same_elements(graph, self.graph)
        masked = nodes_under_mask(loop, graph)
        shape = shape._replace(in_register=frozenset(again), spliced=frozenset(), under_mask=masked)
        emitter = Emitter(graph, self.operations, shape)
        stored = [graph.nodes[n] for n in again if graph.nodes[n].op == "store"]
        for kind in (*arms.chosen, *arms.types_of_choices(stored)):
            emitter.emit("select", kind, 1, "arithmetic")
        for kind in arms.zeroed:
            emitter.emit("logic", kind, 1, "arithmetic")
        return tuple([op for op in emitter.body() if op.role != "overhead"])

    def code(self, vector: VectorPlan, shape: BodyShape) -> Code:
        """Cycles per iteration of one way to run the loop."""
        ops = Emitter(self.graph, self.operations, shape, priced=self.kernel.priced).body()
        self.shapes[vector.width, vector.unroll] = shape
        width = vector.width
        load_ports = self.operations.find("load", "f64", None).operation.ports
        apart = self.core.overlap.non_overlapping
        other, loads = map(busiest, split_work(ops, apart, load_ports))
        issued = sum([op.times * op.uops for op in ops])
        calls = sum([op.cycles for op in ops])
        latencies = Latencies(
            self.graph,
            self.operations,
            vector.register_bytes if width > 1 else None,
            self.ordered if width > 1 else frozenset(),
        )
        chains, flows = self.chains, self.memory.flows
        if width > 1 and not vector.outer:
            chains = (*chains, *self.summed.values())
            flows = tuple([flow for flow in flows if flow.store not in self.summed])
        starts, sums = carried_values(self.graph, chains, flows), self.accumulators(vector, chains)
        recurrence = latencies.recurrence_cy(chains, flows, shape.in_register, sums)
        return Code(
            vector=vector,
            operations=ops,
            overlapping_cy=other.cycles / width,
            non_overlapping_cy=loads.cycles / width,
            issue_cy=issued / self.core.issue_width / width if self.core.issue_width else 0.0,
            recurrence_cy=recurrence / vector.lanes,
            call_cy=calls / width,
            critical_path_cy=latencies.critical_path_cy(),
            busiest=other.ports,
            waiting=scheduler_use(
                latencies, self.core.buffers, ScheduledCode(width, shape.in_register, starts)
            ),
        )

    def accumulators(self, vector: VectorPlan, chains: Iterable[Chain]) -> Accumulators:
        """Scalars that vector code, or scalar code of several bodies, sums up in parts."""
        bodies = vector.unroll if self.compiler.traits.interleaves else 1
        if vector.width * bodies == 1 or vector.outer:
            return Accumulators()
        names = frozenset([chain.name for chain in chains if self.reorders(chain)])
        return Accumulators(names, vector.width * bodies)
