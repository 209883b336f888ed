from collections.abc import Iterator

from rooflint.ir import UNCOUNTED
from rooflint.plugin_api.rule import Match, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.source_edit.edits import EditableSource
from rooflint.transform.nest.tree import Site


class NotCanonical(RuleDefaults):
    code = "RL302"
    slug = "not-canonical"
    summary = "a countable loop is written with while, or with an index from outside"
    aliases = ("PWR017", "PWR024")
    status = "structural"

    def match(self, context: RuleContext) -> Iterator[Match]:
        """``while``, ``do``, and ``for`` whose header does not declare its index."""
        for site in context.sites.values():
            said = _said(context, site)
            if said:
                yield Match(site.name, f"{said}; omp directives require for (int i = ...)")


RULE = NotCanonical()


def _said(context: RuleContext, site: Site) -> str:
    if UNCOUNTED in site.loop.exits:
        return ""
    if site.loop.form in ("while", "do"):
        return f"{site.loop.form} over {site.loop.index} counts as a for loop would"
    spans = context.source.spans
    if site.loop.form != "for" or not 0 <= site.loop.origin < len(spans):
        return ""
    header = EditableSource(context.text).header(spans[site.loop.origin])
    if header is None or context.source.declared_in(header):
        return ""
    return f"{site.loop.index} is declared outside of the loop that counts with it"
