from collections.abc import Iterator

from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit.cache_fit import access_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, kernel_of, stride_bytes, words_of

GOOD_BYTES = 128
"""A transfer that the memory serves at full rate: a line of the Cell's main memory."""


def _other_loop(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    for stream in facts.streams:
        if stream.array == match.names[0]:
            for loop, stride in zip(facts.kernel.loops[:-1], stream.strides, strict=False):
                if stride is not None and stride.value == stream.element_bytes:
                    return f"runs along {as_written(loop.index)} can be transferred whole"
    return ""


class DmaShape(RuleDefaults):
    code = "RL506"
    slug = "dma-shape"
    summary = "a loop needs pieces of memory that are not a multiple of the DMA alignment"
    status = "preview"
    models = ("bounds",)
    needs = ("local_store.dma.align_bytes",)
    guards = (Guard("other-loop", "another loop of the nest runs along the elements", _other_loop),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Streams with gaps between elements that are shorter than a transfer's alignment."""
        store = context.machine.local_store
        align = store.dma.align_bytes if store is not None else None
        for site, facts in innermost(context) if align else ():
            seen: set[str] = set()
            for stream in facts.streams:
                step = stride_bytes(context, facts, stream)
                if stream.array in seen or step is None or align is None:
                    continue
                used = len(stream.references) * stream.element_bytes
                if used < abs(step) and used % align:
                    seen.add(stream.array)
                    yield _match(site.name, facts, stream, used, align)


RULE = DmaShape()


def _match(place: str, facts: KernelFacts, stream: Stream, used: int, align: int) -> Match:
    said = words_of(access_of(facts.kernel.loops[-1], stream)).lstrip("*")
    moved = -(-used // align) * align
    return Match(
        place,
        f"{said} needs {used} B per step: DMA moves multiples of {align} B, {moved} for {used};"
        f" runs of {GOOD_BYTES} B or more move at full rate",
        names=(stream.array,),
    )
