"""RL101: an inner loop that walks down a column where another order walks along rows."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.ir import Loop
from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.rule import Change, Guard, Match, RelatedNode, RuleContext
from rooflint.rule_kit.cache_fit import access_of, columns, is_next, is_wide, levels, touched_bytes
from rooflint.rule_kit.queries import is_global, kernels_in, number, words_of
from rooflint.rule_kit.reordering import reordered
from rooflint.transform import Site, Transformed, interchange


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
    line = context.machine.line_bytes
    for _, stream in columns(facts, line):
        stride = stream.strides[-1]
        step = None if stride is None else number(context, facts, stride)
        if step is None or abs(step) > line:
            return ""
    return f"the steps stay within a line of {line} B"


def _no_better_order(match: Match, context: RuleContext) -> str:
    facts = _kernel(match, context)
    line = context.machine.line_bytes
    walked = columns(facts, line)
    for depth in {depth for depth, _ in walked}:
        gained = [stream for at, stream in walked if at == depth]
        if len(_lost(facts, depth, line)) < len(gained):
            return ""
    depth, stream = walked[0]
    others = ", ".join(_lost(facts, depth, line))
    inside = as_written(facts.kernel.loops[depth].index)
    return f"with {inside} inside, {others} are walked down columns in place of {stream.array}"


def _fits_nearest(match: Match, context: RuleContext) -> str:
    facts = _kernel(match, context)
    nearest = levels(context, facts)[0]
    outermost = context.sites[match.place].name.split(".")[0]
    kernels = kernels_in(context, outermost) if outermost in context.sites else []
    # a loop around that nobody can count is none of a kernel's
    size = touched_bytes(context, kernels or [facts])
    core = context.kernel(facts).core
    if size > nearest.capacity_bytes or core is None or context.machine.core is None:
        return ""
    if core.plan.code.vector.width < 2:
        return ""
    return f"the {size:.0f} B of the nest stay in {nearest.name}, and the loop is vectorised"


class ColumnWalk:
    """Rows walked across: each step takes a new line."""

    code = "RL101"
    slug = "column-walk"
    summary = "the inner loop walks down a column of a row-major array"
    aliases = ("PWR039",)
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("caches",)
    guards = (
        Guard("short-stride", "neighbours in a column share a line at these sizes", _short_stride),
        Guard(
            "no-better-order",
            "the order that walks it along rows walks as many others down columns (RL103)",
            _no_better_order,
            structural=True,
        ),
        Guard(
            "compiler-interchanges",
            "gcc -O3 swaps loops over global arrays itself",
            _swaps_itself,
        ),
        Guard(
            "fits-l1",
            "everything the nest touches stays in the nearest cache, and the loop is vectorised",
            _fits_nearest,
        ),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with a stream that a loop around them would walk element by element."""
        places = {id(site.loop): site for site in context.sites.values()}
        for facts in context.facts:
            if facts.kernel.innermost and len(facts.kernel.loops) > 1:
                found = columns(facts, context.machine.line_bytes)
                if found:
                    yield _match(context, places[id(facts.kernel.loops[-1])], facts, found)


RULE = ColumnWalk()


def _lost(facts: KernelFacts, depth: int, line_bytes: int) -> list[str]:
    """Arrays walked along rows now, which the order with the loop at ``depth`` inside would not."""
    return [
        stream.array
        for stream in facts.streams
        if is_next(stream.strides[-1], stream) and is_wide(stream.strides[depth], line_bytes)
    ]


def _match(
    context: RuleContext, site: Site, facts: KernelFacts, found: list[tuple[int, Stream]]
) -> Match:
    stream = found[0][1]
    stride = stream.strides[-1]
    step = None if stride is None else number(context, facts, stride)
    walked = words_of(access_of(site.loop, stream)).lstrip("*")
    steps = "by whole rows" if step is None else f"in steps of {abs(step)} B"
    line = context.machine.line_bytes
    return Match(
        site.name,
        f"inner {as_written(site.loop.index)} walks {walked} {steps},"
        f" 1 of {line // stream.element_bytes} elements used per line",
        tuple(_changes(context, site, found)),
        related=(RelatedNode(site.loop.origin, f"{walked} is walked here"),),
    )


def _changes(context: RuleContext, site: Site, found: list[tuple[int, Stream]]) -> Iterator[Change]:
    """Each loop that walks a stream along its rows inside, the others in their order."""
    loops = (*site.outer, site.loop)
    names = {id(each.loop): each.name for each in context.sites.values()}
    for depth in dict.fromkeys(depth for depth, _ in found):
        first = _outermost(loops, depth)
        chain = loops[first:]
        moved = loops[depth].index
        order = (*[loop.index for loop in chain if loop.index != moved], moved)
        yield Change(
            f"order {', '.join(map(as_written, order))}",
            partial(interchange, loop=names[id(chain[0])], order=order),
            fix=partial(_fix, context, chain, order),
        )


def _outermost(loops: tuple[Loop, ...], depth: int) -> int:
    """The outermost loop of the perfect nest that holds the one at ``depth``."""
    first = depth
    while first > 0 and len(loops[first - 1].body) == 1:
        first -= 1
    return first


def _fix(
    context: RuleContext, chain: tuple[Loop, ...], order: tuple[str, ...], result: Transformed
) -> Fix:
    fix = reordered(context, chain, order)
    return fix if fix.edits else fix._replace(sketch="; ".join(map(str, result.steps)))
