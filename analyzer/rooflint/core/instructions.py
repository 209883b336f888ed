"""The instructions of a planned loop body by the value they make, for models that schedule them."""

from rooflint.core.code import Code, VectorPlan
from rooflint.core.graph.dependences import MemoryConstraints
from rooflint.core.graph.reloads import with_reloads
from rooflint.core.graph.values import Graph
from rooflint.core.issue.body import Emitter
from rooflint.core.issue.micro_ops import BodyInstruction
from rooflint.core.plan import Planner
from rooflint.records import NamedTuple


class CompiledBody(NamedTuple):
    """One pass over the compiled loop: ``vector.width`` iterations of the source's.

    by_value      instructions of every value of the graph, in program order; those of
                  ``OVERHEAD`` make none
    in_register   loads and stores that need none
    memory        values that go through memory, or would without registers
    spread        carried scalars of which there are ``turns``, taken in turns
    summed        stores of sums that are kept in registers, taken in turns
    """

    graph: Graph
    vector: VectorPlan
    by_value: dict[int, list[BodyInstruction]]
    in_register: frozenset[int]
    memory: MemoryConstraints
    spread: frozenset[str]
    summed: frozenset[int]
    turns: int


def body_of(planner: Planner, code: Code) -> CompiledBody:
    """The body of ``code``, which the planner has made."""
    vector = code.vector
    shape = planner.shapes[vector.width, vector.unroll]
    by_value: dict[int, list[BodyInstruction]] = {}
    Emitter(
        planner.graph,
        planner.operations,
        shape,
        lambda value, made: by_value.setdefault(value, []).append(made),
        planner.kernel.priced,
    ).body()
    wide = vector.width > 1 and not vector.outer
    chains = (*planner.chains, *planner.summed.values()) if wide else planner.chains
    accumulators = planner.accumulators(vector, chains)
    return CompiledBody(
        graph=with_reloads(planner.graph, shape.reloaded),
        vector=vector,
        by_value=by_value,
        in_register=shape.in_register,
        memory=planner.memory,
        spread=accumulators.names,
        summed=frozenset(planner.summed) if wide else frozenset(),
        turns=max(1, accumulators.iterations // vector.width),
    )
