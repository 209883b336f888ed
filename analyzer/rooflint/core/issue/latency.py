"""Latencies along the graph of values: the critical path and the loop-carried one."""

from collections.abc import Iterable
from functools import cached_property

from rooflint.core.graph.chains import Chain
from rooflint.core.graph.dependences import Flow
from rooflint.core.graph.recurrences import CarriedLatency, longest_cycle
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.bit_sequences import BIT_CLASSES
from rooflint.core.issue.body_shape import flag_comparisons
from rooflint.core.issue.operations import CLASS_OF, Operations, conversion_class
from rooflint.facts.kernels import UNKNOWN_CALL_CYCLES
from rooflint.library.mathematics import call_cycles
from rooflint.records import NamedTuple


class Accumulators(NamedTuple):
    """How a reordered reduction is spread: so many iterations between two uses of one of them."""

    names: frozenset[str] = frozenset()
    iterations: int = 1


class _CarriedValue(NamedTuple):
    """Nodes that read and make a value which is needed so many iterations later."""

    start: int
    end: int
    iterations: int


class Latencies:
    """Path lengths in one kernel; ``width_bytes`` of the instructions, None for scalar ones.

    ``ordered_reductions`` are sums that vector code makes by scalar additions.
    """

    def __init__(
        self,
        graph: Graph,
        operations: Operations,
        width_bytes: int | None,
        ordered_reductions: frozenset[int] = frozenset(),
    ) -> None:
        self.graph, self.operations, self.width_bytes = graph, operations, width_bytes
        self.ordered = ordered_reductions
        self._own = {number: self._latency(graph.nodes[number]) for number in graph.live}
        self._chained = {
            number: operations.accumulate_cy(graph.nodes[number].type, width_bytes)
            for number in graph.live
            if graph.nodes[number].op == "fma" and number not in ordered_reductions
        }
        for number in ordered_reductions:
            self._own[number] = operations.latency_cy("add", graph.nodes[number].type, None)
        if width_bytes is None:
            for number in self._tested():
                self._own[number] += self._test_cy(graph.nodes[number].type)

    def _tested(self) -> set[int]:
        """Results of operations that a comparison for flags reads."""
        nodes = self.graph.nodes
        read = {argument for n in flag_comparisons(self.graph) for argument in nodes[n].args}
        return {n for n in read if self._own.get(n) and nodes[n].op != "load"}

    def _test_cy(self, kind: str) -> float:
        """How much later others have a value that a comparison for flags reads."""
        test = self.operations.core.operation("test", kind, None)
        return 0.0 if test is None or test.latency_cy is None else test.latency_cy

    def critical_path_cy(self) -> float:
        """From the first load of an iteration to its last result."""
        return max([at + self._own[n] for n, at in self.arrivals.items()], default=0.0)

    @cached_property
    def arrivals(self) -> dict[int, float]:
        """When the operands of each value are there, in cycles after the iteration began."""
        found: dict[int, float] = {}
        for number in self.graph.live:
            before = [found[a] + self._own[a] for a in self.graph.nodes[number].args if a in found]
            found[number] = max(before, default=0.0)
        return found

    def recurrence_cy(
        self,
        chains: Iterable[Chain],
        flows: Iterable[Flow],
        in_register: frozenset[int],
        spread: Accumulators,
    ) -> float:
        """Cycles an iteration takes at least because a value comes from an earlier one."""
        flows = tuple(flows)
        nodes, carried, finals = self.graph.nodes, self.graph.carried, self.graph.finals
        made = {start: finals.get(name, start) for name, start in carried.items()}
        made |= {f.load: nodes[f.store].args[0] for f in flows if f.load in in_register}
        serial = [chain for chain in chains if chain.name not in spread.names]
        serial.sort(key=lambda chain: chain.kind == "previous")
        values = [_CarriedValue(carried[c.name], finals[c.name], 1) for c in serial]
        values += [_CarriedValue(f.load, nodes[f.store].args[0], f.iterations) for f in flows]
        starts = {start: n for n, start in enumerate(dict.fromkeys([v.start for v in values]))}
        longest: dict[tuple[int, int, int], float] = {}
        for start, source in starts.items():
            lengths = self._lengths(start, start in in_register, made.get(start, start))
            for value in values:
                if value.end in lengths:
                    edge = source, starts[value.start], value.iterations
                    longest[edge] = max(longest.get(edge, 0.0), lengths[value.end])
        edges = [
            CarriedLatency(source=source, target=target, latency_cy=latency, iterations=spanned)
            for (source, target, spanned), latency in longest.items()
        ]
        floor = max([self._floor_cy(chain, spread) for chain in chains], default=0.0)
        return max(floor, longest_cycle(len(starts), edges))

    def _floor_cy(self, chain: Chain, spread: Accumulators) -> float:
        """Cycles per iteration of one operation of a chain, whatever else waits."""
        if chain.name in spread.names:
            return self._step_cy(chain) / spread.iterations
        return self._step_cy(chain) if chain.kind != "previous" and not chain.nodes else 0.0

    def _step_cy(self, chain: Chain) -> float:
        """One operation of the chain: partial results meet once an iteration."""
        if chain.nodes:
            last = chain.nodes[-1]
            return self._chained.get(last, self._own.get(last, 1.0))
        # a value of two is a conditional move where it is an integer of scalar code
        scalar = self.width_bytes is None
        if scalar and chain.type[:1] in "iu":
            return 1.0
        latency = self.operations.latency_cy("max", chain.type, self.width_bytes)
        return latency + (self._test_cy(chain.type) if scalar and chain.tested else 0.0)

    def _lengths(self, start: int, in_register: bool, maker: int) -> dict[int, float]:
        """Longest latencies to the values that need that of ``start``, which ``maker`` made."""
        loaded = self.graph.nodes[start].op == "load"
        own = self._own.get(start, 0.0) if loaded and not in_register else 0.0
        lengths = {start: own}
        for number in self.graph.live:
            if number <= start:
                continue
            args = self.graph.nodes[number].args
            known = [
                lengths[a] + self._from(maker if a == start else a, number, place)
                for place, a in enumerate(args)
                if a in lengths
            ]
            if known:
                lengths[number] = max(known)
        return lengths

    def _from(self, source: int, number: int, place: int) -> float:
        """From an argument to the result; multiply-adds take each other's sums sooner."""
        if place == 2 and source in self._chained and number in self._chained:
            return self._chained[number]
        return self._own[number]

    def _latency(self, node: GraphNode) -> float:
        if node.invariant or node.op in ("store", "carried", "index", "const", "scalar", "opaque"):
            return 0.0
        if node.op == "call":
            cycles = call_cycles(node.callee, node.type)
            return UNKNOWN_CALL_CYCLES if cycles is None else cycles
        name = CLASS_OF.get(node.op, "")
        if not name:
            return 0.0
        source = self.graph.nodes[node.args[0]].type if node.args else node.type
        if node.op == "convert" and source[:1] in "iub" and node.type[:1] in "iub":
            return 0.0 if self.width_bytes is None else 1.0
        if node.op == "convert":
            name = conversion_class(source, node.type)
        kind = source if node.op == "compare" or node.op in BIT_CLASSES else node.type
        real = {"c64": "f32", "c128": "f64"}.get(kind, kind)
        return self.operations.latency_cy(name, real, self.width_bytes)
