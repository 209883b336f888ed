"""Quotients that the source itself writes with ``/``."""

from collections.abc import Iterator

from rooflint.ir import Function, Loop, Poly, walk
from rooflint.ir.poly import PolyFunction
from rooflint.transform.nest.rewrite import statements_in


def written_divisions(function: Function) -> Iterator[str]:
    """The quotients of bounds, subscripts and integer values, as text."""
    for node in walk(function.body):
        if isinstance(node, Loop):
            yield from (*_quotients(node.lower), *_quotients(node.upper))
    for statement in statements_in(function.body):
        for access in statement.accesses:
            for subscript in (*access.subscripts, access.offset):
                yield from _quotients(subscript)
        for value in statement.values:
            poly = value.closed_form
            if poly is not None:
                yield from _quotients(poly)


def _quotients(poly: Poly) -> Iterator[str]:
    for atom in poly.atoms():
        if isinstance(atom, PolyFunction):
            if atom.kind == "floordiv":
                yield str(atom)
            for operand in atom.operands:
                yield from _quotients(operand)
