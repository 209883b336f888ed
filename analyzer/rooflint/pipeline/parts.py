"""Facts in the words of the report: loop headers, work, traffic, sizes."""

from collections.abc import Iterable, Sequence

from rooflint import memory
from rooflint.facts import Gap, Stream, Work, plain, plain_reason, trip_name
from rooflint.ir import Loop, Poly, Span
from rooflint.plugin_api.report import (
    BlockReport,
    ConditionReport,
    LinkLines,
    LinkTraffic,
    LoopHeader,
    MissReport,
    NotCovered,
    PaddingReport,
    RegimeReport,
    ReuseReport,
    SizeValue,
    StreamReport,
    VectorReport,
    WorkReport,
)
from rooflint.plugin_api.views import CoreView
from rooflint.scenario.sizes import Sizes


def loop_header(loop: Loop, spans: Sequence[Span]) -> LoopHeader:
    """The loop with its trip count in closed form, or the name of one known at run time only."""
    lower, upper, step = loop.lower.value, loop.upper.value, loop.step.value
    if lower is not None and upper is not None and step:
        trips = str(-((lower - upper) // step))
    else:
        trips = plain(trip_name(loop) or _form(loop.trip_count))
    by = plain(loop.step) if step is None else str(step)
    return LoopHeader(loop.index, line_of(loop.origin, spans), trips, by)


def work_report(work: Work) -> WorkReport:
    """Work per iteration."""
    return WorkReport(
        work.type,
        float(work.flops),
        dict(zip(work.operations, map(float, work.operations.values()), strict=True)),
        float(work.loads),
        float(work.stores),
    )


def stream_report(stream: Stream) -> StreamReport:
    """How a stream walks with the kernel's own loop."""
    stride = stream.strides[-1]
    if stride is None:
        return StreamReport(stream.array, None, stream.pattern)
    known = stride.value
    return StreamReport(
        stream.array, plain(stride) if known is None else str(known), stream.pattern
    )


def link_traffic(links: Iterable[memory.LinkTraffic]) -> tuple[LinkTraffic, ...]:
    """Bytes per iteration on every link."""
    return tuple([LinkTraffic(*link) for link in links])


def vector_report(core: CoreView) -> VectorReport | None:
    """How many iterations run at once, or why only one; None where no model asked."""
    if core.known is None:
        return None
    vector = core.known.code.vector
    return VectorReport(vector.width, str(vector.reason) if vector.reason else None)


CONFLICTS = 0.1
"""From this share of its misses on, a level's conflicts are worth a padding."""


def reuse_report(
    movement: memory.Movement, position: int, rates: memory.Rates, rule: memory.Rule
) -> ReuseReport:
    """Regimes and blocks, and where more than the compulsory lines move, why."""
    regimes, blocks, conditions = movement.regimes(position, rates, rule)
    misses = movement.kinds(position, rates)
    padding = None
    for kinds, link in zip(misses, rates.hierarchy, strict=True):
        if kinds.conflict > CONFLICTS * kinds.total:
            found = movement.padding(position, link.above)
            if found is not None:
                padding = PaddingReport(*found[:3], kinds.level, found.misses)
                break
    return ReuseReport(
        tuple(
            [
                RegimeReport(
                    r.condition, r.resides, tuple([LinkLines(*t) for t in r.traffic]), r.now
                )
                for r in regimes
            ]
        ),
        tuple([BlockReport(*block) for block in blocks]),
        tuple([MissReport(*kinds) for kinds in misses]),
        padding,
        tuple([ConditionReport(*condition) for condition in conditions]),
    )


def size_values(sizes: Sizes) -> dict[str, SizeValue]:
    """The sizes used, each with its origin."""
    return {name: SizeValue(size.value, size.origin) for name, size in sizes.by_name.items()}


def size_assumptions(sizes: Sizes) -> tuple[str, ...]:
    """Why sizes that nobody set have the value they have; the same words for the same reason."""
    details = [s.detail for s in sizes.by_name.values() if s.origin == "default" and s.detail]
    return tuple([f"default size: {detail}" for detail in dict.fromkeys(details)])


def not_covered(gaps: Iterable[Gap], spans: Sequence[Span]) -> tuple[NotCovered, ...]:
    """What the numbers leave out, each place and reason once."""
    found = dict.fromkeys((line_of(gap.origin, spans), gap.reason) for gap in gaps)
    return tuple(NotCovered(line, plain_reason(reason)) for line, reason in found)


def line_of(origin: int, spans: Sequence[Span]) -> int:
    """The line of a node; 0 when the front end gave it no place."""
    return spans[origin].line if 0 <= origin < len(spans) else 0


def _form(poly: Poly) -> str:
    """The closed form as text; a name that is all of it needs no parentheses (``x.size()``)."""
    (monomial, coefficient), *others = poly.terms.items() or [((), 0)]
    return str(monomial[0]) if coefficient == 1 and len(monomial) == 1 and not others else str(poly)
