"""Nodes with indices, scalars or statements replaced."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Literal

from msgspec.structs import replace

from rooflint.ir import (
    ZERO,
    Access,
    Branch,
    Definition,
    Function,
    IndexValue,
    Loop,
    Node,
    Poly,
    Region,
    SourceForm,
    Statement,
    Unknown,
    Value,
    children,
    plain,
    source_form,
    walk,
    without_carry,
)
from rooflint.ir.identity import kept_with_part
from rooflint.ir.poly import function as poly_function
from rooflint.ir.written import names_in_form, with_names, without_marks
from rooflint.transform.nest.tree import Nodes
from rooflint.transform.result import RefusalError


class OpenTextError(RefusalError):
    """A value without closed form, given as its source text, cannot be rewritten."""

    def __init__(self, text: str) -> None:
        super().__init__(f"'{text}' is not in closed form")


def map_statements(nodes: Nodes, change: Callable[[Statement], Statement]) -> Nodes:
    """``nodes`` with every statement, conditions included, changed."""
    return tuple([_mapped(node, change) for node in nodes])


def _mapped(node: Node, change: Callable[[Statement], Statement]) -> Node:
    if isinstance(node, Statement):
        return change(node)
    if isinstance(node, Branch):
        return replace(
            node,
            condition=change(node.condition),
            then=map_statements(node.then, change),
            orelse=map_statements(node.orelse, change),
        )
    if isinstance(node, Loop | Region):
        return replace(node, body=map_statements(node.body, change))
    return node


def substitute_indices(nodes: Nodes, values: Mapping[str, Poly]) -> Nodes:
    """``nodes`` with names of indices replaced by polynomials, bounds and index values included.

    Raises OpenTextError for an index value of theirs that is not in closed form.
    """
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            result.append(_substituted_loop(node, values))
        elif isinstance(node, Branch):
            [condition] = substitute_indices((node.condition,), values)
            assert isinstance(condition, Statement)
            then, orelse = (
                substitute_indices(node.then, values),
                substitute_indices(node.orelse, values),
            )
            result.append(replace(node, condition=condition, then=then, orelse=orelse))
        elif isinstance(node, Region):
            result.append(replace(node, body=substitute_indices(node.body, values)))
        elif isinstance(node, Statement):
            accesses = tuple([access_at(access, values) for access in node.accesses])
            numbers = tuple([_index_at(value, values) for value in node.values])
            result.append(replace(node, values=numbers, accesses=accesses))
        else:
            result.append(node)
    return tuple(result)


def _substituted_loop(loop: Loop, values: Mapping[str, Poly]) -> Loop:
    """A loop with names replaced, but for its own index inside it."""
    inner = {name: poly for name, poly in values.items() if name != loop.index}
    index = _uncaught(loop, inner)
    if index != loop.index:
        inner[loop.index] = Poly.symbol(index)
    return replace(
        loop,
        index=index,
        lower=substitute_in_poly(loop.lower, values),
        upper=substitute_in_poly(loop.upper, values),
        step=substitute_in_poly(loop.step, values),
        body=substitute_indices(loop.body, inner),
        definitions=definitions_at(loop.definitions, inner),
    )


def definitions_at(
    definitions: Iterable[Definition], values: Mapping[str, Poly]
) -> tuple[Definition, ...]:
    """``definitions`` with names replaced; a value whose text cannot be rewritten stays open."""
    return tuple([_definition_at(each, values) for each in definitions])


def repeated_definitions(loop: Loop, count: int) -> tuple[Definition, ...]:
    """The definitions of ``count`` iterations of ``loop``, made in one."""
    index = Poly.symbol(loop.index)
    copies = [
        definitions_at(loop.definitions, {loop.index: index + loop.step * number} if number else {})
        for number in range(count)
    ]
    return tuple([each for copy in copies for each in copy])


def _definition_at(definition: Definition, values: Mapping[str, Poly]) -> Definition:
    if definition.value is None:
        return definition
    try:
        return replace(definition, value=substitute_in_poly(definition.value, values))
    except OpenTextError:
        return replace(definition, value=None)


def _uncaught(loop: Loop, values: Mapping[str, Poly]) -> str:
    """The index of ``loop``, or another name where ``values`` speak of one of that name."""
    spoken = {name for poly in values.values() for name in poly.names()}
    if loop.index not in spoken:
        return loop.index
    taken = spoken | _names((loop,))
    number = 2
    while f"{loop.index}'{number}" in taken:
        number += 1
    return f"{loop.index}'{number}"


def access_at(access: Access, values: Mapping[str, Poly]) -> Access:
    """``access`` with names replaced."""
    return access._replace(
        offset=substitute_in_poly(access.offset, values),
        subscripts=tuple(
            [substitute_in_poly(subscript, values) for subscript in access.subscripts]
        ),
    )


def substitute_in_poly(poly: Poly, values: Mapping[str, Poly]) -> Poly:
    """``poly`` with names replaced, in the text of values without closed form too.

    ``col[j]`` and ``col[j+1]`` are two values; under one text they would be one. Raises
    OpenTextError for a size that the data decides and that one of the names moves, which has a
    value, and for a value that moves with a name that its text does not speak of.
    """
    if poly.terms:
        hidden = poly.mentions() - poly.names()
        if not hidden.isdisjoint(values):
            raise OpenTextError(str(poly))
    if poly.unknowns() and not poly.names().isdisjoint(values):
        forms = {n: without_marks(source_form(p), " ") for n, p in values.items()}
        poly = _retold(poly, forms)
    return poly.substitute(values)


def _retold(poly: Poly, forms: Mapping[str, SourceForm]) -> Poly:
    total = ZERO
    for monomial, factor in poly.terms.items():
        product = Poly.constant(factor)
        for atom in monomial:
            if isinstance(atom, Unknown):
                own = {name: form for name, form in forms.items() if name in atom.depends}
                if not own.keys() <= set(names_in_form(atom.form, "variable")):
                    raise OpenTextError(plain(atom))
                told = atom._replace(form=with_names(atom.form, own))
                product = product * Poly.symbol(told)
            elif isinstance(atom, str):
                product = product * Poly.symbol(atom)
            else:
                operands = [_retold(operand, forms) for operand in atom.operands]
                product = product * poly_function(atom.kind, *operands)
        total = total + product
    return total


def _index_at(value: Value, values: Mapping[str, Poly]) -> Value:
    if not isinstance(value, IndexValue):
        return value
    if value.poly.unknowns():
        if not value.poly.names().isdisjoint(values):
            raise OpenTextError(str(value.poly))
        return value
    return replace(value, poly=substitute_in_poly(value.poly, values))


def rename_scalars(nodes: Nodes, names: Mapping[str, str]) -> Nodes:
    """``nodes`` with scalars renamed."""

    def change(statement: Statement) -> Statement:
        values = [
            replace(v, name=names[v.name]) if v.op in SCALAR_OPS and v.name in names else v
            for v in statement.values
        ]
        return replace(statement, values=tuple(values))

    return map_statements(nodes, change)


SCALAR_OPS: Final[tuple[Literal["scalar", "carried", "assign"], ...]] = (
    "scalar",
    "carried",
    "assign",
)


def forward_scalars(nodes: Nodes, known: Iterable[str]) -> Nodes:
    """``nodes`` where reads of ``known`` scalars take this iteration's value, not the last one's.

    Not in loops inside, where ``carried`` is what their own last iteration left.
    """
    names = frozenset(known)

    def change(statement: Statement) -> Statement:
        values = [
            without_carry(v) if v.op == "carried" and v.name in names else v
            for v in statement.values
        ]
        return replace(statement, values=tuple(values))

    def visit(node: Node) -> Node:
        if isinstance(node, Statement):
            return change(node)
        if isinstance(node, Branch):
            then, orelse = tuple(map(visit, node.then)), tuple(map(visit, node.orelse))
            return replace(node, condition=change(node.condition), then=then, orelse=orelse)
        return (
            replace(node, body=tuple(map(visit, node.body))) if isinstance(node, Region) else node
        )

    return tuple(map(visit, nodes))


@kept_with_part
def names_in(function: Function) -> frozenset[str]:
    """Every name that ``function`` uses for an array, an index, a size or a scalar."""
    names = {a.name for a in function.arrays} | {p.name for p in function.parameters}
    return frozenset(names | _names(function.body))


def _names(nodes: Nodes) -> set[str]:
    """The names of indices, sizes and scalars at or below ``nodes``."""
    names: set[str] = set()
    for node in walk(nodes):
        if isinstance(node, Loop):
            names |= {node.index} | node.lower.names() | node.upper.names() | node.step.names()
        elif isinstance(node, Statement):
            for access in node.accesses:
                names |= access.offset.names()
            for value in node.values:
                if isinstance(value, IndexValue):
                    names |= value.poly.names()
                elif value.op in ("scalar", "carried", "assign"):
                    names.add(value.name)
                elif value.op == "call":
                    names.add(value.callee)
    return names


def fresh(function: Function, base: str, taken: Iterable[str] = ()) -> str:
    """``base``, or with a number behind it, that ``function`` does not use yet.

    What belongs to ``p->x`` or ``*x`` is called after ``x``: a new variable is no member.
    """
    length = next((n for n, c in enumerate(reversed(base)) if not (c.isalnum() or c in "_'")), 0)
    base = base[-length:] or base
    names, more = names_in(function), set(taken)
    name, number = base, 1
    while name in names or name in more:
        number += 1
        name = f"{base}{number}"
    return name


def statements_in(nodes: Iterable[Node]) -> Iterator[Statement]:
    """All statements at or below ``nodes`` in program order, conditions included."""
    for node in nodes:
        if isinstance(node, Statement):
            yield node
        else:
            yield from statements_in(children(node))
