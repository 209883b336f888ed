"""Whether iterations may run side by side in a vector, and if not, the reason."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from rooflint.core.compiler import Compiler
from rooflint.core.graph.chains import Chain, may_reorder
from rooflint.core.graph.dependences import Dependences
from rooflint.core.graph.values import Graph, access_text
from rooflint.core.graph.values import Node as Value
from rooflint.core.libm import ROUNDING, VECTOR_CYCLES, function_base
from rooflint.facts import Kernel
from rooflint.ir import Branch, Node, Reason, ReasonKind, Region, Statement

SCALAR_TYPES: Final = frozenset(("f80", "f128", "c160", "i128", "u128"))
SETS_ERRNO: Final = frozenset(("sqrt",))
OFF: Final = ("vectorize(disable)", "novector", "no_vector", "vectorize_width(1)")
INDEPENDENT: Final = ("ivdep", "assume_safety", "vectorize(enable)")


class Wishes(NamedTuple):
    """What the programmer promises in pragmas.

    off          not to be vectorised
    independent  no iteration waits for another through memory
    reorder      every sum may be reordered; ``names`` those that a clause lists
    """

    off: bool = False
    independent: bool = False
    reorder: bool = False
    names: frozenset[str] = frozenset()


class Branches(NamedTuple):
    """What the branches of a loop body hold."""

    stores: bool = False
    loads: bool = False
    assigned: frozenset[str] = frozenset()


def wishes_of(kernel: Kernel) -> Wishes:
    """The pragmas right before the kernel's own loop."""
    own = kernel.loops[-1]
    text = " ".join(own.pragmas)
    enabled = "vectorize(enable)" in text
    simd = [region for region in kernel.regions if _governs(region, own)]
    names = {
        name.strip()
        for region in simd
        for clause in region.clauses
        if clause.name == "reduction"
        for name in clause.value.partition(":")[2].split(",")
    }
    independent = bool(simd) or any(word in text for word in INDEPENDENT)
    off = any(word in text for word in OFF)
    return Wishes(off, independent, enabled, frozenset(names))


def branches_of(nodes: Iterable[Node], inside: bool = False) -> Branches:
    """What lies under a condition directly in a loop body."""
    found = Branches()
    for node in nodes:
        if isinstance(node, Statement) and inside:
            writes = any(access.write for access in node.accesses)
            reads = any(not access.write for access in node.accesses)
            names = {value.name for value in node.values if value.op == "assign"}
            found = _joined(found, Branches(writes, reads, frozenset(names)))
        elif isinstance(node, Branch):
            found = _joined(found, branches_of((*node.then, *node.orelse), True))
        elif isinstance(node, Region):
            found = _joined(found, branches_of(node.body, inside))
    return found


def obstacle(
    kernel: Kernel,
    graph: Graph,
    chains: Iterable[Chain],
    found: Dependences,
    compiler: Compiler,
    wishes: Wishes,
    summed: frozenset[int],
) -> Reason | None:
    """Why the loop cannot be vectorised; None when it can.

    ``summed`` are stores to one place that may be accumulated in a register, part by part.
    """
    return (
        _shape(kernel, compiler, wishes)
        or _kept(kernel.loops[-1].body)
        or _operations(graph, compiler)
        or _chains(chains, compiler, wishes)
        or (None if wishes.independent else _memory(graph, found, compiler, summed))
    )


def _shape(kernel: Kernel, compiler: Compiler, wishes: Wishes) -> Reason | None:
    own = kernel.loops[-1]
    if not kernel.innermost:
        return Reason("loops-inside")
    if not compiler.vectorises:
        return Reason("no-vectoriser", (str(compiler),))
    if wishes.off:
        return Reason("pragma")
    ways = [way for way in own.exits if way != "continue"]
    if ways:
        return Reason("early-exit", (", ".join(ways),))
    if kernel.not_covered:
        reason = kernel.not_covered[0].reason
        return reason if reason.kind == "call" else Reason("not-analysed", (reason,))
    return None


def _kept(nodes: Iterable[Node]) -> Reason | None:
    names: set[str] = set()
    _read_after_branch(nodes, set(), set(), names)
    if not names:
        return None
    return Reason("recurrence", (Reason("conditional-value", (min(names),)),))


def _read_after_branch(
    nodes: Iterable[Node], defined: set[str], perhaps: set[str], found: set[str]
) -> None:
    """Adds to ``found`` the scalars that are read though only one way to get there sets them.

    ``defined``: set on every way so far; ``perhaps``: on some.
    """
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
        # gcc moves a call that stays the same out of the loop
        moved = node.invariant and compiler.name == "gcc"
        if node.op in SETS_ERRNO and compiler.math_errno and not moved:
            clang_sees = node.op == "sqrt" and compiler.name == "clang"
            if clang_sees and all(_never_negative(graph, argument) for argument in node.args):
                continue
            return Reason("errno", (node.op,))
        if node.invariant:
            continue
        if node.op == "call" and not _has_vector_form(node.callee, compiler):
            return Reason("call", (node.callee,))
        walker = _walker(node)
        if walker:
            return Reason("walking-address", (walker,))
        if node.reason is not None:
            return node.reason if node.reason.subject else Reason("unnamed-value")
        if node.type in SCALAR_TYPES:
            return Reason("scalar-type", (node.type,))
        if node.type[:1] == "c" and node.op in ("mul", "div") and not compiler.finite_math:
            return Reason("complex-nan")
        if _is_vector(node.type):
            return Reason("vector-type")
    return None


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


def _walker(node: Value) -> str:
    """The variable that an address is made of and that the loop changes in no closed form."""
    if node.access is None or node.stride is not None:
        return ""
    texts = [unknown.text for unknown in node.access.offset.unknowns()]
    return next((text for text in texts if text.rstrip("@").isidentifier()), "")


def _is_vector(kind: str) -> bool:
    return kind.rpartition("x")[2].isdigit() and "x" in kind


def _chains(chains: Iterable[Chain], compiler: Compiler, wishes: Wishes) -> Reason | None:
    for chain in chains:
        name = chain.name
        allowed = wishes.reorder or name in wishes.names
        if chain.kind == "recurrence":
            return Reason("recurrence", (Reason("carried-value", (name,)),))
        if chain.kind == "sum" and compiler.in_order:
            continue
        if not (may_reorder(chain, compiler) or allowed):
            if chain.kind == "induction":
                return Reason("induction-order", (name,))
            if chain.kind == "extreme":
                return Reason("extreme", (name,))
            return Reason("reduction", (name,))
    return None


def _memory(
    graph: Graph, found: Dependences, compiler: Compiler, summed: frozenset[int]
) -> Reason | None:
    kept = {store for _, store in found.private}
    for number in graph.accesses("store"):
        node = graph.nodes[number]
        if node.stride == 0 and number not in kept | summed and node.access is not None:
            in_place = any(flow.store == number for flow in found.flows)
            if in_place or found.checks:
                return _aliasing("store-in-place", access_text(node))
        if node.stride is None and node.access is not None and _touched_again(graph, number):
            return Reason("indirect-store", (node.access.array,))
    if not kept <= summed:
        return Reason("memory-reduction")
    if found.why is not None and found.width is not None and found.width < 2:
        return Reason("recurrence", (found.why,))
    if found.unbounded:
        return _aliasing("unbounded-range", found.unbounded)
    if found.checks > compiler.alias_checks:
        return _aliasing("pointer-pairs", str(found.checks))
    return None


def _aliasing(kind: ReasonKind, subject: str) -> Reason:
    return Reason("aliasing", (Reason(kind, (subject,)),))


def _touched_again(graph: Graph, store: int) -> bool:
    """Whether the array of an indirect store is accessed elsewhere in the loop."""
    array = _array(graph, store)
    return any(_array(graph, n) == array for n in graph.accesses("load", "store") if n != store)


def _array(graph: Graph, number: int) -> str:
    access = graph.nodes[number].access
    return access.array if access is not None else ""


def _joined(a: Branches, b: Branches) -> Branches:
    return Branches(a.stores or b.stores, a.loads or b.loads, a.assigned | b.assigned)


def _governs(region: Region, loop: object) -> bool:
    return "simd" in region.kind.split() and any(node is loop for node in region.body)
