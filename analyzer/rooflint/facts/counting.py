"""Work of a whole function at numeric sizes: every statement times how often it runs."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from rooflint.facts.space import Space, rectangular_trips, space_of
from rooflint.facts.work import count_work
from rooflint.ir import Branch, Function, Loop, Node, Region, Statement


class FunctionWork(NamedTuple):
    """Totals over all iterations. ``inexact`` says why they are estimates, empty when exact."""

    flops: float
    loads: float
    stores: float
    inexact: str = ""


Spaces: TypeAlias = Mapping[tuple[int, ...], Space]
"""By the ``id`` of each loop."""


def function_work(
    function: Function, values: Mapping[str, int], spaces: Spaces | None = None
) -> FunctionWork:
    """All flops and accesses of ``function``, straight code between the loops included.

    A branch counts its condition and its heavier side. Needs a value for every size parameter.
    ``spaces`` are those that are known already at these values.
    """
    counter = _WorkCounter(values, spaces or {})
    counter.count(function.body, (), 1)
    return FunctionWork(counter.flops, counter.loads, counter.stores, counter.inexact)


class _WorkCounter:
    __slots__ = ("flops", "inexact", "loads", "spaces", "stores", "values")

    def __init__(self, values: Mapping[str, int], spaces: Spaces) -> None:
        self.values = values
        self.spaces = spaces
        self.flops: float = 0
        self.loads: float = 0
        self.stores: float = 0
        self.inexact = ""

    def count(self, nodes: Iterable[Node], loops: tuple[Loop, ...], times: int | None) -> None:
        """Adds the work of ``nodes`` inside ``loops``, which run them so many ``times``.

        ``times`` is None where the product of trip counts does not say.
        """
        straight: list[Statement] = []
        for node in nodes:
            if type(node) is Statement:
                straight.append(node)
            elif type(node) is Loop:
                trips = rectangular_trips(node, self.values) if times is not None else None
                inside = None if times is None or trips is None else times * trips
                self.count(node.body, (*loops, node), inside)
            elif type(node) is Branch:
                straight.append(node.condition)
                then, orelse = (_WorkCounter(self.values, self.spaces) for _ in range(2))
                then.count(node.then, loops, times)
                orelse.count(node.orelse, loops, times)
                self.add(max(then, orelse, key=_weight))
            elif type(node) is Region:
                self.count(node.body, loops, times)
        flops, loads, stores = count_work(straight) if straight else (0, 0, 0)
        if flops or loads or stores:
            executions: float | None = times
            if executions is None:
                space = self.spaces.get(tuple(map(id, loops))) or space_of(loops, self.values)
                executions = space.executions
                self.inexact = self.inexact or space.inexact
            self.flops += flops * executions
            self.loads += loads * executions
            self.stores += stores * executions

    def add(self, other: "_WorkCounter") -> None:
        self.flops += other.flops
        self.loads += other.loads
        self.stores += other.stores
        self.inexact = self.inexact or other.inexact


def _weight(work: _WorkCounter) -> tuple[float, float]:
    return (work.flops, work.loads + work.stores)
