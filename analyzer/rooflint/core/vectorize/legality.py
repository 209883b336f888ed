"""Whether iterations may run side by side in a vector, and if not, the reason."""

import math
from collections.abc import Container, Iterable, Mapping
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.graph.addresses import loop_accesses
from rooflint.core.graph.chains import Chain, ChainKind, may_reorder
from rooflint.core.graph.dependences import (
    MemoryConstraints,
    memory_as_compiled,
)
from rooflint.core.graph.elements import access_text
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.vectorize.pragmas import VectorPragmas
from rooflint.dependence import FunctionMemory, MemoryReference, may_overlap, record_place
from rooflint.facts import Kernel
from rooflint.ir import (
    SKIPS,
    Access,
    Array,
    Assignment,
    Branch,
    Function,
    Loop,
    Node,
    PointerAccess,
    Reason,
    ReasonKind,
    Region,
    Statement,
)
from rooflint.ir.reasons import CALLS
from rooflint.library.mathematics import ROUNDING, VECTOR_CYCLES, function_base
from rooflint.records import NamedTuple

SCALAR_TYPES: Final = frozenset(("f80", "f128", "c160", "i128", "u128"))
SETS_ERRNO: Final = frozenset(("sqrt",))
ORDER_COUNTS: Final[Mapping[ChainKind, ReasonKind]] = {
    "induction": "induction-order",
    "extreme": "extreme",
}
"""Reasons of chains whose order counts, where they are no reduction."""
ANY_POINTEE: Final = "void"
"""``void *`` may stand for a pointer of any type."""


class BranchContents(NamedTuple):
    """Contents of the branches of a loop body."""

    stores: bool = False
    assigned: frozenset[str] = frozenset()


def branches_of(nodes: Iterable[Node], inside: bool = False) -> BranchContents:
    """Contents of the conditions directly in a loop body."""
    found = BranchContents()
    for node in nodes:
        if isinstance(node, Statement) and inside:
            writes = any(access.write for access in node.accesses)
            names = {value.name for value in node.values if value.op == "assign"}
            found = _joined(found, BranchContents(writes, frozenset(names)))
        elif isinstance(node, Branch):
            found = _joined(found, branches_of((*node.then, *node.orelse), True))
        elif isinstance(node, Region):
            found = _joined(found, branches_of(node.body, inside))
    return found


def vectorization_blocker(
    kernel: Kernel,
    graph: Graph,
    chains: Iterable[Chain],
    memory: MemoryConstraints,
    compiler: Compiler,
    pragmas: VectorPragmas,
    summed: frozenset[int],
) -> Reason | None:
    """Why the loop cannot be vectorised; None when it can.

    ``summed`` are stores to one place that may be accumulated in a register, part by part.
    """
    return (
        _shape(kernel, compiler, pragmas)
        or _conditional_value(kernel.loops[-1].body)
        or _operations(graph, compiler)
        or _chains(chains, compiler, pragmas)
        or _place_of_extreme(kernel.loops[-1], chains)
        or (None if pragmas.independent else _memory(graph, memory, compiler, summed))
    )


def _shape(kernel: Kernel, compiler: Compiler, pragmas: VectorPragmas) -> Reason | None:
    if not kernel.innermost:
        return Reason("loops-inside")
    if not compiler.vectorises:
        return Reason("no-vectoriser", (str(compiler),))
    if pragmas.off:
        return Reason("pragma")
    exits = [way for way in kernel.loops[-1].exits if way not in SKIPS]
    if exits:
        return Reason("early-exit", (", ".join(exits),))
    if kernel.priced:
        return Reason("call", (kernel.priced[0].name,))
    if kernel.not_covered:
        reason = kernel.not_covered[0].reason
        if reason.kind in CALLS:
            return Reason("call", (reason.subject,))
        return Reason("not-analysed", (reason,))
    return None


def _conditional_value(nodes: Iterable[Node]) -> Reason | None:
    names: set[str] = set()
    _read_after_branch(nodes, set(), set(), names)
    if not names:
        return None
    return Reason("recurrence", (Reason("conditional-value", (min(names),)),))


def _read_after_branch(
    nodes: Iterable[Node], defined: set[str], perhaps: set[str], found: set[str]
) -> None:
    """Adds to ``found`` the scalars that are read though only one way to get there sets them.
    ``defined``: set on every way so far; ``perhaps``: on some."""
    for node in nodes:
        if isinstance(node, Statement):
            for value in node.values:
                if value.op == "scalar" and value.name in perhaps:
                    found.add(value.name)
                elif value.op == "assign":
                    defined.add(value.name)
                    perhaps.discard(value.name)
        elif isinstance(node, Branch):
            _read_after_branch((node.condition,), defined, perhaps, found)
            ways = []
            for side in (node.then, node.orelse):
                way = set(defined)
                _read_after_branch(side, way, set(perhaps), found)
                ways.append(way)
            perhaps |= (ways[0] ^ ways[1]) - defined
            defined |= ways[0] & ways[1]
        elif isinstance(node, Region):
            _read_after_branch(node.body, defined, perhaps, found)


def _operations(graph: Graph, compiler: Compiler) -> Reason | None:
    for number in graph.live:
        node = graph.nodes[number]
        reason = _sets_errno(graph, node, compiler)
        if reason is None and not node.invariant:
            reason = _unvectorizable(node, compiler)
        if reason is not None:
            return reason
    return None


def _sets_errno(graph: Graph, node: GraphNode, compiler: Compiler) -> Reason | None:
    if node.op not in SETS_ERRNO or not compiler.math_errno:
        return None
    if node.invariant and compiler.traits.hoists_errno_calls:
        return None
    if compiler.traits.tracks_sign and all(_never_negative(graph, a) for a in node.args):
        return None
    return Reason("errno", (node.op,))


def _unvectorizable(node: GraphNode, compiler: Compiler) -> Reason | None:
    if node.op == "call" and not _has_vector_form(node.callee, compiler):
        return Reason("call", (node.callee,))
    walker = _walker(node)
    if walker is not None:
        return Reason("walking-address", (walker,))
    if node.reason is not None:
        return node.reason if node.reason.subject else Reason("unnamed-value")
    return _unvectorizable_type(node, compiler)


def _unvectorizable_type(node: GraphNode, compiler: Compiler) -> Reason | None:
    if node.type in SCALAR_TYPES:
        return Reason("scalar-type", (node.type,))
    if node.type[:1] == "c" and node.op in ("mul", "div") and not compiler.finite_math:
        return Reason("complex-nan")
    return Reason("vector-type") if _is_vector(node.type) else None


def _never_negative(graph: Graph, number: int) -> bool:
    """Whether a value is no less than zero, or no number: clang knows that of sums of squares."""
    node = graph.nodes[number]
    if node.op in ("add", "mul", "div", "convert", "fma", "max"):
        square = node.op in ("mul", "fma") and node.args[0] == node.args[1]
        return all(_never_negative(graph, each) for each in node.args[2 if square else 0 :])
    if node.op == "const":
        return node.number is not None and node.number >= 0
    return node.op in ("sqrt", "abs")


def _has_vector_form(name: str, compiler: Compiler) -> bool:
    base = function_base(name)
    return base in ROUNDING or (compiler.vector_calls and base in VECTOR_CYCLES)


def _walker(node: GraphNode) -> str | None:
    """The variable that an address is made of and that the loop changes in no closed form."""
    if node.access is None or node.stride is not None:
        return None
    return next((u.variable for u in node.access.offset.unknowns() if u.variable), None)


def _is_vector(kind: str) -> bool:
    return kind.rpartition("x")[2].isdigit() and "x" in kind


def _chains(chains: Iterable[Chain], compiler: Compiler, pragmas: VectorPragmas) -> Reason | None:
    for chain in chains:
        subject = (chain.name,)
        if chain.kind == "recurrence":
            return Reason("recurrence", (Reason("carried-value", subject),))
        ordered = chain.kind == "sum" and compiler.ordered_reductions
        if ordered or may_reorder(chain, compiler) or pragmas.reorders(chain.name):
            continue
        return Reason(ORDER_COUNTS.get(chain.kind, "reduction"), subject)
    return None


def _place_of_extreme(loop: Loop, chains: Iterable[Chain]) -> Reason | None:
    """A minimum or maximum whose place is kept too: the two are one recurrence (gcc and clang take
    the place alone, or the extreme alone)."""
    kept = [each.name for each in loop.extra_inductions if not each.known]
    found = [chain.name for chain in chains if chain.kind == "extreme"]
    apart = [chain.name for chain in chains if chain.kind == "extreme" and not chain.nodes]
    for name in found:
        places = _kept_beside(loop, name)
        places += [each for each in kept if each != name and name in apart]
        if places:
            return Reason("shared-condition", (" and ".join((name, places[0])),))
    return None


def _kept_beside(loop: Loop, extreme: str) -> list[str]:
    """The variables that the branch sets which takes over an extreme, a single statement by now."""
    ends = [*[node.origin for node in loop.body[1:]], math.inf]
    for node, end in zip(loop.body, ends, strict=False):
        last = node.values[-1:] if isinstance(node, Statement) else ()
        if last and isinstance(last[0], Assignment) and last[0].name == extreme:
            return [
                each.variable
                for each in loop.definitions
                if each.condition == "branch" and node.origin < each.origin < end
            ]
    return []


def _memory(
    graph: Graph, memory: MemoryConstraints, compiler: Compiler, summed: frozenset[int]
) -> Reason | None:
    in_register = {store for _, store in memory.private}
    for number in graph.accesses("store"):
        reason = _store_blocker(graph, memory, number, in_register | summed)
        if reason is not None:
            return reason
    if not in_register <= summed:
        return Reason("memory-reduction")
    if memory.why is not None and memory.width is not None and memory.width < 2:
        return Reason("recurrence", (memory.why,))
    if memory.unbounded is not None:
        return _aliasing("unbounded-range", memory.unbounded)
    if memory.checks > compiler.alias_checks:
        return _aliasing("pointer-pairs", str(memory.checks))
    return None


def _store_blocker(
    graph: Graph, memory: MemoryConstraints, number: int, in_register: Container[int]
) -> Reason | None:
    node = graph.nodes[number]
    if node.access is None:
        return None
    if node.stride == 0 and number not in in_register:
        in_place = any(flow.store == number for flow in memory.flows)
        return _aliasing("store-in-place", access_text(node)) if in_place or memory.checks else None
    if node.stride is None and _touched_again(graph, number):
        return Reason("indirect-store", (node.access.array,))
    return None


def _aliasing(kind: ReasonKind, subject: str) -> Reason:
    return Reason("aliasing", (Reason(kind, (subject,)),))


def _touched_again(graph: Graph, store: int) -> bool:
    array = _array(graph, store)
    return any(_array(graph, n) == array for n in graph.accesses("load", "store") if n != store)


def _array(graph: Graph, number: int) -> str:
    access = graph.nodes[number].access
    return access.array if access is not None else ""


def _joined(a: BranchContents, b: BranchContents) -> BranchContents:
    return BranchContents(a.stores or b.stores, a.assigned | b.assigned)


def overlapped_scalar(
    names: Iterable[str], accesses: Iterable[GraphNode], function: Function, compiler: Compiler
) -> str | None:
    """The first of these scalars that lives in memory which the accesses may touch, such as a
    member of the object, what a reference refers to, or a variable of another file."""
    memory = _function_memory(function, compiler)
    cells = [memory.cells[name] for name in names if name in memory.cells]
    return next((c.name for c in cells if any(_touches(n, c, memory) for n in accesses)), None)


def reloading_reason(
    loop: Loop, graph: Graph, function: Function, compiler: Compiler
) -> Reason | None:
    """Why nobody can count the iterations before the loop, or knows before an iteration where its
    data lie: the condition, or an address, reads anew what a store of the loop may change."""
    stores = [graph.nodes[number] for number in graph.accesses("store")]
    names = loop.upper.names().intersection(loop.condition_reads) if function.cells else ()
    bound = overlapped_scalar(sorted(names), stores, function, compiler)
    if bound is not None:
        return Reason("changing-bound", (bound,))
    if not loop.pointers or not stores:
        return None
    memory = _function_memory(function, compiler)
    for read in _pointers_followed(loop, memory):
        if any(_changes(store, read, loop, memory, compiler) for store in stores):
            return Reason("changing-pointer", (read.target,))
    return None


def _changes(
    store: GraphNode, read: PointerAccess, loop: Loop, memory: FunctionMemory, compiler: Compiler
) -> bool:
    """Whether a store may change a pointer that the loop reads."""
    holder = memory.cells.get(read.holder) or memory.arrays.get(read.holder)
    apart = memory.aliasing.strict and compiler.traits.distinguishes_pointers
    if holder is None or (apart and not _is_alike(store, read, loop.pointers)):
        return False
    return _touches(store, holder, memory)


def _function_memory(function: Function, compiler: Compiler) -> FunctionMemory:
    arrays = {each.name: each for each in function.arrays}
    return memory_as_compiled(arrays, {each.name: each for each in function.cells}, compiler)


def _touches(node: GraphNode, held: Array, memory: FunctionMemory) -> bool:
    """Whether an access may touch a scalar or pointer, or a table of pointers."""
    if node.access is None:
        return True
    if memory.aliasing.strict and _other_member(node.access, held, memory):
        return False
    # a pointer has the name of the array that it leads to: here it has none
    kind = held.type if held.name in memory.cells else "ptr"
    arrays = {**memory.arrays, "": held}
    if node.access.array == held.name and held.name not in memory.cells:
        return node.type == kind
    other = MemoryReference(node.access.array, node.type)
    return may_overlap(MemoryReference("", kind), other, memory._replace(arrays=arrays))


def _other_member(access: Access, held: Array, memory: FunctionMemory) -> bool:
    """Whether a member of a record in an array is at another place than one that does not move:
    compilers tell members apart by the types of their records, and by their places."""
    array, place = memory.arrays.get(access.array), record_place(held)
    if array is None or array.type != "record" or place is None or not array.element_bytes:
        return False
    return access.offset.terms.get((), 0) % array.element_bytes != place[1]


def _pointers_followed(loop: Loop, memory: FunctionMemory) -> list[PointerAccess]:
    """The pointers in memory that the accesses of an iteration go through, the last ones first."""
    reached = {access.array for access in loop_accesses(loop)}
    reached |= {_record_of(memory.arrays[name]) for name in reached & memory.arrays.keys()}
    followed: list[PointerAccess] = []
    for read in reversed(loop.pointers):
        if read.target and read.target in reached:
            followed.append(read)
            cell = memory.cells.get(read.holder)
            reached.add(_record_of(cell) if cell is not None else read.holder)
    return followed


def _record_of(array: Array) -> str:
    place = record_place(array)
    return "" if place is None else place[0]


def _is_alike(store: GraphNode, read: PointerAccess, pointers: Iterable[PointerAccess]) -> bool:
    """Whether a store may be one of a pointer of the type that is read."""
    if store.type != "ptr" or store.access is None or read.pointee == ANY_POINTEE:
        return True
    array = store.access.array
    stored = {each.pointee for each in pointers if not each.target and each.holder == array}
    return bool(stored & {read.pointee, ANY_POINTEE})
