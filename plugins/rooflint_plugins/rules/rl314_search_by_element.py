from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.transform.branches.searching import (
    SearchTest,
    element_bytes,
    search_in_blocks,
    search_test,
)
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

BLOCK: Final = 64
"""Elements that are tested without an exit: whole vectors of any type, up to 512 bits of bytes."""
RESULTS: Final = {1: "signed char", 2: "short", 4: "int", 8: "long long"}
"""Types of a block's result by the bytes of an element: vectors of both are as long."""
UNKNOWN_PLACE: Final = f"pays where the search ends behind element {BLOCK // 2}, which is not known"


def _near(match: Match, context: RuleContext) -> str:
    trips = context.kernel(kernel_of(match, context)).traffic.space.trips[-1]
    return f"{trips:.3g} elements are no two blocks of {BLOCK}" if trips < 2 * BLOCK else ""


class SearchByElement(RuleDefaults):
    code = "RL314"
    slug = "search-by-element"
    requires = (CodeFeature.EARLY_EXIT,)
    summary = "a search can end at each element, so that it tests one at a time"
    needs = ("core",)
    guards = (Guard("near", "the search has few elements", _near),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that only test elements, up to a known bound."""
        for site, _ in innermost(context):
            found = search_test(site.loop)
            if found is not None:
                yield _match(site, found)


RULE = SearchByElement()


def _match(site: Site, found: SearchTest) -> Match:
    return Match(
        site.name,
        "the search can end at each element, so it tests one at a time",
        (
            Change(
                f"testing {BLOCK} elements before each exit",
                partial(search_in_blocks, loop=site.name, size=BLOCK),
                fix=partial(_fix, site, found),
                action=Action(ActionKind.OTHER, f"blocks of {BLOCK}"),
                doubts=(UNKNOWN_PLACE,),
                depends_on_data=True,
            ),
        ),
    )


def _fix(site: Site, found: SearchTest, _: ChangedFunction) -> Fix:
    index = site.loop.index
    test = "(...)" if found.ends else "!(...)"
    sketch = (
        f"for (; {index} + {BLOCK} <= ...; {index} += {BLOCK}) {{\n"
        f"  {RESULTS[element_bytes(found.condition)]} found = 0;\n"
        f"  for (int k = 0; k < {BLOCK}; k++)\n"
        f"    found |= {test};   // the condition at {index} + k, without && and ||\n"
        "  if (found) break;\n"
        "}\n"
        "// then the loop as it is, from there on"
    )
    return Fix(safety="sketch", title=f"search in blocks of {BLOCK}", sketch=sketch)
