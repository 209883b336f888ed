"""Everything known of a kernel without sizes and without a machine."""

from collections.abc import Collection, Container, Iterable
from typing import Final

from rooflint.facts.affine import trip_name
from rooflint.facts.kernels import Gap, Kernel, kernels
from rooflint.facts.streams import Stream, streams_of
from rooflint.facts.work import Work, work_of
from rooflint.ir import Access, Array, Function, Loop, Poly
from rooflint.records import NamedTuple

SMALL_ARRAY_BYTES: Final = 4096
"""Of a table that stays in the nearest cache beside the other data of a loop: an eighth of 32 KiB,
the smallest one of the machines described."""


class KernelFacts(NamedTuple):
    """A kernel with its work per iteration, its streams, and the names that sizes must give.

    names        size parameters of bounds and offsets, in order of appearance
    run_time     trip counts only known at run time: (name, the indices they vary with)
    not_covered  the kernel's own gaps and the accesses whose place is unknown, but for those
                 within a small array, or within the few places that an index can name
    nontemporal  arrays that are stored past the caches, and not loaded
    """

    kernel: Kernel
    work: Work
    streams: tuple[Stream, ...]
    names: tuple[str, ...]
    run_time: tuple[tuple[str, tuple[str, ...]], ...]
    not_covered: tuple[Gap, ...]
    nontemporal: frozenset[str] = frozenset()

    @property
    def leaves_code_out(self) -> bool:
        """Whether an iteration does work that no number has."""
        return any(gap.is_code for gap in self.not_covered)

    @property
    def open_sizes(self) -> frozenset[str]:
        """Sizes and trip counts of its loops and accesses that the code itself leaves open."""
        return frozenset((*self.names, *[name for name, _ in self.run_time]))

    @property
    def settable(self) -> frozenset[str]:
        """Names that people can give a value: sizes, trip counts by name, and indices for trips."""
        indices = [loop.index for loop in self.kernel.loops]
        return self.open_sizes.union(indices)


def facts_of(function: Function, rolled: Collection[int] = ()) -> tuple[KernelFacts, ...]:
    """The facts of all kernels of ``function`` in program order; ``rolled`` as for ``kernels``."""
    small = frozenset([array.name for array in function.arrays if _is_small(array)])
    return tuple([_facts(kernel, small) for kernel in kernels(function, rolled)])


def deciding_names(facts: KernelFacts) -> frozenset[str]:
    """Each name that may have a value in a bound or an offset, and each text of one."""
    kernel = facts.kernel
    polys = [each for loop in kernel.loops for each in (loop.lower, loop.upper, loop.step)]
    for stream in facts.streams:
        polys += [stride for stride in stream.strides if stride is not None]
        polys += [reference.displacement for reference in stream.references]
    polys += [access.offset for each in kernel.statements for access in each.accesses]
    return names_in(polys).union([trip_name(loop) for loop in kernel.loops])


def names_in(polys: Iterable[Poly]) -> frozenset[str]:
    """The names in polynomials, and the texts of what is only known at run time."""
    found: set[str] = set()
    for poly in polys:
        found.update(poly.names())
        found.update([unknown.text for unknown in poly.unknowns()])
    return frozenset(found)


def rolled_loops(facts: Iterable[KernelFacts]) -> frozenset[int]:
    """The origins of the kernels' own loops, which a change of the function leaves loops."""
    return frozenset([each.kernel.origin for each in facts if each.kernel.origin >= 0])


def _holds(small: Container[str], access: Access, loops: Iterable[Loop]) -> bool:
    """Whether an access goes to a small array, or to as little of one as the limits of its indices
    leave, a byte's for example: wherever it goes, it costs the same."""
    if access.array in small:
        return True
    offset = access.offset
    span = access.bytes
    for unknown in offset.unknowns():
        factor = offset.terms.get((unknown,))
        if factor is None or not unknown.limit:
            return False
        span += abs(factor) * (unknown.limit - 1)
        offset = offset - Poly.symbol(unknown) * factor
    fixed = not offset.unknowns() and offset.names().isdisjoint([loop.index for loop in loops])
    return fixed and span <= SMALL_ARRAY_BYTES


def _facts(kernel: Kernel, small: Container[str]) -> KernelFacts:
    streams = streams_of(kernel.loops, kernel.statements)
    names, run_time = _open_names(kernel, streams)
    gaps = kernel.not_covered
    paced = _paced_names(kernel)
    if paced:
        moves = [f"{name} moves by its largest step in each iteration" for name in paced]
        kernel = kernel._replace(assumptions=tuple(dict.fromkeys((*kernel.assumptions, *moves))))
    if any(stream.reason for stream in streams):
        gaps = (*gaps, *_unknown_places(kernel, streams, small))
    return KernelFacts(
        kernel=kernel,
        work=work_of(kernel.statements),
        streams=streams,
        names=names,
        run_time=run_time,
        not_covered=gaps,
        nontemporal=_nontemporal(kernel),
    )


def _paced_names(kernel: Kernel) -> tuple[str, ...]:
    """The variables of bounded steps that accesses move with."""
    unknowns = [
        unknown
        for statement in kernel.statements
        for access in statement.accesses
        if access.offset.unknowns()
        for unknown in access.offset.unknowns()
    ]
    return tuple(dict.fromkeys([each.variable for each in unknowns if each.pace]))


def _open_names(
    kernel: Kernel, streams: Iterable[Stream]
) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...]]:
    """The sizes that have no value in the source, and trip counts only known at run time."""
    indices = [loop.index for loop in kernel.loops]
    names: dict[str, None] = {}
    run_time: dict[str, tuple[str, ...]] = {}
    for loop in kernel.loops:
        if _open(loop.lower) or _open(loop.upper):
            _bounds(loop, indices, names, run_time)
        if _open(loop.step):
            _free(loop.step, indices, names)
    for stream in streams:
        for poly in (*stream.strides, *[r.displacement for r in stream.references]):
            if poly is not None and _open(poly):
                _free(poly, indices, names)
    return tuple(names), tuple(run_time.items())


def _nontemporal(kernel: Kernel) -> frozenset[str]:
    """By intrinsics and builtins. gcc and clang ignore ``#pragma vector nontemporal`` and the
    clause of OpenMP: neither makes another store of them (gcc 12, clang 14)."""
    past: set[str] = set()
    others: set[str] = set()
    for statement in kernel.statements:
        for value in statement.values:
            if value.op in ("load", "store"):
                past_caches = value.op == "store" and value.nontemporal
                (past if past_caches else others).add(statement.accesses[value.access].array)
    return frozenset(past - others)


def _open(poly: Poly) -> bool:
    terms = poly.terms
    return len(terms) > 1 or (bool(terms) and () not in terms)


def _bounds(
    loop: Loop, indices: list[str], names: dict[str, None], run_time: dict[str, tuple[str, ...]]
) -> None:
    named = trip_name(loop)
    if named:
        unknowns = (*loop.lower.unknowns(), *loop.upper.unknowns())
        varies = dict.fromkeys(d for u in unknowns for d in u.depends if d in indices)
        run_time[named] = tuple(varies)
        return
    _free(loop.lower, indices, names)
    _free(loop.upper, indices, names)


def _free(poly: Poly, indices: list[str], names: dict[str, None]) -> None:
    for monomial in poly.terms:
        for atom in monomial:
            if isinstance(atom, str):
                if atom not in indices:
                    names[atom] = None
            else:
                names.update(
                    (n, None) for n in sorted(Poly.symbol(atom).names()) if n not in indices
                )


def _is_small(array: Array) -> bool:
    """Whether the source says that it is small: wherever in it an access goes, it costs the same.

    A parameter's extents are those of a row, and not of what the caller hands over.
    """
    if array.storage not in ("local", "global") or not array.extents:
        return False
    size = array.element_bytes
    for extent in array.extents:
        if extent is None or extent.value is None:
            return False
        size *= extent.value
    return size <= SMALL_ARRAY_BYTES


def _unknown_places(
    kernel: Kernel, streams: Iterable[Stream], small: Container[str]
) -> tuple[Gap, ...]:
    reasons = {
        stream.array: stream.reason for stream in streams if stream.reason and not stream.follows
    }
    found: dict[Gap, None] = {}
    for statement in kernel.statements:
        for access in statement.accesses:
            open_place = access.array in reasons and bool(access.offset.unknowns())
            if open_place and not _holds(small, access, kernel.loops):
                found[Gap(statement.origin, reasons[access.array])] = None
    return tuple(found)
