"""The value of a mathematical function at constants, as far as compilers compute it too."""

import math
import struct
from collections.abc import Callable, Sequence
from typing import Final

SMALLEST_NORMAL: Final = 2.0**-1022

_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "pow": math.pow, "sqrt": math.sqrt, "cbrt": math.cbrt, "hypot": math.hypot,
    "exp": math.exp, "exp2": math.exp2, "expm1": math.expm1,
    "log": math.log, "log2": math.log2, "log10": math.log10, "log1p": math.log1p,
    "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "atan2": math.atan2,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh,
    "erf": math.erf, "erfc": math.erfc, "tgamma": math.gamma,
    "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "rint": round,
    "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
    "fmod": math.fmod, "remainder": math.remainder, "copysign": math.copysign,
    "fma": lambda x, y, z: x * y + z, "abs": abs, "max": max, "min": min,
}  # fmt: skip


def to_float(number: float) -> float | None:
    """The nearest number of C's ``float``; None where that is infinite or no number."""
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return None
    return rounded if math.isfinite(rounded) else None


def evaluate(name: str, arguments: Sequence[float]) -> float | None:
    """The value to a few bits; None for a function that is not known and for an error.

    A compiler leaves errors of domain and range to the library, which reports them in ``errno``.
    """
    function = _FUNCTIONS.get(name)
    if function is None:
        return None
    try:
        value = float(function(*arguments))
    except (ArithmeticError, ValueError, TypeError):
        return None
    if not math.isfinite(value):
        return None
    underflows = abs(value) < SMALLEST_NORMAL and name in ("exp", "exp2", "pow") and all(arguments)
    return None if underflows else value
