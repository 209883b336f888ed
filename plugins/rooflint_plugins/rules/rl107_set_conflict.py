from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace
from rooflint.dependence import is_named_only
from rooflint.facts import KernelFacts, Stream, as_written
from rooflint.ir import Function, Span
from rooflint.memory.hierarchy import HASHED_FROM, MemoryLink
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.cache_fit import access_of, is_next, is_wide
from rooflint.rule_kit.columns import columns
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernel_of, number, words_of
from rooflint.source_edit.edits import EditableSource
from rooflint.source_edit.edits import replace as edited
from rooflint.source_edit.static_arrays import last_extent
from rooflint.transform.layout import pad
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction, ChangeRefusal, Result

CONFLICTS = 0.1
"""From this share of its misses on, a level's conflicts are worth a word."""


def _no_conflicts(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    kinds = context.kernel(facts).misses
    if kinds is None:
        return "conflict misses are not modelled for this machine"
    shares = [k.conflict / k.total for k in kinds() if k.total]
    if any(share > CONFLICTS for share in shares):
        return ""
    return "the lines miss for lack of capacity as well"


def _better_order(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    line = context.machine.line_bytes
    array = match.names[0]
    for depth, stream in columns(facts, line):
        worse = [s for s in facts.streams if is_wide(s.strides[depth], line)]
        if stream.array == array and not any(is_next(s.strides[-1], s) for s in worse):
            index = as_written(facts.kernel.loops[depth].index)
            return f"{index} walks it along the rows (RL101, RL102)"
    return ""


class SetConflict(RuleDefaults):
    code = "RL107"
    slug = "set-conflict"
    requires = (CodeFeature.ROWS,)
    summary = "rows lie a multiple of the cache's set span apart and evict one another"
    models = ("ecm", "roofline")
    needs = ("caches",)
    guards = (
        Guard("no-conflicts", "the lines would miss in a fully associative cache as well",
              _no_conflicts),
        Guard("better-order", "another loop order avoids the stride: RL101 applies first",
              _better_order),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Arrays of known rows whose stride reaches few sets of a cache with sets."""
        rows = {a.name: a.extents for a in context.function.arrays if len(a.extents) > 1}
        for site, facts in innermost(context):
            for stream in facts.streams:
                if stream.array in rows and None not in rows[stream.array][1:]:
                    found = _crowded(context, facts, stream)
                    if found is not None:
                        yield _match(context, site, stream, *found)
                        break


RULE = SetConflict()


def _crowded(
    context: RuleContext, facts: KernelFacts, stream: Stream
) -> tuple[MemoryLink, int, int] | None:
    """The nearest cache whose sets the stream leaves mostly empty: it, the stride, the sets hit."""
    line = context.machine.line_bytes
    for stride in stream.strides:
        step = None if stride is None else number(context, facts, stride)
        if not step or abs(step) < line or step % line:
            continue
        trips = context.kernel(facts).traffic.space.trips[stream.strides.index(stride)]
        for link in context.kernel(facts).rates.hierarchy[:HASHED_FROM]:
            reached = _sets_reached(abs(step) // line, link.above.sets)
            few = reached * link.above.ways
            if link.above.sets > 1 and few < min(trips, link.above.lines // 2):
                return link, abs(step), reached
    return None


def _sets_reached(lines_apart: int, sets: int) -> int:
    """How many sets lines so far apart fall into: sets over the power of two in common."""
    common = 1
    while lines_apart % (2 * common) == 0 and 2 * common <= sets:
        common *= 2
    return sets // common


def _match(
    context: RuleContext, site: Site, stream: Stream, link: MemoryLink, step: int, reached: int
) -> Match:
    line, cache = context.machine.line_bytes, link.above
    more = line // stream.element_bytes
    array = context.function.array(stream.array)
    said = words_of(access_of(site.loop, stream))
    last = array.extents[-1]
    longer = (
        f"{last.value} to {last.value + more}" if last is not None and last.value else "+ a line"
    )
    return Match(
        site.name,
        f"{said} steps by {step} B: {reached} of {cache.sets} sets of {link.near}"
        f" ({cache.ways} ways) take all its lines",
        (
            Change(
                f"padding rows of {stream.array} from {longer}",
                partial(_padded, context, stream.array, more),
                fix=partial(_fix, context, stream.array, more),
                action=Action(ActionKind.OTHER, f"{stream.array} padded"),
            ),
        ),
        key=f"{stream.array}:{link.near}",
        names=(stream.array,),
    )


def _padded(context: RuleContext, array: str, more: int, function: Function) -> Result:
    """Longer rows; nothing is assumed where the text shows all that uses them."""
    result = pad(function, array, more)
    if isinstance(result, ChangeRefusal) or _row_length(context, array) is None:
        return result
    return replace(result, assumes=())


def _fix(context: RuleContext, array: str, more: int, result: ChangedFunction) -> Fix:
    """A longer last dimension where the declaration is; a sketch where others may see the rows."""
    title = f"declare {array} with {more} more elements in its last dimension"
    found = _row_length(context, array)
    if found is None:
        return Fix("sketch", title)
    span, length = found
    longer = str(int(length) + more) if length.isdecimal() else f"{length} + {more}"
    return Fix("safe", title, (edited(span, longer),))


def _row_length(context: RuleContext, array: str) -> tuple[Span, str] | None:
    """Where the array's last extent is declared; None where others may see its rows."""
    declared = context.function.array(array)
    if not is_named_only(declared):
        return None
    return last_extent(EditableSource(context.text), array, len(declared.extents))
