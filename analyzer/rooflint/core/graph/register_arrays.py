"""Local arrays whose elements compilers keep in registers.

An array that only the function sees, and each access of which has a constant place, is so many
scalars (gcc ``-ftree-sra``, LLVM ``SROA``): a table of sums, the parts of a butterfly. Loops that
are unrolled completely count as their straight code, whose places are constants.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from rooflint.core.compiler import Compiler
from rooflint.core.graph.elements import element_text
from rooflint.core.graph.inner_loops import writes_before
from rooflint.dependence import is_unobserved
from rooflint.facts import Kernel, kernels
from rooflint.ir import (
    Access,
    Assignment,
    Branch,
    CarriedRead,
    Function,
    Load,
    Poly,
    ScalarRead,
    Statement,
    Store,
    Value,
    walk,
)


def in_registers(kernel: Kernel, function: Function, compiler: Compiler) -> Kernel:
    """``kernel`` with the elements of such arrays as scalars."""
    touched = {access.array for each in kernel.statements for access in each.accesses}
    own = [a.name for a in function.arrays if a.storage == "local" and is_unobserved(a)]
    private = touched.intersection(own) if compiler.level else set()
    if private:
        private -= _kept(kernel)
    if private:
        private -= _moving(function, private)
    return _Promotion(kernel, frozenset(private)).kernel() if private else kernel


def _kept(kernel: Kernel) -> set[str]:
    """Arrays that a branch or a loop inside stores to: the value depends on the way taken."""
    own = kernel.loops[-1]
    branches = [node for node in walk(own.body) if isinstance(node, Branch)]
    kept = {access.array for access in _accesses_of(_statements_in(branches)) if access.write}
    inner = {} if kernel.innermost else writes_before(own)
    return kept.union(*[writes.arrays for writes in inner.values()])


def _statements_in(branches: Iterable[Branch]) -> Iterator[Statement]:
    for branch in branches:
        for node in walk((*branch.then, *branch.orelse)):
            if isinstance(node, Statement):
                yield node


def _moving(function: Function, names: set[str]) -> set[str]:
    """Those of ``names`` with an access at a place that changes, or that covers parts of others."""
    places: dict[str, set[tuple[int | None, int]]] = {name: set() for name in names}
    for access in _accesses(function):
        if access.array in names:
            places[access.array].add((access.offset.value, access.bytes))
    return {name for name, taken in places.items() if not _are_scalars(taken)}


def _are_scalars(places: Collection[tuple[int | None, int]]) -> bool:
    """Whether all places are constants, and none lies in another."""
    known = sorted([(at, size) for at, size in places if at is not None])
    apart = all(at + size <= after for (at, size), (after, _) in pairwise(known))
    return apart and len(known) == len(places)


def _accesses(function: Function) -> Iterator[Access]:
    """All of the function's, those of loops that are unrolled at their places."""
    for kernel in kernels(function):
        yield from _accesses_of(kernel.statements)
    yield from _accesses_of(node for node in function.body if isinstance(node, Statement))


def _accesses_of(statements: Iterable[Statement]) -> Iterator[Access]:
    for statement in statements:
        yield from statement.accesses


def _place(access: Access) -> tuple[str, Poly]:
    return access.array, access.offset


def _element_names(
    accesses: Iterable[Access], arrays: frozenset[str]
) -> dict[tuple[str, Poly], str]:
    """By place, the element as the source has it; the members of one, by their bytes too."""
    names: dict[tuple[str, Poly], str] = {}
    used: set[str] = set()
    for access in accesses:
        if access.array in arrays and _place(access) not in names:
            text = element_text(access)
            text = text if text not in used else f"{text} at byte {access.offset}"
            used.add(text)
            names[_place(access)] = text
    return names


class _Promotion:
    """Replaces loads and stores of elements by reads and assignments of scalars."""

    def __init__(self, kernel: Kernel, arrays: frozenset[str]) -> None:
        self.source, self.arrays = kernel, arrays
        stored = [a for a in _accesses_of(kernel.statements) if a.write and a.array in arrays]
        self.names = _element_names(_accesses_of(kernel.statements), arrays)
        self.stored = {self.names[_place(access)] for access in stored}
        self.assigned: set[str] = set()

    def kernel(self) -> Kernel:
        statements = [self.statement(each) for each in self.source.statements]
        return self.source._replace(statements=tuple(statements))

    def statement(self, statement: Statement) -> Statement:
        if all(access.array not in self.arrays for access in statement.accesses):
            return statement
        values = [self.value(value, statement) for value in statement.values]
        return Statement(values=tuple(values), accesses=statement.accesses, origin=statement.origin)

    def value(self, value: Value, statement: Statement) -> Value:
        if not isinstance(value, Load | Store):
            return value
        access = statement.accesses[value.access]
        if access.array not in self.arrays:
            return value
        name = self.names[_place(access)]
        if isinstance(value, Store):
            self.assigned.add(name)
            return Assignment(type=value.type, args=value.args, name=name)
        if name in self.stored and name not in self.assigned:
            return CarriedRead(type=value.type, name=name)
        return ScalarRead(type=value.type, name=name)
