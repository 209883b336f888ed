"""Streams: references of a kernel to one array that move alike, a constant distance apart."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from rooflint.ir import ONE, ZERO, Loop, Poly, Statement, Unknown
from rooflint.ir.poly import Function, Monomial

Pattern: TypeAlias = Literal["contiguous", "strided", "invariant", "gather"]


class Reference(NamedTuple):
    """One place of a stream: how far from the moving part, in bytes, and what is done there.

    ``loaded`` and ``stored`` say that it is at all; ``stored_first`` that an iteration stores there
    before it loads, so nothing need be fetched for the value.
    """

    displacement: Poly
    loaded: bool
    stored: bool
    stored_first: bool


class Stream(NamedTuple):
    """References whose offsets have equal coefficients in all loop indices of the kernel.

    strides   bytes per step of each loop's index, outermost first; None where unknown
    follows   per loop: its unknown displacement continues where the one before ended, as rows of
              a compressed matrix do (``val[j]`` with ``j`` from ``row[i]``)
    pattern   how the kernel's own loop walks: ``invariant`` references stay in registers
    reason    why some stride is unknown; empty otherwise
    reads, writes   references as written
    """

    array: str
    element_bytes: int
    strides: tuple[Poly | None, ...]
    pattern: Pattern
    references: tuple[Reference, ...]
    reads: int
    writes: int
    follows: tuple[bool, ...] = ()
    reason: str = ""


_Moving: TypeAlias = tuple[tuple[Monomial, int], ...]
_Found: TypeAlias = list[tuple[Poly, bool]]
"""(displacement, write) of each access of a stream."""
_Steps: TypeAlias = tuple[dict[str, int], list[Poly | None]]
"""Depth by index, and per depth the step where it is not 1."""


def streams_of(loops: tuple[Loop, ...], statements: Iterable[Statement]) -> tuple[Stream, ...]:
    """The streams of a kernel in order of first appearance."""
    indices = {loop.index: depth for depth, loop in enumerate(loops)}
    steps = [None if loop.step is ONE or loop.step == ONE else loop.step for loop in loops]
    groups: dict[object, tuple[str, int, _Moving, _Found]] = {}
    for statement in statements:
        for array, offset, _, size, write, _ in statement.accesses:
            moving, displacement = _split(offset, indices)
            # the order of terms is that of writing: one term needs no set to be compared by
            key = (array, size, moving if len(moving) < 2 else frozenset(moving))
            group = groups.get(key)
            if group is None:
                groups[key] = (array, size, moving, [(displacement, write)])
            else:
                group[3].append((displacement, write))
    walks = _run_time_starts(loops)
    return tuple(_stream(*group, loops, (indices, steps), walks) for group in groups.values())


def _split(offset: Poly, indices: dict[str, int]) -> tuple[_Moving, Poly]:
    """The terms of an offset that move with the loops, and the rest."""
    moving: list[tuple[Monomial, int]] = []
    rest: list[tuple[Monomial, int]] = []
    for term in offset.terms.items():
        for atom in term[0]:
            if atom in indices if isinstance(atom, str) else _moves(atom, indices):
                moving.append(term)
                break
        else:
            rest.append(term)
    if not moving:
        return (), offset
    return tuple(moving), Poly(dict(rest)) if rest else ZERO


def _moves(atom: Function | Unknown, indices: dict[str, int]) -> bool:
    if isinstance(atom, Unknown):
        # an unknown that names nothing it depends on may still differ from one touch to the next
        return not atom.depends or any(name in indices for name in atom.depends)
    return any(name in indices for name in Poly.symbol(atom).names())


def _stream(
    array: str,
    element_bytes: int,
    moving: _Moving,
    found: _Found,
    loops: tuple[Loop, ...],
    steps: _Steps,
    walks: tuple[bool, ...],
) -> Stream:
    strides, reason = _strides(moving, loops, steps)
    own = strides[-1]
    follows: tuple[bool, ...] = ()
    if (reason or walks) and own is not None and own.terms:
        follows = tuple(
            _continues(moving, loop.index, own)
            if stride is None
            else bool(walks) and walks[depth] and not stride.terms
            for depth, (stride, loop) in enumerate(zip(strides, loops, strict=True))
        )
        follows = follows if any(follows) else ()
    writes = 0
    for _, write in found:
        writes += write
    return Stream(
        array,
        element_bytes,
        strides,
        _pattern(own, element_bytes),
        _references(found),
        len(found) - writes,
        writes,
        follows,
        reason,
    )


def _strides(
    moving: _Moving, loops: tuple[Loop, ...], steps: _Steps
) -> tuple[tuple[Poly | None, ...], str]:
    indices, by = steps
    found: list[Poly | None] = [ZERO] * len(loops)
    for monomial, coefficient in moving:
        name = monomial[0]
        if len(monomial) != 1 or not isinstance(name, str):
            return _symbolic_strides(Poly(dict(moving)), loops)
        depth = indices[name]
        step = by[depth]
        found[depth] = Poly.constant(coefficient) if step is None else step * coefficient
    return tuple(found), ""


def _symbolic_strides(offset: Poly, loops: tuple[Loop, ...]) -> tuple[tuple[Poly | None, ...], str]:
    unknowns = offset.unknowns()
    if any(not unknown.depends for unknown in unknowns):
        return (None,) * len(loops), unknowns[0].reason
    found: list[Poly | None] = []
    for loop in loops:
        coefficient = offset.coefficient(loop.index)
        found.append(None if coefficient is None else coefficient * loop.step)
    if unknowns:
        return tuple(found), unknowns[0].reason
    reason = f"subscript not linear in the loop indices: {offset}" if None in found else ""
    return tuple(found), reason


def _pattern(own: Poly | None, element_bytes: int) -> Pattern:
    if own is None:
        return "gather"
    if not own.terms:
        return "invariant"
    stride = own.terms.get(()) if len(own.terms) == 1 else None
    return "contiguous" if stride is not None and abs(stride) == element_bytes else "strided"


def _references(found: _Found) -> tuple[Reference, ...]:
    if len(found) == 1:
        displacement, write = found[0]
        return (Reference(displacement, not write, write, write),)
    places: dict[Poly, Reference] = {}
    for displacement, write in found:
        old = places.get(displacement)
        if old is None:
            places[displacement] = Reference(displacement, not write, write, write)
        else:
            loaded = old.loaded or not (write or old.stored_first)
            places[displacement] = Reference(
                displacement, loaded, old.stored or write, old.stored_first
            )
    return tuple(places.values())


def _continues(moving: _Moving, index: str, own: Poly) -> bool:
    """Whether what is unknown in ``index`` is one start, in the own loop's elements."""
    for monomial, coefficient in moving:
        unknown = monomial[0] if len(monomial) == 1 else None
        if isinstance(unknown, Unknown) and index in unknown.depends:
            return own == ONE * coefficient
    return False


def _run_time_starts(loops: tuple[Loop, ...]) -> tuple[bool, ...]:
    """Per loop, whether the innermost loop starts at a place that this one looks up."""
    lower = loops[-1].lower if loops else ZERO
    if lower.value is not None:
        return ()
    names = {name for unknown in lower.unknowns() for name in unknown.depends}
    return tuple(loop.index in names for loop in loops) if names else ()
