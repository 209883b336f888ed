"""Operations, loads and stores that some iterations lack, because data decide."""

from collections.abc import Container, Iterable, Iterator
from typing import Final

from rooflint.core.graph.carried_integers import reads_variable
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.vectorize.vectorizer import VectorLoop
from rooflint.ir import (
    Access,
    Assignment,
    Branch,
    ControlFlowGraph,
    Function,
    IdentityKey,
    IndexValue,
    Load,
    Loop,
    Node,
    Poly,
    Reason,
    Region,
    Relation,
    Statement,
    Value,
    literal_number,
    walk,
)
from rooflint.records import NamedTuple

ORDERED: Final = ("<", "<=", ">", ">=")


def conditional_operations(loop: VectorLoop) -> Iterator[tuple[str, str]]:
    """Operations under a condition, with their types."""
    for number in chosen_values(loop):
        yield loop.written.nodes[number].op, loop.written.nodes[number].type
    for arm in _arms(loop):
        for statement in arm:
            yield from [(value.op, value.type) for value in statement.values]


def chosen_values(loop: VectorLoop) -> Iterator[int]:
    """The values that nothing but one side of a selection, or the second of two tests, needs, where
    data decide."""
    graph = loop.written
    waiting = [
        argument
        for node in [graph.nodes[number] for number in graph.live]
        if _decides(loop, node)
        for argument in node.args[1:]
    ]
    while waiting:
        number = waiting.pop()
        node = graph.nodes[number]
        if graph.uses[number] == 1 and not node.invariant:
            yield number
            waiting += node.args


def _decides(loop: VectorLoop, node: GraphNode) -> bool:
    """Whether a value's first operand decides if the others are needed."""
    if node.op in ("and", "or") and node.type == "bool":
        return True
    if node.op != "select" or loop.written.nodes[node.args[0]].invariant:
        return False
    return not _splits(loop.kernel.statements[node.statement], loop.kernel.loops[-1])


def _branches(loop: VectorLoop) -> list[Branch]:
    """Those that the data of an iteration decide: others leave the loop, or split it in two."""
    own = loop.kernel.loops[-1]
    return [
        node
        for node in own.body
        if isinstance(node, Branch)
        and not is_steady(node.condition, own)
        and not _splits(node.condition, own)
    ]


def is_steady(condition: Statement, loop: Loop) -> bool:
    """Whether it is the same in all iterations (``-funswitch-loops``)."""
    assigned = _types_set(loop)
    return all(_is_steady(value, loop, assigned) for value in condition.values)


def _is_steady(value: Value, loop: Loop, assigned: Container[str]) -> bool:
    if isinstance(value, IndexValue):
        return loop.index not in value.poly.mentions()
    if value.op == "scalar":
        return value.name not in assigned
    return value.op in ("const", "compare", "convert", "not")


def _splits(condition: Statement, loop: Loop) -> bool:
    """Whether a comparison of the index holds up to some iteration, or from there on, as the only
    one that decides, in a loop whose end is no constant (``-fsplit-loops``)."""
    relations = [value for value in condition.values if isinstance(value, Relation)]
    if len(relations) != 1 or relations[0].operator not in ORDERED or loop.upper.value is not None:
        return False
    left, right = [_side(condition.values[each], loop.index) for each in relations[0].args]
    return left is not None and right is not None and _is_split_at(left, right)


class _ComparedSide(NamedTuple):
    """Of a comparison: the index and a constant, or a value that stays the same (None: unknown)."""

    moves: bool
    constant: int | None


def _is_split_at(left: _ComparedSide, right: _ComparedSide) -> bool:
    """Whether it is the index alone, or a constant: ``i + 1 < 8`` is ``i < 7``."""
    moving, other = (left, right) if left.moves else (right, left)
    return moving.moves > other.moves and (moving.constant == 0 or other.constant is not None)


def _side(value: Value, index: str) -> _ComparedSide | None:
    if not isinstance(value, IndexValue):
        number = literal_number(value)
        stays = value.op == "scalar" or isinstance(number, int)
        return _ComparedSide(False, number if isinstance(number, int) else None) if stays else None
    beside = (value.poly - Poly.symbol(index)).value
    if beside is not None:
        return _ComparedSide(True, beside)
    varies = value.poly.unknowns() or index in value.poly.names()
    return None if varies else _ComparedSide(False, value.poly.value)


def _arms(loop: VectorLoop) -> Iterator[list[Statement]]:
    """The statements of each arm, of arms inside it too."""
    for branch in _branches(loop):
        for arm in (branch.then, branch.orelse):
            yield [node for node in walk(arm) if isinstance(node, Statement)]


def masked_stores(loop: VectorLoop) -> list[Access]:
    """Stores of arms to places that the other arm does not store to."""
    return [
        access
        for branch in _branches(loop)
        for node in walk((*branch.then, *branch.orelse))
        if isinstance(node, Statement)
        for access in node.accesses
        if access.write and access not in _always_stored((branch,))
    ]


def tests_index_alone(loop: VectorLoop) -> bool:
    """Whether no condition asks for more than the index and constants: clang peels the iterations
    off that decide otherwise (LoopPeel)."""
    conditions = [branch.condition for branch in _branches(loop)]
    values = [value for condition in conditions for value in condition.values]
    return bool(values) and all(
        isinstance(value, IndexValue) or value.op in ("const", "compare") for value in values
    )


def stores_in_arms(loop: VectorLoop) -> list[Access]:
    """All stores that a condition decides on, those to one place by either arm too."""
    return [
        access
        for arm in _arms(loop)
        for statement in arm
        for access in statement.accesses
        if access.write
    ]


def conditional_last_values(loop: VectorLoop) -> list[str]:
    """Scalars that a condition sets to a value that changes, and that the loop itself never reads:
    the code behind it does."""
    own = loop.kernel.loops[-1]
    read = set(_scalars_read(own))
    statements = [statement for arm in _arms(loop) for statement in arm if statement.values]
    assigned = [
        target.name
        for statement in statements
        for target in statement.values[-1:]
        if isinstance(target, Assignment) and target.name not in read
        if any(_changes(value, own.index) for value in statement.values)
    ]
    unknown = {each.name for each in own.extra_inductions if not each.known}
    return assigned + [
        each.variable
        for each in own.definitions
        if each.condition == "branch" and each.variable in unknown - read
        if each.value is not None and not reads_variable(each.value, each.variable)
        if each.value.unknowns() or own.index in each.value.names()
    ]


def _scalars_read(loop: Loop) -> Iterator[str]:
    for node in walk(loop.body):
        found = node.condition if isinstance(node, Branch) else node
        for value in found.values if isinstance(found, Statement) else ():
            yield from _names_read(value)


def _names_read(value: Value) -> Iterator[str]:
    if value.op in ("scalar", "carried"):
        yield value.name
    elif isinstance(value, IndexValue):
        yield from [unknown.variable for unknown in value.poly.unknowns()]


def _changes(value: Value, index: str) -> bool:
    """Whether a value is loaded, called for, or computed from the index of the loop."""
    if isinstance(value, IndexValue):
        return index in value.poly.names()
    return value.op in ("load", "call", "carried")


def switch_reason(loop: Loop, function: Function) -> Reason | None:
    """A ``switch`` that an iteration runs: gcc and clang vectorize chains of conditions, and none
    that one value selects from ("control flow in loop", "loop contains a switch statement").

    Indices have no names of their own: a body's graph was made right after its loop was numbered.
    """
    switches = [graph for graph in function.graphs if _is_switch(graph, loop)]
    if not switches:
        return None
    loops = [n for n in walk(function.body) if isinstance(n, Loop) and n.index == loop.index]
    starts = [_loop_before(graph, loops) for graph in switches]
    return Reason("switch") if loop.origin in starts else None


def _is_switch(graph: ControlFlowGraph, loop: Loop) -> bool:
    own = (graph.form, graph.loop) == ("loop", loop.index)
    return own and any(edge.kind == "case" for edge in graph.edges)


def _loop_before(graph: ControlFlowGraph, loops: Iterable[Loop]) -> int:
    """The number of the last of the loops that was numbered before a graph."""
    first = min([origin for block in graph.blocks for origin in block.origins], default=0)
    return max([loop.origin for loop in loops if loop.origin < first], default=-1)


class OtherArms(NamedTuple):
    """Work of vector code beside the arms that a kernel counts, as the heavier ones.

    statements  of the lighter arms
    chosen      types of the scalars that take one of two values
    zeroed      types of the sums whose addend is cleared by a mask, where no load under one does so
    """

    statements: tuple[Statement, ...] = ()
    chosen: tuple[str, ...] = ()
    zeroed: tuple[str, ...] = ()

    def types_of_choices(self, stores: Iterable[GraphNode]) -> list[str]:
        """Types of the elements, among those that another arm stores too, once for each arm: of
        three values for one place two are selected, one after the other."""
        types = {
            (node.access.array, node.access.offset): node.type for node in stores if node.access
        }
        written = [
            each for statement in self.statements for each in statement.accesses if each.write
        ]
        places = [(each.array, each.offset) for each in written]
        return [types[place] for place in places if place in types]


def other_arms(loop: VectorLoop) -> OtherArms:
    """The arms of branches that data decide, without those that lead out of the loop."""
    branches = _branches(loop)
    if not branches or tests_index_alone(loop):
        return OtherArms()
    taken = {IdentityKey(statement) for statement in loop.kernel.statements}
    found = [each for each in _of_arms(branches) if IdentityKey(each) not in taken]
    chosen, added = _conditional_scalars(loop)
    types = _types_set(loop.kernel.loops[-1])
    return OtherArms(
        statements=tuple(found),
        chosen=tuple([types[name] for name in chosen]),
        zeroed=tuple([types[name] for name in added]),
    )


def _conditional_scalars(loop: VectorLoop) -> tuple[list[str], list[str]]:
    """Scalars that are selected, and sums whose addend no load under a mask has cleared."""
    sums = {chain.name for chain in loop.chains if chain.kind == "sum"}
    chosen, added = sorted(loop.conditional - sums), sorted(loop.conditional & sums)
    cleared = any(loop.graph.nodes[number].op == "load" for number in loop.under_mask)
    return chosen, [] if cleared else added


def _types_set(loop: Loop) -> dict[str, str]:
    """The types of the scalars that statements of a loop set."""
    statements = [node for node in walk(loop.body) if isinstance(node, Statement)]
    values = [value for statement in statements for value in statement.values]
    return {value.name: value.type for value in values if value.op == "assign"}


def _of_arms(nodes: Iterable[Node], inside: bool = False) -> Iterator[Statement]:
    for node in nodes:
        if isinstance(node, Statement) and inside:
            yield node
        elif isinstance(node, Branch) and not any(node.exit_paths):
            yield node.condition
            yield from _of_arms((*node.then, *node.orelse), True)
        elif isinstance(node, Region):
            yield from _of_arms(node.body, inside)


def nodes_under_mask(loop: VectorLoop, graph: Graph) -> frozenset[int]:
    """Loads and stores of a graph of the loop that vector code makes under a mask."""
    stored = {(access.array, access.offset) for access in masked_stores(loop)}
    loaded = {(access.array, access.offset) for access in masked_loads(loop)}
    found = []
    for number in graph.accesses("load", "store"):
        node = graph.nodes[number]
        places = stored if node.op == "store" else loaded
        if node.access is not None and (node.access.array, node.access.offset) in places:
            found.append(number)
    return frozenset(found)


def _always_stored(nodes: tuple[Node, ...]) -> set[Access]:
    """The places that every way through the nodes stores to: one store with a selection."""
    found: set[Access] = set()
    for node in nodes:
        if isinstance(node, Statement):
            found.update(access for access in node.accesses if access.write)
        elif isinstance(node, Branch):
            found |= _always_stored(node.then) & _always_stored(node.orelse)
    return found


def masked_loads(loop: VectorLoop) -> Iterator[Access]:
    """Loads of an element that an iteration does not make where the condition is another."""
    chosen = [loop.written.nodes[number] for number in chosen_values(loop)]
    yield from [n.access for n in chosen if n.op == "load" and n.access and n.stride != 0]
    certain = {(access.array, access.offset) for access in _certain_accesses(loop)}
    for access in _loads_of_arms(loop):
        if (access.array, access.offset) not in certain:
            yield access


def _loads_of_arms(loop: VectorLoop) -> Iterator[Access]:
    """Those of elements, which the iterations move through."""
    index = loop.kernel.loops[-1].index
    for arm in _arms(loop):
        for statement in arm:
            reads = [access for access in statement.accesses if not access.write]
            yield from [access for access in reads if index in access.offset.names()]


def _certain_accesses(loop: VectorLoop) -> Iterator[Access]:
    """Those of every iteration."""
    for node in loop.kernel.loops[-1].body:
        if isinstance(node, Statement):
            yield from node.accesses
        elif isinstance(node, Branch):
            yield from _tested_first(node.condition)


def _tested_first(condition: Statement) -> Iterator[Access]:
    """The accesses of a condition; of ``a && b`` and ``a || b`` those of ``a``."""
    values = condition.values
    waiting = [len(values) - 1] if values else []
    while waiting:
        value = values[waiting.pop()]
        if isinstance(value, Load):
            yield condition.accesses[value.access]
        short = value.op in ("and", "or") and value.type == "bool"
        waiting += value.args[:1] if short else value.args
