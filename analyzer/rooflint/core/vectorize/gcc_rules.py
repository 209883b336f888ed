"""Loops that gcc 12 refuses to vectorize though no dependence forbids it, rule by rule.

Each rule has its source: gcc's own code or manual, and loops of our own compiled with gcc 12.2 at
``-O3`` for SSE2, Haswell, Skylake-X and Zen 3 (``tests/core/test_gcc_rules.py`` has them, on both
sides of each threshold).
"""

from collections.abc import Callable, Container, Iterator
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.graph.values import GraphNode
from rooflint.core.issue.bit_sequences import BIT_CLASSES
from rooflint.core.issue.operations import element_bytes
from rooflint.core.vectorize.profitability import power_of_two
from rooflint.core.vectorize.vectorizer import DIVISIONS, VectorLoop
from rooflint.ir import (
    Access,
    Branch,
    IndexValue,
    Loop,
    Node,
    Reason,
    Relation,
    Statement,
    Value,
    walk,
)
from rooflint.library.mathematics import ROUNDING, function_base
from rooflint.records import NamedTuple

MAY_TRAP: Final = frozenset(("add", "sub", "mul", "div", "fma", "sqrt"))
"""Arithmetic on floats that may raise an exception (``gimple_could_trap_p``)."""
EXACT_ROUNDING: Final = frozenset(("rint", "nearbyint"))
WIDE: Final = 8
"""Bytes of an integer whose product, quotient or conversion has no vector form before AVX-512."""
ORDERED: Final = ("<", "<=", ">", ">=")
LEAST_MASKED: Final = 4
"""Bytes of the smallest element that AVX and AVX2 store under a mask (``vpmaskmov``)."""


PAIR: Final = 2
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
        exact = base in EXACT_ROUNDING or compiler.finite_math
        if loop.target.x86 and (loop.target.legacy or not exact):
            return Reason("no-instruction", (base, node.type))
    return None


def _conversion(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Between integers of 64 bits and floats."""
    if not loop.target.x86 or loop.target.avx512:
        return None
    for node in _nodes(loop):
        if node.op == "convert" and node.args and not node.invariant:
            source = loop.graph.nodes[node.args[0]].type
            if _is_wide_conversion(source, node.type):
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
    if loop.target.avx512 or not loop.target.x86 or compiler.finite_math:
        return None
    for op, kind in _conditional_operations(loop):
        if op in MAY_TRAP and (kind[:1] == "f" or op in DIVISIONS):
            return Reason("may-trap", (op,))
    return None


def _conditional_operations(loop: VectorLoop) -> Iterator[tuple[str, str]]:
    """Operations under a condition, with their types."""
    for number in _chosen(loop):
        yield loop.written.nodes[number].op, loop.written.nodes[number].type
    for arm in _arms(loop):
        for statement in arm:
            yield from [(value.op, value.type) for value in statement.values]


def _mask(loop: VectorLoop, compiler: Compiler) -> Reason | None:
    """Loads and stores under a condition: none before AVX, of 4 and 8 B before AVX-512."""
    if not loop.target.x86 or loop.target.avx512:
        return None
    least = WIDE + 1 if loop.target.legacy else LEAST_MASKED
    stored = [store for store in _masked_stores(loop) if store.bytes < least]
    if stored:
        return Reason("masked-store")
    if loop.target.legacy:
        for access in _masked_loads(loop):
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
        if sum(_is_beside(node, other) for other in loads) == 1:
            return Reason("unprofitable-stride", (node.access.array,))
    return None


def _elements_apart(node: GraphNode) -> int:
    """The step of a load in elements; 0 where it is unknown or no whole number."""
    if node.access is None or not isinstance(node.stride, int):
        return 0
    apart, rest = divmod(abs(node.stride), node.access.bytes)
    return 0 if rest else apart


GCC_RULES: Final = (
    RefusalRule(
        "G-DIVIDE", "no optab for it; a wide quotient needs the high half of a product", _quotient
    ),
    RefusalRule("G-ROUND", "ix86_builtin_vectorized_function: flag_trapping_math", _rounding),
    RefusalRule("G-CONVERT", "float and fix optabs of 64-bit elements: AVX512DQ", _conversion),
    RefusalRule("G-SHIFT", "vashl and vlshr optabs: AVX2", _shift),
    RefusalRule("G-BITS", "popcount and clz optabs: AVX512VPOPCNTDQ, AVX512CD", _bits),
    RefusalRule("G-TRAP", "tree-if-conv: if_convertible_gimple_assign_stmt_p", _trap),
    RefusalRule("G-MASK", "maskload and maskstore optabs: AVX, bytes and words AVX512BW", _mask),
    RefusalRule("G-SPARSE", "vectorizable_load, single-element interleaving (PR65518)", _sparse),
)
"""Of gcc 11 to 13: the three have the same code in these places."""


def _nodes(loop: VectorLoop) -> Iterator[GraphNode]:
    return (loop.graph.nodes[number] for number in loop.graph.live)


def _is_beside(node: GraphNode, other: GraphNode) -> bool:
    """Whether two loads are of one group: less than their common step apart."""
    if node.place is None or other.place is None or node.stride != other.stride:
        return False
    distance = node.place.distance(other.place)
    return (
        distance is not None and isinstance(node.stride, int) and abs(distance) < abs(node.stride)
    )


def _chosen(loop: VectorLoop) -> Iterator[int]:
    """The values that nothing but one side of a selection needs, where data decide."""
    graph, own = loop.written, loop.kernel.loops[-1]
    waiting = [
        argument
        for node in [graph.nodes[number] for number in graph.live]
        if node.op == "select"
        and not graph.nodes[node.args[0]].invariant
        and not _splits(loop.kernel.statements[node.statement], own)
        for argument in node.args[1:]
    ]
    while waiting:
        number = waiting.pop()
        node = graph.nodes[number]
        if graph.uses[number] == 1 and not node.invariant:
            yield number
            waiting += node.args


def _branches(loop: VectorLoop) -> list[Branch]:
    """Those that the data of an iteration decide: others leave the loop, or split it in two."""
    own = loop.kernel.loops[-1]
    assigned = {
        value.name
        for node in walk(own.body)
        if isinstance(node, Statement)
        for value in node.values
        if value.op == "assign"
    }
    return [
        node
        for node in own.body
        if isinstance(node, Branch)
        and not _is_steady(node.condition, own, assigned)
        and not _splits(node.condition, own)
    ]


def _is_steady(condition: Statement, loop: Loop, assigned: Container[str]) -> bool:
    """Whether it is the same in all iterations (``-funswitch-loops``)."""
    return all(
        value.op in ("const", "compare", "not")
        or (value.op == "scalar" and value.name not in assigned)
        or (isinstance(value, IndexValue) and loop.index not in value.poly.mentions())
        for value in condition.values
    )


def _splits(condition: Statement, loop: Loop) -> bool:
    """Whether a comparison with the index holds up to some iteration, or from there on, as the only
    one that decides (``-fsplit-loops``)."""
    relations = [value for value in condition.values if isinstance(value, Relation)]
    if len(relations) != 1 or relations[0].operator not in ORDERED:
        return False
    sides = [condition.values[argument] for argument in relations[0].args]
    moving = [_moves_in_closed_form(side, loop.index) for side in sides]
    return moving.count(True) == 1 and moving.count(False) == 1


def _moves_in_closed_form(side: Value, index: str) -> bool | None:
    """Whether a side of a comparison moves with the loop; None where it is no closed form."""
    if isinstance(side, IndexValue):
        return None if side.poly.unknowns() else index in side.poly.names()
    return False if side.op in ("const", "scalar") else None


def _arms(loop: VectorLoop) -> Iterator[list[Statement]]:
    """The statements of each arm, of arms inside it too."""
    for branch in _branches(loop):
        for arm in (branch.then, branch.orelse):
            yield [node for node in walk(arm) if isinstance(node, Statement)]


def _masked_stores(loop: VectorLoop) -> list[Access]:
    """Stores of arms to places that the other arm does not store to."""
    return [
        access
        for branch in _branches(loop)
        for node in walk((*branch.then, *branch.orelse))
        if isinstance(node, Statement)
        for access in node.accesses
        if access.write and access not in _always_stored((branch,))
    ]


def _always_stored(nodes: tuple[Node, ...]) -> set[Access]:
    """The places that every way through the nodes stores to: one store with a selection."""
    found: set[Access] = set()
    for node in nodes:
        if isinstance(node, Statement):
            found.update(access for access in node.accesses if access.write)
        elif isinstance(node, Branch):
            found |= _always_stored(node.then) & _always_stored(node.orelse)
    return found


def _masked_loads(loop: VectorLoop) -> Iterator[Access]:
    """Loads of an element that an iteration does not make where the condition is another."""
    chosen = [loop.written.nodes[number] for number in _chosen(loop)]
    yield from [n.access for n in chosen if n.op == "load" and n.access and n.stride != 0]
    certain = {(access.array, access.offset) for access in _certain_accesses(loop)}
    for access in _loads_of_arms(loop):
        if (access.array, access.offset) not in certain:
            yield access


def _loads_of_arms(loop: VectorLoop) -> Iterator[Access]:
    """Those of elements, which the iterations move through."""
    index = loop.kernel.loops[-1].index
    for arm in _arms(loop):
        for statement in arm:
            reads = [access for access in statement.accesses if not access.write]
            yield from [access for access in reads if index in access.offset.names()]


def _certain_accesses(loop: VectorLoop) -> Iterator[Access]:
    """Those of every iteration, and of conditions inside others too."""
    body = loop.kernel.loops[-1].body
    for node in walk(body):
        if isinstance(node, Branch):
            yield from node.condition.accesses
    for node in body:
        if isinstance(node, Statement):
            yield from node.accesses
