from collections.abc import Iterator
from functools import partial

from rooflint.ir import Function, Loop
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
from rooflint.rule_kit import queries
from rooflint.rule_kit.cache_fit import array_bytes, levels
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.transform.bodies import fuse
from rooflint.transform.expand import contract_array
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction, ChangeRefusal, Result


def _in_cache(match: Match, context: RuleContext) -> str:
    facts = queries.kernel_of(match, context)
    nearest = levels(context, facts)[0]
    size = array_bytes(context, facts, match.names[0])
    if size > nearest.capacity_bytes:
        return ""
    return f"the {queries.bytes_words(size)} of {match.names[0]} stay in {nearest.name}"


class TempArray(RuleDefaults):
    code = "RL111"
    slug = "temp-array"
    summary = "one loop fills an array that only the next one reads, at the same index"
    status = "preview"
    models = ("ecm", "roofline")
    guards = (Guard("in-cache", "the array stays in the nearest cache", _in_cache),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops of the same header one behind the other, with a local array between them."""
        local = [a.name for a in context.function.arrays if a.storage in ("local", "heap")]
        for site in context.sites.values() if local else ():
            second = queries.next_loop(context, site)
            if second is None or not queries.same_range(site.loop, second):
                continue
            if not queries.kernels_in(context, site.name):
                continue
            for name in local:
                if _carries(context, site, second, name):
                    yield _match(context, site, second, name)


RULE = TempArray()


def _carries(context: RuleContext, site: Site, second: Loop, array: str) -> bool:
    filling, reading = _writes(site.loop, array), _writes(second, array)
    nests = [each.loop for each in context.sites.values() if not each.outer]
    everywhere = sum([len(_writes(loop, array)) for loop in nests])
    carried = any(filling) and bool(reading) and not any(reading)
    return carried and everywhere == len(filling) + len(reading)


def _writes(loop: Loop, array: str) -> list[bool]:
    return [access.write for access, _ in queries.accesses_of(loop) if access.array == array]


def _match(context: RuleContext, site: Site, second: Loop, array: str) -> Match:
    spans = context.source.spans
    lines = [spans[node.origin].line for node in (site.loop, second)]
    size = sum([a.bytes for a, _ in queries.accesses_of(site.loop) if a.array == array and a.write])
    return Match(
        site.name,
        f"{array} only carries values from line {lines[0]} to line {lines[1]}: {2 * size} B and a"
        " write-allocate per iteration",
        (
            Change(
                f"fusing the loops, with a scalar for {array}",
                partial(_fused, loop=site.name, array=array),
                fix=partial(_fix, array, lines),
                action=Action(ActionKind.FUSE, str(lines[1] or "")),
            ),
        ),
        names=(array,),
        related=(RelatedNode(second.origin, f"reads {array}"),),
    )


def _fused(function: Function, loop: str, array: str) -> Result:
    result = fuse(function, loop)
    if isinstance(result, ChangeRefusal):
        return result
    return result.then(lambda f: contract_array(f, loop, array))


def _fix(array: str, lines: list[int], result: ChangedFunction) -> Fix:
    title = f"fuse the loops at lines {lines[0]} and {lines[1]} and drop {array}"
    return Fix("sketch", title, sketch=f"// one loop; a local variable in place of {array}[i]")
