from collections.abc import Iterator
from functools import partial
from math import ceil
from typing import Final

from rooflint.facts import KernelFacts, as_written
from rooflint.ir import IdentityKey, Loop
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.cache_fit import is_next, is_wide
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernels_in, sites_by_loop
from rooflint.rule_kit.reordering import reordering_fix
from rooflint.transform.nest.tree import Site, perfect_chain
from rooflint.transform.order import interchange
from rooflint.transform.result import ChangedFunction

LONGEST: Final = 64
"""Trips from which on the rest after whole vectors counts for little."""
LEAST_RATIO: Final = 4
"""Trips of the outer loop over the inner one's: below it, the other order starts as often."""
UNROLLED: Final = 4


def _unrolled(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[-1]
    trips = facts.kernel.loops[-1].trip_count.value
    if trips is None:
        return ""
    size = sum(len(statement.values) for statement in facts.kernel.statements)
    unrolled = context.compiler.unrolls_completely(trips, size, _fixed_rows(facts))
    if trips <= UNROLLED or unrolled:
        return f"{trips} iterations are fully unrolled, and the outer loop is vectorised"
    return ""


def _fixed_rows(facts: KernelFacts) -> bool:
    """Whether the outer loop walks along rows that types show to be distinct."""
    return all(
        is_next(stream.strides[-2], stream)
        and stream.strides[-1] is not None
        and stream.strides[-1].value is not None
        for stream in facts.streams
    )


def _column_walk(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[-1]
    line = context.machine.line_bytes
    outer = len(facts.kernel.loops) - 2
    worse = [
        stream.array
        for stream in facts.streams
        if is_next(stream.strides[-1], stream) and is_wide(stream.strides[outer], line)
    ]
    return f"the other order walks {', '.join(worse)} in columns" if worse else ""


def _fills(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[-1]
    plan = plan_of(context, facts)
    trips = _trips(context, facts)
    if plan is None or trips is None or plan.code.vector.width < 2:
        return ""
    width = plan.code.vector.width
    if trips % width == 0 and trips >= width * plan.code.vector.unroll:
        return f"{trips} iterations are whole vectors of {width}"
    return ""


class ShortInner(RuleDefaults):
    code = "RL306"
    slug = "short-inner"
    requires = (CodeFeature.NEST,)
    summary = "the inner loop is too short to fill vectors, the outer one is long"
    aliases = ("PWR019", "RMK013")
    needs = ("core",)
    guards = (
        Guard("unrolled", "the inner loop is fully unrolled", _unrolled),
        Guard("column-walk", "the other order would walk down columns", _column_walk),
        Guard("fills", "the inner loop fills its vectors", _fills),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Perfect pairs of loops whose inner one is shorter than the outer one, and short."""
        places = sites_by_loop(context)
        for _, facts in innermost(context):
            trips = _short_trips(context, facts)
            if trips is not None:
                yield _match(context, places[IdentityKey(facts.kernel.loops[-2])], facts, trips)


RULE = ShortInner()


def _short_trips(context: RuleContext, facts: KernelFacts) -> int | None:
    """Trips of the inner loop of a perfect pair; None where it is not the short one of the two."""
    loops = facts.kernel.loops
    if len(loops) < 2 or len(perfect_chain(loops[-2])) < 2:
        return None
    count = loops[-1].trip_count
    fixed = count.value
    if fixed is None and count.names() & {loop.index for loop in loops}:
        return None
    if fixed is not None and fixed > LONGEST:
        return None
    trips, outer = _trips(context, facts), _trips(context, facts, -2)
    if trips is None or outer is None or trips > LONGEST:
        return None
    return trips if outer >= LEAST_RATIO * trips else None


def _trips(context: RuleContext, facts: KernelFacts, depth: int = -1) -> int | None:
    trips = context.kernel(facts).traffic.space.trips
    return round(trips[depth]) if len(trips) >= -depth else None


def _match(context: RuleContext, site: Site, facts: KernelFacts, trips: int) -> Match:
    outer, inner = facts.kernel.loops[-2:]
    plan = plan_of(context, facts)
    filled = ""
    if plan is not None and plan.code.vector.width > 1:
        width = plan.code.vector.width
        share = trips / (width * ceil(trips / width))
        filled = f" fill {100 * share:.0f} % of {width}-lane vectors"
    order = (inner.index, outer.index)
    first, second = as_written(inner.index), as_written(outer.index)
    return Match(
        site.name,
        f"{trips} iterations of inner {first}{filled or ' stay scalar'}",
        (
            Change(
                f"order {first}, {second}",
                partial(interchange, loop=site.name, order=order),
                fix=partial(_fix, context, (outer, inner)),
                action=Action(ActionKind.SWAP, f"{first} and {second}"),
            ),
        ),
    )


def _fix(context: RuleContext, chain: tuple[Loop, Loop], result: ChangedFunction) -> Fix:
    outer, inner = chain
    fix = reordering_fix(context, chain, (inner.index, outer.index))
    sketch = f"for ({as_written(inner.index)} ...)\n  for ({as_written(outer.index)} ...)"
    return fix if fix.edits else fix._replace(sketch=sketch)
