"""Instructions of operations on the bits of integers, on cores that have them or not."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from rooflint.records import NamedTuple

Steps: TypeAlias = Mapping[str, float]
"""Instructions by their class in machine files, each on all elements."""

BIT_CLASSES: Final[Mapping[str, str]] = {
    "popcount": "popcount", "parity": "popcount", "leading_zeros": "leading_zeros",
    "trailing_zeros": "trailing_zeros", "first_set": "trailing_zeros", "byte_swap": "byte_swap",
    "rotate": "rotate",
}  # fmt: skip
"""The class of the instruction that does most of it; keys are operations of the graph."""


COUNTING: Final[Mapping[str, str]] = {
    **BIT_CLASSES, "trailing_zeros": "popcount", "first_set": "popcount",
}  # fmt: skip
"""The same of vectors, for which there is no count of the zeros behind."""


class BitTarget(NamedTuple):
    """The instructions that code may use.

    vector   instructions on vectors; ``direct`` where the core has one for the operation there
    legacy   vector code of SSE2: no shuffle of bytes by a register
    counts   the scalar instruction that counts bits (SSE4.2 on x86)
    """

    vector: bool
    direct: bool
    legacy: bool
    counts: bool


def bit_steps(operation: str, element_bytes: int, target: BitTarget) -> Steps:
    """The instructions of one operation on elements of so many bytes."""
    if not target.vector:
        return _scalar(operation, element_bytes, target.counts)
    if target.direct:
        return _DIRECT[operation]
    if operation == "rotate":
        return _ROTATION
    if operation == "byte_swap":
        return _swapped(element_bytes, target.legacy)
    if operation == "leading_zeros":
        return _leading(element_bytes)
    counting = _counted(element_bytes, target.legacy)
    return _sum(counting, _AROUND_COUNT[operation])


_DIRECT: Final[Mapping[str, Steps]] = {
    "popcount": {"popcount": 1},
    "parity": {"popcount": 1, "logic": 1},
    "leading_zeros": {"leading_zeros": 1},
    "trailing_zeros": {"add": 1, "logic": 1, "popcount": 1},
    "first_set": {"add": 2, "logic": 1, "popcount": 1, "compare": 1, "select": 1},
    "byte_swap": {"byte_swap": 1},
    "rotate": {"rotate": 1},
}
_AROUND_COUNT: Final[Mapping[str, Steps]] = {
    "popcount": {},
    "parity": {"logic": 1},
    "trailing_zeros": {"add": 1, "logic": 1},
    "first_set": {"add": 2, "logic": 1, "compare": 1, "select": 1},
}
"""Zeros behind the last one are the ones of ``~x & (x - 1)`` (LLVM, expandCTTZ)."""
_ROTATION: Final[Steps] = {"shift": 2, "logic": 1}
_SCALAR: Final[Mapping[str, Steps]] = {
    "popcount": {"popcount": 1},
    "parity": {"shift": 2, "logic": 3},
    "leading_zeros": {"leading_zeros": 1},
    "trailing_zeros": {"trailing_zeros": 1},
    "first_set": {"trailing_zeros": 1, "select": 1, "add": 1},
    "byte_swap": {"byte_swap": 1},
    "rotate": {"rotate": 1},
}
"""Parity is in the flags of the last of two halvings (x86); there is one instruction for others."""
_BY_HAND: Final[Steps] = {"shift": 3, "logic": 4, "add": 3, "mul": 1}
"""Bits added up in pairs, in fours, in bytes, and all bytes by a product (LLVM, expandCTPOP; the
function of gcc's library does the same)."""


def _scalar(operation: str, element_bytes: int, counts: bool) -> Steps:
    if operation == "popcount" and not counts:
        return _BY_HAND
    if operation == "byte_swap" and element_bytes == 2:
        return _SCALAR["rotate"]
    return _SCALAR[operation]


def _counted(element_bytes: int, legacy: bool) -> Steps:
    """By a table of 16 entries for each half of a byte, then added up (LLVM, LowerVectorCTPOP);
    before SSSE3 by shifts."""
    steps: Steps = {"shift": 3, "logic": 4, "add": 3} if legacy else _NIBBLES
    return _sum(steps, _WIDENED[element_bytes])


_NIBBLES: Final[Steps] = {"shuffle": 2, "logic": 2, "shift": 1, "add": 1}
_WIDENED: Final[Mapping[int, Steps]] = {
    1: {},
    2: {"shift": 2, "add": 1},
    4: {"shuffle": 5},
    8: {"shuffle": 1},
}
"""From counts of bytes to those of elements; the sum of eight bytes counts as a shuffle."""


def _leading(element_bytes: int) -> Steps:
    """By a table for each half of a byte, joined in as many steps as doublings make the element
    (LLVM, LowerVectorCTLZInRegLUT)."""
    doublings = element_bytes.bit_length() - 1
    join: Steps = {"compare": 1, "logic": 1, "shift": 2, "add": 1}
    steps = _sum(_NIBBLES, {"compare": 1})
    for _ in range(doublings):
        steps = _sum(steps, join)
    return steps


def _swapped(element_bytes: int, legacy: bool) -> Steps:
    if not legacy:
        return {"shuffle": 1}
    # pairs of bytes by shifts; wider ones unpacked, shuffled and packed (LLVM 19)
    return _ROTATION if element_bytes == 2 else {"shuffle": 7}


def _sum(one: Steps, other: Steps) -> Steps:
    names = dict.fromkeys((*one, *other))
    return {name: one.get(name, 0) + other.get(name, 0) for name in names}
