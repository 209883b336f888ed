"""Streams: references of a kernel to one array that move alike, a constant distance apart."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from rooflint.facts.affine import number
from rooflint.ir import ONE, ZERO, Loop, Poly, Reason, Statement, Unknown, plain
from rooflint.ir.poly import Monomial, PolyFunction
from rooflint.records import NamedTuple

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
    reason    why some stride is unknown; None otherwise
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
    reason: Reason | None = None

    @property
    def index_array(self) -> str:
        """The array that says where the stream's elements are; empty where none does."""
        if self.reason is None or self.reason.kind != "indirect":
            return ""
        return self.reason.subject


_Terms: TypeAlias = tuple[tuple[Monomial, int], ...]
_Found: TypeAlias = list[tuple[int | Poly, bool]]
"""(displacement, write) of each access of a stream."""


class _Group(NamedTuple):
    """Accesses of one array and element size that move alike: by ``factors`` or by ``terms``."""

    array: str
    element_bytes: int
    factors: tuple[int, ...]
    terms: _Terms
    found: _Found


def streams_of(loops: tuple[Loop, ...], statements: Iterable[Statement]) -> tuple[Stream, ...]:
    """The streams of a kernel in order of first appearance."""
    depths: dict[object, int] = {loop.index: depth for depth, loop in enumerate(loops)}
    groups: dict[object, _Group] = {}
    for statement in statements:
        for array, offset, _, size, write, _, _ in statement.accesses:
            factors = [0] * len(loops)
            terms, displacement = _split(offset, depths, factors)
            # the order of terms is that of writing
            key = (array, size, frozenset(terms) if terms else tuple(factors))
            group = groups.get(key)
            if group is None:
                groups[key] = _Group(
                    array=array,
                    element_bytes=size,
                    factors=tuple(factors),
                    terms=terms,
                    found=[(displacement, write)],
                )
            else:
                group.found.append((displacement, write))
    if not groups:
        return ()
    walks = _run_time_starts(loops)
    steps = [None if loop.step == ONE else loop.step for loop in loops]
    return tuple([_stream_of(group, loops, steps, walks) for group in groups.values()])


def _stream_of(
    group: _Group, loops: tuple[Loop, ...], steps: Iterable[Poly | None], walks: tuple[bool, ...]
) -> Stream:
    if group.terms:
        return _symbolic_stream(
            group.array, group.element_bytes, group.terms, group.found, loops, walks
        )
    strides = tuple(map(_stride, group.factors, steps))
    own = strides[-1]
    follows = _follows(strides, (), loops, walks, own) if walks and own.terms else ()
    return _stream(group.array, group.element_bytes, strides, group.found, follows)


def _split(
    offset: Poly, depths: Mapping[object, int], factors: list[int]
) -> tuple[_Terms, int | Poly]:
    """The terms of an offset that move with the loops, and the rest. Where each of them is an index
    and its factor, ``factors`` has them and there are no terms."""
    displacement = 0
    for monomial, coefficient in offset.terms.items():
        depth = depths.get(monomial[0]) if len(monomial) == 1 else None
        if depth is not None:
            factors[depth] = coefficient
        elif not monomial:
            displacement = coefficient
        else:
            return _split_symbolic(offset, depths, factors)
    return (), displacement


def _split_symbolic(
    offset: Poly, depths: Mapping[object, int], factors: list[int]
) -> tuple[_Terms, int | Poly]:
    moving: list[tuple[Monomial, int]] = []
    rest: dict[Monomial, int] = {}
    linear = True
    for monomial, coefficient in offset.terms.items():
        for atom in monomial:
            if atom in depths if isinstance(atom, str) else _moves(atom, depths):
                moving.append((monomial, coefficient))
                if len(monomial) == 1 and isinstance(atom, str):
                    factors[depths[atom]] = coefficient
                else:
                    linear = False
                break
        else:
            rest[monomial] = coefficient
    value = rest.get((), 0) if len(rest) == (() in rest) else Poly(rest)
    return () if linear else tuple(moving), value


def _moves(atom: PolyFunction | Unknown, depths: Mapping[object, int]) -> bool:
    if isinstance(atom, Unknown):
        # an unknown that names nothing it depends on may still differ from one touch to the next
        return not atom.depends or any(name in depths for name in atom.depends)
    return any(name in depths for name in Poly.symbol(atom).names())


def _symbolic_stream(
    array: str,
    element_bytes: int,
    terms: _Terms,
    found: _Found,
    loops: tuple[Loop, ...],
    walks: tuple[bool, ...],
) -> Stream:
    strides, reason = _symbolic_strides(Poly(dict(terms)), loops)
    own = strides[-1]
    follows: tuple[bool, ...] = ()
    if (reason or walks) and own is not None and own.terms:
        follows = _follows(strides, terms, loops, walks, own)
    return _stream(array, element_bytes, strides, found, follows, reason)


def _stream(
    array: str,
    element_bytes: int,
    strides: tuple[Poly | None, ...],
    found: _Found,
    follows: tuple[bool, ...] = (),
    reason: Reason | None = None,
) -> Stream:
    references: tuple[Reference, ...]
    if len(found) == 1:
        displacement, write = found[0]
        references = (
            Reference(
                displacement=_poly(displacement), loaded=not write, stored=write, stored_first=write
            ),
        )
        writes = 1 if write else 0
    else:
        references = _references(found)
        writes = sum([write for _, write in found])
    pattern = _pattern(strides[-1], element_bytes)
    reads = len(found) - writes
    return Stream(
        array=array,
        element_bytes=element_bytes,
        strides=strides,
        pattern=pattern,
        references=references,
        reads=reads,
        writes=writes,
        follows=follows,
        reason=reason,
    )


def _stride(factor: int, step: Poly | None) -> Poly:
    if step is None or not factor:
        return Poly.constant(factor)
    return step * factor


def _follows(
    strides: tuple[Poly | None, ...],
    terms: _Terms,
    loops: tuple[Loop, ...],
    walks: tuple[bool, ...],
    own: Poly,
) -> tuple[bool, ...]:
    follows: list[bool] = []
    for depth, stride in enumerate(strides):
        if stride is None:
            follows.append(_continues(terms, loops[depth].index, own))
        else:
            follows.append(bool(walks) and walks[depth] and not stride.terms)
    return tuple(follows) if any(follows) else ()


def _symbolic_strides(
    offset: Poly, loops: tuple[Loop, ...]
) -> tuple[tuple[Poly | None, ...], Reason | None]:
    unknowns = offset.unknowns()
    paced = _paced_strides(offset, unknowns, loops)
    if paced is not None:
        return paced, None
    if any(not unknown.depends for unknown in unknowns):
        return (None,) * len(loops), unknowns[0].reason
    found: list[Poly | None] = []
    for loop in loops:
        coefficient = offset.coefficient(loop.index)
        found.append(None if coefficient is None else coefficient * loop.step)
    if unknowns:
        return tuple(found), unknowns[0].reason
    return tuple(found), Reason("not-linear", (plain(offset),)) if None in found else None


def _paced_strides(
    offset: Poly, unknowns: tuple[Unknown, ...], loops: tuple[Loop, ...]
) -> tuple[Poly | None, ...] | None:
    """Strides where all that is unknown is an index or a pointer of bounded steps: as if it took
    the largest in each iteration, as branches are taken. None for any other."""
    if len(unknowns) != 1 or not unknowns[0].pace or len(unknowns[0].depends) != 1:
        return None
    (unknown,) = unknowns
    factor = offset.terms.get((unknown,), 0)
    rest = offset - Poly.symbol(unknown) * factor
    if not factor or rest.unknowns():
        return None
    strides: list[Poly | None] = []
    for loop in loops:
        stride = rest.coefficient(loop.index)
        if stride is None:
            return None
        paced = factor * unknown.pace if loop.index in unknown.depends else 0
        strides.append(stride * loop.step + paced)
    return tuple(strides)


def _pattern(own: Poly | None, element_bytes: int) -> Pattern:
    if own is None:
        return "gather"
    if not own.terms:
        return "invariant"
    stride = own.terms.get(()) if len(own.terms) == 1 else None
    return "contiguous" if stride is not None and abs(stride) == element_bytes else "strided"


def _references(found: _Found) -> tuple[Reference, ...]:
    places: dict[int | Poly, Reference] = {}
    for displacement, write in found:
        old = places.get(displacement)
        if old is None:
            places[displacement] = Reference(
                displacement=_poly(displacement), loaded=not write, stored=write, stored_first=write
            )
        else:
            loaded = old.loaded or not (write or old.stored_first)
            places[displacement] = Reference(
                displacement=old.displacement,
                loaded=loaded,
                stored=old.stored or write,
                stored_first=old.stored_first,
            )
    return tuple(places.values())


def _poly(displacement: int | Poly) -> Poly:
    return Poly.constant(displacement) if isinstance(displacement, int) else displacement


def _continues(terms: _Terms, index: str, own: Poly) -> bool:
    """Whether what is unknown in ``index`` is one start, in the own loop's elements."""
    for monomial, coefficient in terms:
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


def run_bytes(
    stream: Stream,
    trips: Sequence[float],
    values: Mapping[str, int],
    gap_bytes: int,
    side_by_side: float,
) -> float | None:
    """Bytes from where a stream begins to where it jumps, at these ``trips`` and sizes, outermost
    loop first; None where a stride is not known.

    What is left out between two steps is less than ``gap_bytes``, else they are a jump. A loop
    that jumps a few times makes that many runs, which grow with the loops around it: up to
    ``side_by_side`` of them.
    """
    length, beside = float(stream.element_bytes), 1.0
    for stride, trip in zip(reversed(stream.strides), reversed(trips), strict=True):
        step = None if stride is None else number(stride, values)
        if step is None:
            return None
        if step == 0 or trip <= 1:
            continue
        if abs(step) < length + gap_bytes:
            length = max(length, abs(step) * (trip - 1) + length)
            continue
        beside *= trip
        if beside > side_by_side:
            return length
    return length
