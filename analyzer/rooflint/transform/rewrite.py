"""Nodes with indices, scalars or statements replaced."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from rooflint.ir import (
    Access,
    Branch,
    Function,
    Loop,
    Node,
    Poly,
    Region,
    Statement,
    Value,
    children,
    walk,
)
from rooflint.transform.closed import poly_of
from rooflint.transform.tree import Nodes


class OpenTextError(ValueError):
    """A value in closed form cannot be rewritten; ``args[0]`` is its text."""


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


def substituted(nodes: Nodes, values: Mapping[str, Poly]) -> Nodes:
    """``nodes`` with names of indices replaced by polynomials, bounds and index values included.

    Raises OpenTextError for an index value of theirs that is not in closed form.
    """
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            inner = {n: p for n, p in values.items() if n != node.index}
            bounds = {k: getattr(node, k).substitute(values) for k in ("lower", "upper", "step")}
            result.append(replace(node, body=substituted(node.body, inner), **bounds))
        elif isinstance(node, Branch):
            [condition] = substituted((node.condition,), values)
            assert isinstance(condition, Statement)
            then, orelse = substituted(node.then, values), substituted(node.orelse, values)
            result.append(replace(node, condition=condition, then=then, orelse=orelse))
        elif isinstance(node, Region):
            result.append(replace(node, body=substituted(node.body, values)))
        elif isinstance(node, Statement):
            accesses = tuple([access_at(access, values) for access in node.accesses])
            numbers = tuple([_index_at(value, values) for value in node.values])
            result.append(replace(node, values=numbers, accesses=accesses))
        else:
            result.append(node)
    return tuple(result)


def access_at(access: Access, values: Mapping[str, Poly]) -> Access:
    """``access`` with names replaced."""
    return access._replace(
        offset=access.offset.substitute(values),
        subscripts=tuple([subscript.substitute(values) for subscript in access.subscripts]),
    )


def _index_at(value: Value, values: Mapping[str, Poly]) -> Value:
    if value.op != "index":
        return value
    poly = poly_of(value.name)
    if poly is None:
        if any(name in value.name for name in values):
            raise OpenTextError(value.name)
        return value
    return value._replace(name=str(poly.substitute(values)))


def renamed(nodes: Nodes, names: Mapping[str, str]) -> Nodes:
    """``nodes`` with scalars renamed."""

    def change(statement: Statement) -> Statement:
        values = [
            v._replace(name=names[v.name]) if v.op in SCALAR_OPS and v.name in names else v
            for v in statement.values
        ]
        return replace(statement, values=tuple(values))

    return map_statements(nodes, change)


SCALAR_OPS = frozenset(("scalar", "carried", "assign"))


def followed(nodes: Nodes, known: Iterable[str]) -> Nodes:
    """``nodes`` where reads of ``known`` scalars take this iteration's value, not the last one's.

    Not in loops inside, where ``carried`` is what their own last iteration left.
    """
    names = frozenset(known)

    def change(statement: Statement) -> Statement:
        values = [
            v._replace(op="scalar") if v.op == "carried" and v.name in names else v
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


def names_in(function: Function) -> set[str]:
    """Every name that ``function`` uses for an array, an index, a size or a scalar."""
    names = {a.name for a in function.arrays} | {p.name for p in function.parameters}
    for node in walk(function.body):
        if isinstance(node, Loop):
            names |= {node.index} | node.lower.names() | node.upper.names() | node.step.names()
        elif isinstance(node, Statement):
            for access in node.accesses:
                names |= access.offset.names()
            names |= {value.name for value in node.values if value.name}
    return names


def fresh(function: Function, base: str, taken: Iterable[str] = ()) -> str:
    """``base``, or with a number behind it, that ``function`` does not use yet."""
    used = names_in(function) | set(taken)
    name, number = base, 1
    while name in used:
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
