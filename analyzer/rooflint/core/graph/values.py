"""One iteration of a kernel as a graph of values: what a compiler has left after its scalar passes.

Equal values are one node (an element loaded twice, a product written twice), what does not change
in the loop is computed before it, a stored element is not loaded again, and of two stores to one
element the last remains. Scalars that an iteration hands to the next stay in registers.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from rooflint import ir
from rooflint.facts import Kernel
from rooflint.ir.poly import Function
from rooflint.records import NamedTuple

Stride: TypeAlias = int | ir.Poly | None
"""Bytes per iteration of the kernel's own loop; None where it is not linear in its index."""

LEAVES: Final = frozenset(("const", "scalar", "carried", "index"))

DIVIDES: Final = ("floordiv", "mod")
CARRIED: Final = "@"
"""Behind the name of a symbol that is what the previous iteration left in a scalar."""


class AccessPlace(NamedTuple):
    """Where an access goes: ``walk`` numbers what moves, ``displacement`` is bytes from there."""

    array: str
    walk: int
    displacement: int

    def apart(self, other: "AccessPlace") -> int | None:
        """Bytes from here to ``other``, where that is the same in all iterations."""
        if self.walk != other.walk or self.array != other.array:
            return None
        return other.displacement - self.displacement


class GraphNode(NamedTuple):
    """A value; ``args`` are positions of earlier nodes.

    ``invariant``: the same in every iteration, so it is computed once before the loop.
    ``poly`` is an integer over indices and sizes, ``number`` a constant's value, ``scalar`` what a
    carried value is read from, ``callee`` the function that is called, ``reason`` why a value is
    opaque.
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

    roots     what an iteration is for: stores, values handed on, conditions, calls
    carried   by scalar: the node that reads what the previous iteration left
    finals    by scalar: the node it has at the end of the iteration
    live      nodes that the roots need, in order
    uses      by node: how many live nodes and hand-overs use it
    """

    nodes: tuple[GraphNode, ...]
    roots: tuple[int, ...]
    carried: dict[str, int]
    finals: dict[str, int]
    live: tuple[int, ...]
    uses: tuple[int, ...]

    def accesses(self, *ops: str) -> list[int]:
        """The live nodes of these operations that access an array in every iteration."""
        return [n for n in self.live if self.nodes[n].op in ops and not self.nodes[n].invariant]


def graph_of(kernel: Kernel) -> Graph:
    """The graph of one iteration of ``kernel``'s own loop."""
    builder = _Builder(kernel)
    for number, statement in enumerate(kernel.statements):
        builder.add(statement, number)
    return live_graph(builder.nodes, builder.roots(), builder.carried, builder.finals)


def live_graph(
    nodes: list[GraphNode], roots: Iterable[int], carried: dict[str, int], finals: dict[str, int]
) -> Graph:
    """The graph of ``nodes`` with what its roots need."""
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
        nodes=tuple(nodes), roots=kept, carried=carried, finals=finals, live=live, uses=tuple(uses)
    )


def stride_of(offset: ir.Poly, index: str, step: ir.Poly) -> Stride:
    """How far ``offset`` moves per iteration of the loop over ``index``."""
    factor = 0
    rest: list[ir.Poly] = []
    for monomial, coefficient in offset.terms.items():
        if monomial == (index,):
            factor = coefficient
        elif index in monomial:
            found = offset.coefficient(index)
            if found is None:
                return None
            rest.append(found)
            break
        elif any(not isinstance(atom, str) and _moves(atom, index) for atom in monomial):
            return None
    if rest:
        return rest[0] * step
    size = step.value
    return factor * size if size is not None else step * factor


def access_text(node: GraphNode) -> str:
    """``a[i - 1]`` as the source has it; the array's name where it walks a pointer."""
    access = node.access
    assert access is not None
    return access.array + "".join([f"[{subscript}]" for subscript in access.subscripts])


def _moves(atom: object, index: str) -> bool:
    if isinstance(atom, ir.Unknown):
        return not atom.depends or index in atom.depends
    return index in ir.Poly.symbol(atom).names() or any(  # type: ignore[arg-type]
        not u.depends or index in u.depends
        for u in ir.Poly.symbol(atom).unknowns()  # type: ignore[arg-type]
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
        self.assigned = {value.name for value in values if value.op == "assign"}
        self.stored = {a.array for s in kernel.statements for a in s.accesses if a.write}

    def roots(self) -> list[int]:
        """Values that must be computed; scalars that only live on after the loop count where it has
        loops inside, which may read them, or nothing else to do."""
        handed = [self.finals[name] for name in self.carried if name in self.finals]
        roots = [*self.stores.values(), *handed, *self.effects]
        if not self.innermost or not roots:
            roots += self.finals.values()
        return [r for r in roots if not self.nodes[r].invariant or self.nodes[r].op == "store"]

    def add(self, statement: ir.Statement, number: int) -> None:
        values = statement.values
        places: list[int] = []
        for value in values:
            places.append(self.place(value, places, statement, number))
        if values and values[-1].op not in ("store", "assign"):
            self.effects.append(places[-1])

    def place(
        self, value: ir.Value, places: list[int], statement: ir.Statement, number: int
    ) -> int:
        args = tuple([places[argument] for argument in value.args])
        if value.op == "assign":
            self.finals[value.name] = args[0]
            return args[0]
        if value.op == "load":
            return self.load(value, statement, number)
        if value.op == "store":
            return self.store(value, args, statement, number)
        if value.op == "scalar" and value.name in self.finals:
            return self.finals[value.name]
        if value.op == "carried" and value.name in self.assigned:
            return self.hand_over(value.name, value.type)
        if isinstance(value, ir.IndexValue):
            return self.indexed(value.type, value.poly, number)
        node = GraphNode(value.op, value.type, args, statement=number)
        if value.op == "call":
            self.effects.append(len(self.nodes))
            return self.distinct(node._replace(callee=value.callee))
        if value.op == "opaque":
            return self.distinct(node._replace(reason=value.reason))
        invariant = all(self.nodes[a].invariant for a in args)
        node = node._replace(invariant=invariant, number=ir.literal_number(value))
        return self.shared(node, ir.with_operands(value, args))

    def distinct(self, node: GraphNode) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def shared(self, node: GraphNode, key: object) -> int:
        number = self.known.get(key)
        if number is None:
            number = self.known[key] = self.distinct(node)
        return number

    def hand_over(self, name: str, kind: str) -> int:
        number = self.carried.get(name)
        if number is None:
            number = self.carried[name] = self.distinct(GraphNode("carried", kind, scalar=name))
        return number

    def indexed(self, kind: str, poly: ir.Poly, number: int) -> int:
        """An integer in closed form; ``s@`` in it is what the previous iteration left in ``s``."""
        symbols = sorted(name for name in poly.names() if name.endswith(CARRIED))
        names = [symbol.removesuffix(CARRIED) for symbol in symbols]
        names = [name for name in names if name in self.assigned]
        if names:
            args = tuple([self.hand_over(name, kind) for name in names])
            if len(args) == 1 and poly == ir.Poly.symbol(names[0] + CARRIED):
                return args[0]
            return self.shared(
                GraphNode("add", kind, args, statement=number, poly=poly), (kind, args, poly)
            )
        moves = self.index in poly.mentions() or any(not u.depends for u in poly.unknowns())
        return self.shared(
            GraphNode(
                "index", kind, statement=number, invariant=not moves, poly=poly, number=poly.value
            ),
            ir.IndexValue(type=kind, poly=poly),
        )

    def load(self, value: ir.Load, statement: ir.Statement, number: int) -> int:
        access = statement.accesses[value.access]
        place = self.place_of(access)
        known = self.memory.setdefault(access.array, {})
        if place not in known:
            stride = self.stride(access.offset, number)
            invariant = stride == 0 and access.array not in self.stored
            known[place] = self.distinct(
                GraphNode(
                    op="load",
                    type=value.type,
                    args=(),
                    access=access,
                    stride=stride,
                    statement=number,
                    invariant=invariant,
                    place=place,
                )
            )
        return known[place]

    def store(
        self, value: ir.Store, args: tuple[int, ...], statement: ir.Statement, number: int
    ) -> int:
        access = statement.accesses[value.access]
        place = self.place_of(access)
        known = self.memory.setdefault(access.array, {})
        for other in list(known):
            apart = place.apart(other)
            if other != place and (apart is None or abs(apart) < access.bytes):
                del known[other]
        stride = self.stride(access.offset, number)
        self.stores[place] = self.distinct(
            GraphNode(
                op="store",
                type=value.type,
                args=args,
                access=access,
                stride=stride,
                statement=number,
                place=place,
            )
        )
        known[place] = args[0]
        return self.stores[place]

    def place_of(self, access: ir.Access) -> AccessPlace:
        offset = access.offset
        displacement = offset.terms.get((), 0)
        moving = offset - displacement if displacement else offset
        return AccessPlace(
            access.array, self.walks.setdefault(moving, len(self.walks)), displacement
        )

    def divided(self, offset: ir.Poly, number: int) -> None:
        """Quotients and remainders of what moves by what is not known: an instruction for both."""
        for atom in {atom for monomial in offset.terms for atom in monomial}:
            if isinstance(atom, Function) and atom.kind in DIVIDES and _moves(atom, self.index):
                top, by = atom.operands
                if by.value is None:
                    args = tuple([self.indexed("i32", each, number) for each in (top, by)])
                    quotient = ir.Arithmetic(op="div", type="i32", args=args)
                    self.effects.append(
                        self.shared(GraphNode("div", "i32", args, statement=number), quotient)
                    )

    def stride(self, offset: ir.Poly, number: int) -> Stride:
        if offset not in self.strides:
            self.divided(offset, number)
            self.strides[offset] = stride_of(offset, self.index, self.step)
        return self.strides[offset]
