"""Values of the expressions of an access program."""

import operator
from collections.abc import Callable, Sequence
from typing import Final

from rooflint.ir.poly_kinds import ceil_log
from rooflint.replay.program import UNKNOWN_VALUE, ExpressionForm, ExpressionToken


class UndefinedValueError(ArithmeticError):
    """A division by zero, a logarithm to a base below 2, or a loop with step zero."""


def _wrapped(value: int) -> int:
    """As 64 bits hold it."""
    return (value + 2**63) % 2**64 - 2**63


_BINARY: Final[dict[int, Callable[[int, int], int]]] = {
    ExpressionToken.ADD: lambda a, b: _wrapped(a + b),
    ExpressionToken.MULTIPLY: lambda a, b: _wrapped(a * b),
    ExpressionToken.FLOORDIV: operator.floordiv,
    ExpressionToken.MOD: operator.mod,
    ExpressionToken.MIN: min,
    ExpressionToken.MAX: max,
    ExpressionToken.CEILLOG: ceil_log,
    ExpressionToken.LESS: operator.lt,
    ExpressionToken.LESS_EQUAL: operator.le,
    ExpressionToken.EQUAL: operator.eq,
    ExpressionToken.NOT_EQUAL: operator.ne,
}


class Evaluator:
    """Evaluates expressions of ``code`` at the values that ``slots`` have at the time."""

    def __init__(self, code: Sequence[int], slots: Sequence[int]) -> None:
        self._code = code
        self._slots = slots

    def at(self, position: int) -> int:
        """The value of the expression at ``position``. Raises UndefinedValueError."""
        code, slots = self._code, self._slots
        count = code[position + 1]
        if code[position] == ExpressionForm.POSTFIX:
            return self._postfix(position + 2, position + 2 + count)
        total = code[position + 2]
        for place in range(position + 3, position + 3 + 2 * count, 2):
            total += slots[code[place]] * code[place + 1]
        return _wrapped(total)

    def _postfix(self, position: int, end: int) -> int:
        code, stack = self._code, list[int]()
        while position < end:
            token = code[position]
            position += 1
            if token in (ExpressionToken.CONSTANT, ExpressionToken.SLOT):
                operand = code[position]
                stack.append(operand if token == ExpressionToken.CONSTANT else self._slots[operand])
                position += 1
            elif token == ExpressionToken.NOT:
                stack[-1] = UNKNOWN_VALUE if stack[-1] == UNKNOWN_VALUE else int(not stack[-1])
            elif token == ExpressionToken.SELECT:
                condition, then, orelse = stack[-3:]
                chosen = UNKNOWN_VALUE
                if condition != UNKNOWN_VALUE:
                    chosen = then if condition >= 0 else orelse
                stack[-3:] = [chosen]
            else:
                stack[-2:] = [_binary(token, *stack[-2:])]
        return stack[0]


def _binary(token: int, first: int, second: int) -> int:
    operands = (first, second)
    if token in (ExpressionToken.AND, ExpressionToken.OR):
        decisive = token == ExpressionToken.OR
        if any(each != UNKNOWN_VALUE and bool(each) == decisive for each in operands):
            return int(decisive)
        return UNKNOWN_VALUE if UNKNOWN_VALUE in operands else int(not decisive)
    if UNKNOWN_VALUE in operands:
        return UNKNOWN_VALUE
    try:
        return int(_BINARY[token](first, second))
    except ZeroDivisionError:
        raise UndefinedValueError from None
