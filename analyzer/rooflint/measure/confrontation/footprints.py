"""The loops of a function at a point where it is measured, and the bytes that they touch."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import isfinite

from rooflint.facts import KernelFacts, NestFootprint, facts_of
from rooflint.facts.affine import trip_name
from rooflint.ir import Array, SourceFunction
from rooflint.machine import Machine
from rooflint.records import NamedTuple


class NestFacts(NamedTuple):
    """The facts of a kernel; ``around``: so many of its loops, the outermost, enclose the nest."""

    facts: KernelFacts
    around: int

    @property
    def touches_the_same(self) -> bool:
        """Whether each pass of the nest touches the same data."""
        outer = [stride for s in self.facts.streams for stride in s.strides[: self.around]]
        return all(stride is not None and stride.value == 0 for stride in outer)

    @property
    def counts_the_same(self) -> bool:
        """Whether each pass of the nest has the same iterations."""
        indices = {loop.index for loop in self.facts.kernel.loops[: self.around]}
        return indices.isdisjoint(counting_names([self]))


def nest_facts(sources: Sequence[SourceFunction], lines: tuple[int, int] | None) -> list[NestFacts]:
    """Of all kernels, or of those that begin within the ``lines``, first and last."""
    found = []
    for source in sources:
        for facts in facts_of(source.function):
            places = [_line(source, loop.origin) for loop in facts.kernel.loops]
            if places and is_within(places[-1], lines):
                around = sum(not is_within(place, lines) for place in places)
                found.append(NestFacts(facts, around))
    return found


def is_within(line: int, lines: tuple[int, int] | None) -> bool:
    """Whether a line is among ``lines``, first and last; all are where there are none."""
    return lines is None or lines[0] <= line <= lines[1]


def _line(source: SourceFunction, origin: int) -> int:
    return source.spans[origin].line if 0 <= origin < len(source.spans) else 0


def counting_names(nests: Sequence[NestFacts]) -> Iterator[str]:
    """Sizes that decide how often the loops of the nests run."""
    for loop in chain.from_iterable([each.facts.kernel.loops[each.around :] for each in nests]):
        run_time = trip_name(loop)
        yield from [run_time] if run_time else (loop.upper - loop.lower).names()


def footprint_of(
    nests: Sequence[NestFacts],
    arrays: Mapping[str, Array],
    sizes: Mapping[str, int],
    machine: Machine,
) -> NestFootprint | None:
    """Of all loops; None where an access is not known, or a size is missing."""
    facts = [
        each.facts for each in nests if each.touches_the_same and _is_closed(each.facts, sizes)
    ]
    if not facts or len(facts) < len(nests):
        return None
    return NestFootprint(facts, arrays, machine.line_bytes)


def _is_closed(facts: KernelFacts, sizes: Mapping[str, int]) -> bool:
    """Whether every access of a kernel follows from the sizes."""
    if facts.not_covered or not set(facts.names) <= set(sizes):
        return False
    return not any(s.pattern == "gather" or None in s.strides for s in facts.streams)


def finite_span(footprint: NestFootprint, sizes: Mapping[str, int]) -> float | None:
    """Bytes of its arrays from the first that is touched to the last; None where sizes lack."""
    span = footprint.span_bytes_at(sizes)
    return span if isfinite(span) else None
