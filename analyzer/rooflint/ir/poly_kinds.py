"""Functions that polynomials are not closed under: their kinds, print and integer values."""

from typing import Final, Literal, TypeAlias, get_args

FunctionKind: TypeAlias = Literal["floordiv", "mod", "min", "max", "select", "ceillog"]
"""``select(c, a, b)`` is ``a`` where ``c >= 0``, else ``b``. ``ceillog(x, base)`` is the least
``k >= 0`` with ``base ** k >= x``: the steps from 1 to ``x`` of what is multiplied by ``base``."""
FUNCTION_KINDS: Final[frozenset[str]] = frozenset(get_args(FunctionKind))


def function_texts(kind: FunctionKind, operands: int) -> list[str]:
    """The texts around and between the operands of a function in print."""
    if kind == "select":
        return ["select(", " >= 0, ", ", ", ")"]
    if kind == "ceillog":
        return ["ceil(log(", ", ", "))"]
    name = "floor" if kind == "floordiv" else kind
    return [f"{name}(", *([", "] * (operands - 1)), ")"]


def apply_function(kind: FunctionKind, operands: list[int]) -> int:
    """The value of a function other than ``select``, which has one operand evaluated."""
    if kind == "floordiv":
        return operands[0] // operands[1]
    if kind == "mod":
        return operands[0] % operands[1]
    if kind == "ceillog":
        return ceil_log(*operands)
    return min(operands) if kind == "min" else max(operands)


def ceil_log(value: int, base: int) -> int:
    """The least ``k >= 0`` with ``base ** k >= value``. Raises ZeroDivisionError below base 2."""
    if base < 2:
        raise ZeroDivisionError(base)
    steps, power = 0, 1
    while power < value:
        steps, power = steps + 1, power * base
    return steps


_WORD: Final = {ord(mark): "a" for mark in "_.'@:"}


def name_text(name: str) -> str:
    """A name as a factor: in parentheses where it has several words."""
    return name if name.translate(_WORD).isalnum() else f"({name})"
