"""Nests of a function as prices see them: kernels by loop, and nodes that a change touches."""

from collections.abc import Iterable, Iterator

from rooflint.facts import KernelFacts
from rooflint.ir import Access, Function, IdentityKey, Node, Statement, walk


def nests(facts: Iterable[KernelFacts]) -> Iterator[list[KernelFacts]]:
    """Kernels by their outermost loop, in program order."""
    nest: list[KernelFacts] = []
    for each in facts:
        if nest and nest[0].kernel.loops[0] is not each.kernel.loops[0]:
            yield nest
            nest = []
        nest.append(each)
    if nest:
        yield nest


def touched_nodes(function: Function, other: Function, changed: set[str]) -> tuple[Node, ...]:
    """Top-level nodes of a function that the other has not, or that go along with them."""
    same = set(map(IdentityKey, other.body))
    return tuple(
        [n for n in function.body if IdentityKey(n) not in same or _goes_along(n, changed)]
    )


def _goes_along(node: Node, names: set[str]) -> bool:
    if isinstance(node, Statement):
        return True
    return bool(names) and any(access.array in names for access in _accesses(node))


def _accesses(node: Node) -> Iterator[Access]:
    for each in walk((node,)):
        if isinstance(each, Statement):
            yield from each.accesses
