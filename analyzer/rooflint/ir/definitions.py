"""Which integer variables code changes, and where it reads what they hold."""

from collections.abc import Iterable, Iterator

from rooflint.ir.identity import kept_with_part
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
    parts = [_read_in(node) for node in nodes]
    return IntegerReads(
        named=frozenset().union(*[part.named for part in parts]),
        unknown=frozenset().union(*[part.unknown for part in parts]),
    )


def _read_in(node: Node) -> IntegerReads:
    if isinstance(node, Loop | Branch | Region):
        return _read_in_body(node)
    return _read_by(_own_integers(node))


@kept_with_part
def _read_in_body(node: Loop | Branch | Region) -> IntegerReads:
    inside = integers_read(children(node))
    if not isinstance(node, Loop):
        return inside
    header = _read_by((node.lower, node.upper, node.step))
    made = _read_by([each.value for each in node.definitions if each.value is not None])
    return IntegerReads(
        named=header.named | ((made.named | inside.named) - {node.index}),
        unknown=header.unknown | ((made.unknown | inside.unknown) - {node.index}),
    )


def _read_by(polys: Iterable[Poly]) -> IntegerReads:
    named: set[str] = set()
    unknown: set[str] = set()
    for poly in polys:
        named.update(_closed_names(poly))
        unknown.update(_open_names(poly))
    return IntegerReads(named=frozenset(named), unknown=frozenset(unknown))


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
