"""One index made of two (``i/nx`` and ``i%nx``) as two loops: strength reduction of divisions."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from rooflint import ir
from rooflint.ir.poly import PolyFunction
from rooflint.ir.poly import function as poly_function
from rooflint.transform.nest.legality import breaks_off, steady
from rooflint.transform.nest.rewrite import fresh
from rooflint.transform.nest.tree import Nodes, free_site, replace_nodes, with_bodies
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

INTEGERS: Final = ("i", "u")


@change
def split_index(function: ir.Function, loop: str, size: int | str) -> ChangedFunction:
    """The loop as one over ``index/size`` and one over ``index%size`` inside it.

    The iterations keep their order, so this is always legal for a positive ``size``; divisions and
    remainders of the index by ``size`` become the new indices. A ``size`` that is no number is one
    of the loop's divisors, as it prints.
    """
    site = free_site(function, loop)
    own = site.loop
    by = ir.Poly.constant(size) if isinstance(size, int) else _divisor(own, size)
    if by is None:
        raise RefusalError(f"{loop} does not divide {own.index} by {size}")
    _require_rows(own, loop, by, size)
    quotient = fresh(function, f"{own.index}_div")
    remainder = fresh(function, f"{own.index}_mod", (quotient,))
    work = _Split(loop, own.index, by, ir.Poly.symbol(quotient), ir.Poly.symbol(remainder))
    body = work.nodes(own.body)
    if not work.found:
        raise RefusalError(f"{loop} does not divide {own.index} by {size}")
    rows = poly_function("floordiv", own.upper + by - 1, by)
    left = own.upper - ir.Poly.symbol(quotient) * by
    whole = by.value is not None and poly_function("mod", own.upper, by) == ir.ZERO
    columns = by if whole else poly_function("min", by, left)
    made = work.definitions(own.definitions)
    inner = replace(own, index=remainder, upper=columns, body=body, definitions=made)
    outer = replace(own, index=quotient, upper=rows, body=(inner,), pragmas=(), definitions=())
    positive = () if by.value is not None else (f"{size} is positive",)
    assumes = (*positive, *steady(function, own))
    new = replace_nodes(function, site.path, outer)
    return done(new, "split_index", loop, assumes=assumes, size=size)


def _require_rows(own: ir.Loop, loop: str, by: ir.Poly, size: int | str) -> None:
    if by == ir.ZERO or (by.value or 1) < 0:
        raise RefusalError(f"{size} is not a valid size")
    if own.lower != ir.ZERO or own.step != ir.ONE or own.upper.unknowns():
        raise RefusalError(f"{own.index} does not count from 0 by 1 to a known end")
    if own.index in by.names() or breaks_off(own):
        raise RefusalError(f"{loop} cannot be cut into rows of {size}")


def _divisor(loop: ir.Loop, text: str) -> ir.Poly | None:
    """The divisor of the loop's index that prints as ``text``; None if there is none."""
    index = ir.Poly.symbol(loop.index)
    for poly in _polynomials(loop.body):
        for quotient in _functions(poly):
            divides = quotient.kind in ("floordiv", "mod") and quotient.operands[0] == index
            if divides and str(quotient.operands[1]) == text:
                return quotient.operands[1]
    return None


def _polynomials(nodes: Nodes) -> Iterator[ir.Poly]:
    for node in ir.walk(nodes):
        if isinstance(node, ir.Loop):
            yield from (node.lower, node.upper, node.step)
        elif isinstance(node, ir.Statement):
            yield from [access.offset for access in node.accesses]
            yield from [value.poly for value in node.values if isinstance(value, ir.IndexValue)]


def _functions(poly: ir.Poly) -> Iterator[PolyFunction]:
    for atom in poly.atoms():
        if isinstance(atom, PolyFunction):
            yield atom
            for operand in atom.operands:
                yield from _functions(operand)


class _Split:
    """Rewrites what uses the index; ``found``: a division or remainder was among it."""

    def __init__(
        self, loop: str, index: str, size: ir.Poly, quotient: ir.Poly, remainder: ir.Poly
    ) -> None:
        self.loop, self.index, self.size = loop, index, size
        self.quotient, self.remainder = quotient, remainder
        self.whole = quotient * size + remainder
        self.found = False

    def poly(self, poly: ir.Poly) -> ir.Poly:
        if self.index not in poly.names():
            return poly
        result = ir.ZERO
        for monomial, coefficient in poly.terms.items():
            product = ir.Poly.constant(coefficient)
            for atom in monomial:
                if not isinstance(atom, PolyFunction):
                    product = product * ir.Poly.symbol(atom).substitute({self.index: self.whole})
                elif atom.operands == (ir.Poly.symbol(self.index), self.size) and atom.kind in (
                    "floordiv",
                    "mod",
                ):
                    self.found = True
                    div = atom.kind == "floordiv"
                    product = product * (self.quotient if div else self.remainder)
                else:
                    operands = [self.poly(operand) for operand in atom.operands]
                    product = product * poly_function(atom.kind, *operands)
            result = result + product
        return result

    def nodes(self, nodes: Nodes) -> Nodes:
        return tuple(map(self.node, nodes))

    def node(self, node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Statement):
            return self.statement(node)
        if isinstance(node, ir.Branch):
            node = replace(node, condition=self.statement(node.condition))
        elif isinstance(node, ir.Loop):
            lower, upper = self.poly(node.lower), self.poly(node.upper)
            made = self.definitions(node.definitions)
            step = self.poly(node.step)
            node = replace(node, lower=lower, upper=upper, step=step, definitions=made)
        return with_bodies(node, self.nodes)

    def definitions(self, made: tuple[ir.Definition, ...]) -> tuple[ir.Definition, ...]:
        return tuple(
            [
                each if each.value is None else replace(each, value=self.poly(each.value))
                for each in made
            ]
        )

    def statement(self, statement: ir.Statement) -> ir.Statement:
        accesses = [
            access._replace(
                offset=self.poly(access.offset),
                subscripts=tuple([self.poly(subscript) for subscript in access.subscripts]),
            )
            for access in statement.accesses
        ]
        values: list[ir.Value] = []
        for value in statement.values:
            if value.op == "index":
                poly = value.closed_form
                if poly is None:
                    raise RefusalError(
                        f"{self.loop} uses {self.index} in a value without closed form"
                    )
                values.append(ir.IndexValue(type=value.type, poly=self.poly(poly)))
            elif self.divides_index(statement, value):
                self.found = True
                part = self.quotient if value.op == "div" else self.remainder
                values.append(ir.IndexValue(type=value.type, poly=part))
            else:
                values.append(value)
        return replace(statement, values=tuple(values), accesses=tuple(accesses))

    def divides_index(self, statement: ir.Statement, value: ir.Value) -> bool:
        """Whether a value is the quotient or the remainder of the index by the size."""
        if value.op not in ("div", "rem") or value.type[:1] not in INTEGERS:
            return False
        divided = [statement.values[argument].closed_form for argument in value.args]
        return divided == [ir.Poly.symbol(self.index), self.size]
