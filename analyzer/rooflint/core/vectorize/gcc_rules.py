"""Loops that gcc 12 refuses to vectorize though no dependence forbids it, rule by rule.

Each rule has its source: gcc's own code or manual, and loops of our own compiled with gcc 12.2 at
``-O3`` for SSE2, Haswell, Skylake-X and Zen 3 (``tests/core/test_gcc_rules.py`` has them, on both
sides of each threshold).
"""

from collections.abc import Callable, Iterator
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.graph.addresses import stride_of, wraps_unseen
from rooflint.core.graph.elements import access_text
from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.bit_sequences import BIT_CLASSES
from rooflint.core.issue.operations import element_bytes
from rooflint.core.vectorize.conditions import (
    conditional_operations,
    masked_loads,
    masked_stores,
)
from rooflint.core.vectorize.target import LEAST_MASKED
from rooflint.core.vectorize.vectorizer import (
    DIVISIONS,
    VectorLoop,
    power_of_two,
    wrapping_access,
)
from rooflint.ir import Access, Loop, Reason
from rooflint.library.mathematics import ROUNDING, TO_INTEGER, function_base
from rooflint.records import NamedTuple

MAY_TRAP: Final = frozenset(("add", "sub", "mul", "div", "fma", "sqrt"))
"""Arithmetic on floats that may raise an exception (``gimple_could_trap_p``)."""
EXACT_ROUNDING: Final = frozenset(("rint", "nearbyint"))
WIDE: Final = 8
"""Bytes of an integer whose product, quotient or conversion has no vector form before AVX-512."""


PAIR: Final = 2
THREE_ELEMENTS: Final = 3
"""Besides powers of two, the only number of accesses side by side that are shuffled."""
INT_BYTES: Final = 4
SLP_DEPTH: Final = 4
"""Operations behind a store that are compared with those of its neighbours; loads follow soon."""
SIGNLESS: Final = {"sub": "add"}
"""Operations that one vector of lanes may mix (``addsub``)."""
VECTOR_COUNTS: Final = frozenset(("popcount", "leading_zeros"))


class RefusalRule(NamedTuple):
    """One reason to refuse a loop: ``refuses`` gives it for a loop that the rule holds for."""

    id: str
    source: str
    refuses: Callable[[VectorLoop, Compiler], Reason | None]


def refusal(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """The first rule's reason; None where none refuses the loop."""
    for rule in GCC_RULES:
        reason = rule.refuses(loop, compiler)
        if reason is not None:
            return reason
    return None


def _quotient(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Integers divided by no constant; of 64 bits by any that is no power of two."""
    divided = loop.divided_type() if loop.target.x86 else None
    return Reason("no-instruction", ("division", divided)) if divided else None


def _rounding(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    for node in _nodes(loop):
        if node.op != "call" or (base := function_base(node.callee)) not in ROUNDING:
            continue
        exact = base in EXACT_ROUNDING or not compiler.trapping_math
        if loop.target.x86 and (loop.target.legacy or not exact):
            return Reason("no-instruction", (base, node.type))
    return None


def _conversion(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Between integers of 64 bits and floats; by ``lrint`` and ``lround`` to any integer."""
    if not loop.target.x86:
        return None
    for node in _nodes(loop):
        if node.op == "convert" and node.args and not node.invariant:
            source = loop.graph.nodes[node.args[0]].type
            wide = _is_wide_conversion(source, node.type) and not loop.target.avx512
            if wide or node.callee in TO_INTEGER:
                return Reason("no-instruction", ("conversion", source))
    return None


def _is_wide_conversion(*kinds: str) -> bool:
    floats = [kind for kind in kinds if kind[:1] == "f"]
    wide = [k for k in kinds if k[:1] in "iu" and element_bytes(k) >= WIDE]
    return bool(floats and wide)


def _shift(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    if not (loop.target.x86 and loop.target.legacy):
        return None
    for node in _nodes(loop):
        if node.op in ("shl", "shr") and len(node.args) == 2 and not node.invariant:
            amount = loop.graph.nodes[node.args[1]]
            other = loop.graph.nodes[node.args[0]]
            if not (amount.invariant or other.number is not None):
                return Reason("no-instruction", ("shift", node.type))
    return None


def _wide_comparison(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """The result of comparing 8 bytes is a number only where such integers can be compared."""
    if not (loop.target.x86 and loop.target.legacy):
        return None
    nodes = loop.graph.nodes
    for node in _nodes(loop):
        for number in node.args if node.op in ("add", "or", "xor") else ():
            compared = nodes[number]
            kind = nodes[compared.args[0]].type if compared.op == "compare" else ""
            if kind in ("f64", "i64", "u64"):
                return Reason("no-instruction", ("comparison", kind))
    return None


def _bits(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Counts need an instruction for vectors; zeros behind have none, pairs of bytes are shifted,
    and wider elements need a shuffle of bytes."""
    for node in _nodes(loop):
        if node.op not in BIT_CLASSES or node.invariant:
            continue
        kind = loop.graph.nodes[node.args[0]].type
        if not _has_vector_bits(loop, node.op, kind):
            return Reason("no-instruction", (node.op.replace("_", " "), kind))
    return None


def _has_vector_bits(loop: VectorLoop, operation: str, kind: str) -> bool:
    target = loop.target
    if operation == "byte_swap":
        return not (target.x86 and target.legacy) or element_bytes(kind) == PAIR
    if operation == "rotate":
        return True
    known = loop.operations.core.operation(operation, kind, target.register_bytes) is not None
    return operation in VECTOR_COUNTS and known and (target.avx512 or not target.x86)


def _trap(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Arithmetic on floats under a condition, and any division there."""
    if loop.target.avx512 or not loop.target.x86 or not compiler.trapping_math:
        return None
    for op, kind in conditional_operations(loop):
        if op in MAY_TRAP and (kind[:1] == "f" or op in DIVISIONS):
            return Reason("may-trap", (op,))
    return None


def _mask(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Loads and stores under a condition: none before AVX, of 4 and 8 B before AVX-512, and stores
    side by side alone."""
    if not loop.target.x86:
        return None
    least = 1 if loop.target.avx512 else WIDE + 1 if loop.target.legacy else LEAST_MASKED
    own = loop.kernel.loops[-1]
    for store in masked_stores(loop):
        if store.bytes < least or stride_of(store.offset, own.index, own.step) != store.bytes:
            return Reason("masked-store")
    if loop.target.legacy:
        for access in masked_loads(loop):
            return Reason("masked-load", (access.array,))
    return None


def _sparse(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Elements a power of two apart, with nothing between them, that fill no vector together."""
    assert loop.target.register_bytes is not None
    lanes = loop.target.register_bytes // min(loop.element_sizes())
    loads = [loop.graph.nodes[number] for number in loop.graph.accesses("load")]
    for node in loads:
        apart = _elements_apart(node)
        if apart <= lanes or apart != power_of_two(apart):
            continue
        assert node.access is not None
        if len(loop.groups.beside(node)) == 1:
            return Reason("unprofitable-stride", (node.access.array,))
    return None


def _elements_apart(node: GraphNode) -> int:
    """The step of a load in elements; 0 where it is unknown or no whole number."""
    if node.access is None or not isinstance(node.stride, int):
        return 0
    apart, rest = divmod(abs(node.stride), node.access.bytes)
    return 0 if rest else apart


def _fold(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """An ordered sum of several additions in an iteration, but for one over groups of as many."""
    for chain in loop.chains:
        additions = len(loop.ordered.intersection(chain.nodes))
        if additions > 1 and not _is_grouped(loop, additions):
            return Reason("reduction", (chain.name,))
    return None


def _is_grouped(loop: VectorLoop, size: int) -> bool:
    """Whether all loads are of groups of so many elements, which lie side by side."""
    loads = [loop.graph.nodes[number] for number in loop.graph.accesses("load")]
    return all(_elements_apart(node) == size == len(loop.groups.beside(node)) for node in loads)


def _fold_types(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """An ordered sum wider than another element of the loop: it would take several vectors."""
    sizes = [*loop.element_sizes(), *integer_sizes(loop.graph)]
    for chain in loop.chains:
        ordered = not loop.ordered.isdisjoint(chain.nodes)
        if ordered and element_bytes(chain.type) > min(sizes):
            return Reason("reduction", (chain.name,))
    return None


def integer_sizes(graph: Graph) -> Iterator[int]:
    """Of indices that become numbers, and of amounts of shifts, which are ``int`` in C."""
    for number in graph.live:
        node = graph.nodes[number]
        operands = [graph.nodes[argument] for argument in node.args]
        if node.op == "convert":
            yield from [element_bytes(each.type) for each in operands if each.op == "index"]
        elif node.op in ("shl", "shr") and not any(_is_constant(each) for each in operands):
            yield INT_BYTES


def _is_constant(node: GraphNode) -> bool:
    return node.invariant or node.number is not None


def _backward(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Elements apart that a loop walks from the last to the first: no group is shuffled so, and
    single ones are taken element by element only where the step is no power of two."""
    if _fills_lanes(loop):
        return None
    for number in loop.graph.accesses("load", "store"):
        node = loop.graph.nodes[number]
        apart = _elements_apart(node)
        if apart < PAIR or not isinstance(node.stride, int) or node.stride > 0:
            continue
        members = len(loop.groups.beside(node))
        single = node.op == "load" and members == 1 and apart == power_of_two(apart)
        if (members > 1 and (node.op == "load" or members == apart)) or single:
            assert node.access is not None
            return Reason("unprofitable-stride", (node.access.array,))
    return None


def _store_group(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Stores side by side whose number is neither 3 nor a power of two, unless each takes the
    same operations on loads side by side."""
    for number in loop.graph.accesses("store"):
        node = loop.graph.nodes[number]
        apart = _elements_apart(node)
        if apart in (0, THREE_ELEMENTS, power_of_two(apart)) or node.access is None:
            continue
        if len(loop.groups.beside(node)) == apart and not _fills_lanes(loop):
            return Reason("unprofitable-stride", (node.access.array,))
    return None


def _fills_lanes(loop: VectorLoop) -> bool:
    """Whether the accesses are groups of as many elements as their step has, all of one size, and
    the stores of a group take alike values (``vect_analyze_slp``)."""
    nodes = loop.graph.nodes
    moving = [nodes[n] for n in loop.graph.accesses("load", "store") if nodes[n].stride != 0]
    sizes = {_elements_apart(node) for node in moving}
    if len(sizes) != 1 or any(len(loop.groups.beside(node)) not in sizes for node in moving):
        return False
    stores = [node for node in moving if node.op == "store"]
    return all(
        _alike(loop.graph, store.args[0], other.args[0], SLP_DEPTH)
        for store in stores
        for other in loop.groups.beside(store)
    )


def _alike(graph: Graph, number: int, other: int, depth: int) -> bool:
    """Whether two values are made by the same operations, but for additions and subtractions."""
    one, two = graph.nodes[number], graph.nodes[other]
    if one.invariant and two.invariant:
        return True
    if len(one.args) != len(two.args) or SIGNLESS.get(one.op, one.op) != SIGNLESS.get(
        two.op, two.op
    ):
        return False
    return depth == 0 or all(
        _alike(graph, *pair, depth - 1) for pair in zip(one.args, two.args, strict=True)
    )


def leaves_gaps(store: GraphNode, loop: VectorLoop) -> bool:
    """Whether stores side by side do not fill their step, and are made one by one: they are neither
    as many as a power of two nor of values that are made alike."""
    apart, group = _elements_apart(store), loop.groups.beside(store)
    if apart < PAIR or len(group) == apart:
        return False
    stored = [loop.graph.nodes[other.args[0]] for other in group]
    makers = {(node.op, node.number is None) for node in stored}
    return len(group) != power_of_two(len(group)) or len(makers) > 1


def _group(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Several elements of a step that is neither 3 nor a power of two, beside loads of another
    step, of which no statement-wise vectors are made."""
    loads = [loop.graph.nodes[number] for number in loop.graph.accesses("load")]
    strides = {node.stride for node in loads}
    for node in loads:
        apart = _elements_apart(node)
        if apart == power_of_two(apart) or apart == THREE_ELEMENTS or node.access is None:
            continue
        members = len(loop.groups.beside(node))
        if members > 1 and len(strides) > 1:
            return Reason("unprofitable-stride", (node.access.array,))
    return None


def _order(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """An element read behind a store that the next iterations make to it, though another store of
    this iteration takes that one's place."""
    stores: dict[str, list[Access]] = {}
    for statement in loop.kernel.statements:
        for access in statement.accesses:
            before = () if access.write else stores.get(access.array, ())
            if any(_is_ahead(access, stored, loop.kernel.loops[-1]) for stored in before):
                return Reason("recurrence", (Reason("carried-value", (access.array,)),))
        for access in statement.accesses:
            if access.write:
                stores.setdefault(access.array, []).append(access)
    return None


def _is_ahead(read: Access, stored: Access, loop: Loop) -> bool:
    """Whether later iterations store where this one reads, in the same array."""
    stride = stride_of(stored.offset, loop.index, loop.step)
    distance = (read.offset - stored.offset).value
    if distance is None or not isinstance(stride, int) or not stride:
        return False
    return distance % stride == 0 and distance // stride > 0


def _wrapping(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Addresses made of an ``unsigned`` that begins anywhere, and so may wrap."""
    summed = _wrapping_sum(loop)
    if summed is not None:
        return Reason("wrapping-subscript", (summed,))
    node = wrapping_access(loop, compiler)
    return Reason("aliasing", (Reason("unbounded-range", (access_text(node),)),)) if node else None


def _wrapping_sum(loop: VectorLoop) -> str | None:
    """An array at whose subscript a sum of 32 bits may wrap, where gathers do not help: one that
    the loop stores to, or that it sums up (gcc 12, tested)."""
    loops = loop.kernel.loops
    for number in loop.graph.accesses("load", "store") if loops[-1].wrapping else ():
        node = loop.graph.nodes[number]
        if node.access is None or node.stride == 0 or not wraps_unseen(node.access, loops):
            continue
        if node.op == "store" or loop.accumulates:
            return node.access.array
    return None


GCC_RULES: Final = (
    RefusalRule(
        "G-DIVIDE", "no optab for it; a wide quotient needs the high half of a product", _quotient
    ),
    RefusalRule("G-ROUND", "ix86_builtin_vectorized_function: flag_trapping_math", _rounding),
    RefusalRule("G-CONVERT", "float and fix optabs of 64-bit elements: AVX512DQ", _conversion),
    RefusalRule("G-SHIFT", "vashl and vlshr optabs: AVX2", _shift),
    RefusalRule("G-WIDE-COMPARISON", "vec_cmpv2div2di optab: SSE4.2", _wide_comparison),
    RefusalRule("G-BITS", "popcount and clz optabs: AVX512VPOPCNTDQ, AVX512CD", _bits),
    RefusalRule("G-TRAP", "tree-if-conv: if_convertible_gimple_assign_stmt_p", _trap),
    RefusalRule("G-MASK", "maskload and maskstore optabs: AVX, bytes and words AVX512BW", _mask),
    RefusalRule("G-FOLD", "vectorizable_reduction: in-order reduction chain without SLP", _fold),
    RefusalRule("G-FOLD-TYPES", "vectorizable_reduction: multiple types in fold-left", _fold_types),
    RefusalRule("G-BACK", "get_group_load_store_type: compare_step_with_zero > 0", _backward),
    RefusalRule("G-STORES", "vect_grouped_store_supported: power of 2 or 3", _store_group),
    RefusalRule("G-GROUP", "get_load_store_type: not falling back to elementwise accesses", _group),
    RefusalRule("G-ORDER", "vect_analyze_data_ref_dependence: i and i+1 may meet", _order),
    RefusalRule("G-WRAP", "scev_probably_wraps_p: evolution of base is not affine", _wrapping),
    RefusalRule("G-SPARSE", "vectorizable_load, single-element interleaving (PR65518)", _sparse),
)
"""Of gcc 11 to 13: the three have the same code in these places."""


def _nodes(loop: VectorLoop) -> Iterator[GraphNode]:
    return (loop.graph.nodes[number] for number in loop.graph.live)
