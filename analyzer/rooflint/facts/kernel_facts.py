"""Everything known of a kernel without sizes and without a machine."""

from collections.abc import Collection, Iterable

from rooflint.facts.affine import trip_name
from rooflint.facts.kernels import Gap, Kernel, kernels
from rooflint.facts.streams import Stream, streams_of
from rooflint.facts.work import Work, work_of
from rooflint.ir import Function, Loop, Poly
from rooflint.records import NamedTuple


class KernelFacts(NamedTuple):
    """A kernel with its work per iteration, its streams, and the names that sizes must give.

    names        size parameters of bounds and offsets, in order of appearance
    run_time     trip counts only known at run time: (name, the indices they vary with)
    not_covered  the kernel's own gaps and the accesses whose place is unknown
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
    def settable(self) -> frozenset[str]:
        """Names that people can give a value: sizes, trip counts by name, and indices for trips."""
        indices = [loop.index for loop in self.kernel.loops]
        return frozenset((*self.names, *[name for name, _ in self.run_time], *indices))


def facts_of(function: Function, rolled: Collection[int] = ()) -> tuple[KernelFacts, ...]:
    """The facts of all kernels of ``function`` in program order; ``rolled`` as for ``kernels``."""
    return tuple(map(_facts, kernels(function, rolled)))


def rolled_loops(facts: Iterable[KernelFacts]) -> frozenset[int]:
    """The origins of the kernels' own loops, which a change of the function leaves loops."""
    return frozenset([each.kernel.origin for each in facts if each.kernel.origin >= 0])


def _facts(kernel: Kernel) -> KernelFacts:
    streams = streams_of(kernel.loops, kernel.statements)
    names, run_time = _open_names(kernel, streams)
    gaps = kernel.not_covered
    if any(stream.reason for stream in streams):
        gaps = (*gaps, *_unknown_places(kernel, streams))
    return KernelFacts(
        kernel=kernel,
        work=work_of(kernel.statements),
        streams=streams,
        names=names,
        run_time=run_time,
        not_covered=gaps,
        nontemporal=_nontemporal(kernel),
    )


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


def _unknown_places(kernel: Kernel, streams: Iterable[Stream]) -> tuple[Gap, ...]:
    reasons = {
        stream.array: stream.reason for stream in streams if stream.reason and not stream.follows
    }
    found: dict[Gap, None] = {}
    for statement in kernel.statements:
        for access in statement.accesses:
            if access.array in reasons and access.offset.unknowns():
                found[Gap(statement.origin, reasons[access.array])] = None
    return tuple(found)
