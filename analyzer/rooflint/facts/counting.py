"""Work of a whole function at numeric sizes: every statement times how often it runs."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rooflint.facts.space import EMPTY, space_of
from rooflint.facts.work import work_of
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
    return _Counter(values).nodes(function.body, ())


class _Counter:
    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values

    def nodes(self, nodes: Iterable[Node], loops: tuple[Loop, ...]) -> FunctionWork:
        total = NOTHING
        straight: list[Statement] = []
        for node in nodes:
            if isinstance(node, Statement):
                straight.append(node)
            elif isinstance(node, Loop):
                total = _sum(total, self.nodes(node.body, (*loops, node)))
            elif isinstance(node, Branch):
                straight.append(node.condition)
                then, orelse = self.nodes(node.then, loops), self.nodes(node.orelse, loops)
                total = _sum(total, max(then, orelse, key=_weight))
            elif isinstance(node, Region):
                total = _sum(total, self.nodes(node.body, loops))
        return _sum(total, self.statements(straight, loops)) if straight else total

    def statements(self, statements: list[Statement], loops: tuple[Loop, ...]) -> FunctionWork:
        work = work_of(statements)
        if not (work.flops or work.loads or work.stores):
            return NOTHING
        space = space_of(loops, self.values) if loops else EMPTY
        times = space.executions
        return FunctionWork(
            work.flops * times, work.loads * times, work.stores * times, space.inexact
        )


def _weight(work: FunctionWork) -> tuple[float, float]:
    return (work.flops, work.loads + work.stores)


def _sum(left: FunctionWork, right: FunctionWork) -> FunctionWork:
    return FunctionWork(
        left.flops + right.flops,
        left.loads + right.loads,
        left.stores + right.stores,
        left.inexact or right.inexact,
    )
