from collections.abc import Iterable, Iterator, Sequence
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
from rooflint.rule_kit.queries import innermost, is_global, kernels_in, place_of
from rooflint.rule_kit.reordering import reordering_fix
from rooflint.transform.nest.tree import Site
from rooflint.transform.order import interchange
from rooflint.transform.result import ChangedFunction


def _kernel(match: Match, context: RuleContext) -> KernelFacts:
    loop = context.sites[match.place].loop
    return next(f for f in kernels_in(context, match.place) if f.kernel.loops[-1] is loop)


def _swaps_itself(match: Match, context: RuleContext) -> str:
    facts = _kernel(match, context)
    arrays = {stream.array for stream in facts.streams}
    known = all(is_global(context.function, array) for array in arrays)
    if not context.compiler.interchanges or not known:
        return ""
    return f"{context.compiler} swaps loops over global arrays itself"


def _short_stride(match: Match, context: RuleContext) -> str:
    facts = _kernel(match, context)
    walked = columns(facts, context.machine.line_bytes)
    return within_line(context, facts, [stream for _, stream in walked])


def _no_better_order(match: Match, context: RuleContext) -> str:
    facts = _kernel(match, context)
    line = context.machine.line_bytes
    walked = columns(facts, line)
    for depth in {depth for depth, _ in walked}:
        gained = [stream for at, stream in walked if at == depth]
        if len(rows_lost(facts, depth, line)) < len(gained):
            return ""
    depth, stream = walked[0]
    others = ", ".join(rows_lost(facts, depth, line))
    inside = as_written(facts.kernel.loops[depth].index)
    return f"with {inside} inside, {others} are walked down columns instead of {stream.array}"


def _fits_nearest(match: Match, context: RuleContext) -> str:
    facts = _kernel(match, context)
    outermost = context.sites[match.place].name.split(".")[0]
    # a loop around that nobody can count is none of a kernel's
    nest = kernels_in(context, outermost) if outermost in context.sites else []
    return fits_nearest(context, facts, nest or [facts])


class ColumnWalk(RuleDefaults):
    code = "RL101"
    slug = "column-walk"
    requires = (CodeFeature.NEST,)
    summary = "the inner loop walks down a column of a row-major array"
    aliases = ("PWR039",)
    needs = ("caches",)
    guards = (
        Guard("short-stride", "neighbours in a column share a line at these sizes", _short_stride),
        Guard("no-better-order",
              "the order that walks it along rows walks as many others down columns (RL103)",
              _no_better_order, structural=True),
        Guard("compiler-interchanges", "gcc -O3 swaps loops over global arrays itself",
              _swaps_itself),
        Guard("fits-l1",
              "everything the nest touches stays in the nearest cache, and the loop is vectorised",
              _fits_nearest),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with a stream that a loop around them would walk element by element."""
        for site, facts in innermost(context):
            walked = columns(facts, context.machine.line_bytes)
            if walked:
                yield _match(context, site, facts, walked)


RULE = ColumnWalk()


def _match(
    context: RuleContext, site: Site, facts: KernelFacts, walked: list[tuple[int, Stream]]
) -> Match:
    _, stream = walked[0]
    access = walked_access(site.loop, stream)
    return Match(
        site.name,
        walk_evidence(context, facts, stream),
        tuple(_changes(context, site, {depth: None for depth, _ in walked})),
        related=(RelatedNode(site.loop.origin, f"{access} is walked here"),),
    )


def _changes(context: RuleContext, site: Site, depths: Iterable[int]) -> Iterator[Change]:
    """Each loop that walks a stream along its rows inside, the others in their order."""
    loops = (*site.outer, site.loop)
    for depth in depths:
        chain = loops[_outermost(loops, depth) :]
        moved = loops[depth].index
        order = (*[loop.index for loop in chain if loop.index != moved], moved)
        yield Change(
            f"order {', '.join(map(as_written, order))}",
            partial(interchange, loop=place_of(context, chain[0]), order=order),
            fix=partial(_fix, context, chain, order),
            action=_action([loop.index for loop in chain], order),
        )


def _action(before: Sequence[str], after: Sequence[str]) -> Action:
    """Two loops are swapped; more are named in their new order."""
    names = [as_written(index) for index in after]
    if len(before) == 2:
        return Action(ActionKind.SWAP, " and ".join(names))
    return Action(ActionKind.OTHER, f"order {', '.join(names)}")


def _outermost(loops: tuple[Loop, ...], depth: int) -> int:
    first = depth
    while first > 0 and len(loops[first - 1].body) == 1:
        first -= 1
    return first


def _fix(
    context: RuleContext, chain: tuple[Loop, ...], order: tuple[str, ...], result: ChangedFunction
) -> Fix:
    fix = reordering_fix(context, chain, order)
    return fix if fix.edits else fix._replace(sketch="; ".join(map(str, result.steps)))
