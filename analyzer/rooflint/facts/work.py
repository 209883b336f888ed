"""Work of straight code: operations by class and type, flops as written, loads and stores.

Flops: add, sub, mul, div and sqrt are one each, fma two. Complex: add and sub two, mul six, fma
eight, div eleven (six products, three sums, two quotients: the textbook form). A vector operation
counts once per lane. Comparisons, minima, conversions, absolute values, negations and selections
are operations but no flops; a call is an operation of its own (``call:exp.f64``) without flops,
because its cost is the library's. Integer operations that only compute addresses are not in the IR,
or are there as values that nothing reads, where an address has no closed form; neither counts.
"""

from collections.abc import Iterable

from rooflint.ir import Statement, Value
from rooflint.records import NamedTuple

FLOPS = {"add": 1, "sub": 1, "mul": 1, "div": 1, "sqrt": 1, "fma": 2}
COMPLEX_FLOPS = {"add": 2, "sub": 2, "mul": 6, "div": 11, "sqrt": 1, "fma": 8}
EFFECTS = frozenset(("store", "assign", "call", "compare", "select"))
"""Operations with an effect beyond their value: stores, calls, decisions."""
NO_OPERATION = frozenset(
    ("load", "store", "const", "scalar", "carried", "assign", "index", "opaque")
)
"""Operations that only move or name a value."""


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


class _OperationClass(NamedTuple):
    """An operation on a type: its name in ``Work.operations``, and what it counts as.

    flops   of all lanes together
    """

    key: str
    lanes: int
    flops: int
    element: str
    integer: bool


def work_of(statements: Iterable[Statement]) -> Work:
    """The work of ``statements`` executed once each."""
    statements = tuple(statements)
    operations: dict[str, int] = {}
    weight: dict[str, int] = {}
    integers = 0
    for statement in statements:
        for key, lanes, flops, element, integer in _operations(statement):
            operations[key] = operations.get(key, 0) + lanes
            if flops:
                weight[element] = weight.get(element, 0) + flops
            elif integer:
                integers += lanes
    loads, stores, moved = _moved_bytes(statements)
    flops = sum(weight.values())
    if not weight and integers:
        weight = _integer_types(operations)
    return Work(
        type=_most(weight or moved),
        flops=flops,
        operations=operations,
        integer_operations=integers,
        loads=loads,
        stores=stores,
    )


def _operations(statement: Statement) -> list[_OperationClass]:
    """The operations of a statement; those on integers only where something comes of them."""
    values = statement.values
    counted: list[_OperationClass] = []
    read: list[bool] | None = None
    for position, value in enumerate(values):
        if value.op in NO_OPERATION:
            continue
        kind = value.type
        if value.op == "call":
            counted.append(_call_class(value.callee, kind))
            continue
        if value.op == "compare" and value.args:
            kind = values[value.args[0]].type
        operation = COMMON.get((value.op, kind)) or _classify(value.op, kind)
        if operation.integer:
            read = _read(values) if read is None else read
            if not read[position]:
                continue
        counted.append(operation)
    return counted


def _call_class(callee: str, kind: str) -> _OperationClass:
    element, lanes = lanes_of(kind)
    return _OperationClass(
        key=f"call:{callee}.{element}", lanes=lanes, flops=0, element=element, integer=False
    )


def _moved_bytes(statements: Iterable[Statement]) -> tuple[int, int, dict[str, int]]:
    loads = stores = 0
    moved: dict[str, int] = {}
    for statement in statements:
        for access in statement.accesses:
            if access.write:
                stores += 1
            else:
                loads += 1
            moved[access.type] = moved.get(access.type, 0) + access.bytes
    return loads, stores, moved


def _read(values: tuple[Value, ...]) -> list[bool]:
    """Per value whether something comes of it; a condition is the last of its statement."""
    read = [value.op in EFFECTS for value in values]
    read[-1] = True
    for position in range(len(values) - 1, -1, -1):
        if read[position]:
            for argument in values[position].args:
                read[argument] = True
    return read


def count_work(statements: Iterable[Statement]) -> tuple[int, int, int]:
    """Flops, loads and stores of ``statements`` executed once each."""
    flops = loads = stores = 0
    for statement in statements:
        for value in statement.values:
            if value.op in FLOPS:
                key = (value.op, value.type)
                flops += (COMMON.get(key) or _classify(*key)).flops
        for access in statement.accesses:
            if access.write:
                stores += 1
            else:
                loads += 1
    return flops, loads, stores


def _classify(op: str, kind: str) -> _OperationClass:
    element, lanes = lanes_of(kind)
    table = COMPLEX_FLOPS if is_complex(element) else FLOPS if is_floating(element) else {}
    return _OperationClass(
        key=f"{op}.{element}",
        lanes=lanes,
        flops=table.get(op, 0) * lanes,
        element=element,
        integer=is_integer(element) and op != "convert",
    )


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
