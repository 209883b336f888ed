from collections.abc import Collection, Iterator, Mapping
from functools import partial

from rooflint.facts import KernelFacts, Stream
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
from rooflint.rule_kit.cache_fit import array_bytes, last_level
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.openmp import directive_fix, opens
from rooflint.rule_kit.queries import bytes_words, innermost, place_of
from rooflint.transform.annotations import parallelise
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

OWN = ("local", "heap")
"""Storage of arrays that the function itself makes, so that nobody touched them before."""


def _one_domain(match: Match, context: RuleContext) -> str:
    if _domains(context, _reader(context, match)) > 1:
        return ""
    return f"all cores in use are in one memory domain of {context.machine.name}"


def _in_cache(match: Match, context: RuleContext) -> str:
    facts = _reader(context, match)
    last = last_level(context, facts)
    if array_bytes(context, facts, match.names[0]) > last.capacity_bytes:
        return ""
    return f"{match.names[0]} stays in {last.name}"


def _core_bound(match: Match, context: RuleContext) -> str:
    return (
        ""
        if _memory_bound(context, _reader(context, match))
        else "memory does not limit the parallel loop"
    )


class SerialFirstTouch(RuleDefaults):
    code = "RL403"
    slug = "serial-first-touch"
    summary = (
        "one core is the first to write an array that all cores read: its pages are in one domain"
    )
    status = "preview"
    models = ("roofline",)
    needs = ("memory.bandwidth",)
    guards = (
        Guard("one-domain", "the cores in use share one memory domain", _one_domain),
        Guard("in-cache", "the array stays in a cache", _in_cache),
        Guard("core-bound", "memory is not what limits the parallel loop", _core_bound),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Arrays that a serial loop of the function fills before a parallel one reads them."""
        own = {a.name for a in context.function.arrays if a.storage in OWN}
        first: dict[str, tuple[Site, KernelFacts]] = {}
        for site, facts, stream in _walks(context, own):
            touch = first.get(stream.array)
            if touch is None and stream.writes:
                first[stream.array] = site, facts
            elif stream.reads and _is_parallel(facts) and not _is_shared(touch):
                own.discard(stream.array)
                if touch is not None:
                    yield _match(context, touch[0], facts, stream.array)


RULE = SerialFirstTouch()


def _is_shared(touch: tuple[Site, KernelFacts] | None) -> bool:
    return touch is not None and _is_parallel(touch[1])


def _walks(
    context: RuleContext, arrays: Collection[str]
) -> Iterator[tuple[Site, KernelFacts, Stream]]:
    """Streams of ``arrays`` in program order; the caller may shrink ``arrays`` on the way."""
    for site, facts in innermost(context) if arrays else ():
        for stream in facts.streams:
            if stream.array in arrays and stream.pattern != "invariant":
                yield site, facts, stream


def _is_parallel(facts: KernelFacts) -> bool:
    return any(map(opens, facts.kernel.regions))


def _reader(context: RuleContext, match: Match) -> KernelFacts:
    origin = match.related[0].origin
    return next(f for f in context.facts if f.kernel.loops[-1].origin == origin)


def _domains(context: RuleContext, facts: KernelFacts) -> int:
    return -(-context.kernel(facts).cores // context.machine.domain_cores("MEM"))


def _memory_bound(context: RuleContext, facts: KernelFacts) -> bool:
    prediction = context.predictions(facts).get("roofline")
    return prediction is not None and prediction.limit == "memory"


def _match(context: RuleContext, filling: Site, reading: KernelFacts, array: str) -> Match:
    outermost = filling.outer[0] if filling.outer else filling.loop
    place = place_of(context, outermost)
    line = context.source.spans[outermost.origin].line if outermost.origin >= 0 else 0
    domains = _domains(context, reading)
    size = bytes_words(array_bytes(context, reading, array))
    return Match(
        place,
        f"one core writes {array} ({size}) first at line {line}, {domains} domains read it: its"
        f" pages are in 1 of {domains}",
        (
            Change(
                "filling it in parallel in the same way",
                partial(parallelise, loop=place),
                fix=partial(_fix, context, place),
                seconds=partial(_seconds, context, reading, domains),
                timed=place_of(context, reading.kernel.loops[-1]),
                action=Action(ActionKind.OTHER, "first touch by all cores"),
            ),
        ),
        names=(array,),
        related=(RelatedNode(reading.kernel.loops[-1].origin, f"{array} is read by all cores"),),
    )


def _seconds(
    context: RuleContext, reading: KernelFacts, domains: int
) -> Mapping[str, tuple[float, float]]:
    """The parallel loop with the bandwidth of one domain, and with that of all."""
    prediction = context.predictions(reading).get("roofline")
    if prediction is None or prediction.cycles_per_iteration is None:
        return {}
    executions = float(context.kernel(reading).traffic.space.executions)
    spread = prediction.cycles_per_iteration * executions / (context.machine.clock_ghz * 1e9)
    return {"roofline": (spread * domains, spread)}


def _fix(context: RuleContext, place: str, result: ChangedFunction) -> Fix | None:
    return directive_fix(context, context.sites[place].loop, result)
