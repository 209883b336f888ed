"""What stands between the iterations of a loop in memory: dependences, and what may overlap.

Two accesses of one array that move alike have a distance in iterations. All others can only be
told apart when the program runs: a compiler compares the ranges that the pointers will cover, where
it can compute them, and keeps a second version of the loop for the case that they meet.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from rooflint.core.compiler import Compiler
from rooflint.core.graph import Graph, Node, Stride, access_text
from rooflint.ir import Array, Loop, Poly

OWN_STORAGE: Final = frozenset(("local", "heap", "global"))
BYTE_TYPES: Final = frozenset(("i8", "u8"))
"""Character types: accesses of them may touch objects of any type."""


class Flow(NamedTuple):
    """A load that reads what a store wrote so many iterations before; nodes of the graph."""

    load: int
    store: int
    iterations: int


class Dependences(NamedTuple):
    """What the memory accesses of a loop allow.

    flows      reads of what earlier iterations wrote, at a known distance
    width      the most iterations that may run side by side; None: any number
    why        in words, where ``width`` is limited
    checks     pairs of address ranges to compare at run time before iterations may run side by side
    unbounded  an access whose range cannot be computed and that may overlap with a store
    private    memory that the loop keeps in one place and no other access can touch: held in a
               register during the loop (load and store nodes)
    stores     pairs of stores that may touch the same place
    entangled  stores that may touch what accesses in two or more other ranges of their array do:
               clang tells one range apart at run time, and gives up on more
    """

    flows: tuple[Flow, ...] = ()
    width: int | None = None
    why: str = ""
    checks: int = 0
    unbounded: str = ""
    private: tuple[tuple[int, int], ...] = ()
    stores: tuple[frozenset[int], ...] = ()
    entangled: frozenset[int] = frozenset()

    def clobbers(self, store: int) -> bool:
        """Whether another store may write where this one does."""
        return any(store in pair for pair in self.stores)


def dependences(
    graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
) -> Dependences:
    """The dependences of the loop ``own``; ``arrays`` are the function's, by name."""
    stores = graph.accesses("store")
    if not stores:
        return Dependences()
    return _Finder(graph, arrays, compiler, own).found(stores, graph.accesses("load"))


def may_overlap(a: Node, b: Node, arrays: Mapping[str, Array], compiler: Compiler) -> bool:
    """Whether accesses of two differently named arrays can touch the same bytes."""
    first, second = _array(a, arrays), _array(b, arrays)
    if first is None or second is None:
        return True
    if first.restrict or second.restrict:
        return False
    if first.storage in OWN_STORAGE and second.storage in OWN_STORAGE:
        return False
    if {first.storage, second.storage} & {"local", "heap"}:
        return False
    if compiler.strict_aliasing and not {a.type, b.type} & BYTE_TYPES:
        return _same_type(a.type, b.type)
    return True


def _array(node: Node, arrays: Mapping[str, Array]) -> Array | None:
    return arrays.get(node.access.array) if node.access else None


def _same_type(first: str, second: str) -> bool:
    signs = {first[:1], second[:1]}
    return first == second or (signs == {"i", "u"} and first[1:] == second[1:])


class _Finder:
    """Looks at every pair of a store and another access."""

    def __init__(
        self, graph: Graph, arrays: Mapping[str, Array], compiler: Compiler, own: Loop
    ) -> None:
        self.graph, self.arrays, self.compiler, self.own = graph, arrays, compiler, own
        self.flows: list[Flow] = []
        self.width: int | None = None
        self.why = ""
        self.unbounded = ""
        self.pairs: set[frozenset[object]] = set()
        self.shared: set[int] = set()
        self.stores: set[frozenset[int]] = set()
        self.entangled: dict[int, set[object]] = {}

    def found(self, stores: list[int], loads: list[int]) -> Dependences:
        nodes = self.graph.nodes
        for place, store in enumerate(stores):
            for other in (*loads, *stores[place + 1 :]):
                a, b = nodes[store].access, nodes[other].access
                assert a is not None
                assert b is not None
                if a.array == b.array:
                    self.same_array(store, other, (b.offset - a.offset).value)
                elif may_overlap(nodes[store], nodes[other], self.arrays, self.compiler):
                    self.compare(store, other)
        private = self.private(stores, loads)
        return Dependences(
            tuple(self.flows),
            self.width,
            self.why,
            len(self.pairs),
            self.unbounded,
            private,
            tuple(self.stores),
            frozenset([store for store, ranges in self.entangled.items() if len(ranges) > 1]),
        )

    def same_array(self, store: int, other: int, apart: int | None) -> None:
        """Accesses of one array, ``apart`` bytes from the store's to the other's."""
        nodes = self.graph.nodes
        stride = nodes[store].stride
        if stride is None or nodes[other].stride != stride or apart is None:
            if stride == 0 and nodes[other].stride == 0 and apart is None:
                self.shared.add(store)
            if self.cross(nodes[store], nodes[other]):
                self.limit(1, other, "is elsewhere written by this loop")
                return
            self.entangled.setdefault(store, set()).add(_group(nodes[other]))
            self.compare(store, other)
            return
        access = nodes[store].access
        assert access is not None
        if not isinstance(stride, int):
            # rows of an unknown length: within a row nothing meets
            if abs(apart) >= access.bytes:
                return
        elif stride == 0:
            if abs(apart) < access.bytes and nodes[other].op == "load":
                self.flows.append(Flow(other, store, 1))
            return
        elif apart % stride:
            return
        else:
            self.at_distance(store, other, apart // stride)

    def at_distance(self, store: int, other: int, iterations: int) -> None:
        """The other access touches what the store touches ``iterations`` later."""
        if nodes_op(self.graph, other) != "load" or iterations == 0:
            return
        if iterations < 0:
            self.flows.append(Flow(other, store, -iterations))
            if store > other:  # else the vector is stored before it is read
                self.limit(-iterations, other, "needs what {back} before wrote")
        elif other > store:
            self.limit(iterations, other, "is read after {back} earlier wrote the one before it")

    def cross(self, store: Node, other: Node) -> bool:
        """Whether two accesses that move differently surely meet while the loop runs."""
        a, b = store.access, other.access
        assert a is not None
        assert b is not None
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

    def limit(self, iterations: int, other: int, words: str) -> None:
        if self.width is None or iterations < self.width:
            self.width = iterations
            back = "the iteration" if iterations == 1 else f"{iterations} iterations"
            self.why = f"{access_text(self.graph.nodes[other])} {words.format(back=back)}"

    def compare(self, store: int, other: int) -> None:
        """Two accesses that only their addresses at run time can tell apart."""
        nodes = self.graph.nodes
        self.shared.add(store)
        if nodes[other].op == "store":
            self.stores.add(frozenset((store, other)))
        for node in (nodes[store], nodes[other]):
            if node.stride is None and not self.unbounded:
                self.unbounded = access_text(node)
        self.pairs.add(frozenset((_group(nodes[store]), _group(nodes[other]))))

    def private(self, stores: list[int], loads: list[int]) -> tuple[tuple[int, int], ...]:
        kept = {flow.store: flow.load for flow in self.flows if self.in_place(flow)}
        alone = [store for store in stores if store in kept and store not in self.shared]
        nodes = self.graph.nodes
        found = []
        for store in alone:
            others = [n for n in (*loads, *stores) if n not in (store, kept[store])]
            same = [n for n in others if _name(nodes[n]) == _name(nodes[store])]
            if not any(self.meets(store, other) for other in same):
                found.append((kept[store], store))
        return tuple(found)

    def in_place(self, flow: Flow) -> bool:
        return self.graph.nodes[flow.store].stride == 0

    def meets(self, store: int, other: int) -> bool:
        a, b = self.graph.nodes[store].access, self.graph.nodes[other].access
        assert a is not None
        assert b is not None
        apart = (b.offset - a.offset).value
        return apart is None or abs(apart) < a.bytes


def nodes_op(graph: Graph, number: int) -> str:
    """The operation of one node."""
    return graph.nodes[number].op


def _name(node: Node) -> str:
    return node.access.array if node.access else ""


def _group(node: Node) -> tuple[str, Stride, Poly]:
    """Accesses a constant distance apart are one range."""
    access = node.access
    assert access is not None
    return access.array, node.stride, access.offset - access.offset.terms.get((), 0)
