"""How many neighbouring numbers an integer may be one of: by its type, a mask, a shift."""

from collections.abc import Sequence
from typing import Final

from rooflint.ir.values import Value, literal_number

_TYPES: Final = {"bool": 2, "u8": 256, "u16": 1 << 16}
_TYPED: Final = frozenset(("load", "scalar", "carried"))
"""Values that have the type that the IR says; C computes in a wider one than a byte."""
_MOST: Final = 1 << 16
"""Numbers beyond which a limit is of no use to anybody: the largest table of two bytes' indices."""


def value_limit(values: Sequence[Value], number: int) -> int:
    """The number of neighbouring integers that the value may be; 0 where nothing bounds it."""
    value = values[number]
    if value.op == "load" and value.type == "i8":
        return _TYPES["u8"]  # as many, from -128 on
    found = _limit(values, number)
    return found if 0 < found <= _MOST else 0


def _limit(values: Sequence[Value], number: int) -> int:
    """The number of integers from 0 up that the value may be; 0 where it may be another."""
    value = values[number]
    if value.op == "compare":
        return 2
    limits = [_limit(values, each) for each in value.args]
    if value.op == "convert":
        return _least(_TYPES.get(value.type, 0), limits[0])
    if value.op in _TYPED:
        return _TYPES.get(value.type, 0)
    if value.op == "select":
        return max(limits[1:]) if all(limits[1:]) else 0
    return _of_two(value, values, *limits) if len(limits) == 2 else _of_literal(value)


def _of_literal(value: Value) -> int:
    closed = value.closed_form
    constant = None if closed is None else closed.value
    return constant + 1 if constant is not None and constant >= 0 else 0


def _least(left: int, right: int) -> int:
    return min(left, right) if left and right else left or right


def _of_two(value: Value, values: Sequence[Value], left: int, right: int) -> int:
    """Of an operation on two values; a literal's limit is one more than it."""
    if value.op == "and":
        return _least(left, right)
    if value.op == "rem":
        return right - 1 if right and (left or value.type.startswith("u")) else 0
    return _of_two_limits(value, values, left, right) if left and right else 0


def _of_two_limits(value: Value, values: Sequence[Value], left: int, right: int) -> int:
    if value.op in ("or", "xor"):
        return 1 << (max(left, right) - 1).bit_length()
    if value.op == "shl":
        return ((left - 1) << (right - 1)) + 1 if right <= _MOST.bit_length() else 0
    if value.op == "shr":
        literal = literal_number(values[value.args[1]])
        return ((left - 1) >> literal) + 1 if isinstance(literal, int) else left
    return left if value.op == "div" else 0
