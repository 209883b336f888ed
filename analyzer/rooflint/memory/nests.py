"""The nest tree of a function's kernels: which loop holds which, in program order."""

from collections.abc import Callable, Iterable
from typing import TypeAlias, Union

from msgspec import Struct

from rooflint.facts import KernelFacts
from rooflint.ir import Loop

Members: TypeAlias = tuple[int, ...]
"""Numbers of kernels in program order; what they stand for, ``SubnestFootprints`` knows."""


class KernelNest(Struct, frozen=True, eq=False):
    """A loop, or the whole function, with everything inside it; equal ones are the same object.

    depth     loops around: the loop is ``kernel.loops[depth]`` of every member; -1: no loop
    members   numbers of the kernels at or below, in program order
    parts     what lies directly inside: nests, and the number of the loop's own kernel
    """

    depth: int
    members: Members
    parts: tuple["Part", ...]

    @property
    def is_innermost(self) -> bool:
        """Whether nothing but the loop's own statements is inside."""
        return len(self.parts) == 1 and isinstance(self.parts[0], int)


Part: TypeAlias = Union[KernelNest, int]  # noqa: UP007 - a class cannot yet be named with |
Parts: TypeAlias = tuple[Part, ...]
NestTable: TypeAlias = dict[tuple[int, tuple[Part, ...]], KernelNest]
"""All that were made, by depth and parts."""


def members_of(parts: Iterable[Part]) -> Members:
    """Numbers of all kernels in ``parts``."""
    found: list[int] = []
    for part in parts:
        found.extend((part,) if isinstance(part, int) else part.members)
    return tuple(found)


def kernels_before(nest: KernelNest, number: int) -> int:
    """How many kernels are in the parts of a nest before the one of this number."""
    return len(members_of(nest.parts[:number]))


def loops_around_all(part: Part) -> int:
    """How many loops hold all kernels of ``part``, those around it included; 0 for a kernel."""
    if isinstance(part, int):
        return 0
    while len(part.parts) == 1 and isinstance(part.parts[0], KernelNest):
        part = part.parts[0]
    return part.depth + 1


def nest_tree(facts: Iterable[KernelFacts], numbers: Iterable[int], made: NestTable) -> KernelNest:
    """The tree of these kernels; kernels of one loop are those that hold the same loop object.

    NestTable that are ``made`` already are taken from there, others added.
    """
    root: list[object] = []
    for number, kernel in zip(numbers, facts, strict=True):
        parts = root
        for loop in kernel.kernel.loops:
            last = parts[-1] if parts else None
            if not (isinstance(last, _Open) and last.loop is loop):
                last = _Open(loop)
                parts.append(last)
            parts = last.parts
        parts.append(number)
    return _closed(-1, root, made)


def nest_with_numbers(
    nest: KernelNest, number: Callable[[int], int], made: NestTable
) -> KernelNest:
    """The same nest where kernels have other numbers, from ``made`` or added there."""
    parts = tuple(
        [
            nest_with_numbers(p, number, made) if isinstance(p, KernelNest) else number(p)
            for p in nest.parts
        ]
    )
    return _made(nest.depth, parts, made)


class _Open:
    __slots__ = ("loop", "parts")

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.parts: list[object] = []


def _closed(depth: int, parts: list[object], made: NestTable) -> KernelNest:
    closed = tuple(
        _closed(depth + 1, part.parts, made) if isinstance(part, _Open) else part for part in parts
    )
    kept = tuple(part for part in closed if isinstance(part, KernelNest | int))
    return _made(depth, kept, made)


def _made(depth: int, parts: tuple[Part, ...], made: NestTable) -> KernelNest:
    found = made.get((depth, parts))
    if found is None:
        found = made[depth, parts] = KernelNest(depth, members_of(parts), parts)
    return found
