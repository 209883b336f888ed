from collections.abc import Iterator
from functools import partial

from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.cache_fit import access_of, is_next, levels, touched_bytes
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernel_of, kernels_in, stride_bytes, words_of
from rooflint.transform.layout import split_fields
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

MOSTLY_USED = 0.75
"""From this share of its lines on that a loop uses, packing cannot pay for its copies."""


def _packed_once(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    written = all(s.writes for s in facts.streams if s.array == match.names[0])
    array = context.function.array(match.names[0])
    repeated = any(
        _stays(facts, match.names[0], depth) for depth in range(len(facts.kernel.loops) - 1)
    )
    if repeated or written or array.storage in ("local", "heap"):
        return ""
    return f"{match.names[0]} is walked once per call: packing it reads the same lines"


def _stays(facts: KernelFacts, array: str, depth: int) -> bool:
    """Whether a loop around walks the same elements of an array again."""
    strides = [s.strides[depth] for s in facts.streams if s.array == array]
    return all(stride is not None and not stride.terms for stride in strides)


def _between_used(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    used, step = _used_bytes(context, facts, match.names[0])
    if used < MOSTLY_USED * step:
        return ""
    return f"the body uses {used} of every {step} B of {match.names[0]}"


def _in_cache(match: Match, context: RuleContext) -> str:
    kernels = kernels_in(context, match.place)
    nearest = levels(context, kernels[0])[0]
    size = touched_bytes(context, kernels)
    if size > nearest.capacity_bytes:
        return ""
    return f"all lines stay in {nearest.name}"


def _better_order(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    for stream in facts.streams:
        if stream.array == match.names[0]:
            for loop, stride in zip(facts.kernel.loops[:-1], stream.strides, strict=False):
                if is_next(stride, stream):
                    return f"{as_written(loop.index)} walks it element by element (RL101)"
    return ""


class SparseStride(RuleDefaults):
    code = "RL108"
    slug = "sparse-stride"
    requires = (CodeFeature.STRIDE,)
    summary = "a loop uses some elements of each line and skips the others"
    aliases = ("PWR034", "RMK010")
    needs = ("caches",)
    guards = (
        Guard("between-used", "other accesses of the body use the elements between", _between_used,
              structural=True),
        Guard("better-order", "another loop of the nest walks the elements in order",
              _better_order, structural=True),
        Guard("packed-once", "the array is walked once, so a copy costs as much as it saves",
              _packed_once),
        Guard("fits-l1", "all lines touched stay in the nearest cache", _in_cache),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Streams of plain arrays with a stride of a few elements."""
        records = {a.name for a in context.function.arrays if a.type == "record"}
        for site, facts in innermost(context):
            seen: set[str] = set()
            for stream in facts.streams:
                if stream.pattern != "strided" or stream.array in records | seen:
                    continue
                step = stride_bytes(context, facts, stream)
                if step is not None and _gaps(stream, step, context.machine.line_bytes):
                    seen.add(stream.array)
                    yield _match(context, site, facts, stream, abs(step))


RULE = SparseStride()


def _gaps(stream: Stream, step: int, line_bytes: int) -> bool:
    """More than an element from one to the next, and not beyond a line: there all is lost."""
    own = stream.strides[-1]
    known = own is not None and own.value is not None
    return known and stream.element_bytes < abs(step) <= line_bytes


def _used_bytes(context: RuleContext, facts: KernelFacts, array: str) -> tuple[int, int]:
    streams = [s for s in facts.streams if s.array == array and s.strides[-1]]
    steps = [stride_bytes(context, facts, s) for s in streams]
    step = min([abs(each) for each in steps if each], default=1)
    return sum([len(s.references) * s.element_bytes for s in streams]), step


def _match(
    context: RuleContext, site: Site, facts: KernelFacts, stream: Stream, step: int
) -> Match:
    line = context.machine.line_bytes
    used, _ = _used_bytes(context, facts, stream.array)
    said = words_of(access_of(site.loop, stream)).lstrip("*")
    return Match(
        site.name,
        f"{said} uses {line * used // step} of {line} B per line ({used} of every {step} B)",
        (
            Change(
                f"packing {stream.array.lstrip('*')}",
                partial(split_fields, array=stream.array, record_bytes=step),
                fix=partial(_fix, stream.array),
                action=Action(ActionKind.OTHER, f"{stream.array.lstrip('*')} packed"),
            ),
        ),
        names=(stream.array,),
    )


def _fix(array: str, result: ChangedFunction) -> Fix:
    text = f"keep the elements of {array} that the loop uses in an array of their own"
    return Fix("sketch", text, sketch="; ".join(map(str, result.steps)))
