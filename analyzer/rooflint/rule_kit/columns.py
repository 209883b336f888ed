"""Columns of row-major arrays walked by an inner loop: what the two rules about them share."""

from collections.abc import Iterable, Sequence

from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.ir import Loop
from rooflint.plugin_api.rule import RuleContext
from rooflint.rule_kit.cache_fit import access_of, is_next, is_wide, levels, touched_bytes
from rooflint.rule_kit.queries import stride_bytes, words_of


def columns(facts: KernelFacts, line_bytes: int) -> list[tuple[int, Stream]]:
    """Streams that the kernel's own loop walks in columns: depth of the loop that would walk them
    element by element, and the stream."""
    return [
        (depth, stream)
        for stream in facts.streams
        if is_wide(stream.strides[-1], line_bytes)
        for depth, stride in enumerate(stream.strides[:-1])
        if is_next(stride, stream)
    ]


def rows_lost(facts: KernelFacts, depth: int, line_bytes: int) -> list[str]:
    """Arrays walked along rows now, which the order with the loop at ``depth`` inside would not."""
    return [
        stream.array
        for stream in facts.streams
        if is_next(stream.strides[-1], stream) and is_wide(stream.strides[depth], line_bytes)
    ]


def within_line(context: RuleContext, facts: KernelFacts, streams: Iterable[Stream]) -> str:
    """That no step leaves its line at these sizes; empty where one does."""
    line = context.machine.line_bytes
    for stream in streams:
        step = stride_bytes(context, facts, stream)
        if step is None or abs(step) > line:
            return ""
    return f"the steps stay within a line of {line} B"


def fits_nearest(context: RuleContext, facts: KernelFacts, nest: Sequence[KernelFacts]) -> str:
    """That the nearest cache holds all that ``nest`` touches, and the loop is vector code."""
    nearest = levels(context, facts)[0]
    size = touched_bytes(context, nest)
    core = context.kernel(facts).core
    if size > nearest.capacity_bytes or core is None or context.machine.core is None:
        return ""
    if core.plan.code.vector.width < 2:
        return ""
    return f"the {size:.0f} B of the nest stay in {nearest.name}, and the loop is vectorised"


def walked_access(loop: Loop, stream: Stream) -> str:
    """The access of a stream as the source has it: ``B[k][j]``."""
    return words_of(access_of(loop, stream)).lstrip("*")


def walk_evidence(context: RuleContext, facts: KernelFacts, stream: Stream) -> str:
    """``inner k walks B[k][j] in steps of 8000 B, using 1 of 8 elements per line``."""
    loop = facts.kernel.loops[-1]
    step = stride_bytes(context, facts, stream)
    steps = "by whole rows" if step is None else f"in steps of {abs(step)} B"
    return (
        f"inner {as_written(loop.index)} walks {walked_access(loop, stream)} {steps},"
        f" using 1 of {context.machine.line_bytes // stream.element_bytes} elements per line"
    )
