"""Calls of a file with the costs that the program gives them."""

from collections.abc import Iterable, Mapping

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
from rooflint.ir.equations import target_at_line
from rooflint.records import NamedTuple


def with_call_costs(unit: Unit, costs: Mapping[str, CallCost]) -> Unit:
    """The file, its calls priced by their targets; what has no cost there keeps its own."""
    return CallPricing().with_costs(unit, costs)


class _PricedFunction(NamedTuple):
    """A function before and after, its calls, and the cost of each."""

    source: SourceFunction
    calls: tuple[Call, ...]
    costs: list[CallCost | None]
    priced: SourceFunction


class CallPricing:
    """Prices the calls of a file; of a function whose calls keep their costs, the last answer."""

    def __init__(self) -> None:
        self._last: dict[str, list[_PricedFunction]] = {}

    def with_costs(self, unit: Unit, costs: Mapping[str, CallCost]) -> Unit:
        """As ``with_call_costs``."""
        functions = [self._function(source, costs) for source in unit.functions]
        self._last = {}
        for each in functions:
            self._last.setdefault(each.source.function.name, []).append(each)
        return unit._replace(functions=tuple([each.priced for each in functions]))

    def _function(self, source: SourceFunction, costs: Mapping[str, CallCost]) -> _PricedFunction:
        prices, alike = _CallPrices(source, costs), self._last.get(source.function.name, ())
        known = next((each for each in alike if each.source is source), None)
        if known is None:
            calls = tuple([n for n in walk(source.function.body) if isinstance(n, Call)])
        elif known.costs == prices.of(known.calls):
            return known
        else:
            calls = known.calls
        own = prices.of(calls)
        priced = prices.priced() if any(own) else source
        return _PricedFunction(source=source, calls=calls, costs=own, priced=priced)


class _CallPrices:
    """One function, with the costs of calls by target: that of a copy by its line too."""

    def __init__(self, source: SourceFunction, costs: Mapping[str, CallCost]) -> None:
        self._source = source
        self._costs = costs

    def of(self, calls: Iterable[Call]) -> list[CallCost | None]:
        """The cost that each call gets; None for one that keeps its own."""
        return [self._cost(call) for call in calls]

    def priced(self) -> SourceFunction:
        """The function with the costs."""
        function = self._source.function
        priced: Function = replace(function, body=self._nodes(function.body))
        return self._source._replace(function=priced)

    def _cost(self, call: Call) -> CallCost | None:
        cost = None
        if call.target and (call.cost is None or not call.cost.complete):
            line = self._source.spans[call.origin].line
            cost = self._costs.get(target_at_line(call.target, line))
        if cost is None:
            cost = self._costs.get(call.target)
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
