from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.facts import KernelFacts
from rooflint.facts.affine import number
from rooflint.machine import Tlb
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Match, RuleContext, Setup
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import bytes_words, innermost
from rooflint.transform.nest.tree import Site

HUGE_BYTES: Final = 2 << 20
LEAST_WALKS: Final = 1 / 8
"""Of an iteration; fewer are not worth a finding."""


class PageSpan(RuleDefaults):
    code = "RL112"
    slug = "page-span"
    summary = "each step reaches another page, and the TLB holds fewer pages"
    status = "preview"
    needs = ("tlb",)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Arrays with a page walk for every eighth iteration of an innermost loop, or more."""
        tlb = context.machine.tlb
        if tlb is None:
            return
        for site, facts in innermost(context):
            if any(s.pattern == "strided" for s in facts.streams):
                walks = context.kernel(facts).traffic.page_walks
                for array, each in walks.items():
                    if each >= LEAST_WALKS:
                        yield _match(context, site, facts, array, each, tlb)


RULE = PageSpan()


def _match(
    context: RuleContext, site: Site, facts: KernelFacts, array: str, walks: float, tlb: Tlb
) -> Match:
    values = context.kernel(facts).sizes.values
    steps = [
        number(s.strides[-1], values) for s in facts.streams if s.array == array and s.strides[-1]
    ]
    step = max([abs(each) for each in steps if each is not None])
    loop = facts.kernel.loops[-1].index
    return Match(
        site.name,
        f"inner {loop} steps {bytes_words(step)} through {array}, {walks:.2g} page walks of"
        f" {tlb.walk_cy:.3g} cy per iteration: more pages than the"
        f" {tlb.entries} entries of the TLB",
        (
            Change(
                f"{array} in pages of 2 MiB",
                setup=Setup(page_bytes=HUGE_BYTES),
                fix=partial(_fix, array),
                action=Action(ActionKind.HUGE_PAGES, array),
                doubts=("whether the system offers pages of 2 MiB is unknown",),
            ),
        ),
        names=(array,),
    )


def _fix(array: str, _: object) -> Fix:
    return Fix(
        "sketch",
        f"ask for large pages for {array}",
        sketch=f"{array} = aligned_alloc(2 << 20, bytes); madvise({array}, bytes, MADV_HUGEPAGE);",
    )
