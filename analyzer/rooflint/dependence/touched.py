"""The memory that code reads and writes: arrays, and scalars and sizes in memory."""

from collections.abc import Iterable

from rooflint.dependence.alias import FunctionMemory, MemoryReference
from rooflint.ir import Loop, Node, Statement, Value, walk
from rooflint.records import NamedTuple


class TouchedReferences(NamedTuple):
    """References that are written, and all that are read or written, in program order."""

    written: tuple[MemoryReference, ...]
    used: tuple[MemoryReference, ...]


def references_in(nodes: Iterable[Node], memory: FunctionMemory) -> TouchedReferences:
    """The memory references of ``nodes``."""
    nodes = tuple(nodes)
    statements = tuple([node for node in walk(nodes) if isinstance(node, Statement)])
    written: dict[MemoryReference, None] = {}
    used: dict[MemoryReference, None] = {}
    for statement in statements:
        for access in statement.accesses:
            reference = MemoryReference(access.array, access.type)
            used[reference] = None
            if access.write:
                written[reference] = None
    if memory.cells:
        changed, mentioned = _cells(nodes, statements, memory)
        written.update(dict.fromkeys(changed))
        used.update(dict.fromkeys((*changed, *mentioned)))
    return TouchedReferences(tuple(written), tuple(used))


def volatile_in(nodes: Iterable[Node], memory: FunctionMemory) -> str:
    """The first volatile name among what ``nodes`` touch; empty where there is none."""
    known = (*memory.arrays.values(), *memory.cells.values())
    watched = {each.name for each in known if each.provenance.volatile}
    if not watched:
        return ""
    used = references_in(nodes, memory).used
    return next((each.name for each in used if each.name in watched), "")


def _cells(
    nodes: tuple[Node, ...], statements: tuple[Statement, ...], memory: FunctionMemory
) -> tuple[list[MemoryReference], list[MemoryReference]]:
    loops = [node for node in walk(nodes) if isinstance(node, Loop)]
    indices = {loop.index for loop in loops}
    names: dict[str, None] = {}
    changed: dict[str, None] = {}
    for loop in loops:
        names.update(dict.fromkeys(sorted(loop.condition_reads)))
    for statement in statements:
        for access in statement.accesses:
            names.update(dict.fromkeys(sorted(access.offset.mentions())))
        for value in statement.values:
            names.update(dict.fromkeys(_named(value)))
            if value.op == "assign":
                changed[value.name] = None

    def references(found: Iterable[str]) -> list[MemoryReference]:
        cells = [memory.cells[name] for name in found if name in memory.cells.keys() - indices]
        return [MemoryReference(cell.name, cell.type) for cell in cells]

    return references(changed), references(names)


def _named(value: Value) -> Iterable[str]:
    if value.op in ("scalar", "carried"):
        return (value.name,)
    poly = value.closed_form
    return sorted(poly.mentions()) if poly is not None else ()
