from collections.abc import Iterator
from functools import partial

from rooflint.facts import KernelFacts
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.cache_fit import array_bytes, levels
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.transform.layout import narrow_elements
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

LARGEST = 2**31


def _too_many(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    most = max(context.kernel(facts).sizes.values.values(), default=0)
    return f"a size of {most} does not fit 4 B" if most >= LARGEST else ""


def _in_cache(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    nearest = levels(context, facts)[0]
    if array_bytes(context, facts, match.names[0]) > nearest.capacity_bytes:
        return ""
    return f"all of {match.names[0]} stays in {nearest.name}"


class WideIndex(RuleDefaults):
    code = "RL110"
    slug = "wide-index"
    summary = "an index array has entries of 8 B where 4 B would suffice"
    status = "preview"
    models = ("ecm", "roofline")
    guards = (
        Guard("too-many", "there are more elements than 4 B can distinguish", _too_many,
              structural=True),
        Guard("in-cache", "the index array stays in the nearest cache", _in_cache),
    )  # fmt: skip

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Arrays of 8 B integers that say where another array is accessed."""
        wide = {a.name for a in context.function.arrays if a.type in ("i64", "u64")}
        for site, facts in innermost(context) if wide else ():
            through = {s.index_array for s in facts.streams if s.pattern == "gather"}
            for stream in facts.streams:
                if stream.array in wide & through and stream.pattern == "contiguous":
                    yield _match(context, site, facts, stream.array)


RULE = WideIndex()


def _match(context: RuleContext, site: Site, facts: KernelFacts, array: str) -> Match:
    moved = sum([s.element_bytes for s in facts.streams if s.pattern == "contiguous"])
    return Match(
        site.name,
        f"{array} is 8 B per entry, 4 B suffice for n < 2^31: {moved} to {moved - 4} B of streams"
        " per iteration",
        (
            Change(
                f"{array} as int",
                partial(narrow_elements, array=array),
                fix=partial(_fix, array),
                action=Action(ActionKind.OTHER, f"{array} as int"),
            ),
        ),
        names=(array,),
    )


def _fix(array: str, result: ChangedFunction) -> Fix:
    return Fix("sketch", f"declare {array} as int32_t", sketch=f"int32_t *{array};")
