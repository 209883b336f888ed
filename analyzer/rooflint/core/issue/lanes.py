"""Integers of several sizes in vector code: the lanes that every operation is made in.

C computes in ``int`` at least, and compilers compute in fewer bits where the result is the same.
gcc asks how many bits of a value its users need and how many it can have
(``vect_recog_over_widening`` and ``vect_determine_precisions`` in tree-vect-patterns.cc). LLVM
computes a whole tree in the type that the result is stored in, where its leaves are constants or
elements of no wider type (``canEvaluateTruncated`` in InstCombineCasts.cpp), or values from before
the loop (``computeMinimumValueSizes`` in VectorUtils.cpp).
"""

from collections.abc import Iterator, Mapping
from typing import Final

from rooflint.core.graph.values import Graph, GraphNode
from rooflint.core.issue.bit_sequences import BIT_CLASSES
from rooflint.core.issue.operations import element_bytes
from rooflint.records import NamedTuple

BYTE: Final = 8
LOW_BITS: Final = frozenset(("add", "sub", "mul", "neg", "not", "and", "or", "xor"))
"""Operations whose low bits depend on the low bits of their operands alone."""
NARROWED: Final = LOW_BITS | {"abs", "convert", "select", "shl"}
"""Operations that may be made in fewer bits than their type has."""
ORDERED: Final = frozenset(("compare", "min", "max"))
"""Operations on all bits that their operands can have."""
COUNT_BYTES: Final = 4
"""Of the number of places that a value is shifted by."""
NUMBER_BYTES: Final = 4
"""Of the smallest integers that vectors turn into floating-point numbers, or the other way."""


class LaneChange(NamedTuple):
    """The value ``number`` in lanes of ``after`` bytes, which was made in lanes of ``before``.

    loaded  it comes from memory, where instructions that widen may take it
    """

    number: int
    before: int
    after: int
    signed: bool
    loaded: bool


def lanes_of_values(graph: Graph, by_range: bool) -> Mapping[int, int]:
    """Bytes of the lanes in which each integer operation of an iteration is made, and of the masks
    that comparisons make.

    by_range  as gcc does, by the bits that are needed and can be set; else as LLVM does
    """
    bits = _bits_by_range(graph) if by_range else _bits_by_tree(graph)
    lanes: dict[int, int] = {}
    for number in graph.live:
        node = graph.nodes[number]
        if node.op in ORDERED:
            lanes[number] = _compared_bytes(graph, node, lanes)
        elif _is_integer(node):
            lanes[number] = _computed_bytes(graph, node, bits[number])
    return lanes


def _compared_bytes(graph: Graph, node: GraphNode, lanes: Mapping[int, int]) -> int:
    """Of a comparison or an extreme: the widest operand that changes in the loop."""
    compared = [a for a in node.args if not graph.nodes[a].invariant]
    sizes = [lanes.get(a) or element_bytes(graph.nodes[a].type) for a in compared]
    return max(sizes, default=element_bytes(node.type))


def _computed_bytes(graph: Graph, node: GraphNode, bits: int) -> int:
    """Of any other integer; counts of bits are as wide as what they count in."""
    operand = graph.nodes[node.args[0]] if node.args else node
    if node.op in BIT_CLASSES and node.op != "rotate":
        return element_bytes(operand.type)
    if node.op == "convert" and not _is_integer(operand):
        return max(NUMBER_BYTES, element_bytes(node.type))
    return _lane(node, bits)


def _bits_by_range(graph: Graph) -> list[int]:
    needed, held = _needed_bits(graph), _held_bits(graph)
    bits = [_type_bits(node) for node in graph.nodes]
    for number in graph.live:
        node = graph.nodes[number]
        if node.op == "shr":
            before = _bits_of_operand(graph, node, 0, needed[number])
            bits[number] = min(before, held[node.args[0]])
        elif node.op in NARROWED and not (node.op == "shl" and _is_variable(graph, node)):
            bits[number] = min(needed[number], held[number])
    return bits


def _bits_by_tree(graph: Graph) -> list[int]:
    needed = _needed_bits(graph)
    narrow = _evaluated_narrow(graph, needed)
    types = [_type_bits(node) for node in graph.nodes]
    return [needed[n] if n in narrow else bits for n, bits in enumerate(types)]


def _is_variable(graph: Graph, node: GraphNode) -> bool:
    """Whether the amount of a shift is no constant."""
    return graph.nodes[node.args[1]].number is None


def lane_changes(graph: Graph, lanes: Mapping[int, int]) -> tuple[LaneChange, ...]:
    """The values that operations need in other lanes than they are made in, each once."""
    found: dict[LaneChange, None] = {}
    for number in graph.live:
        node = graph.nodes[number]
        if node.invariant and node.op != "store":
            continue
        for argument in _values_of(node):
            change = _change(graph, lanes, argument, _wanted(graph, lanes, number, argument))
            if change is not None:
                found[change] = None
    return tuple(found)


def shift_counts(graph: Graph, lanes: Mapping[int, int]) -> Iterator[LaneChange]:
    """The counts of shifts of 64 bits by as many: an ``int`` in gcc, which packs them into lanes of
    that size, and widens them again as its vectors of shifts need them (gcc 12.2)."""
    for number in graph.live:
        node = graph.nodes[number]
        if node.op not in ("shl", "shr") or lanes.get(number) != 2 * COUNT_BYTES:
            continue
        count = node.args[1]
        wide = element_bytes(graph.nodes[count].type) > COUNT_BYTES
        if wide and not _is_free(graph.nodes[count]):
            change = LaneChange(
                number=count, before=2 * COUNT_BYTES, after=COUNT_BYTES, signed=False, loaded=False
            )
            yield from (change, change._replace(before=change.after, after=change.before))


def _values_of(node: GraphNode) -> tuple[int, ...]:
    """The operands that have lanes: the amount of a shift has none of its own."""
    return node.args[:1] if node.op in ("shl", "shr", "store") else node.args


def _wanted(graph: Graph, lanes: Mapping[int, int], number: int, argument: int) -> int | None:
    """The bytes of the lanes that an operation needs its operand in; None for any."""
    node, operand = graph.nodes[number], graph.nodes[argument]
    masks = node.op == "select" and argument == node.args[0]
    if masks and operand.op == "compare":
        return lanes.get(number) or element_bytes(node.type)
    if node.op == "store":
        return element_bytes(node.type) if _is_integer(node) else None
    if node.op == "convert":
        return _wanted_by_conversion(lanes, number, argument, operand)
    return lanes.get(number)


def _wanted_by_conversion(
    lanes: Mapping[int, int], number: int, argument: int, operand: GraphNode
) -> int | None:
    if number in lanes:
        return lanes[number] if _is_integer(operand) else None
    # to floating point
    return NUMBER_BYTES if lanes.get(argument, NUMBER_BYTES) < NUMBER_BYTES else None


def _change(
    graph: Graph, lanes: Mapping[int, int], number: int, after: int | None
) -> LaneChange | None:
    node = graph.nodes[number]
    before = lanes.get(number)
    if before is None or after is None or before == after or _is_free(node):
        return None
    return LaneChange(
        number=number,
        before=before,
        after=after,
        signed=node.type[:1] == "i",
        loaded=node.op == "load",
    )


def _is_integer(node: GraphNode) -> bool:
    return node.type[:1] in ("i", "u") and node.type[1:].isdigit()


def _is_free(node: GraphNode) -> bool:
    """Whether a value is made before the loop, in any lanes."""
    return node.invariant or node.number is not None or node.op in ("carried", "index")


def _type_bits(node: GraphNode) -> int:
    return BYTE * element_bytes(node.type)


def _lane(node: GraphNode, bits: int) -> int:
    """Bytes of the smallest lane with so many bits, none wider than the type."""
    lane = 1
    while BYTE * lane < bits:
        lane *= 2
    return min(lane, element_bytes(node.type))


def _needed_bits(graph: Graph) -> list[int]:
    """By node: the low bits of a value that anything depends on."""
    needed = [0] * len(graph.nodes)
    kept = _kept_bits(graph)
    for root in graph.roots:
        bits = _type_bits(graph.nodes[root])
        needed[root] = max(needed[root], min(bits, kept.get(root, bits)))
    for number in reversed(graph.live):
        node = graph.nodes[number]
        needed[number] = min(needed[number] or _type_bits(node), _type_bits(node))
        for place, argument in enumerate(node.args):
            bits = _bits_of_operand(graph, node, place, needed[number])
            needed[argument] = max(needed[argument], bits)
    return needed


def _kept_bits(graph: Graph) -> dict[int, int]:
    """By the value that a scalar has at the end of an iteration: the bits that it keeps of it."""
    found: dict[int, int] = {}
    for name, last in graph.finals.items():
        kind = graph.kept.get(name, graph.nodes[last].type)
        bits = BYTE * element_bytes(kind)
        found[last] = max(found.get(last, 0), bits)
    return found


def _bits_of_operand(graph: Graph, node: GraphNode, place: int, needed: int) -> int:
    operand = graph.nodes[node.args[place]]
    if _passes_low_bits(node, place, operand):
        return needed
    amount = graph.nodes[node.args[1]].number if node.op == "shr" and place == 0 else None
    if isinstance(amount, int) and amount < _type_bits(operand):
        return needed + amount
    return _type_bits(operand)


def _passes_low_bits(node: GraphNode, place: int, operand: GraphNode) -> bool:
    """Whether the low bits of a result depend on no more than as many of the operand."""
    if node.op == "shl":
        return place == 0
    if node.op == "select":
        return place > 0
    if node.op == "convert":
        return _is_integer(node) and _is_integer(operand)
    return node.op in LOW_BITS or node.op == "store"


def _held_bits(graph: Graph) -> list[int]:
    """By node: the bits that a value can have, its sign among them."""
    held = [0] * len(graph.nodes)
    for number in range(len(graph.nodes)):
        node = graph.nodes[number]
        bits = _bits_of_result(node, [held[argument] for argument in node.args])
        held[number] = min(bits, _type_bits(node))
    return held


def _bits_of_result(node: GraphNode, operands: list[int]) -> int:
    if isinstance(node.number, int):
        return max(1, node.number.bit_length() + (node.number < 0))
    widest = max(operands, default=0)
    if node.op in ("add", "sub"):
        return widest + 1
    if node.op == "mul":
        return sum(operands)
    if node.op in ("and", "or", "xor", "min", "max", "abs", "shr"):
        return widest
    if node.op == "select":
        return max(operands[1:], default=_type_bits(node))
    return _type_bits(node)


def _evaluated_narrow(graph: Graph, needed: list[int]) -> frozenset[int]:
    """The operations of trees whose leaves are made before the loop, or elements no wider than
    needed."""
    found: set[int] = set()
    stored = {_type_bits(graph.nodes[n]) for n in graph.roots if graph.nodes[n].op == "store"}
    stored.update(_kept_bits(graph).values())
    for number in graph.live:
        node = graph.nodes[number]
        whole = needed[number] in stored
        arms = node.args[1:] if node.op == "select" else _values_of(node)
        tree = node.op in LOW_BITS or node.op in ("shl", "select", "convert")
        if tree and all(_is_leaf(graph, a, needed[number], whole) or a in found for a in arms):
            found.add(number)
    return frozenset(found)


def _is_leaf(graph: Graph, number: int, bits: int, whole: bool) -> bool:
    """``whole``: all bits that are needed are stored. Below a shift to the right, which needs more,
    LLVM 19 leaves a value from before the loop as it is."""
    node = graph.nodes[number]
    held = BYTE * element_bytes(graph.kept.get(node.scalar, node.type))
    narrow = node.op in ("load", "carried") and held <= bits
    narrow = narrow or node.op == "compare"  # one bit
    return narrow or node.number is not None or (whole and node.invariant)
