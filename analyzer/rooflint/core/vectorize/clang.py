"""clang's loop vectorizer: the cheapest width by its cost model, several vectors in flight."""

from collections.abc import Iterable
from typing import Final

from rooflint.core.code import Code, VectorPlan
from rooflint.core.compiler import Compiler
from rooflint.core.graph.chains import Chain
from rooflint.core.graph.dependences import Flow, meets
from rooflint.core.graph.values import Graph
from rooflint.core.issue.body import MAX_INTERLEAVE, Emitter
from rooflint.core.issue.micro_ops import MicroOp
from rooflint.core.vectorize.clang_costs import MODELLED, clang_costs, makes_vectors
from rooflint.core.vectorize.clang_registers import bodies_in_registers
from rooflint.core.vectorize.conditions import (
    conditional_last_values,
    masked_loads,
    stores_in_arms,
    tests_index_alone,
)
from rooflint.core.vectorize.masked_forwards import with_masked_forwards
from rooflint.core.vectorize.pragmas import VectorPragmas
from rooflint.core.vectorize.target import LEAST_MASKED
from rooflint.core.vectorize.vectorizer import (
    DIVISIONS,
    VectorChoice,
    VectorLoop,
    instruction_cost,
    power_of_two,
    unprofitability,
)
from rooflint.ir import Access, Poly, Reason

MAX_BODIES: Final = 4
"""Vectors in flight where there is AVX, half of them elsewhere (MaxInterleaveFactor)."""
SMALL_BODY: Final = 20
"""Cost up to which a loop without reductions is interleaved (SmallLoopCost)."""
LOOP_BUFFER: Final = 50
"""Micro-operations of an unrolled scalar loop (LoopMicroOpBufferSize of Skylake)."""
MASKED_STORE: Final = 8.0
MASKED_LOAD: Final = 2.0
"""Of ``vmaskmov``, beside a load or store."""
LEAST_WITH_EPILOGUE: Final = 16
"""Iterations of a vector (``EpilogueVectorizationMinVF``)."""
ONE_EACH: Final = frozenset(
    ("add", "mul", "fma", "logic", "max", "compare", "select", "move", "load", "store")
)
"""Instructions of any register, whether or not a core takes two passes over 64 bytes."""
MAX_UNROLL: Final = 8
"""Bodies of an unrolled scalar loop (DefaultUnrollRuntimeCount)."""


class ClangVectorizer:
    """Decisions of LLVM 19's LoopVectorize and LoopUnroll."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler

    def governing_bytes(self, loop: VectorLoop) -> int:
        """The widest element."""
        return max(loop.element_sizes())

    def choose(self, loop: VectorLoop, widest: int, scalar: Code) -> VectorChoice | Reason:
        """The cheapest width where the costs of the instruction set are known, else the widest."""
        target = loop.target
        assert target.register_bytes is not None
        if not target.machine_isa.startswith(MODELLED):
            size = min(target.register_bytes, widest * max(loop.element_sizes()))
            return VectorChoice(widest, size, if_cheaper=True)
        refusal = _unknown_distance(loop) or _refusal(loop)
        if refusal is not None:
            return refusal
        width = self._cheapest(loop, widest, target.register_bytes, scalar)
        if width < 2:
            return unprofitability(loop.graph)
        return VectorChoice(width, target.register_bytes, if_cheaper=False)

    def _cheapest(self, loop: VectorLoop, widest: int, register: int, scalar: Code) -> int:
        operations, graph, isa = loop.operations, loop.graph, loop.target.isa
        reloaded = self._reloaded(loop)
        costs = clang_costs(operations, isa, loop.written, graph, reloaded, MAX_INTERLEAVE)
        masks = self._masks(loop)
        best, width = 1, 1
        least = costs.cost(scalar.operations, 1, 0)
        element = max(loop.element_sizes())
        while width < widest:
            width *= 2
            size = min(register, width * element)
            body = Emitter(graph, operations, loop.shape(width, size)).body()
            cost = costs.cost(body, width, size) + masks * max(1, width * element // size)
            if cost * best < least * width:
                best, least = width, cost
        return best

    def _masks(self, loop: VectorLoop) -> float:
        """The cost that masks add to a vector's loads and stores, with those of the arm that the
        body lacks (X86TTIImpl::getMaskedMemoryOpCost)."""
        target = loop.target
        if not loop.under_mask or target.legacy or not target.x86 or tests_index_alone(loop):
            return 0.0
        stored = stores_in_arms(loop)
        lacking = max(0, len(stored) - len(loop.graph.accesses("store")))
        if target.avx512:
            return lacking
        loaded = {access for access in masked_loads(loop) if not _is_there(access, loop)}
        return lacking + MASKED_STORE * len(stored) + MASKED_LOAD * len(loaded)

    def _reloaded(self, loop: VectorLoop) -> int:
        """Invariant values loaded in every pass: a store of the loop might change them."""
        graph, arrays = loop.graph, loop.arrays
        nodes = [graph.nodes[n] for n in graph.live]
        stores = [graph.nodes[n] for n in graph.accesses("store")]
        return sum(
            any(meets(node, store, arrays, self.compiler) for store in stores)
            for node in nodes
            if node.op == "load" and node.invariant
        )

    def outer_loop(self, loop: VectorLoop) -> None:
        """None: LLVM vectorizes innermost loops only."""

    def vectors_in_flight(self, loop: VectorLoop, body: Iterable[MicroOp], width: int) -> int:
        """LoopVectorizationCostModel::selectInterleaveCount."""
        most = MAX_BODIES // 2 if loop.target.legacy else MAX_BODIES
        most = power_of_two(min(most, bodies_in_registers(loop)))
        size = 2.0 + sum([_size_of(op, width) for op in body])
        if size >= SMALL_BODY:
            return most if loop.accumulates else 1
        small = power_of_two(min(most, int(SMALL_BODY / size)))
        loads = max(1, sum(n not in loop.kept for n in loop.graph.accesses("load")))
        stores = max(1, len(loop.graph.accesses("store")))
        return max(small, power_of_two(max(most // stores, most // loads)))

    def epilogue_width(self, vector: VectorPlan, pragmas: VectorPragmas) -> int:
        """Half as many, if vectors have many; else scalar code does the rest."""
        return vector.width // 2 if vector.width >= LEAST_WITH_EPILOGUE else 1

    def scalar_bodies(self, instructions: int) -> int:
        """As many as the loop buffer holds."""
        return power_of_two(min(MAX_UNROLL, LOOP_BUFFER // instructions))

    def with_waits(self, code: Code, loop: VectorLoop) -> Code:
        """Each arm stores under its mask, and what follows loads again."""
        return with_masked_forwards(code, loop.kernel.loops[-1], loop.operations)

    def unfused_products(
        self, graph: Graph, chains: Iterable[Chain], flows: Iterable[Flow], processor: str | None
    ) -> list[int]:
        """None: sums are fused on every processor."""
        return []


def _unknown_distance(loop: VectorLoop) -> Reason | None:
    """An array whose elements are loaded and stored in steps that are no constant: LLVM takes them
    for elements at unknown places (MemoryDepChecker::isDependent, ``IndirectUnsafe``)."""
    nodes = loop.graph.nodes
    loads = [nodes[number].access for number in loop.graph.accesses("load")]
    loaded = {access.array for access in loads if access is not None}
    for number in loop.graph.accesses("store"):
        access = nodes[number].access
        steps = isinstance(nodes[number].stride, Poly)
        if steps and access is not None and access.array in loaded:
            return Reason("symbolic-step", (access.array,))
    return None


def _refusal(loop: VectorLoop) -> Reason | None:
    """Why no width is tried; None where costs decide."""
    target = loop.target
    if target.x86 and loop.divided_type() and not _is_guarded(loop.graph):
        return unprofitability(loop.graph)
    late = _late_values(loop)
    if late:
        return Reason("recurrence", (Reason("carried-value", (late[0],)),))
    last = conditional_last_values(loop)
    if last:
        # no reduction that LLVM 19 knows (RecurrenceDescriptor; "any of" has a steady value)
        return Reason("last-value", (last[0],))
    one_by_one = target.x86 and not target.avx512
    if _needs_masks(loop) or (one_by_one and not makes_vectors(loop.graph, MAX_INTERLEAVE)):
        return unprofitability(loop.graph)
    return None


def _needs_masks(loop: VectorLoop) -> bool:
    """Whether loads, or several stores, stand under a condition that no instruction masks: LLVM
    puts a prohibitive cost on them (useEmulatedMaskMemRefHack). One store is made branch by
    branch."""
    if not loop.target.x86 or loop.target.avx512 or tests_index_alone(loop):
        return False
    stored = stores_in_arms(loop)
    loaded = [access for access in masked_loads(loop) if not _is_there(access, loop)]
    if not loaded and len(stored) < 2:
        return False
    return loop.target.legacy or min([a.bytes for a in (*stored, *loaded)]) < LEAST_MASKED


def _late_values(loop: VectorLoop) -> list[str]:
    """Scalars whose last value a store needs before this iteration computes the next one: no store
    moves behind it (RecurrenceDescriptor::isFixedOrderRecurrence)."""
    graph = loop.graph
    late = []
    for chain in loop.chains:
        if chain.kind != "previous" or chain.name not in graph.finals:
            continue
        made = graph.nodes[graph.finals[chain.name]].statement
        needing = _users(graph, graph.carried[chain.name])
        stores = [graph.nodes[n] for n in needing if graph.nodes[n].op == "store"]
        if any(store.statement < made for store in stores):
            late.append(chain.name)
    return late


def _users(graph: Graph, number: int) -> set[int]:
    """The values that a value goes into, and those that they go into."""
    found = {number}
    for live in graph.live:
        if not found.isdisjoint(graph.nodes[live].args):
            found.add(live)
    return found


def _is_there(access: Access, loop: VectorLoop) -> bool:
    """Whether all iterations may load, since the array's size and their number are constants
    (isDereferenceableAndAlignedInLoop)."""
    array = loop.arrays.get(access.array)
    extents = array.extents if array is not None else ()
    sized = bool(extents) and all(e is not None and e.value is not None for e in extents)
    return sized and loop.trips is not None


def _is_guarded(graph: Graph) -> bool:
    """Whether a selection may leave out an integer division: LLVM takes it for half as dear in
    scalar code, and vectorizes around scalar divisions (LoopVectorizationCostModel)."""
    nodes = graph.nodes
    chosen = [a for n in graph.live if nodes[n].op == "select" for a in nodes[n].args[1:]]
    return any(nodes[number].op in DIVISIONS for number in chosen)


def _size_of(op: MicroOp, width: int) -> float:
    """The cost of an instruction in the size of a body."""
    cost = instruction_cost(op, width)
    return min(cost, op.times) if op.kind.partition(".")[0] in ONE_EACH else cost
