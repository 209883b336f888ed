"""Work of straight code: operations by class and type, flops as written, loads and stores.

Flops: add, sub, mul, div and sqrt are one each, fma two. Complex: add and sub two, mul six, fma
eight, div eleven (six products, three sums, two quotients: the textbook form). A vector operation
counts once per lane. Comparisons, minima, conversions, absolute values, negations and selections
are operations but no flops; a call is an operation of its own (``call:exp.f64``) without flops,
because its cost is the library's. Integer operations that only compute addresses are not in the IR,
or are there as values that nothing reads, where an address has no closed form; neither counts.
"""

from collections.abc import Iterable
from typing import NamedTuple

from rooflint.ir import Statement, Value

FLOPS = {"add": 1, "sub": 1, "mul": 1, "div": 1, "sqrt": 1, "fma": 2}
COMPLEX_FLOPS = {"add": 2, "sub": 2, "mul": 6, "div": 11, "sqrt": 1, "fma": 8}
EFFECTS = frozenset(("store", "assign", "call", "compare", "select"))
"""What is done for more than its value: it stores, calls, or decides."""
NO_OPERATION = frozenset(
    ("load", "store", "const", "scalar", "carried", "assign", "index", "opaque")
)
"""What moves or names a value."""


class Work(NamedTuple):
    """Per execution of the code.

    type           the element type of most flops; without flops that of most integer operations,
                   without those that of most bytes accessed; empty when there is nothing
    operations     ``{"add.f64": 3}``
    integer_operations   those on integers, conversions and calls left out; pointers, truth values
                   and what has no known type are no integers
    loads, stores  as written, loop-invariant ones included
    """

    type: str
    flops: int
    operations: dict[str, int]
    integer_operations: int
    loads: int
    stores: int


class _Class(NamedTuple):
    key: str
    lanes: int
    flops: int
    element: str
    integer: bool


def work_of(statements: Iterable[Statement]) -> Work:
    """The work of ``statements`` executed once each."""
    operations: dict[str, int] = {}
    weight: dict[str, int] = {}
    moved: dict[str, int] = {}
    flops = integers = loads = stores = 0
    for statement in statements:
        values = statement.values
        read: list[bool] | None = None
        for place, value in enumerate(values):
            op = value.op
            if op in NO_OPERATION:
                continue
            kind = value.type
            if value.op == "compare" and value.args:
                kind = values[value.args[0]].type
            elif value.op == "call":
                element, lanes = lanes_of(kind)
                key = f"call:{value.callee}.{element}"
                operations[key] = operations.get(key, 0) + lanes
                continue
            entry = COMMON.get((op, kind)) or _classify(op, kind)
            key, lanes, own, element, integer = entry
            if integer:
                read = _read(values) if read is None else read
                if not read[place]:
                    continue
            operations[key] = operations.get(key, 0) + lanes
            if own:
                flops += own
                weight[element] = weight.get(element, 0) + own
            elif integer:
                integers += lanes
        for access in statement.accesses:
            element = access[2]
            if access[4]:
                stores += 1
            else:
                loads += 1
            moved[element] = moved.get(element, 0) + access[3]
    if not weight and integers:
        weight = _integer_types(operations)
    return Work(_most(weight or moved), flops, operations, integers, loads, stores)


def _read(values: tuple[Value, ...]) -> list[bool]:
    """Per value whether something comes of it; a condition is the last of its statement."""
    read = [value.op in EFFECTS for value in values]
    read[-1] = True
    for place in range(len(values) - 1, -1, -1):
        if read[place]:
            for argument in values[place].args:
                read[argument] = True
    return read


def count_work(statements: Iterable[Statement]) -> tuple[int, int, int]:
    """Flops, loads and stores of ``statements`` executed once each."""
    flops = loads = stores = 0
    for statement in statements:
        for value in statement.values:
            op = value.op
            if op in FLOPS:
                kind = value.type
                flops += (COMMON.get((op, kind)) or _classify(op, kind))[2]
        for access in statement.accesses:
            if access[4]:
                stores += 1
            else:
                loads += 1
    return flops, loads, stores


def _classify(op: str, kind: str) -> _Class:
    element, lanes = lanes_of(kind)
    table = COMPLEX_FLOPS if is_complex(element) else FLOPS if is_floating(element) else {}
    integer = is_integer(element) and op != "convert"
    return _Class(f"{op}.{element}", lanes, table.get(op, 0) * lanes, element, integer)


def lanes_of(kind: str) -> tuple[str, int]:
    """``f64x4`` is ("f64", 4); a scalar type has one lane."""
    element, separator, lanes = kind.rpartition("x")
    return (element, int(lanes)) if separator and lanes.isdigit() else (kind, 1)


def is_floating(kind: str) -> bool:
    """A real floating-point element type: f16 to f128, bf16."""
    return kind[:1] == "f" or kind == "bf16"


def is_integer(kind: str) -> bool:
    """An integer element type: i8 to i128, u8 to u128."""
    return kind[:1] in ("i", "u") and kind[1:].isdigit()


def is_complex(kind: str) -> bool:
    """A complex element type: c64, c128, c160."""
    return kind[:1] == "c"


COMMON = {
    (op, kind): _classify(op, kind)
    for op in (*FLOPS, "neg", "min", "max", "abs", "compare", "select", "convert")
    for kind in ("f32", "f64", "i32", "i64")
}
"""Looked up, because classifying takes longer than all else here."""


def _integer_types(operations: dict[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, count in operations.items():
        element = key.rpartition(".")[2]
        if is_integer(element) and not key.startswith(("call:", "convert.")):
            found[element] = found.get(element, 0) + count
    return found


def _most(weight: dict[str, int]) -> str:
    """The heaviest type; between equals the first by name, so that order of code is no matter."""
    if len(weight) == 1:
        return next(iter(weight))
    return min(weight, key=lambda name: (-weight[name], name), default="")
