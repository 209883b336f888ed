from collections.abc import Iterator
from functools import partial
from typing import Final

from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.arithmetic import plan_of
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost, kernel_of
from rooflint.source_edit.c_writer.words import TYPES as C_TYPES
from rooflint.transform.arithmetic.narrow_sums import (
    NarrowSum,
    compares_widely,
    narrow_sum,
    sum_narrowly,
)
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

BLOCKS: Final = 2
"""A sum of fewer blocks is spent in what is left over behind them."""


def _short(match: Match, context: RuleContext) -> str:
    found = narrow_sum(context.sites[match.place].loop)
    trips = context.kernel(kernel_of(match, context)).traffic.space.trips[-1]
    least = BLOCKS * found.terms if found is not None else 0
    return f"{trips:.3g} terms are less than {BLOCKS} blocks of them" if trips < least else ""


def _wide_comparison(match: Match, context: RuleContext) -> str:
    found = narrow_sum(context.sites[match.place].loop)
    plan = plan_of(context, kernel_of(match, context))
    if found is None or plan is None or plan.code.vector.width == 1 or not compares_widely(found):
        return ""
    return "the bytes are compared with a number of more bits, and widened for that"


class NarrowSumRule(RuleDefaults):
    code = "RL218"
    slug = "narrow-sum"
    requires = (CodeFeature.BYTES,)
    summary = "bytes are widened to the type of their sum, one by one"
    needs = ("core",)
    guards = (
        Guard("short", "the loop has few terms", _short),
        Guard("wide-comparison", "vectors of bytes are widened to be compared", _wide_comparison),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that sum what bytes are made into, in four bytes or eight."""
        for site, _ in innermost(context):
            found = narrow_sum(site.loop)
            if found is not None:
                yield _match(site, found)


RULE = NarrowSumRule()


def _match(site: Site, found: NarrowSum) -> Match:
    bits = found.type.lstrip("iu")
    return Match(
        site.name,
        f"each term of {found.name} is widened from 8 bits, though {bits} hold {found.terms} terms",
        (
            Change(
                f"sums of {found.terms} terms in {bits} bits",
                partial(sum_narrowly, loop=site.name),
                fix=partial(_fix, site, found),
                action=Action(ActionKind.PARTIAL_SUMS, str(found.terms)),
            ),
        ),
        names=(found.name,),
    )


def _fix(site: Site, found: NarrowSum, _: ChangedFunction) -> Fix:
    index, terms = site.loop.index, found.terms
    sketch = (
        f"for (; {index} + {terms} <= ...; {index} += {terms}) {{\n"
        f"  {C_TYPES[found.type]} part = 0;\n"
        f"  for (int k = 0; k < {terms}; k++)\n"
        f"    part += ...;   // the term of {index} + k\n"
        f"  {found.name} += part;\n"
        "}\n"
        "// then the loop as it is, for the rest"
    )
    return Fix(safety="sketch", title=f"sums of {terms} terms", sketch=sketch)
