"""Which loop of an assembly listing is the one that runs for a loop of the source.

A compiler makes several of one loop: a vector body and its remainder, versions behind checks that
arrays do not overlap. Each carries the same source lines. What runs is the vector body and, between
scalar versions, the one that keeps in registers what the other loads.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.listing import AsmLoop
from rooflint.core.external.steps import iterations_per_pass
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

PACKED: Final = late_pattern(
    r"^v?(?:(?:add|sub|mul|div|sqrt|min|max|fn?m\w+|cvt\w+)p[sd]|p(?:add|sub|mul|min|max|cmp)\w*)\s"
    r"|%[yz]mm|\b[zv]\d+\."
)
"""Arithmetic on all elements of a register; moves of whole registers serve scalars too."""
SAME: Final = 0.5
"""How much of a loop must come from the source's lines; the rest is moved in from elsewhere."""


class SourceLoop(NamedTuple):
    """A loop of the source, to be recognised in the assembly.

    function         its name without namespaces
    first, last      lines
    strides_bytes    of its accesses, per iteration
    multiple_of      elements in a vector times vectors in flight by the compiler's remark, 1
                     without vectors; None of a compiler without remarks
    vector_bytes     length of a register where the code does not fix it (SVE), else 0
    """

    path: str
    function: str
    first: int
    last: int
    strides_bytes: tuple[int, ...]
    multiple_of: int | None = None
    vector_bytes: int = 0


class ChosenLoop(NamedTuple):
    """A loop of the listing, and the iterations of the source that a pass over it covers."""

    loop: AsmLoop
    iterations: int
    packed: bool


def choose_loop(loops: Iterable[AsmLoop], source: SourceLoop) -> ChosenLoop | ExternalFailure:
    """The loop that runs, or why it cannot be told."""
    near = _from_lines(loops, source)
    if not near:
        return ExternalFailure("the compiler left no innermost loop from these lines")
    straight = [loop for loop in near if not (loop.branches or loop.calls)]
    if not straight:
        verb = "calls functions" if any(loop.calls for loop in near) else "jumps inside"
        return ExternalFailure(f"the compiled loop {verb}: only straight code can be analysed")
    return _best(list(_with_iterations(straight, source)), any(map(_is_packed, straight)))


def _best(candidates: list[ChosenLoop], packed: bool) -> ChosenLoop | ExternalFailure:
    if not candidates or (packed and not any(each.packed for each in candidates)):
        return ExternalFailure("how many iterations a pass of the compiled loop covers is unknown")
    return max(candidates, key=_merit)


def _from_lines(loops: Iterable[AsmLoop], source: SourceLoop) -> list[AsmLoop]:
    """Loops from the source's lines; those of its own function where there are any."""
    path = os.path.normpath(source.path)
    near = [loop for loop in loops if loop.share(path, source.first, source.last) >= SAME]
    return [loop for loop in near if source.function in loop.function] or near


def _is_packed(loop: AsmLoop) -> bool:
    return any(PACKED.search(instruction.text) for instruction in loop.code)


def _with_iterations(loops: Iterable[AsmLoop], source: SourceLoop) -> Iterator[ChosenLoop]:
    least = source.multiple_of or 1
    for loop in loops:
        packed = _is_packed(loop)
        multiple = least if packed else 1
        count = iterations_per_pass(loop, source.strides_bytes, multiple, source.vector_bytes)
        if count is None and (least > 1) == packed:
            count = least
        if count is not None:
            yield ChosenLoop(loop, count, packed)


def _merit(choice: ChosenLoop) -> tuple[bool, int, float]:
    """Vectors before scalars, many iterations before few, few memory operands before many."""
    touched = sum(("(" in i.text or "[" in i.text) for i in choice.loop.code)
    return choice.packed, choice.iterations, -touched / choice.iterations
