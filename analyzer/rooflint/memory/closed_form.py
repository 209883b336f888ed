"""Lines over every link in closed form, from what stays in the caches."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from rooflint.facts import KernelFacts, Stream, streams_of
from rooflint.facts.affine import number
from rooflint.facts.kernel_facts import deciding_names, names_in
from rooflint.ir import ZERO, Access, Array, IdentityKey, Poly
from rooflint.memory.hierarchy import CacheGeometry, MemoryLink
from rooflint.memory.line_counts import (
    CALL_LINES,
    MARGIN,
    NOTHING,
    CountedLines,
    CountMethod,
    CountsByArray,
    KernelLines,
    LineCounts,
    LineInterval,
)
from rooflint.memory.memo import memoized_method
from rooflint.memory.reuse import CallMisses, Reuse
from rooflint.memory.stretches import THOROUGH, LookPlan
from rooflint.memory.subnest_footprints import SubnestFootprints
from rooflint.replay import RowPadding


class ReuseCache:
    """Analyses of reuse for functions that differ in part, as a change of one does."""

    def __init__(self) -> None:
        self._known: dict[object, _ReuseBySizes] = {}

    def of(self, arrays: Mapping[str, Array], values: Mapping[str, int], line_bytes: int) -> Reuse:
        """That of all functions with these arrays at these sizes, in such lines."""
        extents = [(name, a.element_bytes, a.extents) for name, a in arrays.items()]
        key = tuple(extents), line_bytes
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _ReuseBySizes(arrays, line_bytes)
        return found.at(values)


class _ReuseBySizes:
    """Analyses of reuse for the same arrays in the same lines.

    A nest is analysed with the sizes that decide on it, and no others: it is known where another
    size changes, and in a function with other nests.
    """

    def __init__(self, arrays: Mapping[str, Array], line_bytes: int) -> None:
        self._arrays, self._line_bytes = arrays, line_bytes
        self._known: dict[frozenset[tuple[str, int]], Reuse] = {}
        self._names: dict[IdentityKey, frozenset[str]] = {}

    def at(self, values: Mapping[str, int]) -> Reuse:
        """That at some sizes."""
        key = frozenset(values.items())
        found = self._known.get(key)
        if found is None:

            def reuse_of(kernels: Iterable[KernelFacts]) -> Reuse:
                names = frozenset().union(*map(self._deciding, kernels))
                return self.at({name: value for name, value in values.items() if name in names})

            windows = SubnestFootprints(
                self._arrays,
                values,
                self._line_bytes,
                narrowed=lambda kernel: reuse_of((kernel,)).windows,
            )
            found = self._known[key] = Reuse(windows, reuse_of)
        return found

    def _deciding(self, facts: KernelFacts) -> frozenset[str]:
        """The names and texts in a kernel's bounds, its offsets, and extents of its arrays."""
        key = IdentityKey(facts)
        names = self._names.get(key)
        if names is None:
            arrays = [self._arrays[s.array] for s in facts.streams if s.array in self._arrays]
            extents = [each for array in arrays for each in array.extents if each is not None]
            names = self._names[key] = deciding_names(facts) | names_in(extents)
        return names


class ClosedForm:
    """Lines of kernels that run one after the other; ``between`` lines touched elsewhere between
    two calls, None: caches are cold; ``looks`` at iterations that differ."""

    def __init__(
        self,
        reuse: Reuse,
        facts: Sequence[KernelFacts],
        between: float | None,
        looks: LookPlan = THOROUGH,
    ) -> None:
        self._reuse, self._facts, self._between = reuse, facts, between
        self._looks = looks

    def misses(self, cache: CacheGeometry) -> list[CountsByArray]:
        """Per kernel and array the lines that cross the link below a cache."""
        return [self.kernel_misses(cache, position) for position in range(len(self._facts))]

    def kernel_misses(self, cache: CacheGeometry, position: int) -> CountsByArray:
        """The same of one kernel: no more of the others is counted than decides on it."""
        return self._call(cache).misses(position)

    @memoized_method
    def _call(self, cache: CacheGeometry) -> CallMisses:
        return self._reuse.call(self._facts, cache, self._between, self._looks)

    def misses_of(self, facts: Sequence[KernelFacts], cache: CacheGeometry) -> list[CountsByArray]:
        """The same of other kernels with the same arrays and sizes."""
        call = self._reuse.call(facts, cache, self._between, self._looks)
        return [call.misses(position) for position in range(len(facts))]

    @memoized_method
    def padded(self, position: int, cache: CacheGeometry, padding: RowPadding) -> CountsByArray:
        """Misses of a kernel in its nest alone when the rows of an array are longer."""
        outermost = self._facts[position].kernel.loops[0]
        nest = [each for each in self._facts if each.kernel.loops[0] is outermost]
        values = self._reuse.windows.values
        found = self.misses_of([pad_rows(each, padding, values) for each in nest], cache)
        return found[nest.index(self._facts[position])]

    def counted(self, links: Sequence[MemoryLink]) -> CountedLines:
        """Lines over each link; with an interval where they are certain."""
        rows = [self.kernel_lines(links, position) for position in range(len(self._facts))]
        return CountedLines(method=CountMethod.CLOSED_FORM, links=tuple(zip(*rows, strict=True)))

    def kernel_lines(self, links: Sequence[MemoryLink], position: int) -> tuple[KernelLines, ...]:
        """The same of one kernel."""
        certain = self.is_one_sweep(links)
        return tuple([_kernel_lines(self._over(link, position), certain) for link in links])

    def is_one_sweep(self, links: Sequence[MemoryLink]) -> bool:
        """Whether each line is touched in one stretch of one loop, and no more than ways at a time.

        Then it comes once. Caches are cold, or twice as many lines as they hold pass in a call.
        """
        ways = min([link.above.ways for link in links], default=0)
        line_bytes = self._reuse.windows.line_bytes
        if len(self._facts) != 1 or not _is_sweep(self._facts[0], ways, line_bytes):
            return False
        if self._between is None:
            return True
        touched = sum([_incoming(self._over(link, 0)) for link in links[-1:]])
        return touched >= 2 * max([link.above.lines for link in links])

    def _over(self, link: MemoryLink, position: int) -> CountsByArray:
        past = self._facts[position].nontemporal
        moved = self.kernel_misses(link.above, position)
        below = {} if link.victim is None else self.kernel_misses(link.victim, position)
        found: CountsByArray = {}
        for array, growth in moved.items():
            load, allocate, evict = growth
            if link.victim is not None:
                # it takes every line that is dropped, and hands up those it holds
                evict = load + allocate
                held = below.get(array, NOTHING)
                load, allocate = max(0.0, load - held.load), max(0.0, allocate - held.allocate)
            found[array] = LineCounts(load, allocate if link.allocates else 0.0, evict)
            if array in past:
                found[array] = LineCounts(0.0, 0.0, evict if link.last else 0.0)
        return found


def _kernel_lines(arrays: CountsByArray, certain: bool) -> KernelLines:
    if not certain:
        return KernelLines(arrays)
    incoming = _incoming(arrays)
    return KernelLines(
        arrays, LineInterval(incoming * (1 - MARGIN), incoming * (1 + MARGIN) + CALL_LINES)
    )


def _incoming(arrays: CountsByArray) -> float:
    return sum([each.load + each.allocate for each in arrays.values()])


def _is_sweep(facts: KernelFacts, ways: int, line_bytes: int) -> bool:
    """Whether one loop walks over at most so many arrays, each with one reference."""
    arrays = {each.array for each in facts.streams}
    if len(facts.kernel.loops) != 1 or not len(arrays) == len(facts.streams) <= ways:
        return False
    return all(_is_dense(each, line_bytes) for each in facts.streams)


def _is_dense(stream: Stream, line_bytes: int) -> bool:
    """Whether one reference meets each line of an array in consecutive iterations."""
    step = None if stream.strides[-1] is None else stream.strides[-1].value
    return bool(step) and len(stream.references) == 1 and abs(step or 0) <= line_bytes


def pad_rows(facts: KernelFacts, padding: RowPadding, values: Mapping[str, int]) -> KernelFacts:
    """Facts of the same kernel with longer rows of an array, at these sizes."""
    kernel = facts.kernel

    def changed(access: Access) -> Access:
        if access.array != padding.array:
            return access
        rest, offset = access.offset, ZERO
        for loop in kernel.loops:
            factor = rest.coefficient(loop.index)
            value = None if factor is None else number(factor, values)
            if factor is None or value is None:
                return access
            index = Poly.symbol(loop.index)
            rest -= factor * index
            offset += index * padding.moved(value)
        constant = number(rest, values)
        if constant is None:
            return access
        return access._replace(offset=offset + padding.moved(constant))

    statements = tuple(
        replace(statement, accesses=tuple(map(changed, statement.accesses)))
        for statement in kernel.statements
    )
    return facts._replace(
        kernel=kernel._replace(statements=statements), streams=streams_of(kernel.loops, statements)
    )
