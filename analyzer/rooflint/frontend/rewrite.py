"""Replaces symbols in lowered nodes: how a variable's value per iteration reaches its uses."""

from collections.abc import Mapping
from dataclasses import replace

from rooflint.ir import Access, Branch, Loop, Node, Poly, Region, Statement


def substituted(nodes: tuple[Node, ...], values: Mapping[str, Poly]) -> tuple[Node, ...]:
    """The nodes with names replaced in every bound, offset and subscript."""
    return tuple(_node(node, values) for node in nodes)


def _node(node: Node, values: Mapping[str, Poly]) -> Node:
    if isinstance(node, Statement):
        return _statement(node, values)
    if isinstance(node, Loop):
        return replace(
            node,
            lower=node.lower.substitute(values),
            upper=node.upper.substitute(values),
            step=node.step.substitute(values),
            body=substituted(node.body, values),
        )
    if isinstance(node, Branch):
        return replace(
            node,
            condition=_statement(node.condition, values),
            then=substituted(node.then, values),
            orelse=substituted(node.orelse, values),
        )
    if isinstance(node, Region):
        return replace(node, body=substituted(node.body, values))
    return node


def _statement(node: Statement, values: Mapping[str, Poly]) -> Statement:
    if not node.accesses:
        return node
    return replace(node, accesses=tuple(_access(access, values) for access in node.accesses))


def _access(access: Access, values: Mapping[str, Poly]) -> Access:
    offset = access.offset.substitute(values)
    if offset is access.offset:
        return access
    return access._replace(
        offset=offset, subscripts=tuple(s.substitute(values) for s in access.subscripts)
    )
