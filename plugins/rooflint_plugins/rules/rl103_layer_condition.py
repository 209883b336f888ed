from collections.abc import Iterator, Mapping
from functools import partial

from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.memory.layers import Layer, layers_of
from rooflint.memory.regimes import CoreCache, blocks_of, core_caches
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.cache_fit import is_next, is_wide
from rooflint.rule_kit.columns import columns, walked_access
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import bytes_words, innermost, kernels_in, place_of, stride_bytes
from rooflint.transform.nest.tree import outermost_around, perfect_chain
from rooflint.transform.result import ChangedFunction
from rooflint.transform.strips import tile

SQUARES = (16, 32, 64)
"""Sides of blocks to try where two arrays are walked across each other."""
FITS = 0.5
"""Of a cache, for a column: the rest is for what else the loop touches."""
SHORTEST = 8
VECTORS = 4
"""In a block of a loop along rows, which compilers unroll up to four times: shorter ones spend most
of their time in what is left over. Blocks of 16 columns make a product 1.5 to 4.6 times slower."""


def _fits(match: Match, context: RuleContext) -> str:
    if not match.names:
        return ""
    facts = kernels_in(context, match.place)[-1]
    _, stream = next(
        (depth, s)
        for depth, s in columns(facts, context.machine.line_bytes)
        if s.array == match.names[0]
    )
    size = _column_bytes(context, facts, stream)
    nearest = _levels(context, facts)[0]
    if size > FITS * nearest.capacity_bytes:
        return ""
    return f"a column ({bytes_words(size)}) stays in {nearest.name} until it is walked again"


def _blocked(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[-1]
    loops = facts.kernel.loops
    outer = {loop.index: loop for loop in loops if (loop.step.value or 1) != 1}
    for loop in loops:
        strips = [name for name in loop.lower.names() if name in outer]
        if strips:
            return f"{as_written(loop.index)} runs within blocks of {strips[0]} already"
    return ""


def _core_bound(match: Match, context: RuleContext) -> str:
    found = context.predictions(kernels_in(context, match.place)[-1]).get("ecm")
    if found is None or found.bottleneck != "core":
        return ""
    return "the core takes longer than all transfers: fewer of them save nothing"


class LayerCondition(RuleDefaults):
    code = "RL103"
    slug = "layer-condition"
    requires = (CodeFeature.NEST,)
    summary = "lines leave the near caches before the nest comes back to them"
    aliases = ("PWR040",)
    needs = ("caches",)
    guards = (
        Guard("blocked", "the loops are blocked already", _blocked, structural=True),
        Guard("fits", "the reused lines stay in the nearest cache: blocks only cost (0.5 to 0.8x"
              " measured)", _fits),
        Guard("core-bound", "the core takes longer than the transfers", _core_bound),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Nests without a good order, and nests that reuse what no near cache holds."""
        for _, facts in innermost(context):
            if len(facts.kernel.loops) < 2:
                continue
            crossed = _crossed(facts, context.machine.line_bytes)
            if crossed is not None:
                found = _across(context, facts, *crossed)
            else:
                found = _lost_layers(context, facts)
            if found is not None:
                yield found


RULE = LayerCondition()


def _crossed(facts: KernelFacts, line_bytes: int) -> tuple[int, Stream, Stream] | None:
    """A stream walked in columns and one that would be if loops changed places: no good order.
    Whatever loop is inside, some stream leaves its line at every step."""
    every = range(len(facts.kernel.loops))
    if not all(any(is_wide(s.strides[d], line_bytes) for s in facts.streams) for d in every):
        return None
    for depth, column in columns(facts, line_bytes):
        for row in facts.streams:
            if is_next(row.strides[-1], row) and is_wide(row.strides[depth], line_bytes):
                return depth, column, row
    return None


def _across(
    context: RuleContext, facts: KernelFacts, depth: int, column: Stream, row: Stream
) -> Match | None:
    loops = facts.kernel.loops
    own, outer = loops[-1], loops[depth]
    if not any(each is own for each in perfect_chain(outer)):
        return None
    place = place_of(context, outer)
    size = _column_bytes(context, facts, column)
    walked = walked_access(own, column)
    other = walked_access(own, row)
    changes = [
        _change(place, {outer.index: side, own.index: side})
        for side in SQUARES
        if side >= context.machine.line_bytes // max(column.element_bytes, row.element_bytes)
    ]
    return Match(
        place,
        f"no order suits {walked} and {other}: a column is {bytes_words(size)} of lines",
        tuple(changes),
        key=f"column:{column.array}",
        names=(column.array,),
    )


def _column_bytes(context: RuleContext, facts: KernelFacts, stream: Stream) -> float:
    trips = context.kernel(facts).traffic.space.trips[-1]
    step = stride_bytes(context, facts, stream)
    line = context.machine.line_bytes
    return trips * (line if step is None else min(abs(step), line))


def _levels(context: RuleContext, facts: KernelFacts) -> list[CoreCache]:
    return core_caches(context.kernel(facts).rates.hierarchy, context.machine.line_bytes)


def _lost_layers(context: RuleContext, facts: KernelFacts) -> Match | None:
    """The first layer that a worthwhile block would bring into a nearer cache."""
    line = context.machine.line_bytes
    kernel = context.kernel(facts)
    values = kernel.sizes.values
    arrays = {array.name: array for array in context.function.arrays}
    layers = layers_of(facts, arrays, values, line)
    levels = _levels(context, facts)
    loops = list(zip(facts.kernel.loops, kernel.traffic.space.trips, strict=True))
    blocks = blocks_of(layers, levels, loops, values)
    for block in blocks:
        layer = next(each for each in layers if each.label == block.layer)
        outer = outermost_around(facts.kernel.loops, block.loop)
        size = min(block.iterations, 1 << 20) // SHORTEST * SHORTEST
        least = _shortest(context, facts, block.loop)
        if outer is None or size < least:
            continue
        place = place_of(context, outer)
        return Match(
            place,
            _evidence(layer, levels, values),
            tuple([_change(place, {block.loop: each}) for each in dict.fromkeys((size, size // 2))
                   if each >= least]),
            key=block.layer,
        )  # fmt: skip
    return None


def _shortest(context: RuleContext, facts: KernelFacts, index: str) -> int:
    """The fewest iterations of a block; of a loop that walks along rows, those of four vectors: it
    is the innermost one, or may become that."""
    simd = context.machine.simd
    depth = [loop.index for loop in facts.kernel.loops].index(index)
    along = [s.element_bytes for s in facts.streams if is_next(s.strides[depth], s)]
    if simd is None or not along:
        return SHORTEST
    return max(SHORTEST, VECTORS * simd.register_bytes // max(along))


def _evidence(layer: Layer, levels: list[CoreCache], values: Mapping[str, int]) -> str:
    size = layer.required.evaluate(values)
    near = next(level for level in levels if not layer.held(level.capacity_bytes, values))
    one = layer.label.startswith("reuse ")
    verb, stay = ("leaves", "it stays") if one else ("leave", "they stay")
    text = f"{as_written(layer.label)} ({bytes_words(size)}) {verb} {near.name} too soon"
    if not layer.depends_on_sizes(near.capacity_bytes):
        return text
    return f"{text}: {stay} for {layer.condition(near.capacity_bytes)}"


def _change(place: str, sizes: dict[str, int]) -> Change:
    said = ", ".join([f"{as_written(index)} by {size}" for index, size in sizes.items()])
    return Change(
        f"blocking {said}",
        partial(tile, loop=place, sizes=sizes),
        fix=partial(_fix, said),
        action=Action(ActionKind.BLOCK, ", ".join(map(as_written, sizes))),
    )


def _fix(said: str, result: ChangedFunction) -> Fix:
    return Fix("sketch", f"block {said}", sketch="; ".join(map(str, result.steps)))
