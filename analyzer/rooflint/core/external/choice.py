"""Which loop of an assembly listing is the one that runs for a loop of the source.

A compiler makes several of one loop: a vector body and its remainder, versions behind checks that
arrays do not overlap. Each carries the same source lines. What runs is the vector body and, between
scalar versions, the one that keeps in registers what the other loads.
"""

import os
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from rooflint.core.external.figures import Refusal
from rooflint.core.external.listing import AsmLoop
from rooflint.core.external.steps import iterations_per_pass

PACKED: Final = re.compile(
    r"^v?(?:(?:add|sub|mul|div|sqrt|min|max|fn?m\w+|cvt\w+)p[sd]|p(?:add|sub|mul|min|max|cmp)\w*)\s"
    r"|%[yz]mm|\b[zv]\d+\."
)
"""Arithmetic on all elements of a register; moves of whole registers serve scalars too."""
SAME: Final = 0.5
"""How much of a loop must come from the source's lines; the rest is moved in from elsewhere."""


class Wanted(NamedTuple):
    """A loop of the source.

    function         its name without namespaces
    first, last      lines
    strides_bytes    of its accesses, per iteration
    width            elements in a vector and vectors side by side as the compiler said, 1 for
    multiple_of      none; None where it does not say
    """

    path: str
    function: str
    first: int
    last: int
    strides_bytes: tuple[int, ...]
    multiple_of: int | None = None
    vector_bytes: int = 0


class Chosen(NamedTuple):
    """A loop of the listing, and the iterations of the source that a pass over it covers."""

    loop: AsmLoop
    iterations: int
    packed: bool


def chosen(loops: Iterable[AsmLoop], wanted: Wanted) -> Chosen | Refusal:
    """The loop that runs, or why it cannot be told."""
    path = os.path.normpath(wanted.path)
    near = [loop for loop in loops if loop.share(path, wanted.first, wanted.last) >= SAME]
    own = [loop for loop in near if wanted.function in loop.function]
    near = own or near
    if not near:
        return Refusal("the compiler left no innermost loop from these lines")
    straight = [loop for loop in near if not (loop.branches or loop.calls)]
    if not straight:
        what = "calls functions" if any(loop.calls for loop in near) else "jumps inside"
        return Refusal(f"the compiled loop {what}: an analyser of straight code cannot follow")
    found = [Chosen(*ways) for ways in _counted(straight, wanted)]
    vectors = any(PACKED.search(i.text) for loop in straight for i in loop.code)
    if not any(way.packed for way in found) and (vectors or not found):
        return Refusal("how many iterations a pass of the compiled loop covers is not known")
    return max(found, key=_merit)


def _counted(loops: list[AsmLoop], wanted: Wanted) -> list[tuple[AsmLoop, int, bool]]:
    found = []
    for loop in loops:
        packed = any(PACKED.search(instruction.text) for instruction in loop.code)
        least = wanted.multiple_of or 1
        known = wanted.strides_bytes, least if packed else 1, wanted.vector_bytes
        count = iterations_per_pass(loop, *known)
        if count is None and (least > 1) == packed:
            count = least
        if count is not None:
            found.append((loop, count, packed))
    return found


def _merit(found: Chosen) -> tuple[bool, int, float]:
    """Vectors before scalars, many iterations before few, few memory operands before many."""
    touched = sum(("(" in i.text or "[" in i.text) for i in found.loop.code)
    return found.packed, found.iterations, -touched / found.iterations
