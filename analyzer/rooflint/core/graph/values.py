"""One iteration of a kernel as a graph of values, after a compiler's scalar passes.

Equal values are one node (an element loaded twice, a product written twice), loop-invariant values
are computed before the loop, a stored element is not loaded again, and of two stores to one element
the last remains. Scalars passed from one iteration to the next stay in registers.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from rooflint import ir
from rooflint.core.graph.addresses import (
    Stride,
    address_operations,
    address_values,
    chased_pointers,
    loaded_through,
    moves_with,
    scattered_rows,
    stride_of,
)
from rooflint.core.graph.carried_integers import carried_integers, linear_in
from rooflint.core.graph.inner_loops import InnerWrites, writes_before
from rooflint.facts import Kernel
from rooflint.ir.identity import IdentityKey
from rooflint.ir.poly import PolyFunction
from rooflint.ir.written import names_in_form
from rooflint.library.bit_operations import BIT_FUNCTIONS
from rooflint.records import NamedTuple

LEAVES: Final = frozenset(("const", "scalar", "carried", "index"))

DIVIDES: Final = ("floordiv", "mod")
CARRIED: Final = "@"
"""Behind the name of a symbol that is what the previous iteration left in a scalar."""


class AccessPlace(NamedTuple):
    """The address of an access: ``walk`` numbers its moving part, ``displacement`` is the rest."""

    array: str
    walk: int
    displacement: int

    def distance(self, other: "AccessPlace") -> int | None:
        """Bytes from here to ``other``, where that is the same in all iterations."""
        if self.walk != other.walk or self.array != other.array:
            return None
        return other.displacement - self.displacement


class GraphNode(NamedTuple):
    """A value; ``args`` are positions of earlier nodes.

    ``invariant``: the same in every iteration, so it is computed once before the loop. ``poly``
    is an integer over indices and sizes, ``number`` a constant's value, ``scalar`` the source of
    a carried value, ``callee`` the called function, ``reason`` why a value is opaque.
    """

    op: str
    type: str
    args: tuple[int, ...] = ()
    access: ir.Access | None = None
    stride: Stride = 0
    statement: int = 0
    invariant: bool = False
    place: AccessPlace | None = None
    poly: ir.Poly | None = None
    number: int | float | None = None
    scalar: str = ""
    callee: str = ""
    reason: ir.Reason | None = None


class Graph(NamedTuple):
    """The values of one iteration.

    roots     the purpose of an iteration: stores, values for the next iteration, conditions, calls
    carried   by scalar: the node that reads its value of the previous iteration
    finals    by scalar: its node at the end of the iteration
    live      nodes that the roots need, in order
    uses      by node: the number of live nodes and carried scalars that use it
    kept      by scalar: the type of the variable that holds it between iterations
    """

    nodes: tuple[GraphNode, ...]
    roots: tuple[int, ...]
    carried: dict[str, int]
    finals: dict[str, int]
    live: tuple[int, ...]
    uses: tuple[int, ...]
    kept: Mapping[str, str] = {}

    def accesses(self, *ops: str) -> list[int]:
        """The live nodes of these operations that access an array in every iteration."""
        return [n for n in self.live if self.nodes[n].op in ops and not self.nodes[n].invariant]


def graph_of(kernel: Kernel) -> Graph:
    """The graph of one iteration of ``kernel``'s own loop."""
    builder = _Builder(kernel)
    for number, statement in enumerate(kernel.statements):
        builder.add(statement, number)
    return live_graph(
        builder.nodes, builder.roots(), builder.carried, builder.finals, builder.assigned
    )


def live_graph(
    nodes: list[GraphNode],
    roots: Iterable[int],
    carried: dict[str, int],
    finals: dict[str, int],
    kept_types: Mapping[str, str],
) -> Graph:
    """The graph of ``nodes``, reduced to the needs of its roots."""
    kept = tuple(dict.fromkeys(roots))
    uses = [0] * len(nodes)
    for root in kept:
        if nodes[root].op != "store":
            uses[root] += 1
    seen = [False] * len(nodes)
    waiting = list(kept)
    while waiting:
        number = waiting.pop()
        if seen[number]:
            continue
        seen[number] = True
        for argument in nodes[number].args:
            uses[argument] += 1
            waiting.append(argument)
    live = tuple([number for number, needed in enumerate(seen) if needed])
    return Graph(
        nodes=tuple(nodes),
        roots=kept,
        carried=carried,
        finals=finals,
        live=live,
        uses=tuple(uses),
        kept=kept_types,
    )


class _Builder:
    """Numbers the values of statements in program order."""

    def __init__(self, kernel: Kernel) -> None:
        own = kernel.loops[-1]
        self.index, self.step = own.index, own.step
        self.innermost = kernel.innermost
        self.nodes: list[GraphNode] = []
        self.known: dict[object, int] = {}
        self.carried: dict[str, int] = {}
        self.finals: dict[str, int] = {}
        self.stores: dict[AccessPlace, int] = {}
        self.memory: dict[str, dict[AccessPlace, int]] = {}
        self.walks: dict[ir.Poly, int] = {}
        self.effects: list[int] = []
        self.strides: dict[ir.Poly, Stride] = {}
        values = [value for statement in kernel.statements for value in statement.values]
        self.assigned = {value.name: value.type for value in values if value.op == "assign"}
        self.chased = chased_pointers(kernel)
        self.scattered = scattered_rows(kernel)
        self.waiting: set[int] = set()
        self.address_since = 0
        self.stored = {a.array for s in kernel.statements for a in s.accesses if a.write}
        self.integers = carried_integers(own) if kernel.innermost else {}
        self.inner = writes_before(own)
        self.stored.update(*[writes.arrays for writes in self.inner.values()])
        self.left: dict[str, int] = {}

    def roots(self) -> list[int]:
        """Values that must be computed; scalars that only live on after the loop count where it has
        loops inside, which may read them, or nothing else to do."""
        self.hand_on_integers()
        handed = [self.finals[name] for name in self.carried if name in self.finals]
        roots = [*self.stores.values(), *handed, *self.effects]
        if not self.innermost or not roots:
            roots += self.finals.values()
        return [r for r in roots if not self.nodes[r].invariant or self.nodes[r].op == "store"]

    def add(self, statement: ir.Statement, number: int) -> None:
        values = statement.values
        places: list[int] = []
        self.address_since = 0
        if (writes := self.inner.get(IdentityKey(statement))) is not None:
            self.run_inner(writes, number)
        for value in values:
            places.append(self.place(value, places, statement, number))
        if values and values[-1].op not in ("store", "assign"):
            self.effects.append(places[-1])
        for pointer in self.chased.intersection(loaded_through(statement)):
            self.finals[pointer] = places[-1]

    def run_inner(self, writes: InnerWrites, number: int) -> None:
        """Forgets what loops inside change: it differs from one iteration to the next."""
        for array in writes.arrays:
            self.memory.pop(array, None)
        for name, kind in writes.scalars.items():
            node = GraphNode("scalar", kind, statement=number, scalar=name)
            self.left[name] = self.finals[name] = self.add_node(node)
            self.assigned.setdefault(name, kind)

    def place(
        self, value: ir.Value, places: list[int], statement: ir.Statement, number: int
    ) -> int:
        args = tuple([places[argument] for argument in value.args])
        if value.op == "assign":
            self.left.pop(value.name, None)
            self.finals[value.name] = args[0]
            return args[0]
        if value.op == "load":
            return self.load(value, places, statement, number)
        if value.op == "store":
            return self.store(value, args, statement, number)
        if value.op == "scalar" and value.name in self.finals:
            return self.finals[value.name]
        if value.op == "carried" and value.name in self.assigned:
            return self.read_carried(value.name, value.type)
        if isinstance(value, ir.IndexValue):
            return self.add_index(value.type, value.poly, number)
        node = GraphNode(value.op, value.type, args, statement=number)
        bits = BIT_FUNCTIONS.get(value.callee) if value.op == "call" else None
        if bits is not None:
            node = node._replace(op=bits.operation)
        elif value.op == "call":
            self.effects.append(len(self.nodes))
            return self.add_node(node._replace(callee=value.callee))
        if value.op == "opaque":
            return self.add_node(node._replace(reason=value.reason))
        invariant = all(self.nodes[a].invariant for a in args)
        node = node._replace(invariant=invariant, number=ir.literal_number(value))
        return self.share_node(node, ir.with_operands(value, args))

    def add_node(self, node: GraphNode) -> int:
        number = len(self.nodes)
        self.nodes.append(node)
        if node.op == "carried" or not self.waiting.isdisjoint(node.args):
            self.waiting.add(number)
        return number

    def share_node(self, node: GraphNode, key: object) -> int:
        number = self.known.get(key)
        if number is None:
            number = self.known[key] = self.add_node(node)
        return number

    def read_carried(self, name: str, kind: str) -> int:
        number = self.left.get(name, self.carried.get(name))
        if number is None:
            number = self.carried[name] = self.add_node(GraphNode("carried", kind, scalar=name))
        return number

    def add_index(self, kind: str, poly: ir.Poly, number: int) -> int:
        """An integer in closed form; ``s@`` in it is what the previous iteration left in ``s``."""
        symbols = sorted(name for name in poly.names() if name.endswith(CARRIED))
        names = [symbol.removesuffix(CARRIED) for symbol in symbols]
        names = [name for name in names if name in self.assigned]
        if names:
            args = tuple([self.read_carried(name, kind) for name in names])
            if len(args) == 1 and poly == ir.Poly.symbol(names[0] + CARRIED):
                return args[0]
            return self.share_node(
                GraphNode("add", kind, args, statement=number, poly=poly), (kind, args, poly)
            )
        carried = self.carried_in(poly)
        if carried is not None:
            return self.add_carried(kind, poly, carried, number)
        moves = self.index in poly.mentions() or any(not u.depends for u in poly.unknowns())
        self.add_divisions(poly, number)
        return self.share_node(
            GraphNode(
                "index", kind, statement=number, invariant=not moves, poly=poly, number=poly.value
            ),
            ir.IndexValue(type=kind, poly=poly),
        )

    def carried_in(self, poly: ir.Poly) -> ir.Unknown | None:
        """A variable in ``poly`` that the previous iteration hands on."""
        if not self.integers:
            return None
        return next((each for each in poly.unknowns() if each.text in self.integers), None)

    def add_carried(self, kind: str, poly: ir.Poly, unknown: ir.Unknown, number: int) -> int:
        """An integer made of what the previous iteration left in the variable of ``unknown``."""
        found = self.read_carried(unknown.text, kind)
        if (linear := linear_in(poly, unknown)) is None:
            for operation in tuple(address_operations(poly)) or ("add",):
                found = self.add_node(GraphNode(operation, kind, (found, found), statement=number))
            return found
        factor, rest = linear
        if factor != 1:
            by = ir.Const(type="i32", spelling=str(factor), number=factor)
            known = GraphNode("const", "i32", statement=number, invariant=True, number=factor)
            args = (found, self.share_node(known, by))
            value = ir.Arithmetic(op="mul", type=kind, args=args)
            found = self.share_node(GraphNode("mul", kind, args, statement=number), value)
        if rest.value != 0:
            args = (found, self.add_index("i32", rest, number))
            value = ir.Arithmetic(op="add", type=kind, args=args)
            found = self.share_node(GraphNode("add", kind, args, statement=number), value)
        return found

    def hand_on_integers(self) -> None:
        """Makes the values that the next iteration finds in integers that no statement assigns."""
        for name, integer in self.integers.items():
            last = integer.handed_on
            if last is not None and last.value is not None and name not in self.finals:
                self.finals[name] = self.add_index(last.type, last.value, 0)

    def address_of(
        self, access: ir.Access, places: list[int], statement: ir.Statement
    ) -> tuple[int, ...]:
        """The values in an address that wait for the previous iteration."""
        made = address_values(statement.values, self.address_since, len(places))
        self.address_since = len(places)
        found = {places[position] for position in made}
        names = [name for u in access.offset.unknowns() for name in names_in_form(u.form)]
        for name in dict.fromkeys(names):
            if name in self.finals:
                found.add(self.finals[name])
            elif name in self.assigned or name in self.chased:
                found.add(self.read_carried(name, self.assigned.get(name, "ptr")))
        waits = tuple(sorted(found & self.waiting))
        for operation in address_operations(access.offset) if waits else ():
            waits = (self.add_node(GraphNode(operation, "i64", waits)),)
        return waits

    def load(self, value: ir.Load, places: list[int], statement: ir.Statement, number: int) -> int:
        access = statement.accesses[value.access]
        place = self.place_of(access)
        known = self.memory.setdefault(access.array, {})
        if place not in known:
            node = self.access_node(value, access, place, number)
            waits = self.address_of(access, places, statement) if node.stride is None else ()
            invariant = node.stride == 0 and access.array not in self.stored
            known[place] = self.add_node(node._replace(args=waits, invariant=invariant))
        return known[place]

    def store(
        self, value: ir.Store, args: tuple[int, ...], statement: ir.Statement, number: int
    ) -> int:
        access = statement.accesses[value.access]
        place = self.place_of(access)
        known = self.memory.setdefault(access.array, {})
        for other in list(known):
            distance = place.distance(other)
            if other != place and (distance is None or abs(distance) < access.bytes):
                del known[other]
        node = self.access_node(value, access, place, number)
        self.stores[place] = self.add_node(node._replace(args=args))
        known[place] = args[0]
        return self.stores[place]

    def access_node(
        self, value: ir.Load | ir.Store, access: ir.Access, place: AccessPlace, number: int
    ) -> GraphNode:
        return GraphNode(
            op=value.op,
            type=value.type,
            access=access,
            stride=self.stride(access, number),
            statement=number,
            place=place,
        )

    def place_of(self, access: ir.Access) -> AccessPlace:
        offset = access.offset
        displacement = offset.terms.get((), 0)
        moving = offset - displacement if displacement else offset
        return AccessPlace(
            access.array, self.walks.setdefault(moving, len(self.walks)), displacement
        )

    def add_divisions(self, offset: ir.Poly, number: int) -> None:
        """Divisions of moving values by unknown ones; quotient and remainder share one."""
        for atom in {atom for monomial in offset.terms for atom in monomial}:
            if (
                isinstance(atom, PolyFunction)
                and atom.kind in DIVIDES
                and moves_with(atom, self.index)
            ):
                top, by = atom.operands
                if by.value is None:
                    args = tuple([self.add_index("i32", each, number) for each in (top, by)])
                    quotient = ir.Arithmetic(op="div", type="i32", args=args)
                    self.effects.append(
                        self.share_node(GraphNode("div", "i32", args, statement=number), quotient)
                    )

    def stride(self, access: ir.Access, number: int) -> Stride:
        offset = access.offset
        if offset not in self.strides:
            self.add_divisions(offset, number)
            self.strides[offset] = stride_of(offset, self.index, self.step)
        stride = self.strides[offset]
        in_rows = isinstance(stride, ir.Poly) and access.array in self.scattered
        return None if in_rows else stride
