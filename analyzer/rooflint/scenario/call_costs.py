"""Calls of a file with the costs that the program gives them."""

from collections.abc import Mapping

from msgspec.structs import replace

from rooflint.ir import (
    Branch,
    Call,
    CallCost,
    Function,
    Loop,
    Node,
    Region,
    SourceFunction,
    Unit,
    walk,
)
from rooflint.ir.equations import copy_target


def with_call_costs(unit: Unit, costs: Mapping[str, CallCost]) -> Unit:
    """The file, its calls priced by their targets; what has no cost there keeps its own."""
    return unit._replace(
        functions=tuple([_CallPrices(source, costs).priced() for source in unit.functions])
    )


class _CallPrices:
    """One function, with the costs of calls by target: that of a copy by its line too."""

    def __init__(self, source: SourceFunction, costs: Mapping[str, CallCost]) -> None:
        self._source = source
        self._costs = costs

    def priced(self) -> SourceFunction:
        """The function with the costs."""
        function = self._source.function
        calls = [node for node in walk(function.body) if isinstance(node, Call)]
        if all(self._cost(call) is None for call in calls):
            return self._source
        priced: Function = replace(function, body=self._nodes(function.body))
        return self._source._replace(function=priced)

    def _cost(self, call: Call) -> CallCost | None:
        cost = self._costs.get(call.target)
        if cost is None and call.cost is not None and not call.cost.complete:
            line = self._source.spans[call.origin].line
            cost = self._costs.get(copy_target(call.target, line))
        if cost is not None and self._source.function.name in cost.recursive:
            # a recursion back to this function: its runs are executions of these very loops
            return cost._replace(cycles=0.0, shared=0.0, recursive=())
        return cost

    def _nodes(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple([self._node(node) for node in nodes])

    def _node(self, node: Node) -> Node:
        if isinstance(node, Call):
            cost = self._cost(node)
            return node if cost is None else replace(node, cost=cost)
        if isinstance(node, Loop | Region):
            return replace(node, body=self._nodes(node.body))
        if isinstance(node, Branch):
            then, orelse = self._nodes(node.then), self._nodes(node.orelse)
            return replace(node, then=then, orelse=orelse)
        return node
