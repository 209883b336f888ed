from collections.abc import Iterator
from typing import Final

from rooflint.facts import KernelFacts, Stream
from rooflint.ir import Array, CallValue
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit.cache_fit import last_level, levels
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import bytes_words, innermost, kernel_of, statements_of
from rooflint.transform.loading import load_apart
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

SPLIT: Final = "split"
"""The match that others answer with a loop of its own for the gather."""
_MOVES: Final = frozenset(("load", "store", "scalar", "assign", "const", "index"))


def _extra_stream(match: Match, context: RuleContext) -> str:
    if match.variant != SPLIT:
        return ""
    [array] = match.names
    result = load_apart(context.function, match.place, array)
    assert isinstance(result, ChangedFunction)
    element = context.function.array(array).element_bytes
    gains = context.gains(result.function, Gather.models)
    predicted = [f"predicted {gain:.2g}x ({name})" for name, gain in gains.items()]
    return (
        f"the array between the two loops is {element} B written and {element} B read more per"
        f" element: {', '.join([*predicted, 'measured 0.6 to 1.15x'])}"
    )


def _in_cache(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    last = last_level(context, facts)
    space = context.kernel(facts).traffic.space
    size = _known_bytes(context.function.array(match.names[0]))
    if size is not None and size <= last.capacity_bytes:
        return f"all {bytes_words(size)} of {match.names[0]} stay in {last.name}"
    # nobody knows whether the next pass goes to other elements of an array of unknown size
    accesses = space.trips[-1] if size is None else space.executions
    if accesses * context.machine.line_bytes > last.capacity_bytes:
        return ""
    unknown = f", and the size of {match.names[0]} is unknown" if size is None else ""
    return f"{accesses:.0f} accesses touch no more lines than {last.name} holds{unknown}"


def _prefetched(match: Match, context: RuleContext) -> str:
    loop = context.sites[match.place].loop
    calls = (v.callee for s in statements_of(loop) for v in s.values if isinstance(v, CallValue))
    name = next((name for name in calls if "prefetch" in name), "")
    return f"the loop asks for elements ahead of their use: {name}" if name else ""


def _known_bytes(array: Array) -> int | None:
    size = array.element_bytes
    for extent in array.extents or (None,):
        if extent is None or extent.value is None:
            return None
        size *= extent.value
    return size


class Gather(RuleDefaults):
    code = "RL109"
    slug = "gather"
    requires = (CodeFeature.GATHER,)
    summary = "an index array selects the elements: a line for each at worst"
    aliases = ("PWR036", "PWR060", "RMK014")
    needs = ("memory.bandwidth",)
    guards = (
        Guard("extra-stream", "a separate loop for the gather writes and reads one more array",
              _extra_stream, structural=True),
        Guard("prefetched", "the loop prefetches already", _prefetched),
        Guard("in-cache", "the gathered array stays in a cache", _in_cache),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Each array that an innermost loop reaches through another one.

        Once more where a separate loop could gather its elements: that is never advised.
        """
        for site, facts in innermost(context):
            seen = set()
            for stream in facts.streams:
                gathers = stream.pattern == "gather" and stream.index_array
                if gathers and not any(stream.follows) and stream.array not in seen:
                    seen.add(stream.array)
                    evidence = _evidence(context, facts, stream)
                    yield Match(site.name, evidence, names=(stream.array,))
                    if stream.reads and _parts(context, site, stream.array):
                        yield _apart(site, stream)


RULE = Gather()


def _parts(context: RuleContext, site: Site, array: str) -> bool:
    """Whether the loop does more than to move elements, and could be cut in two."""
    moves = all(v.op in _MOVES for s in statements_of(site.loop) for v in s.values)
    return not moves and isinstance(load_apart(context.function, site.name, array), ChangedFunction)


def _apart(site: Site, stream: Stream) -> Match:
    through = stream.index_array
    evidence = f"a separate loop could gather {stream.array} through {through}"
    return Match(
        site.name, evidence, key=f"{SPLIT}:{stream.array}", names=(stream.array,), variant=SPLIT
    )


def _evidence(context: RuleContext, facts: KernelFacts, stream: Stream) -> str:
    line = context.machine.line_bytes
    through = stream.index_array
    done = "scatters to" if stream.writes and not stream.reads else "gathers from"
    text = (
        f"{done} {stream.array} through {through}: {stream.element_bytes} of {line} B used of"
        " each line at worst"
    )
    return text + _bound(context, facts)


def _bound(context: RuleContext, facts: KernelFacts) -> str:
    """The rate that lines in flight and latency allow (Little's law), if both are known."""
    machine = context.machine
    core, latency_ns = machine.core, machine.memory.latency_ns
    lines = None if core is None or core.buffers is None else core.buffers.line_fill
    if not lines or not latency_ns:
        return ""
    rate = lines * machine.line_bytes / latency_ns * context.kernel(facts).cores
    beyond = levels(context, facts)[-1].name
    return f"; {lines} lines in flight at {latency_ns:.3g} ns allow {rate:.3g} GB/s beyond {beyond}"
