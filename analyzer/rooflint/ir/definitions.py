"""Which integer variables code changes, and where it reads what they hold."""

from collections.abc import Iterable, Iterator

from rooflint.ir.nodes import (
    Branch,
    Call,
    Definition,
    Exit,
    Loop,
    Node,
    Region,
    Statement,
    children,
    walk,
)
from rooflint.ir.poly import Poly, PolyFunction
from rooflint.ir.values import IndexValue
from rooflint.ir.written import DataSize, Unknown, names_in_form
from rooflint.records import NamedTuple


def definitions_in(nodes: Iterable[Node]) -> Iterator[Definition]:
    """The definitions of all loops at or below ``nodes``, in program order."""
    for node in walk(tuple(nodes)):
        if isinstance(node, Loop):
            yield from node.definitions


def own_integers(nodes: Iterable[Node]) -> frozenset[str]:
    """The integer variables that bodies of loops at or below ``nodes`` declare."""
    return frozenset(each.variable for each in definitions_in(nodes) if each.own)


def changed_integers(nodes: Iterable[Node]) -> dict[str, tuple[Definition, ...]]:
    """The integers declared elsewhere that loops among ``nodes`` give values no statement computes.

    Each with its definitions, in program order.
    """
    made = tuple(definitions_in(nodes))
    own = {each.variable for each in made if each.own}
    changed: dict[str, tuple[Definition, ...]] = {}
    for each in made:
        if each.variable not in own and each.type != "ptr":
            changed[each.variable] = (*changed.get(each.variable, ()), each)
    return changed


def lasting_integers(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Those of the changed integers that keep what the last iteration to set them gave them.

    One that is told by what it held before the loop, as ``k + 3*i``, is closed behind it as well:
    its name in a closed form is that of its first value, which the loop does not change.
    """
    nodes = tuple(nodes)
    indices = {node.index for node in walk(nodes) if isinstance(node, Loop)}
    counted = {
        each.variable
        for each in definitions_in(nodes)
        if each.value is not None and each.variable in {*_closed_names(each.value)} - indices
    }
    return tuple([name for name in changed_integers(nodes) if name not in counted])


class IntegerReads(NamedTuple):
    """The variables that closed forms speak of.

    named    sizes and variables that do not change, by their name
    unknown  those within values that have no closed form
    """

    named: frozenset[str]
    unknown: frozenset[str]


def integers_read(nodes: Iterable[Node]) -> IntegerReads:
    """The variables that ``nodes`` read in integers, without the indices of loops among them."""
    named: set[str] = set()
    unknown: set[str] = set()
    for poly, indices in _integers(nodes, frozenset()):
        named.update(set(_closed_names(poly)) - indices)
        unknown.update(set(_open_names(poly)) - indices)
    return IntegerReads(frozenset(named), frozenset(unknown))


def _integers(
    nodes: Iterable[Node], indices: frozenset[str]
) -> Iterator[tuple[Poly, frozenset[str]]]:
    for node in nodes:
        if isinstance(node, Loop):
            yield from [(bound, indices) for bound in (node.lower, node.upper, node.step)]
            inside = indices | {node.index}
            yield from [(d.value, inside) for d in node.definitions if d.value is not None]
            yield from _integers(node.body, inside)
        elif isinstance(node, Branch | Region):
            yield from _integers(children(node), indices)
        else:
            yield from [(poly, indices) for poly in _own_integers(node)]


def _own_integers(node: Node) -> Iterator[Poly]:
    if isinstance(node, Statement):
        yield from [access.offset for access in node.accesses]
        yield from [value.poly for value in node.values if isinstance(value, IndexValue)]
    elif isinstance(node, Call):
        yield from node.integers
    elif isinstance(node, Exit) and node.value is not None:
        yield node.value


def _closed_names(poly: Poly) -> Iterator[str]:
    for atom in poly.atoms():
        if isinstance(atom, PolyFunction):
            for operand in atom.operands:
                yield from _closed_names(operand)
        elif not isinstance(atom, Unknown | DataSize):
            yield atom


def _open_names(poly: Poly) -> Iterator[str]:
    for unknown in poly.unknowns():
        yield from names_in_form(unknown.form, "variable")
    for name in poly.names():
        if isinstance(name, DataSize):
            yield from names_in_form(name.form, "variable")
