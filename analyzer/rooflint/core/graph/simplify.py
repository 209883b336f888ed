"""Code as compilers simplify it: contraction, cheaper forms, and selections for branches.

Where both ways of a branch store to one place, or set one scalar, they differ in a value alone
(LLVM's SimplifyCFG, gcc's phiopt and cselim); so a condition with two assignments is the same code
as the conditional operator. A way with anything else in it stays a branch.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import structs

from rooflint.core.compiler import Compiler
from rooflint.core.graph.extremes import extreme_so_far
from rooflint.core.graph.idioms import absolute
from rooflint.core.graph.values import LEAVES, Graph, GraphNode, live_graph
from rooflint.facts import Kernel
from rooflint.ir import Access, Branch, Loop, Node, Statement, Value, with_operands
from rooflint.ir.values import (
    Assignment,
    Load,
    ScalarRead,
    Selection,
    Store,
)
from rooflint.records import NamedTuple
from rooflint.transform.branches.counting import count_condition

FLOATS = frozenset(("f16", "bf16", "f32", "f64"))
"""Types with vector instructions; f80 and f128 have none, complex numbers are pairs."""

ROTATED: Final[Mapping[str, int]] = {"u32": 32, "u64": 64}
"""Types that are rotated, with their bits; shorter ones become ``int`` in C."""


def simplify(graph: Graph, compiler: Compiler, fma: bool) -> Graph:
    """``graph`` with fused multiply-adds where flags and machine allow, minima and maxima, and
    products in place of quotients."""
    nodes = list(graph.nodes)
    uses = list(graph.uses)
    instead: dict[int, int] = {}
    divided: dict[tuple[str, tuple[int, ...]], int] = {}
    for number in graph.live:
        node = _with_operands_instead(nodes[number], instead)
        nodes[number] = node
        arm = _unswitched(nodes, node, compiler)
        if arm is not None:
            instead[number] = arm
        elif node.op in ("add", "sub") and fma and node.type in FLOATS:
            nodes[number] = _contracted(nodes, uses, node, compiler)
        else:
            nodes[number] = _simpler(graph, nodes, node, compiler)
            _divide_once(nodes, number, divided)
    roots = [instead.get(root, root) for root in graph.roots]
    finals = {name: instead.get(number, number) for name, number in graph.finals.items()}
    return live_graph(nodes, roots, graph.carried, finals, graph.kept)


def _with_operands_instead(node: GraphNode, instead: Mapping[int, int]) -> GraphNode:
    if not instead or instead.keys().isdisjoint(node.args):
        return node
    return node._replace(args=tuple([instead.get(argument, argument) for argument in node.args]))


def _simpler(
    graph: Graph, nodes: list[GraphNode], node: GraphNode, compiler: Compiler
) -> GraphNode:
    """One operation in place of several, or a cheaper one; the same where there is none."""
    if node.op == "select":
        return absolute(nodes, _extreme(nodes, node))
    if node.op in ("or", "xor", "add") and node.type in ROTATED:
        return _rotation(graph, nodes, node)
    if node.op in ("div", "rem", "mul"):
        return _cheaper(nodes, node, compiler)
    return node


def _divide_once(
    nodes: list[GraphNode], number: int, divided: dict[tuple[str, tuple[int, ...]], int]
) -> None:
    """A remainder beside the quotient of the same integers, or the other way round, is a second
    result of one instruction, or the difference to a product: one operation more."""
    node = nodes[number]
    if node.op not in ("div", "rem") or node.type in FLOATS:
        return
    first = divided.setdefault((node.type, node.args), number)
    if nodes[first].op in ("div", "rem") and nodes[first].op != node.op:
        nodes[number] = node._replace(op="add", args=(node.args[0], first))


def _unswitched(nodes: Sequence[GraphNode], node: GraphNode, compiler: Compiler) -> int | None:
    """The arm that counts of a selection that is the same in all iterations, one that computes:
    each has a loop of its own (LLVM's SimpleLoopUnswitch, ``-funswitch-loops``). None for others.
    """
    if node.op != "select" or node.invariant or compiler.level < compiler.traits.unswitch_level:
        return None
    condition, *arms = node.args
    if not nodes[condition].invariant:
        return None
    return max(arms, key=lambda arm: (not nodes[arm].invariant, nodes[arm].op not in LEAVES))


def unfuse(graph: Graph, written: Graph, numbers: Iterable[int]) -> Graph:
    """``graph`` with these operations apart that ``simplify`` has fused."""
    nodes = list(graph.nodes)
    for number in numbers:
        nodes[number] = written.nodes[number]
    return live_graph(nodes, graph.roots, graph.carried, graph.finals, graph.kept)


def _contracted(
    nodes: list[GraphNode], uses: list[int], node: GraphNode, compiler: Compiler
) -> GraphNode:
    """``a*b + c`` as one operation; of two products the left one, as compilers take it."""
    if compiler.contract == "off":
        return node
    for place, argument in enumerate(node.args):
        product = nodes[argument]
        near = compiler.contract == "fast" or product.statement == node.statement
        single = uses[argument] == 1 and not product.invariant
        if product.op == "mul" and product.type == node.type and near and single:
            addend = node.args[1 - place]
            return node._replace(op="fma", args=(*product.args, addend))
    return node


def _rotation(written: Graph, nodes: list[GraphNode], node: GraphNode) -> GraphNode:
    """``x << k | x >> (32 - k)`` of an unsigned ``x`` of 32 bits, and its like."""
    own = [a for a in node.args if written.uses[a] == 1 and nodes[a].op in ("shl", "shr")]
    ways = sorted([_shift(written, nodes[a], a) for a in own])
    if [way.op for way in ways] != ["shl", "shr"] or ways[0].value != ways[1].value:
        return node
    whole = ways[0].bits + ways[1].bits == ROTATED[node.type]
    return node._replace(op="rotate", args=nodes[own[0]].args) if whole else node


class _BitShift(NamedTuple):
    """``value`` shifted by ``count`` bits; infinitely many where that is no constant."""

    op: str
    value: int
    bits: float


def _shift(written: Graph, node: GraphNode, number: int) -> _BitShift:
    """A shift, as written or in place of a product or a quotient."""
    shifted, by = node.args
    count = written.nodes[by].number
    scales = written.nodes[number].op in ("mul", "div")
    if count is None or (scales and count <= 0):  # by 0 or a negative number nothing is rotated
        return _BitShift(node.op, shifted, math.inf)
    return _BitShift(node.op, shifted, math.log2(count) if scales else count)


def _extreme(nodes: list[GraphNode], node: GraphNode) -> GraphNode:
    condition = nodes[node.args[0]] if len(node.args) == 3 else None
    if condition is None or condition.op != "compare" or set(condition.args) != set(node.args[1:]):
        return node
    return node._replace(op="max", args=node.args[1:])


def _cheaper(nodes: list[GraphNode], node: GraphNode, compiler: Compiler) -> GraphNode:
    """Division by a constant: of integers a product and a shift, else exact for powers of two."""
    if len(node.args) != 2:
        return node
    integer = node.type[:1] in "iu"
    divisor = nodes[node.args[1]]
    if node.op == "mul":
        shifts = integer and any(_power_of_two(nodes[a]) for a in node.args)
        return node._replace(op="shl") if shifts else node
    if integer:
        return _constant_quotient(node, divisor)
    product = node.op == "div" and _has_reciprocal(divisor, compiler)
    return node._replace(op="mul") if product else node


def _has_reciprocal(divisor: GraphNode, compiler: Compiler) -> bool:
    """Whether one is exact, or flags allow it and the loop computes it once."""
    return _power_of_two(divisor) or (compiler.reciprocal and divisor.invariant)


def _constant_quotient(node: GraphNode, divisor: GraphNode) -> GraphNode:
    """The quotient or rest of integers by a constant as a shift or a product."""
    if divisor.op != "const" and divisor.number is None:
        return node
    return node._replace(op="shr" if _power_of_two(divisor) else "mul")


def _power_of_two(node: GraphNode) -> bool:
    if not node.number:
        return False
    top, bottom = abs(node.number).as_integer_ratio()
    return top.bit_count() == 1 and bottom.bit_count() == 1


def convert_branches(kernel: Kernel) -> Kernel:
    """The kernel with such branches of its own loop as statements without a branch."""
    own = kernel.loops[-1]
    counted = count_condition(own)
    if counted is not own:
        return _with_body(kernel, counted)
    if not any(isinstance(node, Branch) for node in own.body):
        return kernel
    body: list[Node] = []
    statements = list(kernel.statements)
    for node in own.body:
        merged = None
        if isinstance(node, Branch):
            merged = extreme_so_far(node, own) or _merged(node, body)
        if merged is not None and isinstance(node, Branch) and _take(statements, node, merged):
            body.append(merged)
        else:
            body.append(node)
    loop = structs.replace(own, body=tuple(body))
    return kernel._replace(loops=(*kernel.loops[:-1], loop), statements=tuple(statements))


def _with_body(kernel: Kernel, own: Loop) -> Kernel:
    """The kernel with another loop of the same statements, but for one."""
    (before,), (after,) = kernel.loops[-1].body, own.body
    statements = [after if each is before else each for each in kernel.statements]
    found = [each for each in statements if isinstance(each, Statement)]
    return kernel._replace(loops=(*kernel.loops[:-1], own), statements=tuple(found))


def _take(statements: list[Statement], branch: Branch, merged: Statement) -> bool:
    """Puts ``merged`` in the place of the condition and of the way that the kernel counts."""
    ways = [way[0] for way in (branch.then, branch.orelse) if way]
    for place, (first, second) in enumerate(pairwise(statements)):
        if first is branch.condition and any(second is way for way in ways):
            statements[place : place + 2] = [merged]
            return True
    return False


def _merged(branch: Branch, before: Sequence[Node]) -> Statement | None:
    """The branch as one statement with a selection; None where it is more than a choice."""
    then, orelse = _only(branch.then), _only(branch.orelse)
    if then is None or any(branch.exit_paths) or not branch.condition.values:
        return None
    target = then.values[-1]
    if not branch.orelse:
        orelse = _unchanged(target, before)
    if orelse is None or not _same_target(then, orelse):
        return None
    if not _reads_alike(branch.condition, then, orelse):
        return None
    joined = _Joined()
    condition = joined.add(branch.condition, branch.condition.values)
    chosen = joined.add(then, then.values[:-1], then.values[-1].args[0])
    other = joined.add(orelse, orelse.values[:-1], orelse.values[-1].args[0])
    joined.values.append(Selection(type=target.type, args=(condition, chosen, other)))
    last: Value = with_operands(target, (len(joined.values) - 1,))
    if isinstance(last, Store):
        last = structs.replace(last, access=joined.first_access(then) + last.access)
    joined.values.append(last)
    return Statement(
        values=tuple(joined.values), accesses=tuple(joined.accesses), origin=branch.origin
    )


def _unchanged(target: Value, before: Sequence[Node]) -> Statement | None:
    """A way that keeps the value that a scalar has; None where this iteration has set none."""
    if not isinstance(target, Assignment) or not _is_set(target.name, before):
        return None
    read = ScalarRead(type=target.type, name=target.name)
    kept = Assignment(type=target.type, name=target.name, args=(0,))
    return Statement(values=(read, kept))


def _only(nodes: Sequence[Node]) -> Statement | None:
    """The single statement of a way, where it sets one scalar or stores one element, no more."""
    if len(nodes) != 1 or not isinstance(nodes[0], Statement) or not nodes[0].values:
        return None
    *others, last = nodes[0].values
    plain = isinstance(last, Assignment) or (isinstance(last, Store) and not last.nontemporal)
    if not plain or len(last.args) != 1:
        return None
    # a call may have effects, and a division may trap: neither is made on both ways
    speculated = all(v.op not in ("call", "opaque", "store", "assign", "div") for v in others)
    return nodes[0] if speculated else None


def _same_target(one: Statement, other: Statement) -> bool:
    a, b = one.values[-1], other.values[-1]
    if isinstance(a, Assignment) and isinstance(b, Assignment):
        return a.name == b.name
    if isinstance(a, Store) and isinstance(b, Store):
        return one.accesses[a.access] == other.accesses[b.access]
    return False


def _reads_alike(condition: Statement, then: Statement, orelse: Statement) -> bool:
    """Whether both ways read the same elements: what one alone reads may not be there to read."""
    tested = _reads(condition)
    one, other = ([read for read in _reads(way) if read not in tested] for way in (then, orelse))
    return all(read in other for read in one) and all(read in one for read in other)


def _reads(statement: Statement) -> list[Access]:
    return [access for access in statement.accesses if not access.write]


def _is_set(name: str, before: Sequence[Node]) -> bool:
    """Whether this iteration has set the scalar: else it holds what the last one left."""
    return any(
        isinstance(node, Statement)
        and node.values
        and isinstance(node.values[-1], Assignment)
        and node.values[-1].name == name
        for node in before
    )


class _Joined:
    """Values and accesses of several statements as those of one."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.accesses: list[Access] = []
        self._first: list[tuple[Statement, int]] = []

    def add(self, statement: Statement, values: Sequence[Value], result: int = -1) -> int:
        """Appends values of a statement; the position of its result, by default the last one."""
        start, first = len(self.values), len(self.accesses)
        self._first.append((statement, first))
        self.accesses += statement.accesses
        for value in values:
            moved = with_operands(value, tuple([start + argument for argument in value.args]))
            if isinstance(moved, Load):
                moved = structs.replace(moved, access=first + moved.access)
            self.values.append(moved)
        return start + result if result >= 0 else len(self.values) - 1

    def first_access(self, statement: Statement) -> int:
        """Where the accesses of a statement begin."""
        return next(first for each, first in self._first if each is statement)
