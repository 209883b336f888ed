"""Work of a whole function at numeric sizes: every statement times how often it runs."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from rooflint.facts.guards import arms_of, excludes_loops, never_holds
from rooflint.facts.space import Space, fixed_loop, space_of
from rooflint.facts.work import count_work
from rooflint.ir import Branch, Function, Loop, Node, Poly, Region, Statement
from rooflint.records import NamedTuple


class FunctionWork(NamedTuple):
    """Totals over all iterations. ``inexact`` says why they are estimates, empty when exact."""

    flops: float
    loads: float
    stores: float
    inexact: str = ""


NOTHING_KNOWN: Final[Mapping[str, int]] = MappingProxyType({})
_Headers: TypeAlias = tuple[tuple[str, Poly, Poly, Poly], ...]


def _headers(loops: Iterable[Loop]) -> _Headers:
    return tuple([(loop.index, loop.lower, loop.upper, loop.step) for loop in loops])


def function_work(
    function: Function,
    values: Mapping[str, int],
    spaces: Iterable[Space] = (),
    known: Mapping[str, int] = NOTHING_KNOWN,
) -> FunctionWork:
    """All flops and accesses of ``function``, straight code between the loops included.

    A branch counts its condition and its heavier side, or the only one that ``known`` sizes let
    run; arms that both have loops count by their shares. Needs a value for every size parameter.
    ``spaces`` are those that are known already at these values.
    """
    counter = _WorkCounter(values, {_headers(space.loops): space for space in spaces}, known)
    counter.count(function.body, (), 1)
    return FunctionWork(
        flops=counter.flops, loads=counter.loads, stores=counter.stores, inexact=counter.inexact
    )


class _WorkCounter:
    __slots__ = ("flops", "inexact", "known", "loads", "spaces", "stores", "values")

    def __init__(
        self,
        values: Mapping[str, int],
        spaces: Mapping[_Headers, Space],
        known: Mapping[str, int],
    ) -> None:
        self.values = values
        self.known = known
        self.spaces = spaces
        self.flops: float = 0
        self.loads: float = 0
        self.stores: float = 0
        self.inexact = ""

    def count(self, nodes: Iterable[Node], loops: tuple[Loop, ...], times: int | None) -> None:
        """Adds the work of ``nodes`` inside ``loops``, which run them so many ``times``. ``times``
        is None where the product of trip counts does not say."""
        straight: list[Statement] = []
        for node in nodes:
            if type(node) is Statement:
                straight.append(node)
            elif type(node) is Loop:
                fixed = fixed_loop(node, self.values) if times is not None else None
                inside = None if times is None or fixed is None else times * fixed.trips
                self.count(node.body, (*loops, node), inside)
            elif type(node) is Branch:
                straight.append(node.condition)
                self._branch(node, loops, times)
            elif type(node) is Region:
                self.count(node.body, loops, times)
        self._straight(straight, loops, times)

    def _branch(self, branch: Branch, loops: tuple[Loop, ...], times: int | None) -> None:
        """Adds the work of the arms, of which each execution takes one."""
        arms: list[_WorkCounter] = []
        for nodes, own in zip((branch.then, branch.orelse), arms_of(branch), strict=True):
            arm = _WorkCounter(self.values, self.spaces, self.known)
            if never_holds(own.guards, self.known) is None:
                arm.count(nodes, loops, times)
            arm.scale(own.share_at(self.known) if excludes_loops(branch) else 1.0)
            arms.append(arm)
        for arm in arms if excludes_loops(branch) else [max(arms, key=_weight)]:
            self.add(arm)

    def scale(self, share: float) -> None:
        """Leaves a part of the work; whole numbers stay whole where all of it counts."""
        if share < 1:
            self.flops, self.loads, self.stores = (
                share * each for each in (self.flops, self.loads, self.stores)
            )

    def _straight(
        self, statements: list[Statement], loops: tuple[Loop, ...], times: int | None
    ) -> None:
        flops, loads, stores = count_work(statements) if statements else (0, 0, 0)
        if not (flops or loads or stores):
            return
        executions: float | None = times
        if executions is None:
            space = self.spaces.get(_headers(loops)) or space_of(loops, self.values)
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
