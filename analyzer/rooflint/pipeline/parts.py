"""Facts in the words of the report: loop headers, work, traffic, sizes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rooflint import memory
from rooflint.errors import near_miss
from rooflint.facts import Gap, KernelFacts, Stream, Work, trip_name
from rooflint.ir import Loop, Poly, Span, plain
from rooflint.plugin_api.report import (
    CoverageGap,
    FunctionReport,
    GuessBasis,
    LoopHeader,
    MissKinds,
    PaddingReport,
    ReuseReport,
    SizeRange,
    SizeValue,
    StreamReport,
    VectorReport,
    WorkReport,
)
from rooflint.plugin_api.views import CoreView
from rooflint.scenario.sizes import Size, size_key
from rooflint.scenario.values import CountedLoop, FunctionScenario, GuessedRange, ScenarioValue


def loop_header(loop: Loop, spans: Sequence[Span]) -> LoopHeader:
    """The loop with its trip count in closed form, or the name of one known at run time only."""
    lower, upper, step = loop.lower.value, loop.upper.value, loop.step.value
    if lower is not None and upper is not None and step:
        trips = str(-((lower - upper) // step))
    else:
        named = trip_name(loop)
        trips = plain(named) if named else _form(loop.trip_count)
    by = plain(loop.step) if step is None else str(step)
    return LoopHeader(index=loop.index, line=line_of(loop.origin, spans), trip_count=trips, step=by)


def work_report(work: Work) -> WorkReport:
    """Work per iteration."""
    return WorkReport(
        type=work.type,
        flops=float(work.flops),
        operations={name: float(count) for name, count in work.operations.items()},
        loads=float(work.loads),
        stores=float(work.stores),
    )


def stream_report(stream: Stream) -> StreamReport:
    """How a stream walks with the kernel's own loop."""
    stride = stream.strides[-1]
    if stride is None:
        return StreamReport(stream.array, None, stream.pattern)
    known = stride.value
    return StreamReport(
        array=stream.array,
        stride=plain(stride) if known is None else str(known),
        pattern=stream.pattern,
        backwards=known is not None and known < 0,
    )


def vector_report(core: CoreView) -> VectorReport | None:
    """How many iterations run at once, or why only one; None where no model asked."""
    if core.plan_if_made is None:
        return None
    plan = core.plan_if_made
    vector = plan.code.vector
    reason = str(vector.reason) if vector.reason else None
    return VectorReport(vector.width, reason, str(plan.compiler))


CONFLICTS = 0.1
"""From this share of its misses on, a level's conflicts are worth a padding and their arrays."""


def reuse_report(
    movement: memory.FunctionTraffic,
    position: int,
    rates: memory.Rates,
    rule: memory.Rule,
    in_full: bool,
) -> ReuseReport:
    """Regimes; ``in_full`` with what replays tell of them, and why more than the compulsory lines
    move."""
    found = movement.regimes(position, rates, rule, replayed=in_full)
    if not in_full:
        return ReuseReport(regimes=found.regimes, conditions=found.conditions)
    misses = [
        kinds._replace(conflicts=movement.conflicts(position, rates, level))
        if kinds.conflict > CONFLICTS * kinds.total
        else kinds
        for level, kinds in enumerate(movement.kinds(position, rates))
    ]
    return ReuseReport(
        regimes=found.regimes,
        blocks=found.blocks,
        misses=tuple(misses),
        padding=_padding(movement, position, rates, misses),
        conditions=found.conditions,
    )


def _padding(
    movement: memory.FunctionTraffic,
    position: int,
    rates: memory.Rates,
    misses: Sequence[MissKinds],
) -> PaddingReport | None:
    for level, kinds in enumerate(misses):
        if kinds.conflict > CONFLICTS * kinds.total:
            padding = movement.padding(position, rates, level)
            if padding is not None:
                return PaddingReport(
                    array=padding.array,
                    row_bytes=padding.row_bytes,
                    more_bytes=padding.more_bytes,
                    level=kinds.level,
                    misses=padding.misses,
                )
    return None


def size_values(facts: KernelFacts, sizes: Mapping[str, Size]) -> dict[str, SizeValue]:
    """The sizes of a kernel's own loops and accesses, each with its origin."""
    return {
        name: SizeValue(size.value, size.origin, _basis(size.range))
        for name, size in _own_sizes(facts, sizes)
    }


def _own_sizes(facts: KernelFacts, sizes: Mapping[str, Size]) -> list[tuple[str, Size]]:
    own = facts.open_sizes
    return [(name, size) for name, size in sizes.items() if name in own]


def _basis(guess: GuessedRange | None) -> GuessBasis | None:
    if guess is None or guess.role is None:
        return None
    return GuessBasis(
        low=guess.low,
        high=guess.high,
        role=str(guess.role),
        programs=guess.role.range.measured_programs,
    )


def size_ranges(report: FunctionReport, values: FunctionScenario) -> tuple[SizeRange, ...]:
    """Each size of the function's kernels with its scope, and the steps that lead to it."""
    used = {
        each: None
        for nest in report.nests
        for kernel in nest.kernels
        for result in kernel.results
        for each in result.sizes.items()
    }
    ranges = [_size_range(report.name, *each, values.named(each[0])) for each in used]
    return tuple(dict.fromkeys(ranges))


def _size_range(
    function: str, size: str, used: SizeValue, value: ScenarioValue | None
) -> SizeRange:
    ends = used.guess or GuessBasis(low=used.value, high=used.value, role="", programs=0)
    found = SizeRange(
        scope=function,
        name=str(size),
        size=str(size),
        low=ends.low,
        typical=used.value,
        high=ends.high,
        origin=used.origin,
        role=ends.role,
        programs=ends.programs,
    )
    if value is None or (value.typical, value.origin) != (used.value, used.origin):
        return found
    return found._replace(
        scope=value.scope, name=value.name, low=value.low, high=value.high, chain=value.chain
    )


def unused_sizes(
    given: Iterable[str], names: Iterable[str], ranges: Iterable[SizeRange]
) -> Iterator[str]:
    """A line for each size of the command line that no loop has: most likely a typo.

    ``names``: of sizes and loop indices, and what the program has; ``ranges``: sizes in use.
    """
    known = {*names}
    for each in ranges:
        if each.scope:
            known |= {f"{each.scope}{mark}{each.name}" for mark in (":", "::")}
    plain = set(map(size_key, known))
    for name in given:
        if size_key(name) not in plain:
            yield f"-D {name}: no loop has a size of that name{near_miss(name, known)}"


def size_assumptions(facts: KernelFacts, sizes: Mapping[str, Size]) -> tuple[str, ...]:
    """By which roles sizes that nobody tells have their values; the same words for the same one."""
    own = _own_sizes(facts, sizes)
    details = [size.detail for _, size in own if size.origin == "role" and size.detail]
    return tuple([f"size by role: {detail}" for detail in dict.fromkeys(details)])


def not_covered(gaps: Iterable[Gap], spans: Sequence[Span]) -> tuple[CoverageGap, ...]:
    """Code that the numbers leave out, each place and reason once."""
    found = dict.fromkeys((line_of(gap.origin, spans), gap.reason) for gap in gaps)
    return tuple(CoverageGap(line, reason) for line, reason in found)


def line_of(origin: int, spans: Sequence[Span]) -> int:
    """The line of a node; 0 when the front end gave it no place."""
    return spans[origin].line if 0 <= origin < len(spans) else 0


def _form(poly: Poly) -> str:
    """The closed form as text; a name that is all of it needs no parentheses (``x.size()``)."""
    (monomial, coefficient), *others = poly.terms.items() or [((), 0)]
    alone = coefficient == 1 and len(monomial) == 1 and not others
    return plain(monomial[0]) if alone else plain(poly)


def source_trips(
    facts: KernelFacts, compiled: KernelFacts, moved: memory.Traffic
) -> Iterator[float | None]:
    """Trips of the loops as the source has them; None of one that does not run at these sizes."""
    order = [loop.origin for loop in compiled.kernel.loops]
    for loop in facts.kernel.loops:
        position = order.index(loop.origin)
        assumed = position in moved.space.assumed
        yield None if assumed else float(moved.space.trips[position])


def mean_trips(
    counts: Sequence[CountedLoop | None], trips: tuple[float | None, ...]
) -> tuple[float | None, ...]:
    """``trips``, and of counted loops the mean of a run."""
    if not counts:
        return trips
    return tuple(
        [
            each.iterations / each.executions if each is not None and each.executions else trip
            for each, trip in zip(counts, trips, strict=True)
        ]
    )


def rounding_words(counts: Sequence[CountedLoop | None], loops: Sequence[Loop]) -> Iterator[str]:
    """How the mean trips of loops are rounded where sizes follow from them."""
    for loop, each in zip(loops, counts, strict=False):
        if each is not None and each.whole_trips and each.iterations % (each.executions or 1):
            mean = each.iterations / (each.executions or 1)
            yield (
                f"the loop over {loop.index} ran {mean:.4g} times an execution ({each.words}); "
                f"its data are those of {each.whole_trips}"
            )
