"""Entries of the schedulers: how many instructions may wait for their operands at once.

An instruction holds an entry from its dispatch until its operands are there. Where one iteration
dispatches ``W`` of them in order and the k-th has its operands ``r_k`` cycles after the iteration
began, an iteration of ``T`` cycles keeps ``(sum of r_k - T W / 2) / T`` entries in use by Little's
law. Of ``N`` entries, then, ``T >= sum of r_k / (N + W / 2)``: a sum of 27 values in order takes 84
cycles, of which some 15 remain with 64 entries, whatever the ports could do.

Floating-point and vector instructions have schedulers of their own on some cores. A store holds an
entry until its value is there. Loads hold entries while their addresses are made, which they seldom
wait for, and are left out.
"""

from collections.abc import Collection, Iterable, Sequence

from rooflint.core.graph.chains import Chain
from rooflint.core.graph.dependences import Flow
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.latency import Latencies
from rooflint.core.issue.micro_ops import SchedulerUse
from rooflint.core.issue.operations import CLASS_OF
from rooflint.machine import Buffers
from rooflint.records import NamedTuple


class ScheduledCode(NamedTuple):
    """One way to run the loop: ``width`` iterations at once, some values of which stay in registers
    (``absent``), and others come from an earlier iteration (``starts``)."""

    width: int
    absent: Collection[int]
    starts: Collection[int]


def scheduler_use(latencies: Latencies, buffers: Buffers, code: ScheduledCode) -> SchedulerUse:
    """The use of an iteration of ``code``; none on a core that states no entries."""
    graph = latencies.graph
    scheduled = [n for n in graph.live if _is_scheduled(graph.nodes[n]) and n not in code.absent]
    vectors = [n for n in scheduled if code.width > 1 or graph.nodes[n].type[:1] in "fc"]
    others = sorted({*scheduled}.difference(vectors))
    waiting = _dependents(graph, code.starts)
    uses = [
        _use_of(vectors, buffers.vector_rs or buffers.rs, waiting, latencies, code.width),
        _use_of(others, buffers.rs, waiting, latencies, code.width),
    ]
    return SchedulerUse(
        held=max(uses[0].held, uses[1].held), least_cy=max(uses[0].least_cy, uses[1].least_cy)
    )


def _use_of(
    numbers: Sequence[int],
    entries: int | None,
    waiting: Collection[int],
    latencies: Latencies,
    width: int,
) -> SchedulerUse:
    """The use by the instructions ``numbers`` of so many entries."""
    if not entries:
        return SchedulerUse()
    ordered, arrivals = latencies.ordered, latencies.arrivals
    held = sum([width if n in ordered else 1 for n in numbers if n in waiting]) / entries
    total = sum([arrivals[n] for n in numbers if n not in ordered])
    return SchedulerUse(held=held / width, least_cy=total / (entries + len(numbers) / 2) / width)


def carried_values(graph: Graph, chains: Iterable[Chain], flows: Iterable[Flow]) -> frozenset[int]:
    """The values that an iteration takes from an earlier one, and that wait for another such value:
    what the earlier one has merely loaded has long been there."""
    scalars = {chain.name for chain in chains if chain.name in graph.carried}
    loads = {flow.load for flow in flows}
    while True:
        found = {graph.carried[name] for name in scalars} | loads
        waiting = _dependents(graph, found)
        kept = {name for name in scalars if graph.finals.get(name) in waiting}
        if kept == scalars:
            return frozenset(found)
        scalars = kept


def _is_scheduled(node: GraphNode) -> bool:
    return node.op in CLASS_OF and node.op != "load" and not node.invariant


def _dependents(graph: Graph, starts: Iterable[int]) -> set[int]:
    """The values that need one of ``starts``."""
    found = set(starts)
    for number in graph.live:
        if not found.isdisjoint(graph.nodes[number].args):
            found.add(number)
    return found
