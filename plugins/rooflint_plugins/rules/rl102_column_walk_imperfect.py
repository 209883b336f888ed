from collections.abc import Iterator
from functools import partial

from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.ir import Loop
from rooflint.plugin_api.rule import (
    Action,
    ActionKind,
    Change,
    Fix,
    Guard,
    Match,
    RelatedNode,
    RuleContext,
)
from rooflint.rule_kit.columns import (
    columns,
    fits_nearest,
    rows_lost,
    walk_evidence,
    walked_access,
    within_line,
)
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import kernels_in
from rooflint.rule_kit.reordering import distribution_fix, in_place_fix
from rooflint.transform.expand import stored_to
from rooflint.transform.isolating import crossing, swap_inner
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction


def _inner(match: Match, context: RuleContext) -> tuple[KernelFacts, int]:
    site, origin = context.sites[match.place], match.related[0].origin
    inner = next(n for n in site.loop.body if isinstance(n, Loop) and n.origin == origin)
    facts = next(f for f in kernels_in(context, match.place) if f.kernel.loops[-1] is inner)
    return facts, len(site.outer)


def _short_stride(match: Match, context: RuleContext) -> str:
    facts, depth = _inner(match, context)
    walked = columns(facts, context.machine.line_bytes)
    return within_line(context, facts, [stream for at, stream in walked if at == depth])


def _no_better_order(match: Match, context: RuleContext) -> str:
    facts, depth = _inner(match, context)
    line = context.machine.line_bytes
    gained = [s.array for at, s in columns(facts, line) if at == depth]
    lost = rows_lost(facts, depth, line)
    if len(lost) < len(gained):
        return ""
    return f"swapped, {', '.join(lost)} would be walked in columns instead of {', '.join(gained)}"


def _fits_nearest(match: Match, context: RuleContext) -> str:
    facts, _ = _inner(match, context)
    return fits_nearest(context, facts, kernels_in(context, match.place))


class ColumnWalkImperfect(RuleDefaults):
    code = "RL102"
    slug = "column-walk-imperfect"
    requires = (CodeFeature.NEST,)
    summary = "an inner loop walks down a column, and statements stand between the loop headers"
    aliases = ("PWR042", "PWR043", "PWR062")
    needs = ("caches",)
    guards = (
        Guard(
            "short-stride",
            "neighbours in a column share a line at these sizes",
            _short_stride,
        ),
        Guard(
            "no-better-order",
            "the swap would make as many other arrays walk down columns (see RL103)",
            _no_better_order,
            structural=True,
        ),
        Guard(
            "fits-l1",
            "everything the nest touches stays in the nearest cache, and the loop is vectorised",
            _fits_nearest,
        ),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Inner loops that do not stand alone in their outer loop."""
        for site in context.sites.values():
            if len(site.loop.body) < 2:
                continue
            for at, inner in enumerate(site.loop.body):
                found = _column(context, site, inner) if isinstance(inner, Loop) else None
                if found is not None and isinstance(inner, Loop):
                    yield _match(context, site, at, inner, *found)


RULE = ColumnWalkImperfect()


def _column(context: RuleContext, site: Site, inner: Loop) -> tuple[KernelFacts, Stream] | None:
    depth = len(site.outer)
    for facts in context.facts:
        if facts.kernel.loops[-1] is inner and facts.kernel.innermost:
            streams = [s for at, s in columns(facts, context.machine.line_bytes) if at == depth]
            return (facts, streams[0]) if streams else None
    return None


def _match(
    context: RuleContext, site: Site, at: int, inner: Loop, facts: KernelFacts, stream: Stream
) -> Match:
    outer = site.loop
    own, around = as_written(inner.index), as_written(outer.index)
    scalars = crossing(outer, at)
    targets = [stored_to(outer, each) for each in scalars]
    places = [each.array for each in targets if each is not None]
    if not scalars:
        words = f"order {own}, {around} in a nest of its own"
    elif len(places) == len(scalars):
        words = f"order {own}, {around} with {', '.join(scalars)} kept in {', '.join(places)}"
    else:
        words = f"order {own}, {around} with {', '.join(scalars)} expanded"
    fix = partial(_fix, context, (outer, inner), words, tuple(scalars))
    return Match(
        site.name,
        walk_evidence(context, facts, stream),
        (
            Change(
                words,
                partial(swap_inner, loop=site.name, at=at),
                fix=fix,
                action=Action(ActionKind.SWAP, f"{own} and {around}"),
            ),
        ),
        key=str(sum(isinstance(node, Loop) for node in outer.body[:at])),
        related=(RelatedNode(inner.origin, f"{walked_access(inner, stream)} is walked here"),),
    )


def _fix(
    context: RuleContext,
    pair: tuple[Loop, Loop],
    words: str,
    scalars: tuple[str, ...],
    result: ChangedFunction,
) -> Fix:
    fix = Fix("sketch", words)
    if not scalars:
        fix = distribution_fix(context, *pair, words)
    elif len(scalars) == 1 and stored_to(pair[0], scalars[0]) is not None:
        fix = in_place_fix(context, *pair, scalars[0], words)
    return fix if fix.edits else fix._replace(sketch="; ".join(map(str, result.steps)))
