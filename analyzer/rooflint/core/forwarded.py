"""Loads and stores of a loop that need no instruction, as their values stay in registers."""

from rooflint.core.compiler import Compiler
from rooflint.core.graph.dependences import (
    Flow,
    MemoryConstraints,
    stores_neighbour,
    stores_next,
)
from rooflint.core.graph.values import Graph
from rooflint.ir import Loop
from rooflint.records import NamedTuple


class ForwardedValues(NamedTuple):
    """The flows of a loop, of which ``memory`` tells, under a compiler."""

    graph: Graph
    memory: MemoryConstraints
    compiler: Compiler
    own: Loop

    def in_register(self) -> frozenset[int]:
        """Loads and stores that scalar code does without: memory that no other access can touch,
        and what the iteration before has just stored, unless another store may have changed it."""
        if self.compiler.level < 2:
            return frozenset()
        kept = {number for pair in self.memory.private for number in pair}
        flows, pairs = self._flows(), self.memory.store_pairs
        compares = not self.compiler.traits.predictive_commoning
        for flow in flows:
            moves = self.graph.nodes[flow.store].stride != 0
            # a pair of addresses for each load saved at most
            checked = moves and compares and 0 < pairs <= len(flows)
            if flow.store not in self.memory.clobbered or checked:
                kept.add(flow.load)
        return frozenset(kept)

    def _flows(self) -> list[Flow]:
        """Flows from one iteration to the next that a compiler may keep in registers."""
        any_stride = self.compiler.traits.predictive_commoning
        next_ones = [flow for flow in self.memory.flows if flow.iterations == 1]
        return [f for f in next_ones if any_stride or stores_next(self.graph, f.store, self.own)]

    def handed_on(self, width: int) -> frozenset[int]:
        """Loads of whole vectors that the vector before has stored, in a register (LLVM's
        LoopLoadElimination; gcc's ``-fpredictive-commoning``, which -O3 turns on)."""
        runs = self.compiler.level > 2 or not self.compiler.traits.predictive_commoning
        flows = [flow for flow in self.memory.flows if flow.iterations == width and runs]
        safe = [flow for flow in flows if flow.store not in self.memory.clobbered]
        return frozenset([flow.load for flow in safe if stores_neighbour(self.graph, flow.store)])
