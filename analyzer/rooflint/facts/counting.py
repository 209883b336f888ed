"""Work of a whole function at numeric sizes: every statement times how often it runs."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rooflint.facts.space import rectangular_trips, space_of
from rooflint.facts.work import count_work
from rooflint.ir import Branch, Function, Loop, Node, Region, Statement


class FunctionWork(NamedTuple):
    """Totals over all iterations. ``inexact`` says why they are estimates, empty when exact."""

    flops: float
    loads: float
    stores: float
    inexact: str = ""


NOTHING = FunctionWork(0, 0, 0)


def function_work(function: Function, values: Mapping[str, int]) -> FunctionWork:
    """All flops and accesses of ``function``, straight code between the loops included.

    A branch counts its condition and its heavier side. Needs a value for every size parameter.
    """
    return _Counter(values).nodes(function.body, (), 1)


class _Counter:
    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values

    def nodes(
        self, nodes: Iterable[Node], loops: tuple[Loop, ...], times: int | None
    ) -> FunctionWork:
        """The work of ``nodes`` inside ``loops``, which run them so many ``times``.

        ``times`` is None where the product of trip counts does not say.
        """
        total = NOTHING
        straight: list[Statement] = []
        for node in nodes:
            if type(node) is Statement:
                straight.append(node)
            elif type(node) is Loop:
                trips = rectangular_trips(node, self.values) if times is not None else None
                inside = None if times is None or trips is None else times * trips
                total = _sum(total, self.nodes(node.body, (*loops, node), inside))
            elif type(node) is Branch:
                straight.append(node.condition)
                then = self.nodes(node.then, loops, times)
                orelse = self.nodes(node.orelse, loops, times)
                total = _sum(total, max(then, orelse, key=_weight))
            elif type(node) is Region:
                total = _sum(total, self.nodes(node.body, loops, times))
        return _sum(total, self.statements(straight, loops, times)) if straight else total

    def statements(
        self, statements: list[Statement], loops: tuple[Loop, ...], times: float | None
    ) -> FunctionWork:
        flops, loads, stores = count_work(statements)
        if not (flops or loads or stores):
            return NOTHING
        inexact = ""
        if times is None:
            space = space_of(loops, self.values)
            times, inexact = space.executions, space.inexact
        return FunctionWork(flops * times, loads * times, stores * times, inexact)


def _weight(work: FunctionWork) -> tuple[float, float]:
    return (work.flops, work.loads + work.stores)


def _sum(left: FunctionWork, right: FunctionWork) -> FunctionWork:
    if left is NOTHING or right is NOTHING:
        return right if left is NOTHING else left
    return FunctionWork(
        left.flops + right.flops,
        left.loads + right.loads,
        left.stores + right.stores,
        left.inexact or right.inexact,
    )
