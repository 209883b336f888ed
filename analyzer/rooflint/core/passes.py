"""Loops as the assumed compiler runs them, where it changes their order itself.

gcc ``-O3`` interchanges the two innermost loops of a perfect nest (gimple-loop-interchange.cc; gcc
12.2 on loops of our own, ``tests/core/test_passes.py``) where trip counts and strides are numbers,
the strides of the inner loop add up to more than twice those of the loop around it, no more
accesses become invariant, and no check of pointers is needed. A sum that the inner loop keeps in a
register, or in one place of memory, stays where it is.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from rooflint.core.compiler import Compiler
from rooflint.facts import KernelFacts, facts_of
from rooflint.ir import Access, Function, IdentityKey, Loop
from rooflint.records import NamedTuple
from rooflint.transform.order import interchange
from rooflint.transform.result import ChangedFunction

STRIDE_RATIO: Final = 2
"""``--param loop-interchange-stride-ratio``."""
MAX_STATEMENTS: Final = 64
"""``--param loop-interchange-max-num-stmts``."""


class _Strides(NamedTuple):
    """Bytes that an access moves in an iteration of the inner loop and of the loop around it."""

    inner: int
    outer: int


def with_interchanges(
    function: Function, facts: Sequence[KernelFacts], compiler: Compiler
) -> tuple[KernelFacts, ...]:
    """The kernels, with the two innermost loops swapped where gcc swaps them; identifiers stay
    those of the source."""
    made = list(facts)
    for position in range(len(made)):
        swapped = _swapped(function, made[position], compiler)
        if swapped is not None:
            made = _in_new_nest(made, position, swapped)
    return tuple(made)


def _swapped(function: Function, facts: KernelFacts, compiler: Compiler) -> KernelFacts | None:
    """The kernel with its two innermost loops swapped, in its old nest; None where they stay."""
    if not _is_candidate(facts):
        return None
    kernel = facts.kernel
    *outer, around, own = kernel.loops
    nest = around
    for loop in reversed(outer):
        nest = replace(loop, body=(nest,))
    name = ".".join([loop.index for loop in (*outer, around)])
    changed = interchange(replace(function, body=(nest,)), name, (own.index, around.index))
    if not isinstance(changed, ChangedFunction) or changed.assumes:
        return None
    (found,) = facts_of(changed.function)
    note = f"{compiler} interchanges {around.index} and {own.index} itself"
    swapped = found.kernel._replace(
        id=kernel.id,
        origin=kernel.origin,
        loops=(*outer, *found.kernel.loops[-2:]),
        assumptions=(*kernel.assumptions, note),
        guards=kernel.guards,
        arms=kernel.arms,
    )
    return found._replace(kernel=swapped)


def _in_new_nest(
    facts: Sequence[KernelFacts], position: int, swapped: KernelFacts
) -> list[KernelFacts]:
    """All kernels, those of the same nest in loops around that have the swapped ones inside."""
    *outer, old, _ = facts[position].kernel.loops
    new: Loop = swapped.kernel.loops[-2]
    instead: dict[IdentityKey, Loop] = {}
    for loop in reversed(outer):
        body = tuple([new if node is old else node for node in loop.body])
        old, new = loop, replace(loop, body=body)
        instead[IdentityKey(old)] = new
    made = [*facts[:position], swapped, *facts[position + 1 :]]
    return [
        each._replace(
            kernel=each.kernel._replace(
                loops=tuple([instead.get(IdentityKey(loop), loop) for loop in each.kernel.loops])
            )
        )
        for each in made
    ]


def _is_candidate(facts: KernelFacts) -> bool:
    kernel = facts.kernel
    if len(kernel.loops) < 2 or not kernel.innermost or kernel.regions or facts.not_covered:
        return False
    *_, around, own = kernel.loops
    if around.body != (own,) or not all(map(_counts_alone, (around, own))):
        return False
    if not all(_is_directly_in(*pair) for pair in pairwise(kernel.loops)):
        return False
    return _only_stores(facts) and _pays(list(_strides(facts, own, around)))


def _is_directly_in(outer: Loop, inner: Loop) -> bool:
    return any(node is inner for node in outer.body)


def _counts_alone(loop: Loop) -> bool:
    """Whether it runs a known number of times, and changes no variable but its index."""
    return loop.trip_count.value is not None and not loop.exits and not loop.extra_inductions


def _only_stores(facts: KernelFacts) -> bool:
    """Whether an iteration leaves nothing in scalars, calls nothing, and is not too long."""
    statements = facts.kernel.statements
    values = {value.op for statement in statements for value in statement.values}
    return len(statements) <= MAX_STATEMENTS and values.isdisjoint(("carried", "assign", "call"))


def _strides(facts: KernelFacts, own: Loop, around: Loop) -> Iterator[_Strides | None]:
    """Of each element that an iteration reads or writes; None where one is no number."""
    accesses: dict[tuple[str, object, bool], Access] = {}
    for statement in facts.kernel.statements:
        for access in statement.accesses:
            accesses.setdefault((access.array, access.offset, access.write), access)
    for access in accesses.values():
        inner, outer = (_stride(access, loop) for loop in (own, around))
        stored_in_place = access.write and inner == 0
        yield None if inner is None or outer is None or stored_in_place else _Strides(inner, outer)


def _stride(access: Access, loop: Loop) -> int | None:
    step = loop.step.value
    factor = access.offset.coefficient(loop.index)
    if step is None or factor is None or factor.value is None:
        return None
    return abs(factor.value * step)


def _pays(strides: list[_Strides | None]) -> bool:
    known = [each for each in strides if each is not None]
    if len(known) < len(strides) or not known:
        return False
    inner, outer = sum([each.inner for each in known]), sum([each.outer for each in known])
    becoming = sum(each.outer == 0 for each in known) - sum(each.inner == 0 for each in known)
    return inner > STRIDE_RATIO * outer and becoming <= 0
