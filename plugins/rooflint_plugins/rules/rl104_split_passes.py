from collections.abc import Iterator, Mapping
from functools import partial

from rooflint.facts import KernelFacts, facts_of
from rooflint.ir import Loop, SourceFunction, Span
from rooflint.memory import FunctionTraffic, Rates
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
from rooflint.records import NamedTuple
from rooflint.rule_kit import queries
from rooflint.rule_kit.cache_fit import array_bytes, last_level, touched_bytes
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.scenario.sizes import Sizes
from rooflint.source_edit.edits import EditableSource, append_body
from rooflint.transform.bodies import fuse
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction, ChangeRefusal

LEAST_SAVED = 0.04
"""Share of the lines from memory that fusion has to save: below it the gain is under 1.05 even
where memory alone decides. What models see of one then lies in loop overhead and registers, where
measurements went either way (0.9 to 1.6x in L1)."""
MOST_STREAMS = 12
"""Streams that prefetchers follow at once: two each in a page for 16 to 32 pages on today's cores,
and a store stream takes a write-combining or fill buffer besides (of 10 to 16)."""


def _in_cache(match: Match, context: RuleContext) -> str:
    return _still_cached(context, match.place)


def _still_cached(context: RuleContext, place: str) -> str:
    """Where the second loop finds what the first one touched; empty where that is memory."""
    first = queries.kernels_in(context, place)
    last = last_level(context, first[0])
    size = touched_bytes(context, first)
    if size > last.capacity_bytes:
        return ""
    return (
        f"the first loop touches {queries.bytes_words(size)}, and the second finds it in"
        f" {last.name} ({queries.bytes_words(last.capacity_bytes)})"
    )


def _nothing_saved(match: Match, context: RuleContext) -> str:
    saved = _saved(context, match.place, _UnfusedLines(context))
    if saved is None:
        return ""
    moved = sum([before for before, _ in saved.values()])
    less = moved - sum([after for _, after in saved.values()])
    if less > 0 and less >= LEAST_SAVED * moved:
        return ""
    level = last_level(context, queries.kernel_of(match, context)).name
    return (
        f"what both loops touch is still in {level} when the second comes, or is not the same:"
        f" fused, as many lines come from memory"
    )


class _UnfusedLines:
    """Lines of a function as it is, by array: counted once for the same sizes and rates."""

    def __init__(self, context: RuleContext) -> None:
        self._context = context
        self._arrays = {array.name: array for array in context.function.arrays}
        self._counted: tuple[Sizes, Rates, Mapping[str, float]] | None = None

    def lines(self, sizes: Sizes, rates: Rates) -> Mapping[str, float]:
        """Those over the link to memory."""
        if self._counted is None or self._counted[:2] != (sizes, rates):
            self._counted = sizes, rates, self.of(self._context.facts, sizes, rates)
        return self._counted[2]

    def of(self, facts: tuple[KernelFacts, ...], sizes: Sizes, rates: Rates) -> Mapping[str, float]:
        """The same of a changed function with these kernels."""
        line_bytes = self._context.machine.line_bytes
        return FunctionTraffic(facts, self._arrays, sizes, line_bytes).from_memory(rates)


def _saved(
    context: RuleContext, place: str, unfused: _UnfusedLines
) -> dict[str, tuple[float, float]] | None:
    """Lines over the link to memory, by array, as it is and with the loops fused. None where they
    cannot be fused, or where there is no cache to count for."""
    fused = fuse(context.function, place)
    facts = queries.kernels_in(context, place)
    if isinstance(fused, ChangeRefusal) or not facts:
        return None
    of_first = context.kernel(facts[0])
    if not of_first.rates.hierarchy:
        return None
    before = unfused.lines(of_first.sizes, of_first.rates)
    after = unfused.of(facts_of(fused.function), of_first.sizes, of_first.rates)
    return {name: (lines, after.get(name, 0.0)) for name, lines in before.items()}


def _many_streams(match: Match, context: RuleContext) -> str:
    second = queries.next_loop(context, context.sites[match.place])
    kernels = [*queries.kernels_in(context, match.place)]
    if second is not None:
        kernels += queries.kernels_in(context, queries.place_of(context, second))
    walks = {(s.array, s.strides[-1]) for f in kernels for s in f.streams if s.strides[-1]}
    if len(walks) <= MOST_STREAMS:
        return ""
    return f"fused, {len(walks)} streams go at once, more than prefetchers follow ({MOST_STREAMS})"


class SplitPasses(RuleDefaults):
    code = "RL104"
    slug = "split-passes"
    requires = (CodeFeature.SEVERAL_LOOPS,)
    summary = "two loops in a row stream the same array from memory"
    guards = (
        Guard("in-cache", "the second loop hits in a cache on the lines of the first", _in_cache),
        Guard(
            "nothing-saved",
            "no line that the second loop needs has left the caches",
            _nothing_saved,
            structural=True,
        ),
        Guard(
            "many-streams",
            "one loop would walk more streams than prefetchers follow",
            _many_streams,
        ),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops of the same header right behind one another, with an array in common."""
        unfused = _UnfusedLines(context)
        for site in context.sites.values():
            second = queries.next_loop(context, site)
            if second is None or not queries.same_range(site.loop, second):
                continue
            one = queries.kernels_in(context, site.name)
            two = queries.kernels_in(context, queries.place_of(context, second))
            shared = _shared(one, two)
            if one and two and shared:
                cached = _still_cached(context, site.name)
                # counting takes as long as the function has loops; what is cached moves once
                saved = None if cached else _saved(context, site.name, unfused)
                yield _match(
                    context,
                    _Passes(site=site, second=second, facts=one[0], shared=shared),
                    saved or {},
                )


RULE = SplitPasses()


def _shared(one: list[KernelFacts], two: list[KernelFacts]) -> list[str]:
    behind = {s.array for facts in two for s in facts.streams if s.pattern != "invariant"}
    walked = [s.array for facts in one for s in facts.streams if s.pattern != "invariant"]
    return [name for name in dict.fromkeys(walked) if name in behind]


class _Passes(NamedTuple):
    """Two loops in a row, a kernel of the first, and the arrays that both walk."""

    site: Site
    second: Loop
    facts: KernelFacts
    shared: list[str]


def _match(
    context: RuleContext, passes: _Passes, saved: Mapping[str, tuple[float, float]]
) -> Match:
    site, second, facts, shared = passes
    spans = context.source.spans
    lines = [spans[n.origin].line if n.origin >= 0 else 0 for n in (site.loop, second)]
    again = [name for name in shared if _fewer(saved.get(name))]
    shared = again or shared
    size = sum([array_bytes(context, facts, name) for name in shared])
    names = ", ".join([name.lstrip("*") for name in shared[:3]])
    fix = partial(_fix, context, site.loop, second)
    return Match(
        site.name,
        f"the loops at lines {lines[0]} and {lines[1]} both stream {names}"
        f" ({queries.bytes_words(size)})",
        (
            Change(
                "fusing them",
                partial(fuse, loop=site.name),
                fix=fix,
                action=Action(ActionKind.FUSE, str(lines[1] or "")),
            ),
        ),
        related=(RelatedNode(second.origin, f"streams {names} again"),),
    )


def _fewer(lines: tuple[float, float] | None) -> bool:
    return lines is not None and lines[1] < lines[0] * (1 - LEAST_SAVED)


def _fix(context: RuleContext, first: Loop, second: Loop, result: ChangedFunction) -> Fix:
    """The second body moved; a sketch where headers differ in text, or names would clash."""
    spans, text = context.source.spans, EditableSource(context.text)
    one, two = spans[first.origin], spans[second.origin]
    title = f"fuse the loops at lines {one.line} and {two.line}"
    sketch = "move the second body to the end of the first and drop the second header"
    into, inner = first, second
    while _same_header(text, spans[into.origin], spans[inner.origin]):
        below, other = _only_loop(into), _only_loop(inner)
        if below is None or other is None:
            break
        into, inner = below, other
    else:
        return Fix("sketch", title, sketch=sketch)
    where = spans[into.origin], spans[inner.origin]
    counts = any(loop.extra_inductions for loop in (first, second, into, inner))
    edits = (
        ()
        if counts or _clash(context.source, text, *where)
        else append_body(text, one, two, *where)
    )
    return Fix("safe", title, edits) if edits else Fix("sketch", title, sketch=sketch)


def _only_loop(loop: Loop) -> Loop | None:
    [*others, last] = loop.body or (None,)
    return last if isinstance(last, Loop) and not others else None


def _same_header(text: EditableSource, one: Span, two: Span) -> bool:
    headers = text.header(one), text.header(two)
    words = ["".join(text.within(each).split()) for each in headers if each is not None]
    return len(words) == 2 and words[0] == words[1]


def _clash(source: SourceFunction, text: EditableSource, one: Span, two: Span) -> bool:
    """Whether the body of the first loop declares a name that the second means otherwise."""
    header = text.header(one)
    shared = source.declared_in(header) if header is not None else ()
    own = {
        each.spelling
        for variable, each in source.declared_in(one)
        if (variable, each) not in shared
    }
    return any(token.text in own for token in text.tokens(two))
