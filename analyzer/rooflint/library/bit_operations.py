"""Built-in functions on the bits of an integer that compilers make instructions of, never calls."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple

BitOperation: TypeAlias = Literal[
    "popcount", "leading_zeros", "trailing_zeros", "first_set", "parity", "byte_swap", "rotate"
]


class BitFunction(NamedTuple):
    """A function: its operation, the type of its first argument, and that of its result."""

    operation: BitOperation
    operand: str
    result: str


_SUFFIXES: Final = {"": "u32", "l": "u64", "ll": "u64"}
"""Of GNU C's families: ``unsigned int``, ``unsigned long`` and ``unsigned long long`` (LP64)."""
_FAMILIES: Final[Mapping[str, BitOperation]] = {
    "popcount": "popcount", "clz": "leading_zeros", "ctz": "trailing_zeros", "ffs": "first_set",
    "parity": "parity",
}  # fmt: skip

BIT_FUNCTIONS: Final[Mapping[str, BitFunction]] = {
    **{
        f"__builtin_{family}{suffix}": BitFunction(operation, operand, "i32")
        for family, operation in _FAMILIES.items()
        for suffix, operand in _SUFFIXES.items()
    },
    **{
        f"__builtin_bswap{bits}": BitFunction("byte_swap", f"u{bits}", f"u{bits}")
        for bits in (16, 32, 64)
    },
    **{
        f"__builtin_rotate{way}{bits}": BitFunction("rotate", f"u{bits}", f"u{bits}")
        for way in ("left", "right")
        for bits in (8, 16, 32, 64)
    },
    **dict.fromkeys(("htonl", "ntohl"), BitFunction("byte_swap", "u32", "u32")),
    **dict.fromkeys(("htons", "ntohs"), BitFunction("byte_swap", "u16", "u16")),
}
"""By name (GCC manual, Other Builtins; Clang Language Extensions). glibc's ``htonl`` and its like
are the builtins where the compiler optimises."""
