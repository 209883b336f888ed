"""Misses by their kind, and the padding that cures conflicts.

A miss is compulsory when its line is touched for the first time, capacity when a fully associative
cache of the same size would miss as well, else conflict (M. Hill, A. Smith: "Evaluating
Associativity in CPU Caches", IEEE Transactions on Computers 38(12), 1989).
"""

from collections.abc import Mapping

from msgspec.structs import replace

from rooflint.facts import KernelFacts, streams_of
from rooflint.facts.affine import number
from rooflint.ir import ZERO, Access, Array, Poly
from rooflint.records import NamedTuple


class MissKinds(NamedTuple):
    """Lines that a level misses over all iterations of a kernel, by kind."""

    level: str
    compulsory: int | float
    capacity: float
    conflict: float

    @property
    def total(self) -> float:
        """All of them."""
        return self.compulsory + self.capacity + self.conflict


class Padding(NamedTuple):
    """``more_bytes`` at the end of each row of an array, and the ``misses`` that are left then."""

    array: str
    row_bytes: int
    more_bytes: int
    misses: float


def pad_rows(
    facts: KernelFacts, array: str, row_bytes: int, more_bytes: int, values: Mapping[str, int]
) -> KernelFacts:
    """Facts of the same kernel with longer rows of an array, at these sizes."""
    kernel = facts.kernel

    def moved(value: int) -> int:
        rows = (2 * value + row_bytes) // (2 * row_bytes)  # to the nearest
        return value + rows * more_bytes

    def changed(access: Access) -> Access:
        if access.array != array:
            return access
        rest, offset = access.offset, ZERO
        for loop in kernel.loops:
            factor = rest.coefficient(loop.index)
            value = None if factor is None else number(factor, values)
            if factor is None or value is None:
                return access
            index = Poly.symbol(loop.index)
            rest -= factor * index
            offset += index * moved(value)
        constant = number(rest, values)
        return access if constant is None else access._replace(offset=offset + moved(constant))

    statements = tuple(
        replace(statement, accesses=tuple(map(changed, statement.accesses)))
        for statement in kernel.statements
    )
    return facts._replace(
        kernel=kernel._replace(statements=statements), streams=streams_of(kernel.loops, statements)
    )


def row_bytes(array: Array, values: Mapping[str, int]) -> int | None:
    """Bytes of the innermost dimension of an array with several; None for others."""
    if len(array.extents) < 2:
        return None
    extent = array.extents[-1]
    value = None if extent is None else number(extent, values)
    return value * array.element_bytes if value else None
