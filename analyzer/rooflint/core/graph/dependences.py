"""What stands between the iterations of a loop in memory: dependences, and what may overlap.

Two accesses of one array that move alike have a distance in iterations. All others can only be
told apart when the program runs: a compiler compares the ranges that the pointers will cover, where
it can compute them, and keeps a second version of the loop for the case that they meet.
"""

from collections.abc import Mapping
from typing import NamedTuple

from rooflint.core.compiler import Compiler
from rooflint.core.graph.values import Graph, Node, Stride, access_text
from rooflint.dependence import FunctionMemory, MemoryReference, may_overlap
from rooflint.ir import Aliasing, Array, Loop, Reason, ReasonKind


class Flow(NamedTuple):
    """A load that reads what a store wrote so many iterations before; nodes of the graph."""

    load: int
    store: int
    iterations: int


class Dependences(NamedTuple):
    """What the memory accesses of a loop allow.

    flows      reads of what earlier iterations wrote, at a known distance
    width      the most iterations that may run side by side; None: any number
    why        where ``width`` is limited
    checks     pairs of address ranges to compare at run time before iterations may run side by side
    unbounded  an access whose range cannot be computed and that may overlap with a store
    private    memory that the loop keeps in one place and no other access can touch: held in a
               register during the loop (load and store nodes)
    clobbered  stores where another store may write as well
    store_pairs  pairs of ranges of different arrays that are stored to and may overlap; 0 where a
               range of the same array is among them, which no address check tells apart
    entangled  stores to one place that may touch what accesses in another range of their array do:
               clang proves ranges apart that touch, and compares none of one array at run time
    """

    flows: tuple[Flow, ...] = ()
    width: int | None = None
    why: Reason | None = None
    checks: int = 0
    unbounded: str = ""
    private: tuple[tuple[int, int], ...] = ()
    clobbered: frozenset[int] = frozenset()
    entangled: frozenset[int] = frozenset()
    store_pairs: int = 0


def dependences(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
) -> Dependences:
    """The dependences of the loop ``own``; ``arrays`` are the function's, by name."""
    stores = graph.accesses("store")
    if not stores:
        return Dependences()
    return _Finder(graph, arrays, compiler, own).found(stores, graph.accesses("load"))


def meets(a: Node, b: Node, arrays: Mapping[str, Array], compiler: Compiler) -> bool:
    """Whether the compiler must take accesses by two names for accesses to the same bytes.

    Compilers let types prove it for reads before writes too.
    """
    if a.access is None or b.access is None:
        return True
    memory = FunctionMemory(arrays, {}, Aliasing(strict=compiler.strict_aliasing, retyping=False))
    one, other = MemoryReference(a.access.array, a.type), MemoryReference(b.access.array, b.type)
    return may_overlap(one, other, memory)


class _Range(NamedTuple):
    """Accesses of one array that move alike: what is compared at run time with other ranges."""

    array: str
    stride: Stride
    loads: list[int]
    stores: list[int]


class _Finder:
    """Looks at every range with stores and every other."""

    def __init__(
        self, graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
    ) -> None:
        self.graph, self.arrays, self.compiler, self.own = graph, arrays, compiler, own
        self.flows: list[Flow] = []
        self.width: int | None = None
        self.why: Reason | None = None
        self.unbounded = ""
        self.pairs = 0
        self.shared: set[int] = set()
        self.clobbered: set[int] = set()
        self.entangled: set[int] = set()
        self.store_pairs = 0
        self.tied = False

    def found(self, stores: list[int], loads: list[int]) -> Dependences:
        ranges = self.ranges(stores, loads)
        for number, first in enumerate(ranges):
            if first.stores:
                self.within(first)
            for second in ranges[number + 1 :]:
                if first.stores or second.stores:
                    self.between(first, second)
        private = [
            (flow.load, flow.store)
            for flow in self.flows
            if self.graph.nodes[flow.store].stride == 0 and flow.store not in self.shared
        ]
        return Dependences(
            tuple(self.flows),
            self.width,
            self.why,
            self.pairs,
            self.unbounded,
            tuple(private),
            frozenset(self.clobbered),
            frozenset(self.entangled),
            0 if self.tied else self.store_pairs,
        )

    def ranges(self, stores: list[int], loads: list[int]) -> list[_Range]:
        found: dict[tuple[str, int], _Range] = {}
        for number in sorted((*stores, *loads)):
            node = self.graph.nodes[number]
            place = node.place
            assert place is not None
            key = (place.array, place.walk)
            if key not in found:
                found[key] = _Range(place.array, node.stride, [], [])
            (found[key].stores if node.op == "store" else found[key].loads).append(number)
        return list(found.values())

    def within(self, one: _Range) -> None:
        """Accesses a known distance apart."""
        nodes, stride = self.graph.nodes, one.stride
        if stride is None:
            self.shared.update(one.stores)
            return
        for store in one.stores:
            here, access = nodes[store].place, nodes[store].access
            assert here is not None
            assert access is not None
            for load in one.loads:
                there = nodes[load].place
                assert there is not None
                apart = there.displacement - here.displacement
                if stride == 0:
                    if apart == 0:
                        self.flows.append(Flow(load, store, 1))
                    elif abs(apart) < access.bytes:
                        self.shared.add(store)
                elif isinstance(stride, int) and apart and apart % stride == 0:
                    self.at_distance(store, load, apart // stride)

    def at_distance(self, store: int, load: int, iterations: int) -> None:
        """The load touches what the store touches ``iterations`` later."""
        if iterations < 0:
            self.flows.append(Flow(load, store, -iterations))
            if store > load:  # else the vector is stored before it is read
                self.limit(-iterations, load, "needs-earlier")
        elif load > store:
            self.limit(iterations, load, "overwritten-later")

    def limit(self, iterations: int, load: int, kind: ReasonKind) -> None:
        if self.width is None or iterations < self.width:
            self.width = iterations
            back = "the iteration" if iterations == 1 else f"{iterations} iterations"
            self.why = Reason(kind, (access_text(self.graph.nodes[load]), back))

    def between(self, first: _Range, second: _Range) -> None:
        """Accesses that only their addresses at run time can tell apart, if anything can."""
        nodes = self.graph.nodes
        a, b = nodes[_any(first)], nodes[_any(second)]
        if first.array != second.array:
            if not meets(a, b, self.arrays, self.compiler):
                return
        elif self.cross(first, second):
            return
        elif self.compiler.name == "clang" and self.differ(first, second):
            other = second if first.stores else first
            self.limit(1, _any(other), "moves-otherwise")
        if first.stores and second.stores:
            self.store_pairs += 1
            self.tied = self.tied or first.array == second.array
        for mine, others in ((first, second), (second, first)):
            self.shared.update(mine.stores)
            if others.stores:
                self.clobbered.update(mine.stores)
            if first.array == second.array:
                self.entangled.update([n for n in mine.stores if not self.touching(n, others)])
            if mine.stride is None and not self.unbounded:
                self.unbounded = access_text(nodes[_any(mine)])
        self.pairs += 1

    def differ(self, first: _Range, second: _Range) -> bool:
        """Whether two ranges of an array step differently: clang compares no addresses then."""
        known = isinstance(first.stride, int) and isinstance(second.stride, int)
        return known and 0 not in (first.stride, second.stride) and first.stride != second.stride

    def touching(self, store: int, others: _Range) -> bool:
        """Whether all that ``others`` covers in the loop ends where the store's one place begins,
        or begins where it ends: then clang proves that they are apart."""
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

    def cross(self, first: _Range, second: _Range) -> bool:
        """Whether two ranges of an array that move differently surely meet in the loop."""
        writing, other = (first, second) if first.stores else (second, first)
        nodes = self.graph.nodes
        for store in writing.stores:
            for number in (*other.loads, *other.stores):
                if self.meet(nodes[store], nodes[number]):
                    self.shared.add(store)
                    self.limit(1, number, "written-elsewhere")
                    return True
        return False

    def meet(self, store: Node, other: Node) -> bool:
        a, b = store.access, other.access
        if a is None or b is None or store.stride == other.stride:
            return False
        between = b.offset - a.offset
        paces = between.coefficient(self.own.index)
        pace = None if paces is None else paces.value
        if not pace or between.names() - {self.own.index} or between.unknowns():
            return False
        if other.stride != 0:
            return True
        meeting, rest = divmod(-between.terms.get((), 0), pace)
        first, end = self.own.lower.value, self.own.upper.value
        inside = (first is None or meeting >= first) and (end is None or meeting < end)
        return not rest and inside


def _any(one: _Range) -> int:
    return (one.stores or one.loads)[0]
