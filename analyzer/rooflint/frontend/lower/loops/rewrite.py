"""Replaces symbols in lowered nodes: how a variable's value per iteration reaches its uses."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from rooflint.ir import (
    Access,
    Branch,
    CarriedRead,
    Definition,
    IndexValue,
    Loop,
    Node,
    Poly,
    Region,
    Statement,
    Value,
)

NONE: Final[Mapping[Poly, str]] = {}


def substitute_symbols(
    nodes: tuple[Node, ...], values: Mapping[str, Poly], carried: Mapping[Poly, str] = NONE
) -> tuple[Node, ...]:
    """The nodes with names replaced in every bound, offset, subscript and integer value.

    ``carried``: symbols that are, as a value alone, what a scalar holds from the last iteration.
    """
    return tuple(_node(node, values, carried) for node in nodes)


def definitions_at(
    definitions: Iterable[Definition], values: Mapping[str, Poly]
) -> tuple[Definition, ...]:
    """The assignments with names replaced."""
    return tuple(
        [
            each if each.value is None else replace(each, value=each.value.substitute(values))
            for each in definitions
        ]
    )


def _node(node: Node, values: Mapping[str, Poly], carried: Mapping[Poly, str]) -> Node:
    if isinstance(node, Statement):
        return _statement(node, values, carried)
    if isinstance(node, Loop):
        return replace(
            node,
            lower=node.lower.substitute(values),
            upper=node.upper.substitute(values),
            step=node.step.substitute(values),
            body=substitute_symbols(node.body, values, carried),
            definitions=definitions_at(node.definitions, values),
        )
    if isinstance(node, Branch):
        return replace(
            node,
            condition=_statement(node.condition, values, carried),
            then=substitute_symbols(node.then, values, carried),
            orelse=substitute_symbols(node.orelse, values, carried),
        )
    if isinstance(node, Region):
        return replace(node, body=substitute_symbols(node.body, values, carried))
    return node


def _statement(
    node: Statement, values: Mapping[str, Poly], carried: Mapping[Poly, str]
) -> Statement:
    return replace(
        node,
        values=tuple(
            [
                _integer(value, values, carried) if isinstance(value, IndexValue) else value
                for value in node.values
            ]
        ),
        accesses=tuple([_access(access, values) for access in node.accesses]),
    )


def _integer(value: IndexValue, values: Mapping[str, Poly], carried: Mapping[Poly, str]) -> Value:
    """An integer as a value with names replaced."""
    if value.poly in carried:
        return CarriedRead(type=value.type, name=carried[value.poly])
    return replace(value, poly=value.poly.substitute(values))


def _access(access: Access, values: Mapping[str, Poly]) -> Access:
    offset = access.offset.substitute(values)
    if offset is access.offset:
        return access
    return access._replace(
        offset=offset, subscripts=tuple(s.substitute(values) for s in access.subscripts)
    )
