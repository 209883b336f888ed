"""Features of code that rules look for: a rule is asked, and imported, where all of its own are."""

from collections.abc import Iterable, Iterator
from enum import Enum

from rooflint.facts import KernelFacts
from rooflint.ir import Branch, Call, Function, Loop, Node, Region, Statement, children, walk


class CodeFeature(Enum):
    """A part of a function without which some rules never match; its presence says little."""

    NEST = "a loop in a loop"
    SEVERAL_LOOPS = "two loops"
    EARLY_EXIT = "a loop that ends before its bound"
    BRANCH = "a branch"
    REGION = "a region of a directive"
    CALL = "a call"
    DIVISION = "a division"
    CONVERSION = "a conversion of a number"
    SQUARE_ROOT = "a square root"
    CARRIED_SCALAR = "a scalar of the previous iteration"
    BYTES = "an access of one byte"
    ROWS = "an array of several dimensions"
    CELLS = "a scalar in memory"
    STRIDE = "a stream with gaps"
    GATHER = "a stream at indices that an array gives"
    FIXED_PLACE = "a stream that stays at its place"


OPERATIONS = {
    "call": CodeFeature.CALL,
    "div": CodeFeature.DIVISION,
    "rem": CodeFeature.DIVISION,
    "convert": CodeFeature.CONVERSION,
    "sqrt": CodeFeature.SQUARE_ROOT,
    "carried": CodeFeature.CARRIED_SCALAR,
}
PATTERNS = {
    "strided": CodeFeature.STRIDE,
    "gather": CodeFeature.GATHER,
    "invariant": CodeFeature.FIXED_PLACE,
}


def features_of(function: Function, facts: Iterable[KernelFacts]) -> frozenset[CodeFeature]:
    """All features of a function."""
    found = set(_of_data(function))
    found.update([PATTERNS[s.pattern] for f in facts for s in f.streams if s.pattern in PATTERNS])
    loops = 0
    for node in walk(function.body):
        loops += isinstance(node, Loop)
        found.update(_of_node(node))
    if loops > 1:
        found.add(CodeFeature.SEVERAL_LOOPS)
    return frozenset(found)


def _of_data(function: Function) -> Iterator[CodeFeature]:
    if any(len(array.extents) > 1 for array in function.arrays):
        yield CodeFeature.ROWS
    if function.cells:
        yield CodeFeature.CELLS


def _of_node(node: Node) -> Iterator[CodeFeature]:
    if isinstance(node, Statement):
        yield from _of_statement(node)
    elif isinstance(node, Loop):
        yield from _of_loop(node)
    else:
        yield from [feature for kind, feature in KINDS if isinstance(node, kind)]


def _of_statement(node: Statement) -> Iterator[CodeFeature]:
    yield from [OPERATIONS[value.op] for value in node.values if value.op in OPERATIONS]
    if any(access.bytes == 1 for access in node.accesses):
        yield CodeFeature.BYTES


def _of_loop(node: Loop) -> Iterator[CodeFeature]:
    if node.exits:
        yield CodeFeature.EARLY_EXIT
    if any(isinstance(each, Loop) for each in walk(children(node))):
        yield CodeFeature.NEST


KINDS = (
    (Branch, CodeFeature.BRANCH),
    (Call, CodeFeature.CALL),
    (Region, CodeFeature.REGION),
)
