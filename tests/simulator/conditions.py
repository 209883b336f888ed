"""Conditions in closed form: what a branch decides at given indices and sizes."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from rooflint.ir import Statement, UnknownValueError, Value

Number = int | float | None
"""None where the value is not known before the program runs."""

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "min": min, "max": max,
}  # fmt: skip


class Condition:
    """``at(state)`` is whether the branch is taken, None where only the data decide."""

    __slots__ = ("values",)

    def __init__(self, statement: Statement) -> None:
        self.values = statement.values

    def at(self, state: Mapping[str, int]) -> bool | None:
        numbers: list[Number] = []
        for value in self.values:
            numbers.append(self._number(value, numbers, state))
        return None if not numbers or numbers[-1] is None else bool(numbers[-1])

    def _number(self, value: Value, numbers: list[Number], state: Mapping[str, int]) -> Number:
        arguments = [numbers[position] for position in value.args]
        if value.op == "const":
            return value.number
        if value.op == "index":
            poly = value.closed_form
            try:
                return None if poly is None else poly.evaluate(state)
            except UnknownValueError:
                return None
        if value.op in ("and", "or") and value.type == "bool":
            return _logic(value.op, arguments)
        if value.op == "select" and arguments[0] is not None:
            return arguments[1] if arguments[0] else arguments[2]
        if not arguments or any(argument is None for argument in arguments):
            return None
        if value.op == "compare" and len(arguments) == 2:
            compare = _COMPARE.get(value.operator)
            return None if compare is None else compare(*arguments)
        if value.op in _ARITHMETIC and len(arguments) == 2:
            result: Number = _ARITHMETIC[value.op](*arguments)
            return result
        [first, *_] = arguments
        assert first is not None
        if value.op == "convert":
            return first
        if value.op == "neg":
            return -first
        return not first if value.op == "not" and value.type == "bool" else None


def _logic(op: str, arguments: list[Number]) -> Number:
    decisive = op == "or"
    if any(argument is not None and bool(argument) == decisive for argument in arguments):
        return decisive
    return None if any(argument is None for argument in arguments) else not decisive
