"""RL111: an array that only carries values from one loop to the next."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from rooflint.ir import Function, Loop
from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.rule import Change, Guard, Match, RelatedNode, RuleContext
from rooflint.rule_kit.cache_fit import array_bytes, levels
from rooflint.rule_kit.queries import accesses_of, bytes_words, kernels_in, next_loop, same_range
from rooflint.transform import Refused, Result, Site, Transformed, contract_array, fuse


def _in_cache(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[0]
    nearest = levels(context, facts)[0]
    size = array_bytes(context, facts, match.key)
    if size > nearest.capacity_bytes:
        return ""
    return f"the {bytes_words(size)} of {match.key} stay in {nearest.name}"


class TempArray:
    """A scalar would do, were the two loops one."""

    code = "RL111"
    slug = "temp-array"
    summary = "an array is filled by one loop and read at the same index by the next only"
    aliases = ()
    status: Literal["stable", "preview", "structural"] = "preview"
    models = ("ecm", "roofline")
    needs = ()
    guards = (Guard("in-cache", "the array stays in the nearest cache", _in_cache),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Loops of the same header one behind the other, with a local array between them."""
        local = [a.name for a in context.function.arrays if a.storage in ("local", "heap")]
        for site in context.sites.values() if local else ():
            second = next_loop(context, site)
            if second is None or not same_range(site.loop, second):
                continue
            if not kernels_in(context, site.name):
                continue
            for name in local:
                if _carries(context, site, second, name):
                    yield _match(context, site, second, name)


RULE = TempArray()


def _carries(context: RuleContext, site: Site, second: Loop, array: str) -> bool:
    """Whether the first loop writes the array and the second reads it, and nothing else does."""
    first = [a.write for a, _ in accesses_of(site.loop) if a.array == array]
    behind = [a.write for a, _ in accesses_of(second) if a.array == array]
    if not first or not behind or not any(first) or any(behind):
        return False
    others = [
        access
        for each in context.sites.values()
        if not each.outer
        for access, _ in accesses_of(each.loop)
        if access.array == array
    ]
    return len(others) == len(first) + len(behind)


def _match(context: RuleContext, site: Site, second: Loop, array: str) -> Match:
    spans = context.source.spans
    lines = [spans[node.origin].line for node in (site.loop, second)]
    size = sum([a.bytes for a, _ in accesses_of(site.loop) if a.array == array and a.write])
    return Match(
        site.name,
        f"{array} only carries values from line {lines[0]} to line {lines[1]}: {2 * size} B and a"
        " write-allocate per iteration",
        (
            Change(
                f"fusing the loops, with a scalar for {array}",
                partial(_fused, loop=site.name, array=array),
                fix=partial(_fix, array, lines),
            ),
        ),
        key=array,
        related=(RelatedNode(second.origin, f"reads {array}"),),
    )


def _fused(function: Function, loop: str, array: str) -> Result:
    result = fuse(function, loop)
    if isinstance(result, Refused):
        return result
    return result.then(lambda f: contract_array(f, loop, array))


def _fix(array: str, lines: list[int], result: Transformed) -> Fix:
    title = f"fuse the loops at lines {lines[0]} and {lines[1]} and drop {array}"
    return Fix("sketch", title, sketch=f"// one loop; a local variable in place of {array}[i]")
