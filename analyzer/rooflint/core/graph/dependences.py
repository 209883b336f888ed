"""Dependences through memory between the iterations of a loop, and accesses that may overlap.

Two accesses of one array with the same stride have a distance in iterations. All others can only be
distinguished at run time: a compiler compares the ranges that the pointers will cover, if it can
compute them, and keeps a second version of the loop for ranges that overlap.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.graph.addresses import Stride, meetings_in_arms, steps_by_one, stride_of
from rooflint.core.graph.elements import access_text, element_text
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.dependence import FunctionMemory, MemoryReference, may_overlap, own_object
from rooflint.ir import (
    Access,
    Aliasing,
    Array,
    Branch,
    Loop,
    Poly,
    Reason,
    ReasonKind,
    Statement,
)
from rooflint.records import NamedTuple
from rooflint.transform.nest.scalars import exposed_scalars

LEAST_WIDTH: Final = 2
MOST_WIDTH: Final = 64
"""LLVM, VectorizerParams::MaxVectorWidth."""
THROUGH_MEMORY: Final = 8
"""Vectors between store and load for each byte of an element, after which nobody waits."""


class Flow(NamedTuple):
    """A load that reads the value stored this many iterations earlier; load and store are graph
    nodes.
    """

    load: int
    store: int
    iterations: int


class MemoryConstraints(NamedTuple):
    """Constraints of a loop's memory accesses on vectorisation.

    flows      loads of values that earlier iterations stored, at a known distance
    width      the most iterations that may run in parallel; None: any number
    why        the reason for a limited ``width``
    checks     pairs of address ranges to compare at run time before iterations run in parallel
    unbounded  an access whose range cannot be computed and that may overlap with a store, if any
    private    a fixed memory location that no other access can touch: held in a register during
               the loop (load and store nodes)
    clobbered  stores to memory that another store may write too
    store_pairs  pairs of ranges of different arrays that are stored to and may overlap; 0 if a
               range of the same array is among them, which no address check can distinguish
    entangled  stores to one location that accesses in another range of their array may touch:
               compilers prove that adjacent ranges are disjoint, and compare none of one array at
               run time
    """

    flows: tuple[Flow, ...] = ()
    width: int | None = None
    why: Reason | None = None
    checks: int = 0
    unbounded: str | None = None
    private: tuple[tuple[int, int], ...] = ()
    clobbered: frozenset[int] = frozenset()
    entangled: frozenset[int] = frozenset()
    store_pairs: int = 0


def memory_constraints(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
) -> MemoryConstraints:
    """The dependences of the loop ``own``; ``arrays`` are the function's, by name."""
    stores = graph.accesses("store")
    if not stores:
        return MemoryConstraints()
    return _ConstraintSearch(graph, arrays, compiler, own).constraints(
        stores, graph.accesses("load")
    )


def forwarding_width(iterations: int, size: int) -> int:
    """The most iterations in a vector with which a load of ``size`` bytes so many iterations after
    the store still gets its value from the store buffer, or finds it in the cache (LLVM,
    MemoryDepChecker::couldPreventStoreLoadForward)."""
    width = LEAST_WIDTH
    while width <= MOST_WIDTH:
        if iterations % width and iterations // width < THROUGH_MEMORY * size:
            return width // 2
        width *= 2
    return MOST_WIDTH


def memory_as_compiled(
    arrays: Mapping[str, Array], cells: Mapping[str, Array], compiler: Compiler
) -> FunctionMemory:
    """Arrays and cells with the rules that the compiler goes by."""
    return FunctionMemory(arrays, cells, Aliasing(strict=compiler.strict_aliasing, retyping=False))


def meets(a: GraphNode, b: GraphNode, arrays: Mapping[str, Array], compiler: Compiler) -> bool:
    """Whether the compiler must assume that accesses by two names touch the same bytes.

    Compilers let types prove the contrary only for reads before writes too.
    """
    return _meets(a, b, memory_as_compiled(arrays, {}, compiler))


def _meets(a: GraphNode, b: GraphNode, memory: FunctionMemory) -> bool:
    if a.access is None or b.access is None:
        return True
    one, other = MemoryReference(a.access.array, a.type), MemoryReference(b.access.array, b.type)
    return may_overlap(one, other, memory)


def stores_neighbour(graph: Graph, store: int) -> bool:
    """Whether an iteration stores beside the element that the one before has stored, or there."""
    node = graph.nodes[store]
    assert node.access is not None
    return isinstance(node.stride, int) and abs(node.stride) in (0, node.access.bytes)


def stores_next(graph: Graph, store: int, own: Loop) -> bool:
    """The same, or the next element along a subscript, rows of a known length apart: LLVM finds the
    element of the iteration before in the address of this one (GVN, PHITransAddr)."""
    node = graph.nodes[store]
    assert node.access is not None
    in_row = isinstance(node.stride, int) and steps_by_one(node.access, own)
    return in_row or stores_neighbour(graph, store)


class _AccessRange(NamedTuple):
    """Accesses of one array that move alike: what is compared at run time with other ranges."""

    array: str
    stride: Stride
    loads: list[int]
    stores: list[int]


class _ConstraintSearch:
    def __init__(
        self, graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
    ) -> None:
        self.graph, self.arrays, self.compiler, self.own = graph, arrays, compiler, own
        self.memory = memory_as_compiled(arrays, {}, compiler)
        self.flows: list[Flow] = []
        self.width: int | None = None
        self.why: Reason | None = None
        self.unbounded: str | None = None
        self.pairs = 0
        self.shared: set[int] = set()
        self.clobbered: set[int] = set()
        self.entangled: set[int] = set()
        self.store_pairs = 0
        self.tied = False
        direct = [node for node in own.body if isinstance(node, Statement)]
        self.certain = frozenset([a for statement in direct for a in statement.accesses])

    def constraints(self, stores: list[int], loads: list[int]) -> MemoryConstraints:
        ranges = self.ranges(stores, loads)
        meeting = self.possible_meetings(ranges)
        for number, first in enumerate(ranges):
            if first.stores:
                self.within(first)
            for second in meeting(number):
                if first.stores or second.stores:
                    self.between(first, second)
        self.between_arms()
        private = [
            (flow.load, flow.store)
            for flow in self.flows
            if self.graph.nodes[flow.store].stride == 0 and flow.store not in self.shared
        ]
        return MemoryConstraints(
            flows=tuple(self.flows),
            width=self.width,
            why=self.why,
            checks=self.pairs,
            unbounded=self.unbounded,
            private=tuple(private),
            clobbered=frozenset(self.clobbered),
            entangled=frozenset(self.entangled),
            store_pairs=0 if self.tied else self.store_pairs,
        )

    def ranges(self, stores: list[int], loads: list[int]) -> list[_AccessRange]:
        found: dict[tuple[str, int], _AccessRange] = {}
        for number in sorted((*stores, *loads)):
            node = self.graph.nodes[number]
            place = node.place
            assert place is not None
            key = (place.array, place.walk)
            if key not in found:
                found[key] = _AccessRange(
                    array=place.array, stride=node.stride, loads=[], stores=[]
                )
            (found[key].stores if node.op == "store" else found[key].loads).append(number)
        return list(found.values())

    def possible_meetings(
        self, ranges: list[_AccessRange]
    ) -> Callable[[int], Iterable[_AccessRange]]:
        """By a range's number: those behind it, without those of other objects than its own."""
        objects = [own_object(self.memory.object_of(self.any_of(one).array)) for one in ranges]
        numbers: dict[str | None, list[int]] = {None: []}
        for number, name in enumerate(objects):
            numbers.setdefault(name, []).append(number)

        def behind(number: int) -> Iterable[_AccessRange]:
            if objects[number] is None:
                return ranges[number + 1 :]
            near = sorted([*numbers[objects[number]], *numbers[None]])
            return [ranges[other] for other in near if other > number]

        return behind

    def within(self, one: _AccessRange) -> None:
        if one.stride is None:
            self.shared.update(one.stores)
            return
        for store in one.stores:
            for load in one.loads:
                self.same_walk(store, load, one.stride)

    def same_walk(self, store: int, load: int, stride: int | Poly) -> None:
        """A load and a store that move alike, in one place or at a distance in iterations."""
        node = self.graph.nodes[store]
        here, there = node.place, self.graph.nodes[load].place
        assert node.access is not None
        assert here is not None
        assert there is not None
        apart = there.displacement - here.displacement
        if stride == 0:
            if apart == 0:
                self.flows.append(Flow(load, store, 1))
            elif abs(apart) < node.access.bytes:
                self.shared.add(store)
        elif isinstance(stride, int) and apart and apart % stride == 0:
            self.at_distance(store, load, apart // stride)

    def at_distance(self, store: int, load: int, iterations: int) -> None:
        """The load touches what the store touches ``iterations`` later."""
        stored, loaded = self.access(store), self.access(load)
        if iterations < 0:
            self.flows.append(Flow(load, store, -iterations))
            in_register = iterations == -1 and {stored, loaded} <= self.certain
            if store > load or not in_register:
                self.read_later(loaded, -iterations, store > load)
        elif load > store:
            self.limit(iterations, loaded, "overwritten-later")

    def read_later(self, load: Access, iterations: int, loads_first: bool) -> None:
        """An iteration loads what one so many iterations before it has stored.

        Where the store comes first in an iteration, so does that of a vector; LLVM then takes any
        width, unless two iterations side by side would wait for the store already.
        """
        forwarded = iterations
        if self.compiler.traits.keeps_forwarding:
            forwarded = min(iterations, forwarding_width(iterations, load.bytes))
        if loads_first or (forwarded < LEAST_WIDTH and self.compiler.traits.keeps_forwarding):
            self.limit(forwarded, load, "needs-earlier", iterations)

    def between_arms(self) -> None:
        """The same for accesses of different arms of branches, of which the graph has one."""
        if not any(isinstance(node, Branch) for node in self.own.body):
            return
        nodes = [self.graph.nodes[number] for number in self.graph.accesses("load", "store")]
        present = {node.access for node in nodes}
        for load, iterations, loads_first in meetings_in_arms(self.own, present):
            self.apart_in_arms(load, iterations, loads_first)

    def apart_in_arms(self, load: Access, iterations: int, loads_first: bool) -> None:
        if iterations < 0:
            self.read_later(load, -iterations, loads_first)
        elif not loads_first:
            self.limit(iterations, load, "overwritten-later")

    def limit(
        self, most: int, load: Access, kind: ReasonKind, iterations: int | None = None
    ) -> None:
        if self.width is None or most < self.width:
            self.width = most
            apart = most if iterations is None else iterations
            back = f"{apart} iteration{'s' * (apart != 1)}"
            self.why = Reason(kind, (element_text(load), back))

    def access(self, number: int) -> Access:
        found = self.graph.nodes[number].access
        assert found is not None
        return found

    def any_of(self, one: _AccessRange) -> Access:
        return self.access(_any(one))

    def between(self, first: _AccessRange, second: _AccessRange) -> None:
        """Accesses that only their addresses at run time can tell apart, if anything can."""
        nodes, same = self.graph.nodes, first.array == second.array
        if same:
            if self.cross(first, second):
                return
            if not self.compiler.traits.compares_strides and self.differ(first, second):
                self.limit(1, self.any_of(second if first.stores else first), "moves-otherwise")
        elif not _meets(nodes[_any(first)], nodes[_any(second)], self.memory):
            return
        if first.stores and second.stores:
            self.store_pairs += 1
            self.tied = self.tied or same
        self.overlapping(first, second)
        self.overlapping(second, first)
        self.pairs += 1

    def overlapping(self, mine: _AccessRange, others: _AccessRange) -> None:
        self.shared.update(mine.stores)
        if others.stores:
            self.clobbered.update(mine.stores)
        if mine.array == others.array:
            self.entangled.update([n for n in mine.stores if not self.touching(n, others)])
        if mine.stride is None and self.unbounded is None:
            self.unbounded = access_text(self.graph.nodes[_any(mine)])

    def differ(self, first: _AccessRange, second: _AccessRange) -> bool:
        known = isinstance(first.stride, int) and isinstance(second.stride, int)
        return known and 0 not in (first.stride, second.stride) and first.stride != second.stride

    def touching(self, store: int, others: _AccessRange) -> bool:
        """Whether all that ``others`` covers in the loop ends where the store's one place begins,
        or begins where it ends: compilers prove that they are disjoint."""
        here = self.graph.nodes[store]
        assert here.access is not None
        if here.stride != 0:
            return False
        for number in (*others.loads, *others.stores):
            access, stride = self.graph.nodes[number].access, others.stride
            if access is None or not isinstance(stride, int) or abs(stride) != access.bytes:
                return False
            first, last = (self.own.lower, self.own.upper)[:: 1 if stride > 0 else -1]
            begin = access.offset.substitute({self.own.index: first})
            end = access.offset.substitute({self.own.index: last})
            after, before = begin - here.access.offset, end - here.access.offset
            if after.value != here.access.bytes and before.value != 0:
                return False
        return True

    def cross(self, first: _AccessRange, second: _AccessRange) -> bool:
        """Whether two ranges of an array that move differently surely meet in the loop."""
        writing, other = (first, second) if first.stores else (second, first)
        nodes = self.graph.nodes
        for store in writing.stores:
            for number in (*other.loads, *other.stores):
                if self.meet(nodes[store], nodes[number]):
                    self.shared.add(store)
                    self.limit(1, self.access(number), "written-elsewhere")
                    return True
        return False

    def meet(self, store: GraphNode, other: GraphNode) -> bool:
        """Whether the other access surely touches, in some iteration, what the store does."""
        a, b = store.access, other.access
        if a is None or b is None or store.stride == other.stride:
            return False
        between = b.offset - a.offset
        coefficient = between.coefficient(self.own.index)
        step = None if coefficient is None else coefficient.value
        if not step or between.names() - {self.own.index} or between.unknowns():
            return False
        if other.stride != 0:
            return True
        meeting, rest = divmod(-between.terms.get((), 0), step)
        return not rest and self.runs(meeting)

    def runs(self, index: int) -> bool:
        """Whether no bound of the loop is known to leave this value of its index out."""
        first, end = self.own.lower.value, self.own.upper.value
        return (first is None or index >= first) and (end is None or index < end)


def _any(one: _AccessRange) -> int:
    return (one.stores or one.loads)[0]


def resumed_values(graph: Graph, flows: tuple[Flow, ...], around: Loop) -> Iterator[int]:
    """Nodes that the next execution of the loop goes on from: values of scalars that the loop
    ``around`` does not set anew, and of sums in one place that it does not move."""
    for name in exposed_scalars(around.body):
        if name in graph.finals:
            yield graph.finals[name]
    for flow in flows:
        store = graph.nodes[flow.store]
        assert store.access is not None
        moves = stride_of(store.access.offset, around.index, around.step) != 0
        if store.stride == 0 and not moves:
            yield from (flow.store, *store.args[:1])
