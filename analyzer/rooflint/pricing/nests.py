"""Nests of a function as prices see them: kernels by loop, nodes that a change touches, and how
those run by themselves."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import is_
from typing import Final

from msgspec import structs

from rooflint.facts import KernelFacts, NestFootprint
from rooflint.ir import (
    ONE,
    ZERO,
    Access,
    Branch,
    Function,
    IdentityKey,
    Loop,
    Node,
    Statement,
    walk,
)
from rooflint.pipeline.on_machine import OnMachine
from rooflint.records import NamedTuple


def nests(facts: Iterable[KernelFacts]) -> Iterator[list[KernelFacts]]:
    """Kernels by their outermost loop, in program order."""
    nest: list[KernelFacts] = []
    for each in facts:
        if nest and nest[0].kernel.loops[0] is not each.kernel.loops[0]:
            yield nest
            nest = []
        nest.append(each)
    if nest:
        yield nest


def touched_nodes(function: Function, other: Function, changed: set[str]) -> tuple[Node, ...]:
    """Top-level nodes of a function that the other has not, or that go along with them."""
    same = set(map(IdentityKey, other.body))
    return tuple(
        [n for n in function.body if IdentityKey(n) not in same or _goes_along(n, changed)]
    )


IDLE: Final = Loop(index="@idle", lower=ZERO, upper=ZERO, step=ONE, body=())
"""In the place of an arm with loops: that there are some decides how often the other arm runs."""


class ChangedNodes(NamedTuple):
    """Nodes of a function, and those of a changed one that stand in their place."""

    before: tuple[Node, ...]
    after: tuple[Node, ...]

    @property
    def are_alike(self) -> bool:
        """Whether they are the same nodes."""
        return len(self.before) == len(self.after) and all(map(is_, self.before, self.after))


def without_idle_arms(nodes: ChangedNodes, changed: set[str]) -> ChangedNodes:
    """The same nodes without arms of branches that do not run with what the change touches.

    Of two arms each execution takes one, so what differs in the other neither finds the data of
    this one nor waits for it. An arm stays where it holds an array of ``changed``, and where the
    change moves nodes from one list to another.
    """
    if len(nodes.before) != len(nodes.after):
        return nodes
    pairs = zip(nodes.before, nodes.after, strict=True)
    lean = [_without_idle_arms(before, after, changed) for before, after in pairs]
    found = ChangedNodes(tuple([pair[0] for pair in lean]), tuple([pair[1] for pair in lean]))
    return nodes if ChangedNodes(nodes.before, found.before).are_alike else found


def _without_idle_arms(before: Node, after: Node, changed: set[str]) -> tuple[Node, Node]:
    if not (isinstance(before, Branch) and isinstance(after, Branch)) or before is after:
        return before, after
    if before.condition is not after.condition:
        return before, after
    then = _lean_arm(ChangedNodes(before.then, after.then), changed)
    orelse = _lean_arm(ChangedNodes(before.orelse, after.orelse), changed)
    if then.before is before.then and orelse.before is before.orelse:
        return before, after
    return (
        structs.replace(before, then=then.before, orelse=orelse.before),
        structs.replace(after, then=then.after, orelse=orelse.after),
    )


def _lean_arm(arm: ChangedNodes, changed: set[str]) -> ChangedNodes:
    if not arm.are_alike:
        return without_idle_arms(arm, changed)
    goes_along = any(access.array in changed for node in arm.before for access in _accesses(node))
    if goes_along or not loops_in(arm.before):
        return arm
    return ChangedNodes((IDLE,), (IDLE,))


def _goes_along(node: Node, names: set[str]) -> bool:
    if isinstance(node, Statement):
        return True
    return bool(names) and any(access.array in names for access in _accesses(node))


def _accesses(node: Node) -> Iterator[Access]:
    for each in walk((node,)):
        if isinstance(each, Statement):
            yield from each.accesses


class NodeRun(NamedTuple):
    """How nodes run: whether the straight code between their loops counts, and the bytes that the
    function touches elsewhere from one run to the next."""

    straight: bool
    between_bytes: float


class NodeRuns:
    """The runs of nodes of one function on one machine, each asked for once."""

    def __init__(self, on: OnMachine) -> None:
        self.on = on
        self._kernels: dict[tuple[IdentityKey, ...], list[KernelFacts]] = {}
        self._runs: dict[tuple[str, ...], NodeRun] = {}
        self._sizes: dict[tuple[str, ...], Mapping[str, int]] = {}
        self._pinned: dict[str, Mapping[str, int]] = {}
        self._touched: dict[tuple[tuple[str, int], ...], float] = {}

    def kernels_in(self, nodes: tuple[Node, ...]) -> Sequence[KernelFacts]:
        """The kernels of the function in some of its nodes, in program order."""
        key = tuple(map(IdentityKey, nodes))
        found = self._kernels.get(key)
        if found is None:
            # a loop inside another one opens no nest
            nested = [self._nests_by_loop.get(IdentityKey(loop), ()) for loop in loops_in(nodes)]
            numbers = sorted(chain.from_iterable(nested))
            found = [self.on.subject.facts[number] for number in numbers]
            self._kernels[key] = found
        return found

    @cached_property
    def _nests_by_loop(self) -> Mapping[IdentityKey, list[int]]:
        """The numbers of the kernels of each nest."""
        found: dict[IdentityKey, list[int]] = {}
        for number, each in enumerate(self.on.subject.facts):
            found.setdefault(IdentityKey(each.kernel.loops[0]), []).append(number)
        return found

    def sizes_of(self, nodes: tuple[Node, ...]) -> Mapping[str, int]:
        """The values that the report uses for the sizes of nests of the function."""
        kernels = self.kernels_in(nodes)
        key = tuple([each.kernel.id for each in kernels])
        sizes = self._sizes.get(key)
        if sizes is None:
            sizes = self._sizes[key] = self._pinned_sizes(kernels)
        return sizes

    def _pinned_sizes(self, kernels: Sequence[KernelFacts]) -> Mapping[str, int]:
        sizes: dict[str, int] = {}
        for nest in nests(kernels):
            first = nest[0].kernel.id
            if first not in self._pinned:
                values = self.on.sizes(nest).sizes
                self._pinned[first] = {name: size.value for name, size in values.items()}
            for name, value in self._pinned[first].items():
                sizes.setdefault(name, value)
        return sizes

    def run_of(self, nodes: tuple[Node, ...], sizes: Mapping[str, int]) -> NodeRun:
        """How ``nodes`` of the function run."""
        kernels = self.kernels_in(nodes)
        key = tuple([each.kernel.id for each in kernels])
        found = self._runs.get(key)
        if found is None:
            between = self._touched_outside(kernels, sizes)
            found = NodeRun(straight=self._fits(kernels, sizes), between_bytes=between)
            self._runs[key] = found
        return found

    def _fits(self, facts: Sequence[KernelFacts], sizes: Mapping[str, int]) -> bool:
        """Whether the caches hold the data: beside more, straight code takes no time that shows."""
        if not facts:
            return False
        cores = max([self.on.cores(each).number for each in facts])
        held = self.on.setup.rates_of(self.on.machine, cores).held_bytes
        return bool(held) and self._bytes_at(facts, sizes) < held[-1]

    def _touched_outside(self, kernels: Sequence[KernelFacts], sizes: Mapping[str, int]) -> float:
        every = self.on.subject.facts
        if len(kernels) == len(every):
            return 0.0
        values = {**self.sizes_of(self.on.subject.function.body), **sizes}
        key = tuple(values.items())
        whole = self._touched.get(key)
        if whole is None:
            whole = self._touched[key] = self._bytes_at(every, values)
        return max(0.0, whole - self._bytes_at(kernels, values))

    def _bytes_at(self, kernels: Sequence[KernelFacts], sizes: Mapping[str, int]) -> float:
        known = self.on.caches.footprints
        footprint = NestFootprint(kernels, self.on.arrays, self.on.machine.line_bytes, known)
        return footprint.bytes_at(sizes)


def loops_in(nodes: tuple[Node, ...]) -> list[Loop]:
    """All loops at or below ``nodes``, in program order."""
    return [node for node in walk(nodes) if isinstance(node, Loop)]
