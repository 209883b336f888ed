"""What a piece of code reads and writes in memory: arrays, and scalars and sizes that lie there."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rooflint.dependence.alias import Memory, Reference
from rooflint.ir import Loop, Node, Statement, Value, children


class Touched(NamedTuple):
    """References that are written, and all that are read or written, in program order."""

    written: tuple[Reference, ...]
    used: tuple[Reference, ...]


def references_in(nodes: Iterable[Node], memory: Memory) -> Touched:
    """What ``nodes`` touch."""
    nodes = tuple(nodes)
    statements = tuple(_statements(nodes))
    written: dict[Reference, None] = {}
    used: dict[Reference, None] = {}
    for statement in statements:
        for access in statement.accesses:
            reference = Reference(access.array, access.type)
            used[reference] = None
            if access.write:
                written[reference] = None
    if memory.cells:
        changed, mentioned = _cells(nodes, statements, memory)
        written.update(dict.fromkeys(changed))
        used.update(dict.fromkeys((*changed, *mentioned)))
    return Touched(tuple(written), tuple(used))


def volatile_in(nodes: Iterable[Node], memory: Memory) -> str:
    """The first volatile name among what ``nodes`` touch; empty where there is none."""
    known = (*memory.arrays.values(), *memory.cells.values())
    watched = {each.name for each in known if each.provenance.volatile}
    if not watched:
        return ""
    used = references_in(nodes, memory).used
    return next((each.name for each in used if each.name in watched), "")


def _cells(
    nodes: tuple[Node, ...], statements: tuple[Statement, ...], memory: Memory
) -> tuple[list[Reference], list[Reference]]:
    loops = tuple(_loops(nodes))
    indices = {loop.index for loop in loops}
    names: dict[str, None] = {}
    changed: dict[str, None] = {}
    for loop in loops:
        for bound in (loop.lower, loop.upper, loop.step):
            names.update(dict.fromkeys(sorted(bound.mentions())))
    for statement in statements:
        for access in statement.accesses:
            names.update(dict.fromkeys(sorted(access.offset.mentions())))
        for value in statement.values:
            names.update(dict.fromkeys(_named(value)))
            if value.op == "assign":
                changed[value.name] = None

    def references(found: Iterable[str]) -> list[Reference]:
        cells = [memory.cells[name] for name in found if name in memory.cells.keys() - indices]
        return [Reference(cell.name, cell.type) for cell in cells]

    return references(changed), references(names)


def _named(value: Value) -> Iterable[str]:
    if value.op in ("scalar", "carried"):
        return (value.name,)
    poly = value.closed_form
    return sorted(poly.mentions()) if poly is not None else ()


def _loops(nodes: Iterable[Node]) -> Iterator[Loop]:
    for node in nodes:
        if isinstance(node, Loop):
            yield node
        yield from _loops(children(node))


def _statements(nodes: Iterable[Node]) -> Iterator[Statement]:
    for node in nodes:
        if isinstance(node, Statement):
            yield node
        else:
            yield from _statements(children(node))
