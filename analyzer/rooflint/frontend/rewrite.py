"""Replaces symbols in lowered nodes: how a variable's value per iteration reaches its uses."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from rooflint.ir import Access, Branch, Loop, Node, Poly, Region, Statement, Value
from rooflint.ir.closed import poly_of

NONE: Final[Mapping[str, str]] = {}


def substituted(
    nodes: tuple[Node, ...], values: Mapping[str, Poly], carried: Mapping[str, str] = NONE
) -> tuple[Node, ...]:
    """The nodes with names replaced in every bound, offset, subscript and integer value.

    ``carried``: names that are, as a value alone, what a scalar holds from the last iteration.
    """
    return tuple(_node(node, values, carried) for node in nodes)


def _node(node: Node, values: Mapping[str, Poly], carried: Mapping[str, str]) -> Node:
    if isinstance(node, Statement):
        return _statement(node, values, carried)
    if isinstance(node, Loop):
        return replace(
            node,
            lower=node.lower.substitute(values),
            upper=node.upper.substitute(values),
            step=node.step.substitute(values),
            body=substituted(node.body, values, carried),
        )
    if isinstance(node, Branch):
        return replace(
            node,
            condition=_statement(node.condition, values, carried),
            then=substituted(node.then, values, carried),
            orelse=substituted(node.orelse, values, carried),
        )
    if isinstance(node, Region):
        return replace(node, body=substituted(node.body, values, carried))
    return node


def _statement(
    node: Statement, values: Mapping[str, Poly], carried: Mapping[str, str]
) -> Statement:
    return replace(
        node,
        values=tuple([_told(v, values, carried) if v.op == "index" else v for v in node.values]),
        accesses=tuple([_access(access, values) for access in node.accesses]),
    )


def _told(value: Value, values: Mapping[str, Poly], carried: Mapping[str, str]) -> Value:
    """An integer as a value; one without closed form is marked as such."""
    if value.name in carried:
        return value._replace(op="carried", name=carried[value.name])
    if not any(name in value.name for name in values):
        return value
    poly = poly_of(value.name)
    if poly is None:
        text = _SYMBOL.sub(lambda name: f"?{name[0][:-1]}", value.name)
        return value._replace(name=text.replace("??", "?"))
    return value._replace(name=str(poly.substitute(values)))


_SYMBOL = re.compile(r"[A-Za-z_][\w.']*@")


def _access(access: Access, values: Mapping[str, Poly]) -> Access:
    offset = access.offset.substitute(values)
    if offset is access.offset:
        return access
    return access._replace(
        offset=offset, subscripts=tuple(s.substitute(values) for s in access.subscripts)
    )
